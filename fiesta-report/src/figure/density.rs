//! Kernel density estimates of scores.

use super::axis::extent;
use crate::summary::quantile;

/// Number of places at which the density is known.
const PLACES: usize = 129;

/// A kernel density estimate between the smallest and the largest value, as (value, density
/// relative to its largest).
///
/// Gaussian kernel, bandwidth h = 0.9 min(s, IQR/1.34) n^(−1/5) (Silverman 1986, eq. 3.31; s alone
/// where the quartiles coincide). What the kernel would put beyond the data is cut off, not
/// reflected. None where all values are equal.
pub(crate) fn density(sorted: &[f64]) -> Option<Vec<(f64, f64)>> {
    let (low, high) = extent(sorted.iter().copied())?;
    let n = sorted.len() as f64;
    let width = high - low;
    if width <= 0.0 || !width.is_finite() {
        return None;
    }
    // Relative to the range, so that no square over- or underflows.
    let mean = sorted.iter().map(|x| (x - low) / width).sum::<f64>() / n;
    let squares: f64 = sorted
        .iter()
        .map(|x| ((x - low) / width - mean).powi(2))
        .sum();
    let sd = (squares / (n - 1.0)).sqrt();
    let iqr = (quantile(sorted, 0.75) - quantile(sorted, 0.25)) / width;
    let spread = if iqr > 0.0 { sd.min(iqr / 1.34) } else { sd };
    let bandwidth = (0.9 * spread * n.powf(-0.2)).max(1.0 / PLACES as f64);
    // Values shared among the nearest bins first: 10^6 scores cost as much as 500.
    let mut bins = vec![0.0; 4 * (PLACES - 1) + 1];
    let last = bins.len() - 1;
    for x in sorted {
        let at = (x - low) / width * last as f64;
        let bin = fiesta_core::whole(at).min(last - 1);
        bins[bin] += 1.0 - (at - bin as f64);
        bins[bin + 1] += at - bin as f64;
    }
    let heights: Vec<f64> = (0..PLACES)
        .map(|place| {
            let place = place as f64 / (PLACES - 1) as f64;
            let kernel = |(bin, count): (usize, &f64)| {
                let z = (place - bin as f64 / last as f64) / bandwidth;
                count * (-0.5 * z * z).exp()
            };
            bins.iter().enumerate().map(kernel).sum()
        })
        .collect();
    let most = heights.iter().copied().fold(0.0, f64::max);
    let places = (0..PLACES).map(|i| low + width * (i as f64 / (PLACES - 1) as f64));
    Some(places.zip(heights.iter().map(|h| h / most)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tests the density against the sum over all points, without bins.
    #[test]
    fn is_the_sum_of_the_kernels() {
        let mut x: Vec<f64> = (0..200)
            .map(|i| f64::from(i * i % 211) / 50.0 - 1.0)
            .collect();
        x.sort_by(f64::total_cmp);
        let n = x.len() as f64;
        let mean = x.iter().sum::<f64>() / n;
        let sd = (x.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (n - 1.0)).sqrt();
        let iqr = quantile(&x, 0.75) - quantile(&x, 0.25);
        let h = 0.9 * sd.min(iqr / 1.34) * n.powf(-0.2);
        let exact = |at: f64| -> f64 {
            x.iter()
                .map(|x| (-0.5 * ((at - x) / h).powi(2)).exp())
                .sum()
        };
        let drawn = density(&x).unwrap();
        let most = drawn.iter().map(|(at, _)| exact(*at)).fold(0.0, f64::max);
        for (at, height) in drawn {
            assert!((height - exact(at) / most).abs() < 1e-3, "{at}");
        }
    }

    #[test]
    fn ends_with_the_data_and_needs_spread() {
        let drawn = density(&[1.0, 1.0, 1.0, 4.0]).unwrap();
        assert!((drawn[0].0 - 1.0).abs() < 1e-12 && (drawn[PLACES - 1].0 - 4.0).abs() < 1e-12);
        assert!(density(&[2.0; 5]).is_none());
        assert!(density(&[2.0]).is_none());
    }
}
