//! The live display: a line and a bar for each arm, and a line for the whole.

use super::{
    eta::{remaining, words},
    plain::{outcome, told_before},
};
use fiesta::{
    core::{ArmId, Evaluation, Outcome},
    report::{Percentages, cost},
    runner::{
        Observer,
        history::{Ending, Told},
        observer::Progress,
        study::Study,
    },
};
use indicatif::{MultiProgress, ProgressBar, ProgressStyle};
use std::time::{Duration, Instant};
use unicode_width::UnicodeWidthStr;

/// How often the display is drawn anew while nothing ends.
const TICK: Duration = Duration::from_millis(250);
/// Between two drawings at least; a study of very short jobs has better things to do.
const BETWEEN: Duration = Duration::from_millis(50);
/// The length of a bar in its own unit: P(best) in thousandths.
const FULL: u64 = 1000;
/// The width of a bar on the screen.
const BAR: usize = 24;
/// Lines of the terminal that are not for arms.
const OTHER_LINES: usize = 5;
/// The widest that names are shown.
const WIDEST_NAME: usize = 32;

/// Draws where the study stands.
pub(super) struct Live {
    area: MultiProgress,
    /// What the columns are; drawn as long as it lives.
    _header: ProgressBar,
    /// A line for each arm that fits, best first.
    arms: Vec<ProgressBar>,
    /// How many arms do not fit, if any.
    more: Option<ProgressBar>,
    whole: ProgressBar,
    name_width: usize,
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
        let line = || {
            let template = format!("{{prefix}} {{bar:{BAR}.cyan/dim}} {{msg}}");
            let style = ProgressStyle::with_template(&template)
                .expect("the template is right")
                .progress_chars("━╸─");
            area.add(ProgressBar::new(FULL).with_style(style))
        };
        let text = || {
            let style = ProgressStyle::with_template("{msg}").expect("the template is right");
            area.add(ProgressBar::new(1).with_style(style))
        };
        let names = study.arms().names().iter().map(|name| name.width());
        let name_width = names.max().unwrap_or(0).min(WIDEST_NAME);
        let header = text();
        header.set_message(format!(
            "{:name_width$} {:BAR$} {:>8}  {}",
            "",
            "",
            if study.search().is_some() {
                "best"
            } else {
                "P(best)"
            },
            study.metric().name()
        ));
        Self {
            _header: header,
            arms: (0..count).map(|_| line()).collect(),
            more: (count < study.arms().len()).then(text),
            whole: text(),
            name_width,
            drawn: None,
            told: Told::default(),
            area,
        }
    }

    fn show_arm(
        &self,
        line: &ProgressBar,
        progress: &Progress<'_>,
        arm: ArmId,
        leads: bool,
        percentages: Option<&Percentages>,
    ) {
        let view = progress.selector.view();
        let name = console::truncate_str(progress.study.arms().name(arm), self.name_width, "…");
        let padded = console::pad_str(&name, self.name_width, console::Alignment::Left, None);
        let styled = console::style(padded).for_stderr();
        line.set_prefix(if leads { styled.bold() } else { styled }.to_string());
        let probability = view.belief().map(|belief| belief.of(arm));
        // Of a random search, the bar is how many of its trials an arm has had.
        let search = progress.study.search();
        let share = search.map(|search| {
            let ended = view.observed(arm) + view.failed(arm);
            ended as f64 / search.trials() as f64
        });
        #[allow(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "0 to 1000"
        )]
        line.set_position((share.or(probability).unwrap_or(0.0) * FULL as f64).round() as u64);
        let direction = progress.study.metric().direction();
        let mean = view.mean(arm).map_or("     –".to_owned(), |mean| {
            format!("{:.4}", direction.orient(mean))
        });
        let retired = !view.candidates().contains(&arm);
        let belief = match probability {
            _ if retired => "retired".to_owned(),
            Some(_) => percentages.map_or_else(String::new, |all| all.of(arm.index())),
            None if search.is_some() => String::new(),
            None => "–".to_owned(),
        };
        let failed = match view.failed(arm) {
            0 => String::new(),
            failed => format!("  {failed} failed"),
        };
        let pending = match view.pending(arm) {
            0 => String::new(),
            pending => format!("  {pending} running"),
        };
        line.set_message(format!(
            "{belief:>8}  {mean}  {:>4} evaluations{failed}{pending}",
            view.observed(arm)
        ));
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
        for (place, (line, &arm)) in self.arms.iter().zip(&order).enumerate() {
            let leads = place == 0 && view.belief().is_some();
            self.show_arm(line, progress, arm, leads, percentages.as_ref());
        }
        if let Some(more) = &self.more {
            more.set_message(format!("… and {} more", order.len() - self.arms.len()));
        }
        let beginning = match progress.study.search() {
            Some(search) => format!("{} trials of each arm", search.trials()),
            None => "first evaluations".to_owned(),
        };
        let leader = view.belief().map(|belief| belief.leader().0.index());
        let confidence = leader.zip(percentages.as_ref());
        let confidence = confidence.map_or(beginning, |(leader, percentages)| {
            format!("confidence {}", percentages.of(leader))
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
        let left = remaining(progress).map_or_else(String::new, |left| {
            format!(" · about {} to go", words(left))
        });
        self.whole.set_message(format!(
            "{confidence}{goal} · {} evaluations · {jobs} · cost {} · {}{left}",
            view.total_ended(),
            cost(view.total_cost()),
            words(Duration::try_from_secs_f64(progress.elapsed).unwrap_or_default()),
        ));
        // Drawing is limited line by line; forced, what is on the screen is one moment.
        for line in self.arms.iter().chain([&self.whole]) {
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
        let _ = self.area.println(message);
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
