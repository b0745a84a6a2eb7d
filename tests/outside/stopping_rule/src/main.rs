//! A stopping rule of one's own: the leader has stayed the same for ten evaluations.

use fiesta_core::{
    ArmId, Arms, Ask, Event, Outcome, Reason, Selector, StoppingRule, Verdict, View,
};
use fiesta_policies::Thompson;
use fiesta_posterior::Paired;
use std::sync::Mutex;

#[derive(Default)]
struct Steady {
    leader: Mutex<Option<(ArmId, u64)>>,
}

impl StoppingRule for Steady {
    fn check(&self, view: &View<'_>) -> Verdict {
        let Some(belief) = view.belief() else {
            return Verdict::Continue;
        };
        let (arm, now) = (belief.leader().0, view.total_ended());
        let mut leader = self.leader.lock().expect("no thread has panicked");
        match *leader {
            Some((same, since)) if same == arm && now >= since + 10 => {
                Verdict::Stop(arm, Reason::Schedule)
            }
            Some((same, _)) if same == arm => Verdict::Continue,
            _ => {
                *leader = Some((arm, now));
                Verdict::Continue
            }
        }
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arms = Arms::new(["a", "b", "c"])?;
    let mut selector =
        Selector::builder(arms, Paired::new(3), Thompson::default(), Steady::default()).build()?;
    let conclusion = loop {
        match selector.ask()? {
            Ask::Evaluate(e) => {
                let score = 0.1 * e.arm.index() as f64 + 0.03 * (e.case.seed as f64).sin();
                selector.tell(Event::Ended {
                    id: e.id,
                    outcome: Outcome::Observed(score),
                    cost: 1.0,
                })?;
            }
            Ask::Wait => unreachable!("nothing is pending"),
            Ask::Finished(conclusion) => break conclusion,
        }
    };
    println!(
        "{} led for ten evaluations, of {}",
        selector.arms().name(conclusion.arm),
        conclusion.evaluations
    );
    assert_eq!(selector.arms().name(conclusion.arm), "c");
    Ok(())
}
