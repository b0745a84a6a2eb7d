//! Tables with a row for each system and a column for each data set, as results are published.

use super::{
    candidates::sounds_like_system,
    column::Sample,
    sides::are_numbered,
    words::{Kind, are_of_arms, is, no_system, plain, role_of, without_data_sets},
};
use crate::{
    HeaderProblem,
    data_part::DataPart,
    excerpt,
    proposal::{may_be_no_candidate, names_gold, names_no_candidate, names_summary},
    words::quoted,
};
use csv::StringRecord;

/// Fewest columns of numbers that show whether all columns are of one kind.
const FEWEST: usize = 3;

/// Largest ratio between the medians of two columns of scores of one kind.
const FACTOR: f64 = 10.0;

/// Words in names of numbers that are no scores. They count in tables with a row for each system alone.
const NO_SCORES: &str = "se pm stdev sigma votes year context speed throughput energy power age version place pos weight alpha beta gamma \
                         tau lambda eta ratio seeds";

/// Columns of a table with a row for each system, of which a column tells the names.
#[derive(Debug)]
pub(crate) struct SystemsTable {
    /// The column of the systems: the first, or the one behind the numbers of rows.
    pub(crate) system: usize,
    /// The columns of the data sets.
    pub(crate) data_sets: Vec<usize>,
    /// Columns that are called means or sums of the data sets.
    pub(crate) averages: Vec<usize>,
    /// Columns that the averages show to be no data sets.
    pub(crate) others: Vec<usize>,
    /// Metric whose name is part of the name of every data set.
    pub(crate) metric: Option<String>,
}

impl Sample {
    /// Returns the columns of a table with a row for each system, which no column speaks against. The
    /// name of the systems' column says that they are such, unless the user `named` that column.
    pub(crate) fn systems_table(&self, named: bool) -> Option<SystemsTable> {
        let system = self.first();
        let name = plain(self.names.get(system)?);
        let is_named = named || name != "name" && are_of_arms(&name);
        let systems: Vec<&str> = self.known(system).collect();
        let is_full = systems.len() == self.cells.len() && self.distinct(system) == systems.len();
        let are_texts = systems.iter().all(|name| name.parse::<f64>().is_err());
        // Anything may have a name.
        if !is_named || systems.len() < 2 || !is_full || !are_texts {
            return None;
        }
        let (averages, columns): (Vec<usize>, Vec<usize>) = (system + 1..self.names.len())
            .partition(|&place| {
                let name = &self.names[place];
                names_summary(name) || of_metric(name).is_some_and(|(mean, _)| names_summary(&mean))
            });
        let metric = self.common_metric(&averages, &columns);
        let ends = |place: usize| {
            let parts = of_metric(&self.names[place]).filter(|(_, of)| Some(of) == metric.as_ref());
            parts.map(|(name, _)| name)
        };
        let count = columns
            .iter()
            .filter(|&&place| ends(place).is_some())
            .count();
        let called: Vec<&str> = columns
            .iter()
            .map(|&place| self.names[place].as_str())
            .collect();
        let are_folds = named && are_numbered(&called);
        let is_data_set = |place: &usize| {
            let is_one = match ends(*place) {
                Some(name) => may_be_of_metric(&name),
                None if are_folds => true,
                None => count < FEWEST && self.may_be_data_set(*place, !averages.is_empty()),
            };
            is_one && self.numbers(*place).is_some()
        };
        let (data_sets, others): (Vec<usize>, Vec<usize>) =
            columns.into_iter().partition(is_data_set);
        // The corner may name what stands beside it.
        let is_turned = data_sets
            .iter()
            .any(|&place| sounds_like_system(&self.names[place]))
            && !systems.iter().any(|name| sounds_like_system(name));
        if is_turned && !named {
            return None;
        }
        // Without an average, nothing shows that a column is no data set.
        let are_all = !averages.is_empty() || others.is_empty();
        let fewest = if named { 2 } else { FEWEST };
        (data_sets.len() >= fewest && are_all && self.are_alike(&data_sets)).then_some(
            SystemsTable {
                system,
                data_sets,
                averages,
                others,
                metric,
            },
        )
    }

    /// Returns the error that some columns are by their names no data sets, such as sizes and dates,
    /// with the command that reads the others. `None` if these are no table with a row for each system.
    pub(crate) fn without_others(&self) -> Option<HeaderProblem> {
        let system = self.first();
        let count = self.names.len() - self.joined;
        let is_kept = |&place: &usize| {
            let is_data_set =
                || may_be_data_set(&self.names[place]) && self.numbers(place).is_some();
            place == system || place > system && is_data_set()
        };
        let kept: Vec<usize> = (0..count).filter(is_kept).collect();
        let part = |row: &StringRecord| {
            let cells = kept.iter().map(|&place| row.get(place).unwrap_or_default());
            cells.collect::<StringRecord>()
        };
        let names = StringRecord::from(self.names.clone());
        let rest = Self {
            names: part(&names).iter().map(str::to_owned).collect(),
            cells: self.cells.iter().map(part).collect(),
            joined: 0,
        };
        // `cut` knows no quotes.
        let mut cells = self.cells.iter().chain([&names]).flatten();
        if kept.len() == count || cells.any(|cell| cell.contains([',', '"'])) {
            return None;
        }
        rest.systems_table(false)?;
        let fields: Vec<String> = kept.iter().map(|place| (place + 1).to_string()).collect();
        let others = (system + 1..count).filter(|place| !kept.contains(place));
        Some(HeaderProblem::Choose {
            problem: format!(
                "`{}` names another system in each row, and by their names or cells these columns are no scores on a data set: {}; keep the others alone (cut -d, -f{} FILE | fiesta belief -), or give several scores of each system, a row for each",
                excerpt(&self.names[system]),
                quoted(others.map(|place| &self.names[place])),
                fields.join(",")
            ),
            choices: Vec::new(),
        })
    }

    /// Returns whether a column may be a data set by its name. A name that may also be a number
    /// that compares systems is allowed if the table has averages.
    fn may_be_data_set(&self, place: usize, has_averages: bool) -> bool {
        let name = &self.names[place];
        let is_open = may_be_no_candidate(name) && !has_averages;
        !is_open
            && !names_no_candidate(name, &self.names)
            && !names_gold(name)
            && may_be_data_set(name)
    }

    /// Returns the first column that does not number the rows.
    pub(crate) fn first(&self) -> usize {
        usize::from(self.counts_rows(0))
    }

    /// Returns whether a column numbers the rows, by its name and its numbers: an index, or ranks.
    fn counts_rows(&self, place: usize) -> bool {
        const NAMES: [&str; 9] = [
            "",
            "rank",
            "no",
            "nr",
            "place",
            "pos",
            "position",
            "index",
            "unnamed_0",
        ];
        let is_named = self
            .names
            .get(place)
            .is_some_and(|name| NAMES.contains(&&*plain(name)));
        let mut numbers = self.known(place).map(str::parse::<u64>);
        is_named && numbers.all(|number| number.is_ok())
    }

    /// Returns the word of a metric with which the name of an average, or else of every column, ends.
    fn common_metric(&self, averages: &[usize], columns: &[usize]) -> Option<String> {
        let of = |&place: &usize| of_metric(&self.names[place]).map(|(_, metric)| metric);
        let of_average = averages.iter().find_map(of);
        let first = of_average.clone().or_else(|| columns.iter().find_map(of))?;
        let count = columns
            .iter()
            .filter(|place| of(place).as_ref() == Some(&first))
            .count();
        let are_enough = count == columns.len() || !averages.is_empty() && count >= FEWEST;
        (of_average.is_some() || are_enough).then_some(first)
    }

    /// Returns whether all of these columns hold shares, or all percentages, of like sizes, and none
    /// holds ranks.
    fn are_alike(&self, places: &[usize]) -> bool {
        let mut columns: Vec<Vec<f64>> = Vec::new();
        for &place in places {
            let Some(mut numbers) = self.numbers(place) else {
                return false;
            };
            numbers.sort_by(f64::total_cmp);
            let ranks = (1..=numbers.len()).map(|rank| rank as f64);
            if numbers.len() > 1 && numbers.iter().copied().eq(ranks) {
                return false;
            }
            columns.push(numbers);
        }
        let all = || columns.iter().flatten().copied();
        let highest = columns.iter().filter_map(|numbers| numbers.last());
        let shares = highest.filter(|&&highest| highest <= 1.0).count();
        let medians = columns.iter().map(|numbers| numbers[numbers.len() / 2]);
        let (least, most) = (
            medians.clone().fold(f64::MAX, f64::min),
            medians.fold(0.0, f64::max),
        );
        all().all(|number| (0.0..=100.0).contains(&number))
            && (shares == 0 || shares == columns.len())
            && most <= FACTOR * least
            && self.unlike(places).is_none()
    }
}

/// Returns the words of a name before the word of a metric at its end, and that word.
fn of_metric(name: &str) -> Option<(String, String)> {
    let name = plain(&name.to_lowercase());
    let (before, last) = name.rsplit_once('_')?;
    let is_metric = is(Kind::Score, last) || is(Kind::Loss, last);
    is_metric.then(|| (before.to_owned(), last.to_owned()))
}

/// Returns whether the words before a metric may be the name of a data set: none is one of a part of
/// the data, a spread, or a kind of mean.
fn may_be_of_metric(plain: &str) -> bool {
    let is_other = |word: &str| {
        let word = word.trim_end_matches(|c: char| c.is_ascii_digit());
        let kinds = [
            Kind::BesideScore,
            Kind::Spread,
            Kind::Mean,
            Kind::Step,
            Kind::Seed,
        ];
        kinds.into_iter().any(|kind| is(kind, word)) || DataPart::of_word(word).is_some()
    };
    !plain.split('_').any(is_other)
}

/// Returns whether no word of a name says that the column is something else than a data set. Digits
/// at the end of a word count for nothing: `epoch10`.
fn may_be_data_set(name: &str) -> bool {
    let is_other = |plain: &str| {
        role_of(plain) == Some("seed") || no_system(plain).is_some_and(|what| what != "a case")
    };
    let is_no_score = |word: &str| {
        let word = word.trim_end_matches(|c: char| c.is_ascii_digit());
        is_other(word)
            || is(Kind::BesideScore, word)
            || DataPart::of_word(word).is_some()
            || NO_SCORES.split(' ').any(|known| known == word)
    };
    let names = [name, &name.to_lowercase()].map(|name| without_data_sets(&plain(name)));
    let is_known = |plain: &String| is_other(plain) || plain.split('_').any(is_no_score);
    name.contains(char::is_alphabetic) && !names.iter().any(is_known)
}
