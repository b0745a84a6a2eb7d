//! P(best) of three arms by draws and by quadrature; `cargo bench` times the kernel.

use fiesta_core::{ArmId, Marginal};
use fiesta_posterior::best_arm::{independent_draw, monte_carlo, quadrature};
use rand::{Rng, SeedableRng, rngs::ChaCha8Rng};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arms = [0.62, 0.64, 0.63].map(|location| Marginal {
        location,
        scale: 0.01,
        degrees_of_freedom: 8.0,
    });
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let draw = |rng: &mut dyn Rng, means: &mut [f64]| independent_draw(&arms, rng, means);
    let (drawn, exact) = (
        monte_carlo(3, 20_000, &mut rng, draw)?,
        quadrature(&arms, 1e-9)?,
    );
    for arm in ArmId::all(3) {
        println!(
            "arm {}: {:.4} by draws, {:.4} by quadrature",
            arm.index(),
            drawn.of(arm),
            exact.of(arm)
        );
        assert!((drawn.of(arm) - exact.of(arm)).abs() < 5.0 * drawn.absolute_error);
    }
    Ok(())
}
