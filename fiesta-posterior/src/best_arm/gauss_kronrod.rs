//! The Gauss–Kronrod rule of 15 nodes with its embedded Gauss rule of 7.
//!
//! Source: Kronrod 1965; nodes and weights as tabulated in Piessens et al., QUADPACK (1983).

/// The number of nodes.
pub(super) const NODES: usize = 15;

/// A node on [−1, 1] with its weight in the Kronrod rule and in the Gauss rule (0 where that has none).
#[derive(Clone, Copy)]
pub(super) struct Node {
    pub(super) position: f64,
    pub(super) kronrod: f64,
    pub(super) gauss: f64,
}

/// Positions above zero, Kronrod weight, Gauss weight; the last is the midpoint.
const HALF: [(f64, f64, f64); 8] = [
    (0.991_455_371_120_812_6, 0.022_935_322_010_529_224, 0.0),
    (
        0.949_107_912_342_758_5,
        0.063_092_092_629_978_55,
        0.129_484_966_168_869_7,
    ),
    (0.864_864_423_359_769_1, 0.104_790_010_322_250_18, 0.0),
    (
        0.741_531_185_599_394_4,
        0.140_653_259_715_525_92,
        0.279_705_391_489_276_66,
    ),
    (0.586_087_235_467_691_1, 0.169_004_726_639_267_9, 0.0),
    (
        0.405_845_151_377_397_2,
        0.190_350_578_064_785_4,
        0.381_830_050_505_118_9,
    ),
    (0.207_784_955_007_898_47, 0.204_432_940_075_298_9, 0.0),
    (0.0, 0.209_482_141_084_727_82, 0.417_959_183_673_469_4),
];

/// All nodes, from left to right.
pub(super) fn nodes() -> [Node; NODES] {
    std::array::from_fn(|i| {
        let (position, kronrod, gauss) = HALF[i.min(NODES - 1 - i)];
        Node {
            position: if i < NODES / 2 { -position } else { position },
            kronrod,
            gauss,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Exact for polynomials: degree 22 with Kronrod's rule, 13 with Gauss's.
    #[test]
    fn integrates_polynomials_exactly() {
        for degree in 0..=22 {
            let exact = if degree % 2 == 0 {
                2.0 / f64::from(degree + 1)
            } else {
                0.0
            };
            let kronrod: f64 = nodes()
                .iter()
                .map(|n| n.kronrod * n.position.powi(degree))
                .sum();
            let gauss: f64 = nodes()
                .iter()
                .map(|n| n.gauss * n.position.powi(degree))
                .sum();
            assert!((kronrod - exact).abs() < 1e-15 * 8.0, "degree {degree}");
            assert!(
                degree > 13 || (gauss - exact).abs() < 1e-15 * 8.0,
                "degree {degree}"
            );
        }
    }
}
