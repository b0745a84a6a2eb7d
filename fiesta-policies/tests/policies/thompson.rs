//! Tests that Thompson sampling chooses as the belief says.

use super::{Fixed, THREE, agree, choices};
use fiesta_policies::Thompson;

#[test]
fn chooses_each_arm_with_its_probability() {
    let probability = Fixed::new(&THREE).probability();
    assert!(
        probability.iter().all(|&p| p > 0.05),
        "each arm has a chance: {probability:?}"
    );
    agree(
        &choices(Fixed::new(&THREE), Thompson::default(), 40_000, 1),
        &probability,
    );
}

/// Tests that equal arms are chosen equally often.
#[test]
fn equal_arms() {
    let equal = [(0.3, 0.1); 5];
    agree(
        &choices(Fixed::new(&equal), Thompson::default(), 40_000, 2),
        &[0.2; 5],
    );
}
