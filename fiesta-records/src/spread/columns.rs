//! Columns of a table of means by what they hold: what their names say of spreads, and what their
//! cells print.

use crate::{
    Spread, is_missing,
    proposal::{self, named_direction},
    rows::without_marks,
    table::Table,
};

/// Names of columns that hold the number of scores behind a mean.
const COUNTS: &str =
    "n count runs seeds trials repeats reps samples evaluations n_runs num_runs n_seeds num_seeds";

/// Words of numbers in leaderboards that are no means.
const NO_MEANS: &str = "rank ranking votes battles games matches year";

/// Words of spreads and means beside the name of the score.
const BESIDE: &str = "mean avg average std sd stdev stddev dev sigma se sem stderr err ci ci95 95 confidence interval spread uncertainty";

/// The meaning of a column's numbers as a spread, by its name.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Said {
    Is(Spread),
    /// A spread whose meaning is not stated.
    Unclear,
}

/// The words of a column's name, in small letters and joined by `_`.
fn plain(name: &str) -> String {
    proposal::plain(&name.to_lowercase())
}

/// Returns whether one of these words, separated by spaces, is a word of a plain name.
fn has(plain: &str, words: &str) -> bool {
    let mut own = plain.split('_');
    own.any(|own| words.split(' ').any(|word| word == own))
}

/// Returns what a column's name says of a spread. `None` if it names none.
fn said(name: &str) -> Option<Said> {
    let plain = plain(name);
    let holds = |phrases: &str| phrases.split(' ').any(|phrase| plain.contains(phrase));
    if has(&plain, "se sem stderr") || holds("standard_error std_err") {
        Some(Said::Is(Spread::Se))
    } else if has(&plain, "ci95")
        || has(&plain, "95") && (has(&plain, "ci") || holds("confidence_interval"))
    {
        Some(Said::Is(Spread::Ci95))
    } else if has(&plain, "std sd stdev stddev sigma") || holds("standard_deviation") {
        Some(Said::Is(Spread::Sd))
    } else {
        let is_sign = name.contains('±') || name.contains("+/-");
        let is_spread = has(&plain, "ci err spread uncertainty") || holds("confidence_interval");
        (is_sign || is_spread).then_some(Said::Unclear)
    }
}

/// Returns whether a plain name is that of a number of scores, which pandas calls by what they measure,
/// too: `runs`, `rmse_count`.
fn is_count(plain: &str) -> bool {
    let is_own = COUNTS.split(' ').any(|known| known == plain);
    is_own || plain.ends_with("_count") && named_direction(plain).is_some()
}

/// Returns the name of the score of a mean or a spread: `acc` of `acc_mean` and of `acc_std`.
fn measure(name: &str) -> String {
    let mut plain = plain(name);
    for phrase in ["standard_error", "std_error", "standard_deviation"] {
        plain = plain.replace(phrase, "");
    }
    let words = plain
        .split('_')
        .filter(|word| !has(word, BESIDE) && !word.is_empty());
    words.collect::<Vec<_>>().join("_")
}

/// Reads a finite number. `None` for any other text.
pub(super) fn number(text: &str) -> Option<f64> {
    let bare = without_marks(text);
    let value: f64 = bare.as_deref().unwrap_or(text).trim().parse().ok()?;
    value.is_finite().then_some(value)
}

/// Reads a spread: a number, also behind `±`, or half of the width of an interval that is written
/// by the distances of its ends, as `+4/-6`.
pub(super) fn half(text: &str) -> Option<f64> {
    let text = text.trim().replace('−', "-");
    match text
        .strip_prefix('+')
        .and_then(|rest| rest.split_once("/-"))
    {
        Some((above, below)) => Some(f64::midpoint(number(above)?, number(below)?)),
        None => number(text.trim_start_matches("+/-").trim_start_matches('±')),
    }
}

/// The mean and the spread of a cell such as `0.81 ± 0.02`, `81.2 +/- 1.1`, `$81.2 \pm 1.1$` or
/// `0.81 (0.02)`.
pub(crate) fn pair(cell: &str) -> Option<[String; 2]> {
    let bare = without_marks(cell);
    let text = bare
        .as_deref()
        .unwrap_or(cell)
        .replace("+/-", "±")
        .replace("\\pm", "±")
        .replace('−', "-");
    let text = text.replace(['$', '{', '}', '_', '*', '%', '\\'], "");
    let (mean, spread) = match text.split_once('±') {
        Some(parts) => parts,
        None => text.trim().strip_suffix(')')?.split_once('(')?,
    };
    // A comma before three digits may separate thousands.
    let is_decimal = |part: &str| {
        let comma = part.trim().split_once(',');
        comma.is_some_and(|(_, after)| after.len() != 3)
    };
    let point = if is_decimal(mean) || is_decimal(spread) {
        "."
    } else {
        ","
    };
    let pair = [mean, spread].map(|part| part.trim().replacen(',', point, 1));
    pair.iter()
        .all(|part| number(part).is_some())
        .then_some(pair)
}

/// Returns whether a spread in brackets may count units of the mean's last digit, as in `0.812(2)`.
pub(super) fn may_count_digits(cell: &str, [mean, spread]: &[String; 2]) -> bool {
    cell.contains('(') && mean.contains('.') && !spread.contains('.')
}

/// Returns the unit of a number's last printed digit: 0.01 of `0.81`, 0.0001 of `1.2e-3`.
pub(super) fn unit(text: &str) -> f64 {
    let text = text.trim().to_lowercase();
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let behind = digits.split_once('.').map_or(0, |(_, behind)| behind.len());
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let power = i32::try_from(behind).map_or(i32::MIN, |behind| exponent.saturating_sub(behind));
    // Text to number is exact where a power of ten is not.
    format!("1e{power}").parse().unwrap_or(0.0)
}

/// Column of means, with the places of their spreads.
pub(super) struct Measure {
    pub(super) mean: usize,
    /// Columns that may hold the spread. `None` stands for the cell of the mean itself.
    pub(super) spreads: Vec<(Option<usize>, Said)>,
    /// Whether the spread is in the cells of the mean, or its name contains the mean's name.
    pub(super) is_own: bool,
}

/// The columns of a table, by what they may hold.
#[derive(Default)]
pub(super) struct Columns {
    /// Columns that may be means with a spread.
    pub(super) measures: Vec<Measure>,
    /// Columns of the numbers of scores.
    pub(super) counts: Vec<usize>,
    /// Columns with a text of its own on every row.
    pub(super) names: Vec<usize>,
    /// Whether a column names what single evaluations are made on.
    pub(super) has_cases: bool,
}

impl Columns {
    pub(super) fn new(table: &Table) -> Self {
        let mut found = Self::default();
        let (mut numbers, mut spreads) = (Vec::new(), Vec::new());
        for (place, name) in table.columns().iter().enumerate() {
            let cells = table.rows().iter().filter_map(|row| row.cell(place));
            let is_known = |cell: &&str| !is_missing(cell) && !["-", "–", "—"].contains(cell);
            let mut cells: Vec<&str> = cells.filter(is_known).collect();
            let plain = plain(name);
            found.has_cases |= ["item", "split", "seed", "document"].contains(&&*plain);
            let spread = said(name).filter(|_| cells.iter().all(|cell| half(cell).is_some()));
            if cells.is_empty() {
            } else if let Some(said) = spread {
                spreads.push((place, said));
            } else if cells.iter().all(|cell| number(cell).is_some()) {
                match () {
                    () if has(&plain, NO_MEANS) => {}
                    () if is_count(&plain) => {
                        found.counts.push(place);
                    }
                    () => numbers.push(place),
                }
            } else if cells.iter().all(|cell| pair(cell).is_some()) {
                let said = said(name).unwrap_or(Said::Unclear);
                let spreads = vec![(None, said)];
                found.measures.push(Measure {
                    mean: place,
                    spreads,
                    is_own: true,
                });
            } else {
                cells.sort_unstable();
                cells.dedup();
                let is_name = cells.len() == table.rows().len();
                found.names.extend(is_name.then_some(place));
            }
        }
        let of = |place: usize| measure(&table.columns()[place]);
        for mean in numbers {
            let named = |wanted: &str| {
                let named = spreads.iter().filter(|(place, _)| of(*place) == wanted);
                named
                    .map(|&(place, said)| (Some(place), said))
                    .collect::<Vec<_>>()
            };
            let own = named(&of(mean));
            let is_own = !own.is_empty();
            let spreads = if is_own { own } else { named("") };
            if !spreads.is_empty() {
                found.measures.push(Measure {
                    mean,
                    spreads,
                    is_own,
                });
            }
        }
        found
    }

    /// Returns the columns that may be the means: those whose spread is in their cells or has their
    /// name, or else all beside a spread without another name.
    pub(super) fn candidates(&self) -> Vec<&Measure> {
        let is_any_own = self.measures.iter().any(|measure| measure.is_own);
        let found = self.measures.iter();
        found
            .filter(|measure| measure.is_own || !is_any_own)
            .collect()
    }
}
