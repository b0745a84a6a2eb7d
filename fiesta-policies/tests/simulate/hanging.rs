//! Tests of one arm whose evaluations hardly ever end, beside three that take turns: how long slots
//! have nothing to do.

use fiesta_core::{
    ArmId, Arms, Ask, Design, Evaluation, EvaluationId, Event, Outcome, Selector, SelectorError,
    Streams, Workers,
};
use fiesta_policies::{
    Parameters, policy_by_name,
    simulate::{Noise, Observations, Problem, Synthetic, SyntheticArm},
    stopping::PosteriorThreshold,
};

const SLOTS: usize = 4;
const LEVEL: f64 = 0.95;

/// Slots on a virtual clock that measure how long they are idle until the arms that do not hang are
/// told apart.
struct Slots<'a> {
    observations: Box<dyn Observations + 'a>,
    hanging: ArmId,
    now: f64,
    running: Vec<(f64, Evaluation, f64)>,
    /// Observations of the arms that do not hang.
    others: Vec<(Evaluation, f64)>,
    posterior: &'static str,
    idle: f64,
    total: f64,
}

fn selector(policy: &str, posterior: &str, names: &[&str]) -> Selector {
    let parameters = Parameters {
        arms: names.len(),
        ..Parameters::default()
    };
    Selector::builder(
        Arms::new(names.iter().copied()).unwrap(),
        fiesta_posterior::posterior_by_name(posterior, names.len()).unwrap(),
        policy_by_name(policy, &parameters).unwrap(),
        PosteriorThreshold::new(LEVEL).unwrap(),
    )
    .build()
    .unwrap()
}

/// Reason why the loop ends.
#[derive(Debug)]
enum End {
    /// The arms that do not hang are told apart.
    Settled,
    /// The hanging arm's first evaluation has ended first, which was never the case with slots for
    /// the others.
    Late,
    Selector(SelectorError),
}

impl From<SelectorError> for End {
    fn from(error: SelectorError) -> Self {
        Self::Selector(error)
    }
}

impl Slots<'_> {
    /// Returns whether a study of the arms that do not hang would end with what is known of them.
    fn settled(&self) -> bool {
        let mut alone = selector("auto", self.posterior, &["a", "b", "c"]);
        for ((evaluation, score), id) in self.others.iter().zip(0..) {
            let index = evaluation.arm.index();
            let evaluation = Evaluation {
                id: EvaluationId(id),
                arm: ArmId::new(index - usize::from(index > self.hanging.index())),
                ..*evaluation
            };
            alone.record(evaluation, Some(*score)).unwrap();
        }
        matches!(alone.ask().unwrap(), Ask::Finished(_))
    }
}

impl Workers<f64> for Slots<'_> {
    type Error = End;

    fn vacancies(&self) -> usize {
        SLOTS - self.running.len()
    }

    fn start(&mut self, evaluation: Evaluation) -> Result<(), End> {
        let Evaluation { id, arm, case } = evaluation;
        let score = self.observations.observe(arm, case);
        let lasting = if arm == self.hanging {
            1000.0
        } else {
            0.5 + (id.0 % 7) as f64 / 6.0
        };
        self.running.push((self.now + lasting, evaluation, score));
        Ok(())
    }

    fn wait(&mut self, _selector: &Selector) -> Result<Vec<Event>, End> {
        // A slot is free only where the selector waits.
        if self.vacancies() > 0 && self.settled() {
            return Err(End::Settled);
        }
        self.running.sort_by(|one, other| one.0.total_cmp(&other.0));
        let idle = self.vacancies() as f64;
        let (end, evaluation, score) = self.running.remove(0);
        self.idle += idle * (end - self.now);
        self.total += SLOTS as f64 * (end - self.now);
        self.now = end;
        if evaluation.arm == self.hanging {
            return Err(End::Late);
        }
        self.others.push((evaluation, score));
        let outcome = Outcome::Observed(score);
        let id = evaluation.id;
        Ok(vec![Event::Ended {
            id,
            outcome,
            cost: 1.0,
        }])
    }
}

/// Returns how much of the slots' time they were idle until the other arms were told apart, and the
/// whole of that time.
fn idle(policy: &str, posterior: &'static str, hanging: usize, seed: u64) -> (f64, f64) {
    let arms = [0.60, 0.61, 0.605, 0.60].map(|mean| SyntheticArm::new(mean, 0.02));
    let problem = Synthetic::new(arms, Noise::default()).unwrap();
    let mut slots = Slots {
        observations: problem.observations(Design::Shared, &Streams::new(seed), 0),
        hanging: ArmId::new(hanging),
        now: 0.0,
        running: Vec::new(),
        others: Vec::new(),
        posterior,
        idle: 0.0,
        total: 0.0,
    };
    let mut selector = selector(policy, posterior, &["a", "b", "c", "d"]);
    match selector.drive(&mut slots) {
        Err(End::Settled) => (slots.idle, slots.total),
        Err(End::Late) => panic!("the others wait: {} of {}", slots.idle, slots.total),
        Err(End::Selector(error)) => panic!("{error}"),
        Ok(conclusion) => panic!("{conclusion:?} without the hanging arm"),
    }
}

#[test]
fn slots_are_used_while_an_arm_hangs() {
    for (policy, posterior) in [("auto", "paired"), ("ts", "pooled"), ("ttts", "paired")] {
        for hanging in 0..4 {
            let runs = (0..4).map(|seed| idle(policy, posterior, hanging, seed));
            let (idle, total) = runs.fold((0.0, 0.0), |sum, run| (sum.0 + run.0, sum.1 + run.1));
            let share = idle / total;
            println!("{policy}, {posterior}, arm {hanging} hangs: idle {share:.4} of {total:.0}");
            assert!(
                share <= 0.02,
                "{policy}, {posterior}, arm {hanging} hangs: {share}"
            );
        }
    }
}
