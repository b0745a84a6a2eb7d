//! P(best) of three models from scores that exist.

use fiesta_core::{ArmId, Case, Observe, Posterior};
use fiesta_posterior::Paired;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let scores = [
        [0.62, 0.60, 0.63, 0.61],
        [0.66, 0.67, 0.64, 0.66],
        [0.61, 0.65, 0.62, 0.60],
    ];
    let mut posterior = Paired::new(scores.len());
    for (arm, scores) in ArmId::all(3).zip(&scores) {
        for (split, &score) in (0..).zip(scores) {
            posterior.observe(arm, Case { split, seed: 0 }, score)?;
        }
    }
    let arms: Vec<ArmId> = ArmId::all(3).collect();
    let belief = posterior.belief(&arms);
    for arm in arms {
        println!("model {}: P(best) = {:.4}", arm.index(), belief.of(arm));
    }
    assert_eq!(belief.leader().0, ArmId::new(1));
    Ok(())
}
