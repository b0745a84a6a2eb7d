//! Gauss–Kronrod rule of 21 nodes with its embedded Gauss rule of 10.
//!
//! Source: Kronrod 1965; nodes and weights as tabulated in Piessens et al., QUADPACK (1983).

/// The number of nodes.
pub(crate) const NODES: usize = 21;

/// A node on [−1, 1] with its weight in the Kronrod rule and in the Gauss rule (0 where that has
/// none).
#[derive(Clone, Copy)]
pub(crate) struct Node {
    pub(crate) position: f64,
    pub(crate) kronrod: f64,
    pub(crate) gauss: f64,
}

/// Nodes and weights of the rules: positions above zero, Kronrod weight, Gauss weight; the last is
/// the midpoint.
const HALF: [(f64, f64, f64); 11] = [
    (0.995_657_163_025_808_1, 0.011_694_638_867_371_874, 0.0),
    (
        0.973_906_528_517_171_7,
        0.032_558_162_307_964_725,
        0.066_671_344_308_688_14,
    ),
    (0.930_157_491_355_708_2, 0.054_755_896_574_351_995, 0.0),
    (
        0.865_063_366_688_984_5,
        0.075_039_674_810_919_96,
        0.149_451_349_150_580_6,
    ),
    (0.780_817_726_586_416_9, 0.093_125_454_583_697_6, 0.0),
    (
        0.679_409_568_299_024_4,
        0.109_387_158_802_297_64,
        0.219_086_362_515_982_04,
    ),
    (0.562_757_134_668_604_7, 0.123_491_976_262_065_84, 0.0),
    (
        0.433_395_394_129_247_2,
        0.134_709_217_311_473_34,
        0.269_266_719_309_996_35,
    ),
    (0.294_392_862_701_460_2, 0.142_775_938_577_060_09, 0.0),
    (
        0.148_874_338_981_631_22,
        0.147_739_104_901_338_49,
        0.295_524_224_714_752_87,
    ),
    (0.0, 0.149_445_554_002_916_9, 0.0),
];

/// Returns all nodes, from left to right.
pub(crate) fn nodes() -> [Node; NODES] {
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

    /// Tests that the rules are exact for polynomials: of degree 31 with Kronrod's rule, 19 with
    /// Gauss's.
    #[test]
    fn integrates_polynomials_exactly() {
        for degree in 0..=31 {
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
                degree > 19 || (gauss - exact).abs() < 1e-15 * 8.0,
                "degree {degree}"
            );
        }
    }
}
