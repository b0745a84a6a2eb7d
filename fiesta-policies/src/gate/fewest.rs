//! The fewest items after which versions whose answers do not differ may ship.

/// Returns the fewest of `items` items after which any gate that errs in at most the share `alpha`
/// can ship a new version that has answered every one of them as the old one did. `None` if
/// `margin` is not positive: equal versions never ship then.
///
/// If the new version fails on m = ⌈N·margin⌉ items that the old one gets right, it must not ship,
/// and none of these is among n random ones with probability C(N − m, n)/C(N, n), which is about
/// (1 − n/N)^m. So n is about N(1 − α^(1/(N·margin))). A new version that is better on some items may
/// ship earlier. Differences are supposed to lie between −1 and 1.
///
/// # Example
/// ```
/// use fiesta_policies::gate::fewest_items;
/// assert_eq!(fewest_items(1000, 0.02, 0.05), Some(138));
/// assert_eq!(fewest_items(50, 0.02, 0.05), Some(48));
/// assert_eq!(fewest_items(1000, 0.0, 0.05), None);
/// ```
pub fn fewest_items(items: u64, margin: f64, alpha: f64) -> Option<u64> {
    let all = items as f64;
    // Rounding must not make 20.000000000000004 items of .02·1000.
    let worse = (all * margin * (1.0 - 1e-12)).ceil();
    if margin <= 0.0 || worse < 1.0 {
        return None;
    }
    let mut unseen = 1.0;
    let mut asked = 0;
    while asked < items && unseen > alpha {
        let before = asked as f64;
        unseen *= ((all - worse - before) / (all - before)).max(0.0);
        asked += 1;
    }
    Some(asked)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tests the fewest items against the approximation for draws with replacement: N(1 − α^(1/(N·margin))).
    #[test]
    fn it_is_near_its_approximation() {
        for (items, margin) in [
            (50, 0.02),
            (200, 0.02),
            (1000, 0.02),
            (5000, 0.02),
            (300, 0.1),
        ] {
            let about = items as f64 * (1.0 - 0.05_f64.powf(1.0 / (items as f64 * margin)));
            let exact = fewest_items(items, margin, 0.05).unwrap() as f64;
            assert!((exact - about).abs() < 2.0, "{items}: {exact} {about}");
        }
    }
}
