//! Arms with known means, evaluated by workers who may take longer for high scores, or for low
//! ones.

use fiesta_core::{
    Arms, Conclusion, Design, Evaluation, EvaluationId, Event, Limits, Outcome, Policy, Reason,
    Selector, SelectorError, StoppingRule, Workers,
};
use fiesta_policies::{Parameters, policy_by_name};
use fiesta_posterior::GaussianArms;
use rand::{SeedableRng, rngs::ChaCha8Rng};
use rand_distr::{Distribution, StandardNormal};

/// How many evaluations run at once, and which of them end late.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Running {
    /// Evaluations run one after the other.
    Alone,
    /// Eight evaluations run at once; a score one standard deviation higher takes seven times as
    /// long.
    HighLate,
    /// Eight evaluations run at once; a score one standard deviation lower takes seven times as
    /// long.
    HighEarly,
}

/// World of Gaussian arms whose scores share split effects with the standard deviation `split`.
#[derive(Debug, Clone)]
pub(crate) struct World {
    pub(crate) means: Vec<f64>,
    pub(crate) sds: Vec<f64>,
    pub(crate) split: f64,
    pub(crate) design: Design,
}

impl World {
    pub(crate) fn new(design: Design, means: &[f64], sds: &[f64]) -> Self {
        let (means, sds) = (means.to_vec(), sds.to_vec());
        Self {
            split: if design == Design::Shared { 1.0 } else { 0.0 },
            means,
            sds,
            design,
        }
    }

    /// Whether this arm is the only best one: of several equal arms none is.
    pub(crate) fn is_the_best(&self, arm: usize) -> bool {
        let others = self.means.iter().enumerate().filter(|&(a, _)| a != arm);
        others.into_iter().all(|(_, &mean)| mean < self.means[arm])
    }

    /// Simulates run `number` of a study in this world, up to `cap` evaluations.
    pub(crate) fn run(
        &self,
        policy: &str,
        running: Running,
        rule: impl StoppingRule + 'static,
        number: u64,
        cap: u64,
    ) -> Conclusion {
        let arms = Arms::new((0..self.means.len()).map(|arm| format!("arm{arm}"))).unwrap();
        let limits = Limits {
            evaluations: Some(cap),
            ..Limits::default()
        };
        let posterior = GaussianArms::pooled(arms.len());
        let mut selector =
            Selector::builder(arms, posterior, named(policy, self.means.len()), rule)
                .design(self.design)
                .limits(limits)
                .seed(number)
                .build()
                .unwrap();
        let mut workers = Virtual {
            world: self,
            running,
            rng: ChaCha8Rng::seed_from_u64(number.wrapping_mul(0x9E37_79B9_7F4A_7C15)),
            effects: Vec::new(),
            flying: Vec::new(),
            now: 0.0,
        };
        selector.drive(&mut workers).unwrap()
    }
}

/// Whether a run ended by the rule's guarantee.
pub(crate) fn is_named(conclusion: &Conclusion) -> bool {
    matches!(conclusion.reason, Reason::AnytimeValid { .. })
}

pub(crate) fn named(policy: &str, arms: usize) -> Box<dyn Policy> {
    let parameters = Parameters {
        arms,
        batch: 1,
        ..Parameters::default()
    };
    policy_by_name(policy, &parameters).unwrap()
}

struct Virtual<'a> {
    world: &'a World,
    running: Running,
    rng: ChaCha8Rng,
    effects: Vec<f64>,
    flying: Vec<(f64, EvaluationId, f64)>,
    now: f64,
}

impl Virtual<'_> {
    fn normal(&mut self) -> f64 {
        StandardNormal.sample(&mut self.rng)
    }

    fn effect(&mut self, split: u64) -> f64 {
        if self.world.design != Design::Shared {
            return 0.0;
        }
        let split = usize::try_from(split).unwrap();
        while self.effects.len() <= split {
            let effect = self.normal() * self.world.split;
            self.effects.push(effect);
        }
        self.effects[split]
    }
}

impl Workers<f64> for Virtual<'_> {
    type Error = SelectorError;

    fn vacancies(&self) -> usize {
        let slots = if self.running == Running::Alone { 1 } else { 8 };
        slots - self.flying.len()
    }

    fn start(&mut self, evaluation: Evaluation) -> Result<(), SelectorError> {
        let arm = evaluation.arm.index();
        let noise = self.normal();
        let score = self.world.means[arm]
            + self.effect(evaluation.case.split)
            + noise * self.world.sds[arm];
        let duration = match self.running {
            Running::Alone => 1.0,
            Running::HighLate => (2.0 * noise).exp(),
            Running::HighEarly => (-2.0 * noise).exp(),
        };
        self.flying
            .push((self.now + duration, evaluation.id, score));
        Ok(())
    }

    fn wait(&mut self, _selector: &Selector) -> Result<Vec<Event>, SelectorError> {
        let next = (0..self.flying.len())
            .min_by(|&a, &b| self.flying[a].0.total_cmp(&self.flying[b].0))
            .unwrap();
        let (end, id, score) = self.flying.swap_remove(next);
        self.now = end;
        let outcome = Outcome::Observed(score);
        Ok(vec![Event::Ended {
            id,
            outcome,
            cost: 1.0,
        }])
    }
}
