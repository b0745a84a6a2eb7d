//! The measure of a study: scores of a metric, or confusion counts and the F-measure of them; and
//! which results count.

use super::{
    Study, StudyError,
    command::{Command, Words},
    error::Source,
    file::{ImpliedMetric, MetricTable, StudyFile},
    items::PoolKey,
    keys::{Beside, misplaced},
};
use crate::{pattern::Pattern, run::result::Wanted};
use fiesta_core::{Direction, FBeta, Metric, MetricError, Observation};
use fiesta_records::named_direction;

/// Measured quantity of a study: its metric, and how the score of a job is found.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Measure {
    pub(super) metric: Metric,
    /// The weight of recall, if evaluations report confusion counts.
    pub(super) counts: Option<FBeta>,
    /// The pattern that finds the score in what jobs print, if they do not report it as JSON.
    pub(super) pattern: Option<Pattern>,
    /// The file that a job writes its score to, and the key of the score in that file.
    pub(super) file: Option<(Command, String)>,
}

/// Reads what a study measures. Studies of documents have counts unless their metric is an ordinary
/// one, studies of items if their metric says so, studies of splits never. Scores of items lie
/// between 0 and 1 by default.
pub(super) fn measure(source: &Source<'_>, file: &StudyFile) -> Result<Measure, StudyError> {
    let pool = file.design.pool();
    let Some(table) = &file.metric else {
        if pool == Some(PoolKey::Documents) {
            return of_counts(source, file, &MetricTable::default(), FBeta::F1);
        }
        let message = "the table [metric] is missing: it names the key of the score in the result, for example name = \"accuracy\"";
        return Err(source.wrong(&[], message));
    };
    let weight = match (table.f_beta, table.precision_weight) {
        (Some(_), Some(_)) => {
            let message = "f_beta and precision_weight both say how precision and recall are weighed: leave one of them out";
            return Err(source.wrong(&["metric", "precision_weight"], message));
        }
        (Some(b), None) => Some(("f_beta", FBeta::new(b))),
        (None, Some(weight)) => Some(("precision_weight", FBeta::from_weight(weight))),
        (None, None) => None,
    };
    if let Some((name, f_beta)) = weight {
        let key = ["metric", name];
        if pool.is_none() {
            let message = format!(
                "{name} is of confusion counts, and those are of items or documents: name these under [design], or report the score itself and leave {name} out"
            );
            return Err(source.wrong(&key, message));
        }
        let f_beta = f_beta.map_err(|error| source.wrong(&key, error))?;
        return of_counts(source, file, table, f_beta);
    }
    let Some(name) = &table.name else {
        let message = "the metric has no name: give the key of the score in the result, for example name = \"accuracy\"";
        return Err(source.wrong(&[], message));
    };
    // A pool's posterior needs to know how much an answer can be.
    let unstated = (pool == Some(PoolKey::Items)).then_some([0.0, 1.0]);
    let bounds = table.bounds.or(unstated).map(<(f64, f64)>::from);
    let direction = direction(source, table, name)?;
    let metric = Metric::new(name.clone(), direction, bounds).map_err(|error| {
        let key = match error {
            MetricError::Bounds(..) => "bounds",
            _ => "name",
        };
        source.wrong(&["metric", key], error)
    })?;
    let pattern = pattern(source, table, bounds)?;
    let written = score_file(source, table, pool, name)?;
    Ok(Measure {
        metric,
        counts: None,
        pattern,
        file: written,
    })
}

/// Returns whether larger or smaller scores are better: as the study file says, else as the name of the metric does.
/// A name such as `score` tells nothing where the pattern stands beside the word of a loss.
fn direction(
    source: &Source<'_>,
    table: &MetricTable,
    name: &str,
) -> Result<Direction, StudyError> {
    let printed = table.pattern.as_deref().and_then(word_before_number);
    let printed = printed.filter(|word| named_direction(word) == Some(Direction::Minimize));
    let message = match (table.direction, named_direction(name), printed) {
        (Some(direction), ..) => return Ok(direction),
        (None, Some(Direction::Maximize), None) => return Ok(Direction::Maximize),
        (None, Some(Direction::Minimize), _) => {
            format!("`{name}` is by its name better when smaller")
        }
        (None, Some(Direction::Maximize), Some(word)) => {
            format!("the pattern finds `{word}`, which is by its name better when smaller")
        }
        (None, None, _) => {
            format!("`{name}` does not say whether larger or smaller values are better")
        }
    };
    let message = format!("{message}: add direction = \"minimize\", or \"maximize\"");
    Err(source.wrong(&["metric", "name"], message))
}

/// Returns the last word of a pattern before its number. `None` if there is none.
fn word_before_number(pattern: &str) -> Option<&str> {
    let opens = |(place, _): &(usize, &str)| {
        !pattern[..*place].ends_with('\\') && !pattern[place + 1..].starts_with('?')
    };
    let (place, _) = pattern.match_indices('(').find(opens)?;
    let before = &pattern[..place];
    let is_of_word = |c: char| c.is_alphanumeric() || "_-/".contains(c);
    before
        .split(|c| !is_of_word(c))
        .rfind(|word| word.len() > 1)
}

/// Reads where the study file says that jobs write their scores: the file, and the key in that
/// file.
fn score_file(
    source: &Source<'_>,
    table: &MetricTable,
    pool: Option<PoolKey>,
    name: &str,
) -> Result<Option<(Command, String)>, StudyError> {
    let wrong = |key: &str, message: String| Err(source.wrong(&["metric", key], message));
    let Some(file) = &table.file else {
        if table.key.is_none() {
            return Ok(None);
        }
        let message = "key is of the file that a job writes its score to: give that as file = \"out/{run}/metrics.json\", or leave key out (in what a job prints, the key is the metric's name)";
        return wrong("key", message.to_owned());
    };
    if table.pattern.is_some() {
        let message = "file and pattern both say where the score is: leave one of them out";
        return wrong("file", message.to_owned());
    }
    let words = Words {
        pool,
        of_worker: false,
        search: None,
    };
    let command = match Command::parse(std::slice::from_ref(file), words) {
        Ok(command) => command,
        Err(unknown) => {
            let unknown = unknown.join("}, {");
            return wrong("file", format!("unknown placeholder {{{unknown}}}"));
        }
    };
    let is_of_case = command.names("arm") && command.names("seed");
    if !is_of_case && !command.names("run") {
        let message = format!(
            "every evaluation would have the same file, {file}: name it by {{run}}, or by {{arm}} and {{seed}}, and let the command write it there"
        );
        return wrong("file", message);
    }
    let key = table.key.clone().unwrap_or_else(|| name.to_owned());
    Ok(Some((command, key)))
}

/// Compiles the pattern that finds scores. `None` if the study file has no pattern.
fn pattern(
    source: &Source<'_>,
    table: &MetricTable,
    bounds: Option<(f64, f64)>,
) -> Result<Option<Pattern>, StudyError> {
    let wrong = |key: &str, message: String| Err(source.wrong(&["metric", key], message));
    let is_percent = table.percent == Some(true);
    let Some(text) = &table.pattern else {
        if table.percent.is_none() {
            return Ok(None);
        }
        let message = "percent is of the numbers that a pattern finds in what jobs print, and there is none: give the pattern, such as pattern = 'accuracy: ([0-9.]+)%', or report a share";
        return wrong("percent", message.to_owned());
    };
    let pattern = match Pattern::new(text, is_percent) {
        Ok(pattern) => pattern,
        Err(error) => return wrong("pattern", error.to_string()),
    };
    if let Some((low, high)) = bounds.filter(|(_, high)| is_percent && *high >= 100.0) {
        let message = format!(
            "bounds are of the score, which is a hundredth of what is printed, as percent = true says: write bounds = [{:?}, {:?}]",
            low / 100.0,
            high / 100.0
        );
        return wrong("bounds", message);
    }
    Ok(Some(pattern))
}

/// Returns the measure of a study of confusion counts: an F-measure, better when larger, from 0 to
/// 1.
fn of_counts(
    source: &Source<'_>,
    file: &StudyFile,
    table: &MetricTable,
    f_beta: FBeta,
) -> Result<Measure, StudyError> {
    let wrong = |key: &str, message: &str| Err(source.wrong(&["metric", key], message));
    if let Some(path) = misplaced(source, file, Beside::Counts) {
        let key = path.trim_start_matches("metric.");
        let message = "a pattern or a key of a file finds one number, and this study is of confusion counts, which jobs report as JSON: {\"tp\": 3, \"fp\": 1, \"fn\": 0}; leave it out, or f_beta if jobs report the score itself";
        return wrong(key, message);
    }
    if table.direction == Some(Direction::Minimize) {
        let message = "more is better of an F-measure: leave direction out";
        return wrong("direction", message);
    }
    #[expect(clippy::float_cmp, reason = "bounds are written down, not computed")]
    if table.bounds.is_some_and(|bounds| bounds != [0.0, 1.0]) {
        let message = "an F-measure lies between 0 and 1: leave bounds out";
        return wrong("bounds", message);
    }
    let name = table.name.clone();
    let name = name.unwrap_or_else(|| match table.precision_weight {
        // Seldom a b of few digits.
        Some(_) => f_beta.to_string().to_lowercase(),
        None => format!("f{}", f_beta.b()),
    });
    let metric = Metric::new(name, Direction::Maximize, Some((0.0, 1.0)))
        .map_err(|error| source.wrong(&["metric", "name"], error))?;
    Ok(Measure {
        metric,
        counts: Some(f_beta),
        pattern: None,
        file: None,
    })
}

impl Measure {
    /// Returns the metric's bounds, negated if smaller is better, so that larger is better.
    pub(super) fn oriented_bounds(&self) -> Option<(f64, f64)> {
        self.metric.bounds().map(|(low, high)| {
            let [one, other] = [low, high].map(|bound| self.metric.direction().orient(bound));
            (one.min(other), one.max(other))
        })
    }

    /// Writes the metric to the study file's table, with its defaults.
    pub(super) fn record(&self, file: &mut StudyFile) {
        let (name, direction) = (self.metric.name().to_owned(), self.metric.direction());
        let f_beta = self.counts.map(FBeta::b);
        match (&mut file.metric, f_beta) {
            (Some(table), f_beta) => {
                table.name = Some(name);
                table.direction = Some(direction);
                // Not said, and said to be as it is without, are the same study.
                table.percent = table.percent.filter(|&percent| percent);
                if f_beta.is_some() {
                    table.f_beta = f_beta;
                    table.precision_weight = None;
                    // Given or not, they are those of every F-measure.
                    table.bounds = None;
                }
            }
            (None, None) => {}
            (None, Some(f_beta)) => {
                file.implied_metric = Some(ImpliedMetric {
                    name,
                    direction,
                    f_beta,
                    bounds: None,
                });
            }
        }
    }
}

impl Study {
    /// Returns the metric of the study.
    pub fn metric(&self) -> &Metric {
        &self.measure.metric
    }

    /// Returns the F-measure, if the study's evaluations report confusion counts.
    pub fn f_beta(&self) -> Option<FBeta> {
        self.measure.counts
    }

    /// Returns the score of an observation, or the F-measure of its counts, `None` if undefined.
    pub fn score_of(&self, observed: &Observation) -> Option<f64> {
        match observed {
            Observation::Score(score) => Some(*score),
            Observation::Counts(counts) => self.f_beta()?.of_counts(counts),
        }
    }

    /// Returns the kind of value that results of the study must have.
    pub fn wanted(&self) -> Wanted<'_> {
        let (metric, not_finite) = (&self.measure.metric, self.lenience.not_finite);
        match (self.measure.counts, self.pattern(), not_finite) {
            (Some(_), ..) => Wanted::Counts,
            (None, Some(pattern), _) => Wanted::Printed {
                metric,
                pattern,
                not_finite,
            },
            (None, None, Some(score)) => Wanted::ScoreOr(metric, score),
            (None, None, None) => Wanted::Score(metric),
        }
    }

    /// Returns the pattern that finds the score in a job's output. `None` if results are JSON.
    pub fn pattern(&self) -> Option<&Pattern> {
        self.measure.pattern.as_ref()
    }
}

/// Exceptions by which a study accepts results although something is wrong with them.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Lenience {
    /// The exit codes with which a result counts.
    pub(super) exit_codes: Vec<i32>,
    /// Score that replaces NaN and infinities.
    pub(super) not_finite: Option<f64>,
}

pub(super) fn lenience(
    source: &Source<'_>,
    file: &StudyFile,
    measure: &Measure,
) -> Result<Lenience, StudyError> {
    let table = file.metric.as_ref();
    let codes = table.and_then(|table| table.exit_codes.as_ref());
    let not_finite = table.and_then(|table| table.not_finite);
    Ok(Lenience {
        exit_codes: codes
            .map_or(Ok(vec![0]), |codes| exit_codes(codes))
            .map_err(|message| source.wrong(&["metric", "exit_codes"], message))?,
        not_finite: not_finite
            .map(|score| stand_in(score, measure))
            .transpose()
            .map_err(|message| source.wrong(&["metric", "not_finite"], message))?,
    })
}

fn exit_codes(codes: &[i64]) -> Result<Vec<i32>, String> {
    if codes.is_empty() {
        return Err(
            "exit_codes is empty, so that no result would ever count: give at least 0".to_owned(),
        );
    }
    let code = |&code: &i64| {
        u8::try_from(code).map(i32::from).map_err(|_| {
            format!(
                "{code} is no exit code: those are from 0 to 255 (a command that is killed by a signal has none)"
            )
        })
    };
    codes.iter().map(code).collect()
}

fn stand_in(score: f64, measure: &Measure) -> Result<f64, String> {
    if measure.counts.is_some() {
        let message =
            "not_finite is of scores, and this study's evaluations report counts: leave it out";
        return Err(message.to_owned());
    }
    let checked = measure.metric.check(score);
    checked.map_err(|error| format!("not_finite: {error}"))
}
