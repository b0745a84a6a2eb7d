//! Policy of a random search: equally many trials of every arm.

use fiesta_core::{Next, Policy, View};
use rand::Rng;

/// Evaluates every arm exactly n times, the arm with the fewest attempts first, and is then
/// finished.
///
/// A failed evaluation is a trial, since a setting that cannot be trained is part of what a random
/// search finds; one that was withdrawn is made again. An arm that is retired for failing gets no
/// more, and the others get theirs, also the last one that is left. The recommendation is
/// [`View::empirical_best`]: with the beliefs of `fiesta_posterior::Best` the arm with the best
/// score, else that with the best mean.
///
/// # Example
/// ```
/// use fiesta_core::{Arms, Ask, Event, Outcome, Reason, Selector};
/// use fiesta_policies::{random_search::{Parameter, Space, EqualTrials, Value}, stopping::Never};
/// use fiesta_posterior::Best;
///
/// let space = Space::new([("width", Parameter::integer(1, 9)?)])?;
/// let arms = Arms::even_one(["mlp"])?;
/// let mut selector = Selector::builder(arms, Best::new(1), EqualTrials::new(20), Never).build()?;
/// let conclusion = loop {
///     match selector.ask()? {
///         Ask::Evaluate(trial) => {
///             let setting = space.setting(trial.case.seed);
///             let Some(&Value::Integer(width)) = setting.get("width") else { unreachable!() };
///             let outcome = Outcome::Observed(-((width - 7) as f64).powi(2));
///             selector.tell(Event::Ended { id: trial.id, outcome, cost: 1.0 })?;
///         }
///         Ask::Wait => unreachable!("nothing is pending"),
///         Ask::Finished(conclusion) => break conclusion,
///     }
/// };
/// assert_eq!((conclusion.evaluations, conclusion.reason), (20, Reason::Schedule));
/// assert_eq!(selector.view().mean(conclusion.arm), Some(0.0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EqualTrials {
    each: u64,
}

impl EqualTrials {
    /// Makes a policy that evaluates each arm `each` times.
    pub fn new(each: u64) -> Self {
        Self { each }
    }
}

impl Policy for EqualTrials {
    fn next(&mut self, view: &View<'_>, _rng: &mut dyn Rng) -> Next {
        let lacking = view
            .with_case_left()
            .filter(|&arm| view.attempts(arm) < self.each);
        if let Some(arm) = lacking.min_by_key(|&arm| view.attempts(arm)) {
            return Next::Evaluate(arm);
        }
        match self.recommend(view) {
            Some(best) if view.total_pending() == 0 => Next::Finished(best),
            _ => Next::Wait,
        }
    }

    fn needs_posterior(&self) -> bool {
        false
    }

    fn is_complete(&self, view: &View<'_>) -> bool {
        let mut candidates = view.candidates().iter();
        candidates.all(|&arm| view.attempts(arm) >= self.each)
    }

    fn goes_on_alone(&self) -> bool {
        true
    }
}
