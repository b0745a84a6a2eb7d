//! Logs of answers to items as records: names of arms and of items over several logs.

use crate::{
    Imported, Result, Tool,
    choose::{self, Tally},
    collected::Collected,
    error::{no_answer, refused},
    plain_path,
    texts::TextPlaces,
};
use fiesta_core::{ArmId, Direction};
use fiesta_records::{
    ColumnRole, Evaluations, Record, Role, RowProblem, Rule,
    words::{excerpt, quoted},
};
use fiesta_records::{Missing, Reading};
use std::collections::{BTreeSet, HashMap};

/// A file of answers of one arm, or of several, to the items of a task.
#[derive(Debug)]
pub(crate) struct Log {
    pub(crate) file: String,
    /// Name of the task whose items were answered. Equal names of items in different tasks are
    /// different items.
    pub(crate) task: Option<String>,
    pub(crate) arms: Vec<Parts>,
    /// The name of the score.
    pub(crate) metric: String,
    /// Names of further columns of the answers.
    pub(crate) columns: Vec<String>,
    pub(crate) answers: Vec<Answer>,
    /// Returns the place of an answer within the file, in words.
    pub(crate) place: fn(&Answer) -> String,
    /// Whether a log lists only items with score 1, so that missing items have the score 0.
    pub(crate) resolved_only: bool,
    /// Which scores are better, if the log says so.
    pub(crate) direction: Option<Direction>,
    pub(crate) notices: Vec<String>,
}

/// Properties that tell arms apart: the model, and further ones in the order of their use. An empty
/// text means no value.
pub(crate) type Parts = Vec<(&'static str, String)>;

/// The answer of an arm to an item.
#[derive(Debug)]
pub(crate) struct Answer {
    /// Place of the answer's arm among the arms of the log.
    pub(crate) arm: usize,
    pub(crate) item: String,
    /// Hash of the item's content: equal contents have equal hashes. `None` if the content is not known.
    pub(crate) content: Option<u64>,
    /// Number of the repeat of the item. `None` without repeats.
    pub(crate) seed: Option<u64>,
    pub(crate) outcome: Outcome,
    pub(crate) cost: Option<f64>,
    pub(crate) duration: Option<f64>,
    /// The line, or the number of the answer in a file that has no lines, from 1.
    pub(crate) line: u64,
    /// Text of the answer in each further column. An empty text means no value.
    pub(crate) cells: Vec<String>,
}

/// Result of an arm's answer to an item.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Outcome {
    Scored(f64),
    Failed,
    /// The answer has no finite score, and did not fail.
    Missing,
}

impl Outcome {
    /// Returns the outcome with this score, or [`Outcome::Missing`] if it is not finite.
    pub(crate) fn of(score: f64) -> Self {
        if score.is_finite() {
            Self::Scored(score)
        } else {
            Self::Missing
        }
    }
}

/// Returns the line of an answer for messages.
pub(crate) fn line(answer: &Answer) -> String {
    format!(":{}", answer.line)
}

/// Returns the name of a file without its folder and its extension, also that of a compressed file.
pub(crate) fn stem(file: &str) -> String {
    let plain = plain_path(file);
    let stem = plain.file_stem();
    stem.map_or_else(
        || file.to_owned(),
        |stem| stem.to_string_lossy().into_owned(),
    )
}

/// Returns all answers of all logs, of which there is at least one, as the records of one pool of
/// items.
pub(crate) fn records(logs: &[Log], tool: Tool, options: &Reading) -> Result<Imported> {
    let first = &logs[0];
    if let Some(other) = logs.iter().find(|log| log.metric != first.metric) {
        return Err(refused(format!(
            "{}: the score is `{}`, and in {} it is `{}`: name one that both have with --metric",
            other.file,
            excerpt(&other.metric),
            first.file,
            excerpt(&first.metric)
        )));
    }
    let collected = Collected::new(&first.metric, options)?;
    let Called {
        arms,
        said: chosen,
        by_task,
        roles,
    } = names(logs, tool, options)?;
    let roles = roles
        .into_iter()
        .chain(roles_of_log(first, options))
        .collect();
    let tasks: BTreeSet<&str> = logs.iter().filter_map(|log| log.task.as_deref()).collect();
    let several = tasks.len() > 1 && !by_task;
    let prefixes = several.then(|| {
        format!(
            "there are {} tasks, so that items are called by their task and their name there",
            tasks.len()
        )
    });
    let mut pool = Pool {
        tool,
        logs,
        options,
        collected,
        contents: Vec::new(),
        seen: HashMap::new(),
        missing: Tally::default(),
    };
    for (number, log) in logs.iter().enumerate() {
        let prefix = log.task.as_deref().filter(|_| several);
        pool.add(number, &arms[number], prefix)?;
    }
    let seen = pool.seen.iter();
    let mut answers: Vec<_> = seen
        .map(|(&(arm, item, _), &(log, answer))| (log, answer.line, arm, item))
        .collect();
    answers.sort_unstable();
    let (records, left) = pool.finish()?;
    let mut notices: Vec<String> = Vec::new();
    for notice in logs.iter().flat_map(|log| &log.notices) {
        // What is said of a task is said once.
        if !notices.contains(notice) {
            notices.push(notice.clone());
        }
    }
    let texts = TextPlaces {
        files: Vec::new(),
        arms: records.arms().to_vec(),
        answers,
    };
    Ok(Imported {
        texts,
        tool: Some(tool),
        records,
        direction: direction(logs)?,
        notices: chosen
            .into_iter()
            .chain(prefixes)
            .chain(notices)
            .chain(left)
            .collect(),
        roles,
    })
}

/// Returns the roles of what each answer of a log states, other than its arm.
fn roles_of_log<'a>(log: &'a Log, options: &Reading) -> impl Iterator<Item = ColumnRole> + use<'a> {
    let by = if options.metric.is_some() {
        Rule::Named
    } else {
        Rule::Tool
    };
    let kept = log.columns.iter();
    let kept = kept.map(|column| ColumnRole::new(column.as_str(), Role::Kept, Rule::Tool));
    let stated = [
        ColumnRole::new("the item", Role::Item, Rule::Tool),
        ColumnRole::new(log.metric.as_str(), Role::Score, by),
    ];
    stated.into_iter().chain(kept)
}

/// Returns the direction that logs state. An error if two logs state different ones. `None` if none states any.
fn direction(logs: &[Log]) -> Result<Option<Direction>> {
    let mut stated = logs.iter().filter_map(|log| Some((log, log.direction?)));
    let Some((first, direction)) = stated.next() else {
        return Ok(None);
    };
    match stated.find(|(_, other)| *other != direction) {
        None => Ok(Some(direction)),
        Some((other, _)) => Err(refused(format!(
            "{}: of larger and smaller scores, one is better here and the other in {}: read the logs of one direction by themselves",
            other.file, first.file
        ))),
    }
}

/// Returns the place of an answer for messages.
fn place(log: &Log, answer: &Answer) -> String {
    format!("{}{}", log.file, (log.place)(answer))
}

/// The answers of all logs, collected to make records of them.
struct Pool<'a> {
    tool: Tool,
    logs: &'a [Log],
    options: &'a Reading,
    collected: Collected,
    /// Hash of each item's content, with the number of the log and the answer that stated it first.
    contents: Vec<Option<(u64, usize, &'a Answer)>>,
    /// Every answer so far with the number of its log, by arm, item and seed.
    seen: HashMap<(usize, u64, Option<u64>), (usize, &'a Answer)>,
    /// Number of answers without a finite score, and the place of the first.
    missing: Tally,
}

impl<'a> Pool<'a> {
    /// Adds the answers of a log to the pool.
    fn add(&mut self, number: usize, arms: &[String], prefix: Option<&str>) -> Result<()> {
        let log = &self.logs[number];
        let wrong = |problem: RowProblem| refused(format!("{}: {problem}", log.file));
        let columns: Vec<&str> = log.columns.iter().map(String::as_str).collect();
        for column in &columns {
            let added = self.collected.records.add_column(column);
            added.map_err(wrong)?;
        }
        let mut called = String::new();
        for answer in &log.answers {
            let name = match prefix {
                Some(task) => {
                    called.clear();
                    called.extend([task, "/", &answer.item]);
                    called.as_str()
                }
                None => answer.item.as_str(),
            };
            self.answer(number, &arms[answer.arm], name, answer, &columns)?;
        }
        Ok(())
    }

    fn answer(
        &mut self,
        log: usize,
        arm: &str,
        item: &str,
        answer: &'a Answer,
        columns: &[&str],
    ) -> Result<()> {
        let score = match answer.outcome {
            Outcome::Scored(score) => Some(score),
            Outcome::Failed => None,
            Outcome::Missing => {
                let of = &self.logs[log];
                self.missing.add(|| place(of, answer));
                if self.options.missing_as() != Some(Missing::Fail) {
                    return Ok(());
                }
                None
            }
        };
        let wrong = |pool: &Self, problem: RowProblem| {
            refused(format!("{}: {problem}", place(&pool.logs[log], answer)))
        };
        let number = self.collected.records.item(item);
        let number = number.map_err(|problem| wrong(self, problem))?;
        self.same_content(log, item, number, answer)?;
        let cells = columns.iter().zip(&answer.cells);
        let metric = self.collected.metric.name();
        let record = Record {
            split: Some(number),
            seed: answer.seed,
            cost: answer.cost.filter(|_| metric != "cost"),
            duration: answer.duration.filter(|_| metric != "duration"),
            // Only lm-eval's samples stand on lines of their own.
            line: if self.tool == Tool::LmEval {
                answer.line
            } else {
                0
            },
            ..Record::failed(arm)
        };
        let added = self.collected.push(record, score, cells);
        added.map_err(|problem| wrong(self, problem))?;
        let records = &self.collected.records;
        let arm = records.find(arm.trim()).map_or(0, ArmId::index);
        let earlier = self.seen.insert((arm, number, answer.seed), (log, answer));
        match earlier {
            Some((first_log, first)) if first.outcome != Outcome::Failed || score.is_none() => {
                Err(refused(format!(
                    "{}: the answer of `{}` to item `{}` is in {} already: keep one of the two",
                    place(&self.logs[log], answer),
                    excerpt(&records.arms()[arm]),
                    excerpt(item),
                    place(&self.logs[first_log], first)
                )))
            }
            _ => Ok(()),
        }
    }

    /// Refuses an item whose content differs from an earlier item of the same name.
    fn same_content(
        &mut self,
        log: usize,
        item: &str,
        number: u64,
        answer: &'a Answer,
    ) -> Result<()> {
        let Some(content) = answer.content else {
            return Ok(());
        };
        let at = usize::try_from(number).unwrap_or(usize::MAX);
        if at >= self.contents.len() {
            self.contents.resize(at + 1, None);
        }
        match self.contents[at] {
            Some((known, first_log, first)) if known != content => Err(refused(format!(
                "{}: the item `{}` is another one than in {}: evaluate all arms on the same items",
                place(&self.logs[log], answer),
                excerpt(item),
                place(&self.logs[first_log], first)
            ))),
            Some(_) => Ok(()),
            None => {
                self.contents[at] = Some((content, log, answer));
                Ok(())
            }
        }
    }

    fn finish(self) -> Result<(Evaluations, Option<String>)> {
        let metric = excerpt(self.collected.metric.name());
        let fate = choose::missing(&self.missing, &metric, self.options)?;
        let fate = format!("without a finite `{metric}` {fate}");
        let left = self.missing.notice("answer", &fate);
        if self.collected.records.rows().next().is_none() {
            return Err(no_answer(&self.logs[0].file, self.tool));
        }
        let records = self.collected.finish(self.options, &self.logs[0].file)?;
        Ok((records, left))
    }
}

/// Names of arms, and how these names were chosen.
struct Called {
    /// Names of the arms of each log.
    arms: Vec<Vec<String>>,
    /// How the names were chosen, in words. `None` if the user asked for them.
    said: Option<String>,
    /// Whether the arms are called by their tasks. All tasks then share one list of items.
    by_task: bool,
    /// Role of each property of which the names of arms are made.
    roles: Vec<ColumnRole>,
}

/// Returns whether the arms are called by their tasks, which are then what is compared.
pub(crate) fn are_called_by_task(logs: &[Log], tool: Tool, options: &Reading) -> bool {
    names(logs, tool, options).is_ok_and(|called| called.by_task)
}

/// Chooses the names of the arms of each log.
fn names(logs: &[Log], tool: Tool, options: &Reading) -> Result<Called> {
    let all: Vec<&Parts> = logs.iter().flat_map(|log| &log.arms).collect();
    let known: Vec<&'static str> = all.first().map_or_else(Vec::new, |parts| {
        parts.iter().map(|&(part, _)| part).collect()
    });
    let (parts, said) = match options.columns.arm.as_deref().map(str::trim) {
        None => (tell_apart(logs, &known, tool), true),
        Some(asked) => {
            let find = |name: &str| known.iter().position(|part| *part == name.trim());
            match asked.split('+').map(find).collect::<Option<Vec<_>>>() {
                Some(parts) => (parts, false),
                None if all.len() == 1 => {
                    return Ok(Called {
                        arms: vec![vec![asked.to_owned()]],
                        said: None,
                        by_task: false,
                        roles: Vec::new(),
                    });
                }
                None => {
                    return Err(refused(format!(
                        "--arm `{}` cannot be the name of all {} arms: name what they are called by, one of {} or several joined by `+`",
                        excerpt(asked),
                        all.len(),
                        quoted(&known)
                    )));
                }
            }
        }
    };
    let by_task = parts.iter().any(|&part| known[part] == TASK);
    let name = |arm: &Parts| -> String {
        let values = parts.iter().map(|&part| arm[part].1.as_str());
        let values: Vec<&str> = values.filter(|value| !value.is_empty()).collect();
        values.join("+")
    };
    let names: Vec<Vec<String>> = logs
        .iter()
        .map(|log| log.arms.iter().map(name).collect())
        .collect();
    let mut owners: HashMap<(&str, Option<&str>), &Log> = HashMap::new();
    for (log, names) in logs.iter().zip(&names) {
        for name in names {
            let task = log.task.as_deref().filter(|_| !by_task);
            if let Some(first) = owners.insert((name, task), log) {
                return Err(refused(format!(
                    "{}: this is the arm `{}`, as is {}: leave one of the two out, or name what tells them apart with --arm, one of \
                     {} or several joined by `+`",
                    log.file,
                    excerpt(name),
                    first.file,
                    quoted(&known)
                )));
            }
        }
    }
    let words: Vec<&str> = parts.iter().map(|&part| known[part]).collect();
    let by = if said { Rule::Tool } else { Rule::Named };
    let roles = words
        .iter()
        .map(|&part| ColumnRole::new(part, Role::Arm, by));
    let roles = roles.collect();
    let said = said.then(|| format!("the arms are called by their {}", words.join(" and ")));
    Ok(Called {
        roles,
        arms: names,
        said,
        by_task,
    })
}

/// Returns the places of the properties that form the arms' names: the first, and those further
/// ones (but not the file) in which arms of equal names on a task differ. If all of Inspect's logs
/// are of one model, the tasks are compared.
fn tell_apart(logs: &[Log], known: &[&'static str], tool: Tool) -> Vec<usize> {
    let arms: Vec<(Option<&str>, &Parts)> = logs
        .iter()
        .flat_map(|log| log.arms.iter().map(|arm| (log.task.as_deref(), arm)))
        .collect();
    let several = |part: usize| {
        arms.windows(2)
            .any(|pair| pair[0].1[part] != pair[1].1[part])
    };
    let task = known.iter().position(|part| *part == TASK);
    let by_task = task.filter(|&task| tool == Tool::Inspect && !several(0) && several(task));
    let mut chosen = vec![by_task.unwrap_or(0)];
    for part in 1..known.len() {
        if [FILE, TASK].contains(&known[part]) {
            continue;
        }
        let mut values: HashMap<_, &str> = HashMap::new();
        let differs = arms.iter().any(|&(task, arm)| {
            let key: Vec<&str> = chosen.iter().map(|&part| arm[part].1.as_str()).collect();
            let value = arm[part].1.as_str();
            *values.entry((task, key)).or_insert(value) != value
        });
        if differs {
            chosen.push(part);
        }
    }
    chosen
}

/// Name of the property that is the file of a log.
pub(crate) const FILE: &str = "file";

/// Names of the columns for the numbers of tokens of an answer.
pub(crate) const TOKENS: [&str; 2] = ["input_tokens", "output_tokens"];

/// Name of the property that is the task of a log.
pub(crate) const TASK: &str = "task";
