//! Rising factorial (a)_c = a(a + 1)⋯(a + c − 1) = Γ(a + c)/Γ(a), in logarithms.

/// Argument from which on four terms of Stirling's series are exact to the last digits.
const STIRLING_FROM: f64 = 10.0;
/// Count up to which the product of the rising factorial takes fewer steps than the series.
const SHORT: u64 = 12;

/// ln((a)_c/a^c) = Σ_{0<i<c} ln(1 + i/a), for a > 0: how much more probable than independent draws
/// c draws of the same kind are in Pólya's urn. It is 0 for c ≤ 1, falls with a, and tends to 0 as
/// c(c − 1)/(2a).
pub(super) fn ln_excess(a: f64, c: u64) -> f64 {
    if c <= SHORT {
        let step = a.recip();
        return (1..c)
            .map(|i| (i as f64).mul_add(step, 1.0))
            .product::<f64>()
            .ln();
    }
    let c = c as f64;
    // Γ(a + c)/Γ(a) = Γ(a + m + c)/Γ(a + m) · Π_{i<m} (a + i)/(a + c + i), with a + m where
    // Stirling's series is good.
    let (mut shifted, mut below, mut above) = (a, 1.0, 1.0);
    while shifted < STIRLING_FROM {
        below *= shifted;
        above *= shifted + c;
        shifted += 1.0;
    }
    let series =
        (shifted + c - 0.5).mul_add((c / shifted).ln_1p(), -c) + tail(shifted + c) - tail(shifted);
    if shifted > a {
        series + (below / above).ln() + c * (shifted / a).ln()
    } else {
        series
    }
}

/// Returns ln Γ(x) less (x − ½) ln x − x + ½ ln 2π.
fn tail(x: f64) -> f64 {
    let y = x.recip();
    let z = y * y;
    y * (1.0 / 12.0 - z * (1.0 / 360.0 - z * (1.0 / 1260.0 - z / 1680.0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn by_sum(a: f64, c: u64) -> f64 {
        (1..c).map(|i| (i as f64 / a).ln_1p()).sum()
    }

    #[test]
    fn is_the_sum_it_stands_for() {
        for a in [1e-6, 0.003, 0.25, 1.0, 7.7, 10.0, 123.0, 4e4, 1e9] {
            for c in [0, 1, 2, 3, 12, 13, 14, 50, 1000, 100_000] {
                let (exact, ours) = (by_sum(a, c), ln_excess(a, c));
                let error = (ours - exact).abs();
                assert!(
                    error <= 1e-11 * (1.0 + exact.abs()) + 3e-16 * c as f64,
                    "{a} {c}: {ours} {exact}"
                );
            }
        }
    }
}
