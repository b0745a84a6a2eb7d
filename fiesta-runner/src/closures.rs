//! Evaluations as closures, each in a thread of this process.

use crate::{clock::Pauses, executor::caught};
use fiesta_core::{Arms, Evaluation, Event, Outcome, Selector, SelectorError, Workers};
use std::{
    io,
    sync::{
        Arc,
        mpsc::{Receiver, Sender, channel},
    },
    thread,
    time::{Duration, Instant},
};

/// First and longest pause while no thread can be started.
const FIRST_PAUSE: Duration = Duration::from_millis(10);
const LONGEST_PAUSE: Duration = Duration::from_secs(1);

/// Makes evaluations by calling a closure, several at once.
///
/// There is no ledger: if the process dies, so do the scores; see
/// [`Functions`](crate::executor::Functions) for functions with one. A closure that returns an error or
/// panics is a failed evaluation. The cost of an evaluation is the seconds it took.
///
/// # Example
/// ```
/// use fiesta_core::{ArmId, Arms, Evaluation, Selector};
/// use fiesta_policies::{TopTwo, stopping::PosteriorThreshold};
/// use fiesta_posterior::Paired;
/// use fiesta_runner::Closures;
///
/// let train = |e: &Evaluation| -> Result<f64, String> {
///     let (split, noise) = ((e.case.split as f64).sin(), (e.case.seed as f64).sin());
///     Ok(0.6 + 0.02 * e.arm.index() as f64 + 0.01 * split + 0.005 * noise)
/// };
/// let mut selector = Selector::builder(
///     Arms::new(["small", "large"])?,
///     Paired::new(2),
///     TopTwo::ttps(),
///     PosteriorThreshold::new(0.95)?,
/// )
/// .build()?;
/// let conclusion = selector.drive(&mut Closures::new(2, train))?;
/// assert_eq!(conclusion.arm, ArmId::new(1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Closures<F> {
    evaluate: Arc<F>,
    parallel: usize,
    running: usize,
    done: Receiver<Done>,
    report: Sender<Done>,
    failures: Vec<(Evaluation, String)>,
}

/// An evaluation, its score or its error, and the seconds it took.
type Done = (Evaluation, Result<f64, String>, f64);

impl<F> Closures<F>
where
    F: Fn(&Evaluation) -> Result<f64, String> + Send + Sync + 'static,
{
    /// Up to `parallel` evaluations at once, each a call of `evaluate`: a score where larger is
    /// better.
    pub fn new(parallel: usize, evaluate: F) -> Self {
        let (report, done) = channel();
        Self {
            evaluate: Arc::new(evaluate),
            parallel: parallel.max(1),
            running: 0,
            done,
            report,
            failures: Vec::new(),
        }
    }

    /// Makes an evaluation in a thread of its own.
    fn spawn(&self, evaluation: Evaluation) -> io::Result<()> {
        let (evaluate, report) = (Arc::clone(&self.evaluate), self.report.clone());
        thread::Builder::new().spawn(move || {
            let began = Instant::now();
            let result = caught(|| evaluate(&evaluation));
            let seconds = began.elapsed().as_secs_f64();
            // Nobody listens any more when the selection has ended meanwhile.
            let _ = report.send((evaluation, result, seconds));
        })?;
        Ok(())
    }
}

impl<F> Closures<F> {
    /// The evaluations that failed, each with its error.
    pub fn failures(&self) -> &[(Evaluation, String)] {
        &self.failures
    }

    /// The failures in words, one line each.
    pub fn describe_failures(&self, arms: &Arms) -> Vec<String> {
        self.failures
            .iter()
            .map(|(e, why)| format!("{} on split {}: {why}", arms.name(e.arm), e.case.split))
            .collect()
    }

    fn event(&mut self, (evaluation, result, cost): Done) -> Event {
        self.running -= 1;
        let finite = |score: f64| {
            let why = || format!("the score {score} is not a finite number");
            score.is_finite().then_some(score).ok_or_else(why)
        };
        let outcome = result.and_then(finite).map_or_else(
            |why| {
                self.failures.push((evaluation, why));
                Outcome::Failed
            },
            Outcome::Observed,
        );
        let id = evaluation.id;
        Event::Ended { id, outcome, cost }
    }
}

impl<F> Workers<f64> for Closures<F>
where
    F: Fn(&Evaluation) -> Result<f64, String> + Send + Sync + 'static,
{
    type Error = SelectorError;

    fn vacancies(&self) -> usize {
        self.parallel - self.running
    }

    fn start(&mut self, evaluation: Evaluation) -> Result<(), SelectorError> {
        self.running += 1;
        let mut pauses = Pauses::new(FIRST_PAUSE, LONGEST_PAUSE);
        // There may be too many threads just now; nothing else keeps one from being started.
        while self.spawn(evaluation).is_err() {
            pauses.sleep();
        }
        Ok(())
    }

    fn wait(&mut self, _selector: &Selector) -> Result<Vec<Event>, SelectorError> {
        // The sender lives as long as this receiver, so that receiving cannot fail.
        let first = self.done.recv().map_err(|_| SelectorError::Stalled)?;
        let mut events = vec![self.event(first)];
        while let Ok(done) = self.done.try_recv() {
            events.push(self.event(done));
        }
        Ok(events)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fiesta_core::{Ask, Limits};
    use fiesta_policies::{Uniform, stopping::Never};
    use fiesta_posterior::GaussianArms;

    #[test]
    fn panics_and_errors_are_failures_of_the_arm() {
        let mut selector = Selector::builder(
            Arms::new(["panics", "errs", "works"]).unwrap(),
            GaussianArms::pooled(3),
            Uniform,
            Never,
        )
        .limits(Limits {
            evaluations: Some(30),
            ..Limits::default()
        })
        .build()
        .unwrap();
        let mut closures = Closures::new(3, |e: &Evaluation| match e.arm.index() {
            0 => panic!("out of luck"),
            1 => Err("no such file".to_owned()),
            _ => Ok(0.5),
        });
        let conclusion = selector.drive(&mut closures).unwrap();
        assert_eq!(selector.arms().name(conclusion.arm), "works");
        assert_eq!(selector.view().candidates(), [conclusion.arm]);
        let described = closures.describe_failures(selector.arms());
        assert!(
            described
                .iter()
                .any(|line| line.contains("panics") && line.contains("out of luck"))
        );
        assert!(
            described
                .iter()
                .any(|line| line.contains("errs") && line.contains("no such file"))
        );
        assert!(matches!(selector.ask(), Ok(Ask::Finished(_))));
    }
}
