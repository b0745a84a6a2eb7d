//! Index of the highest of some values.

/// The place of the highest value, the first of equals; 0 if there is none.
pub(crate) fn highest(values: impl IntoIterator<Item = f64>) -> usize {
    let mut best = (0, f64::NEG_INFINITY);
    for (place, value) in values.into_iter().enumerate() {
        if value > best.1 {
            best = (place, value);
        }
    }
    best.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_of_equals() {
        assert_eq!(highest([-0.3, -0.1, -0.2, -0.1]), 1);
        assert_eq!(highest([f64::NEG_INFINITY; 2]), 0);
        assert_eq!(highest([]), 0);
    }
}
