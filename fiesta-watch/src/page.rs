//! State of one study on the page: its status at the last look, and its results.

use fiesta_report::{
    analysis::live::{Course, LiveResults},
    html::{
        Block, RunOutput,
        live::{LiveStudy, Panel, Tone},
    },
};
use fiesta_runner::{
    executor::EngineKind,
    ledger::Ledger,
    parallel::Parallel,
    status::{
        FailureGroup, Follower, LogEnds, SlotTable, Standing, State, advice, failures, slots, waits,
    },
};
use std::path::Path;

/// Largest number of causes of failures that are shown.
const MOST_CAUSES: usize = 5;

/// A study that the page shows.
#[derive(Debug)]
pub(super) struct Watched {
    follower: Follower,
    logs: LogEnds,
    /// Results of the study, which change only with its ledger. `None` before there are any.
    results: Option<LiveResults>,
    failures: Panel,
}

impl Watched {
    pub(super) fn new(path: &Path, kinds: &'static [EngineKind]) -> Self {
        Self {
            follower: Follower::with_kinds(path, kinds),
            logs: LogEnds::default(),
            results: None,
            failures: Panel::new("failures", "Failures"),
        }
    }

    /// Returns what the page shows of a study before the first look at it.
    pub(super) fn unread(path: &Path) -> LiveStudy {
        LiveStudy {
            name: stem(path),
            file: path.display().to_string(),
            state: "being read".to_owned(),
            ..LiveStudy::default()
        }
    }

    /// Looks at the study, and returns what the page shows of it.
    pub(super) fn look(&mut self) -> LiveStudy {
        if self.follower.look() {
            self.take_in();
        }
        let (state, tone) = self.state();
        let path = self.follower.path();
        let mut study = LiveStudy {
            name: stem(path),
            file: path.display().to_string(),
            state: state.to_owned(),
            tone,
            note: self.note(),
            warnings: self.warnings(),
            ..LiveStudy::default()
        };
        let (Some(read), Some(history)) = (self.follower.study(), self.follower.history()) else {
            study.note = self.hint();
            if let Some(read) = self.follower.study() {
                read.name().clone_into(&mut study.name);
            }
            return study;
        };
        read.name().clone_into(&mut study.name);
        let slots = slots(read, history);
        let logs = self.logs.read(&self.follower, &slots);
        if let Some(results) = &self.results {
            study.answer = Some(results.answer.clone());
            study.overview = results.overview.clone();
            study.panels = panels(results);
        }
        study.panels.push(self.failures.clone());
        study
            .panels
            .push(running(SlotTable::new(slots), waits(read, history)));
        let outputs = logs.into_iter().map(|log| RunOutput {
            key: format!("e{}", log.evaluation),
            label: format!("{} {}", log.evaluation, log.arm),
            tag: log.standing,
            line: format!("{}, {}", log.description, log.seconds),
            streams: owned(log.streams),
        });
        let outputs: Vec<RunOutput> = outputs.collect();
        let logs = Panel::new("logs", "Ends of logs");
        study.panels.push(if outputs.is_empty() {
            logs
        } else {
            logs.block(Block::Outputs(outputs))
        });
        study
    }

    /// Computes results and causes of failures from the study's ledger.
    fn take_in(&mut self) {
        self.failures.blocks.clear();
        let facts = self.follower.facts();
        let (Some(study), Some(history), Some(facts)) =
            (self.follower.study(), self.follower.history(), facts)
        else {
            self.results = None;
            return;
        };
        let view = history.selector.view();
        let course = Course {
            pending: study.arms().ids().map(|arm| view.pending(arm)).collect(),
            most_evaluations: study.most_evaluations(),
            seconds: history.clock,
        };
        self.results = Some(LiveResults::new(&facts, &course));
        let all = failures(study, history);
        let more = all.len().saturating_sub(MOST_CAUSES);
        let shown = all.iter().take(MOST_CAUSES).map(cause);
        let shown: Vec<RunOutput> = shown.collect();
        let blocks = &mut self.failures.blocks;
        if !shown.is_empty() {
            blocks.push(Block::Outputs(shown));
        }
        let more = (more > 0).then(|| format!("… and for {more} more causes"));
        let lines = more.into_iter().chain(advice(study, history, &facts));
        blocks.extend(lines.map(Block::Text));
    }

    fn state(&self) -> (&'static str, Tone) {
        match self.follower.standing() {
            Standing::Known(State::Running) if self.is_paused() => ("paused", Tone::Idle),
            Standing::Known(State::Running) => ("running", Tone::Active),
            Standing::Known(State::Finished) => ("finished", Tone::Done),
            Standing::Known(State::Stopped) if self.has_failed() => {
                ("stopped, as every arm failed", Tone::Wrong)
            }
            Standing::Known(State::Stopped) => ("stopped", Tone::Idle),
            Standing::NotBegun => ("not begun", Tone::Idle),
            Standing::Starting => ("starting", Tone::Active),
            Standing::Unreadable(_) => ("cannot be read", Tone::Wrong),
        }
    }

    fn has_failed(&self) -> bool {
        let both = self.follower.study().zip(self.follower.history());
        both.is_some_and(|(study, history)| {
            let none_left = history.selector.view().candidates().is_empty();
            none_left || history.failed_alike(study)
        })
    }

    fn parallel(&self) -> Option<Parallel> {
        Parallel::of(self.follower.study()?).ok()
    }

    fn is_paused(&self) -> bool {
        self.parallel().is_some_and(|parallel| parallel.paused)
    }

    /// Returns a line on who runs the study, or on how to resume it.
    fn note(&self) -> String {
        let Some(study) = self.follower.study() else {
            return String::new();
        };
        let file = study.path.file_name().unwrap_or_default();
        let file = file.to_string_lossy();
        match self.follower.standing() {
            Standing::Known(State::Running) => {
                let holder = Ledger::holder(&study.state_directory());
                let by = holder.map_or_else(String::new, |holder| format!("by {holder}"));
                match self.parallel() {
                    Some(parallel) if parallel.paused => format!(
                        "{by}; `fiesta slots {file} --resume` goes on with {}",
                        jobs(parallel.jobs)
                    ),
                    Some(parallel) => format!("{by}, {}", jobs(parallel.jobs)),
                    None => by,
                }
            }
            Standing::Known(State::Stopped) => format!("`fiesta run {file}` resumes it"),
            _ => String::new(),
        }
    }

    /// Returns advice on a study of which nothing can be shown yet.
    fn hint(&self) -> String {
        let file = self.follower.path().file_name().unwrap_or_default();
        match self.follower.standing() {
            Standing::NotBegun => format!(
                "`fiesta run {}` begins it, and this page follows",
                file.to_string_lossy()
            ),
            _ => String::new(),
        }
    }

    fn warnings(&self) -> Vec<String> {
        let unreadable = match self.follower.standing() {
            Standing::Unreadable(why) => Some(why.clone()),
            _ => None,
        };
        let warning = self.follower.warning().map(ToOwned::to_owned);
        unreadable.into_iter().chain(warning).collect()
    }
}

/// Returns a study's name made from its file's name, as its own name is not known.
fn stem(path: &Path) -> String {
    let stem = path.file_stem().unwrap_or(path.as_os_str());
    stem.to_string_lossy().into_owned()
}

fn jobs(count: usize) -> String {
    match count {
        1 => "1 job at a time".to_owned(),
        jobs => format!("{jobs} jobs at a time"),
    }
}

/// Returns the panels that show the results.
fn panels(results: &LiveResults) -> Vec<Panel> {
    let mut belief = Panel::new("belief", "Belief over the evaluations");
    belief.blocks = results
        .belief
        .clone()
        .map(Block::Figure)
        .into_iter()
        .collect();
    let arms = Panel::new("arms", "Arms").block(Block::Table(results.arms.clone()));
    let mut groups = Panel::new("groups", "By group");
    groups.blocks = results
        .groups
        .clone()
        .map(Block::Table)
        .into_iter()
        .collect();
    let mut notices = Panel::new("notices", "Notices");
    let texts = results.notices.iter().cloned();
    notices.blocks = texts.map(Block::Text).collect();
    vec![belief, arms, groups, notices]
}

/// Returns the panel of running jobs, and of waiting jobs with reasons.
fn running(slots: SlotTable, waits: Vec<String>) -> Panel {
    let mut panel = Panel::new("slots", "What runs and what waits");
    panel.blocks.extend(slots.table.map(Block::Table));
    panel
        .blocks
        .extend(slots.notes.into_iter().chain(waits).map(Block::Text));
    panel
}

/// Returns the entry for evaluations that failed for the same cause.
fn cause(group: &FailureGroup) -> RunOutput {
    let (number, arm) = (group.evaluation, &group.arm);
    let (label, line) = match group.count {
        1 => (
            arm.clone(),
            format!("evaluation {number}, {}", group.description),
        ),
        _ => (
            group.arms.join(", "),
            format!("first evaluation {number}, {arm} on {}", group.description),
        ),
    };
    RunOutput {
        key: format!("f{number}"),
        label,
        tag: match group.count {
            1 => "failed".to_owned(),
            count => format!("failed alike {count} times"),
        },
        line,
        streams: vec![(
            format!("its output is in {}", group.log.display()),
            group.message.clone(),
        )],
    }
}

fn owned(streams: Vec<(&'static str, String)>) -> Vec<(String, String)> {
    let streams = streams.into_iter();
    streams
        .map(|(name, text)| (name.to_owned(), text))
        .collect()
}
