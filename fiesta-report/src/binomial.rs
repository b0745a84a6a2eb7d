//! Terms of a binomial probability that lose no digits where there are many trials: the error of
//! Stirling's formula and the deviance (Loader, "Fast and accurate computation of binomial
//! probabilities", 2000).

/// Returns x ln(x/m) + m − x without cancellation, for x > 0.
pub(crate) fn deviance(x: f64, mean: f64) -> f64 {
    let difference = x - mean;
    if difference.abs() < 0.1 * (x + mean) {
        let ratio = difference / (x + mean);
        let square = ratio * ratio;
        let (mut sum, mut power) = (difference * ratio, 2.0 * x * ratio);
        for j in 1..1000 {
            power *= square;
            let next = sum + power / f64::from(2 * j + 1);
            if next.to_bits() == sum.to_bits() {
                break;
            }
            sum = next;
        }
        sum
    } else {
        x * (x / mean).ln() + mean - x
    }
}

/// Returns ln n! − (n ln n − n + ½ ln 2πn), for n ≥ 1.
pub(crate) fn stirling_error(n: u64) -> f64 {
    #[rustfmt::skip]
    const SMALL: [f64; 16] = [
        0.0,
        0.081_061_466_795_327_26,
        0.041_340_695_955_409_3,
        0.027_677_925_684_998_34,
        0.020_790_672_103_765_093,
        0.016_644_691_189_821_19,
        0.013_876_128_823_070_748,
        0.011_896_709_945_891_77,
        0.010_411_265_261_972_097,
        0.009_255_462_182_712_733,
        0.008_330_563_433_362_87,
        0.007_573_675_487_951_841,
        0.006_942_840_107_209_53,
        0.006_408_994_188_004_207,
        0.005_951_370_112_758_848,
        0.005_554_733_551_962_8,
    ];
    if let Some(&error) = usize::try_from(n).ok().and_then(|n| SMALL.get(n)) {
        return error;
    }
    let inverse = 1.0 / n as f64;
    let square = inverse * inverse;
    inverse
        * (1.0 / 12.0
            - square
                * (1.0 / 360.0
                    - square * (1.0 / 1260.0 - square * (1.0 / 1680.0 - square / 1188.0))))
}
