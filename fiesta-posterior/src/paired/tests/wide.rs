//! Approximation for many arms against the exact fit, on forty arms.

use super::{
    super::{Cells, sampler::Length, wide::Wide},
    Score, cells, normal, rng, sample,
};
use crate::best_arm::of_proper;
use fiesta_core::ArmId;

const ARMS: usize = 40;

fn study(seed: u64, effect: f64, splits: impl Fn(usize) -> u64) -> Vec<Score> {
    let mut random = rng(seed);
    let mut scores = Vec::new();
    for split in 0..20 {
        let effect = effect * normal(&mut random);
        for arm in 0..ARMS {
            let mean = 0.6 + 0.02 * (arm as f64 * 0.618).fract();
            let score = mean + effect + 0.02 * normal(&mut random);
            if split < splits(arm) {
                scores.push((arm, split, score));
            }
        }
    }
    scores
}

/// Locations of differences from the first arm, relative to the exact scale; ratios of scales;
/// P(best).
fn compare(name: &str, scores: &[Score]) {
    let exact_cells = cells(ARMS, scores);
    let length = Length {
        burn_in: 100,
        sweeps: if cfg!(debug_assertions) { 600 } else { 8_000 },
        per_sweep: 1,
    };
    let draws = sample(&exact_cells, length, 1);
    let differences = draws.differences(&exact_cells).unwrap();
    let candidates: Vec<ArmId> = ArmId::all(ARMS).collect();
    let best = draws.best(1, &candidates, |_| 0.0).probability;

    let mut wide_cells = Cells::new(ARMS, false);
    for &(arm, split, score) in scores {
        wide_cells.add(arm, split, score);
    }
    let wide = Wide::fit(&wide_cells).unwrap();
    let approximate = of_proper(&wide.marginals);

    let (mut furthest, mut ratios) = (0.0_f64, (f64::INFINITY, 0.0_f64));
    for arm in 1..ARMS {
        let exact = differences.marginal(arm, 0);
        let origin = exact_cells.arms[arm].origin - exact_cells.arms[0].origin;
        let (a, b) = (wide.marginals[arm], wide.marginals[0]);
        let off = a.location - b.location - exact.location - origin;
        furthest = furthest.max((off / exact.scale).abs());
        let ratio = a.scale.hypot(b.scale) / exact.scale;
        ratios = (ratios.0.min(ratio), ratios.1.max(ratio));
    }
    let off = best.iter().zip(&approximate.probability);
    let off = off.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    println!(
        "{name}: locations off by {furthest:.3} scales, scales {:.3} to {:.3} times, P(best) by {off:.3}",
        ratios.0, ratios.1
    );
    assert!(furthest < 0.3, "{name}: {furthest}");
    assert!(ratios.0 > 0.8 && ratios.1 < 1.5, "{name}: {ratios:?}");
    assert!(off < 0.1, "{name}: {off}");
}

#[test]
fn wide_fits_resemble_exact_ones() {
    compare("balanced", &study(1, 0.03, |_| 8));
    compare("uneven", &study(2, 0.03, |arm| 3 + arm as u64 % 10));
    compare(
        "no effect of splits",
        &study(3, 0.0, |arm| 3 + arm as u64 % 5),
    );
    compare(
        "large effects of splits",
        &study(4, 1.0, |arm| 3 + arm as u64 % 5),
    );
    compare(
        "few contenders",
        &study(5, 0.03, |arm| if arm % 8 == 0 { 20 } else { 2 }),
    );
}
