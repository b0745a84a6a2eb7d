//! Live display of a study that runs: a line and a bar for each arm, and a line for the whole.

use super::{
    eta::{Left, remaining},
    plain::{outcome, told_before},
    screen::{ArmLine, Layout, joined},
};
use crate::output::width_beside;
use fiesta::{
    ArmId, Evaluation, Foreign, Outcome, harmless,
    report::{Percentages, cost_with_unit, percent, wrapped},
    runner::{
        history::{Ending, Told},
        observer::{Observer, Progress},
        status::duration,
        study::Study,
    },
};
use indicatif::{MultiProgress, ProgressBar, ProgressStyle};
use std::time::{Duration, Instant};

/// Interval at which the display is redrawn while no evaluation ends.
const TICK: Duration = Duration::from_millis(250);
/// Shortest time between two drawings, so that a study of very short jobs does not spend its time on them.
const BETWEEN: Duration = Duration::from_millis(50);
/// Number of the terminal's lines that show something other than arms.
const OTHER_LINES: usize = 6;

/// Live display of a running study on the terminal: one bar for each arm, and one line for the
/// whole study.
pub(super) struct Live {
    area: MultiProgress,
    /// The headers of the columns.
    header: ProgressBar,
    /// A line for each arm that fits, best first.
    arms: Vec<ProgressBar>,
    /// Line that counts the arms for which the terminal has no line.
    more: Option<ProgressBar>,
    whole: ProgressBar,
    drawn: Option<Instant>,
    told: Told,
}

impl Live {
    pub(super) fn new(study: &Study) -> Self {
        let area = MultiProgress::new();
        let rows = usize::from(console::Term::stderr().size().0);
        let count = study
            .arms()
            .len()
            .min(rows.saturating_sub(OTHER_LINES).max(1));
        let text = || {
            let style = ProgressStyle::with_template("{msg}").expect("the template is right");
            area.add(ProgressBar::new(1).with_style(style))
        };
        Self {
            header: text(),
            arms: (0..count).map(|_| text()).collect(),
            more: (count < study.arms().len()).then(text),
            whole: text(),
            drawn: None,
            told: Told::default(),
            area,
        }
    }

    /// Returns the texts and numbers of an arm's line.
    fn arm(
        progress: &Progress<'_>,
        arm: ArmId,
        leads: bool,
        percentages: Option<&Percentages>,
    ) -> ArmLine {
        let view = progress.selector.view();
        let probability = view.belief().map(|belief| belief.of(arm));
        // Of a random search, the bar is how many of its trials an arm has had.
        let search = progress.study.search();
        let share = search.map(|search| {
            let ended = view.observed(arm) + view.failed(arm);
            ended as f64 / search.trials() as f64
        });
        let direction = progress.study.metric().direction();
        let retired = !view.candidates().contains(&arm);
        ArmLine {
            name: Foreign::new(progress.study.arms().name(arm)).to_string(),
            share: share.or(probability).unwrap_or(0.0),
            probability: match probability {
                _ if retired => "retired".to_owned(),
                Some(_) => percentages.map_or_else(String::new, |all| all.of(arm.index())),
                None if search.is_some() => String::new(),
                None => "–".to_owned(),
            },
            score: view.mean(arm).map_or("     –".to_owned(), |mean| {
                format!("{:.4}", direction.orient(mean))
            }),
            evaluations: view.observed(arm),
            failed: view.failed(arm),
            pending: view.pending(arm),
            leads,
        }
    }
}

impl Observer for Live {
    fn progress(&mut self, progress: &Progress<'_>) {
        if self.drawn.is_some_and(|drawn| drawn.elapsed() < BETWEEN) {
            return;
        }
        self.drawn = Some(Instant::now());
        let view = progress.selector.view();
        let mut order: Vec<ArmId> = progress.study.arms().ids().collect();
        // Until a belief says otherwise, in the study's order: lines that jump about cannot be
        // read.
        if let Some(belief) = view.belief() {
            order.sort_by(|&a, &b| belief.of(b).total_cmp(&belief.of(a)));
        }
        let percentages = view.belief();
        let percentages = percentages.map(|belief| Percentages::new(&belief.probability));
        let width = width_beside();
        let leads = |place| place < view.top() && view.belief().is_some();
        let shown = order.iter().take(self.arms.len()).enumerate();
        let shown =
            shown.map(|(place, &arm)| Self::arm(progress, arm, leads(place), percentages.as_ref()));
        let shown: Vec<ArmLine> = shown.collect();
        let metric = Foreign::new(progress.study.metric().name()).to_string();
        let layout = Layout::new(&shown, &metric, width);
        let probability = match (progress.study.search(), view.top()) {
            (Some(_), _) => "best".to_owned(),
            (None, 1) => "P(best)".to_owned(),
            (None, top) => format!("P(top {top})"),
        };
        self.header
            .set_message(layout.header(&metric, &probability, width));
        for (line, arm) in self.arms.iter().zip(&shown) {
            line.set_message(layout.line(arm, width));
        }
        if let Some(more) = &self.more {
            more.set_message(format!("… and {} more", order.len() - self.arms.len()));
        }
        let beginning = match progress.study.search() {
            Some(search) => format!("{} trials of each arm", search.trials()),
            None => "first evaluations".to_owned(),
        };
        // P(best) says nothing of how near the study is to another verdict.
        let seeks_best = progress.study.cheapest_within().is_none();
        let known = view.belief().zip(percentages.as_ref());
        let confidence = known.map_or(beginning, |(belief, percentages)| {
            let confidence = match belief.leaders(view.top())[..] {
                [leader] => percentages.of(leader.index()),
                ref leaders => percent(belief.of_all(leaders).max(0.0)),
            };
            format!("confidence {confidence}")
        });
        let goal = progress
            .study
            .confidence()
            .map_or_else(String::new, |level| format!(" of {} %", level * 100.0));
        let (running, slots) = (progress.running, progress.slots);
        let jobs = match (progress.draining, slots) {
            (true, _) => format!("draining, {running} of {slots} slots busy"),
            (false, 0) => format!("paused, {running} running"),
            (false, _) => format!("{running} of {slots} slots busy"),
        };
        let left = remaining(progress).map_or_else(String::new, Left::shown);
        let spent = cost_with_unit(view.total_cost(), progress.cost_unit);
        let parts = [
            if seeks_best {
                format!("{confidence}{goal}")
            } else {
                String::new()
            },
            format!("{} evaluations", view.total_ended()),
            jobs,
            format!("cost {spent}"),
            duration(progress.elapsed),
            left,
        ];
        self.whole
            .set_message(harmless(&joined(&parts, width)).into_owned());
        // Drawing is limited line by line; forced, what is on the screen is one moment.
        for line in [&self.header]
            .into_iter()
            .chain(&self.arms)
            .chain([&self.whole])
        {
            line.force_draw();
        }
    }

    fn ended(&mut self, study: &Study, evaluation: &Evaluation, ending: &Ending) {
        // How often a cause occurs is told in the end; each arm's line counts its failures.
        if told_before(&mut self.told, study, evaluation, ending).is_some() {
            return;
        }
        let is_odd = ending.message.is_some() && ending.outcome != Outcome::Withdrawn;
        if is_odd || ending.outcome == Outcome::Failed {
            let arm = study.arms().name(evaluation.arm);
            let line = format!(
                "{arm} on {} {}",
                study.describe(evaluation),
                outcome(study, ending)
            );
            self.notice(&line);
        }
    }

    fn notice(&mut self, message: &str) {
        // A display that cannot be written to is no reason to stop a study.
        let _ = self
            .area
            .println(wrapped(&harmless(message), width_beside()));
    }

    fn tick(&self) -> Option<Duration> {
        Some(TICK)
    }
}

impl Drop for Live {
    fn drop(&mut self) {
        for (first, count) in self.told.repeated() {
            let first = first.0 + 1;
            self.notice(&format!(
                "{count} evaluations failed as evaluation {first} did"
            ));
        }
        // The result's table takes the display's place.
        let _ = self.area.clear();
    }
}
