use super::*;

/// Returns scores of three arms on four splits, two seeds each: means .6, .62, .65, split effects
/// that sum to 0, and residuals ±r by seed.
fn shared() -> Vec<Vec<(u64, f64)>> {
    let effects = [0.03, -0.01, -0.04, 0.02];
    [(0.6, 0.01), (0.62, 0.02), (0.65, 0.005)]
        .map(|(mean, spread)| {
            let on = |split: u64| {
                let effect: f64 = effects[usize::try_from(split).unwrap()];
                [
                    (split, mean + effect + spread),
                    (split, mean + effect - spread),
                ]
            };
            (0..4).flat_map(on).collect()
        })
        .to_vec()
}

fn close(found: f64, expected: f64) {
    assert!((found - expected).abs() < 1e-9, "{found} for {expected}");
}

#[test]
fn a_balanced_fit() {
    let instance = Instance::of_shared_scores(&shared()).unwrap();
    for (found, expected) in instance.means().iter().zip([0.6, 0.62, 0.65]) {
        close(*found, expected);
    }
    // 24 scores, 3 arms, 4 splits: 18 degrees of freedom.
    for (found, spread) in instance.residual_sds().iter().zip([0.01, 0.02, 0.005]) {
        close(*found, spread * (24.0_f64 / 18.0).sqrt());
    }
    assert_eq!((instance.best(), instance.second()), (2, 1));
    // Seeds are paired in order, and both alternate alike: ±.015 on four splits.
    close(instance.difference_sd(1), 0.015 * (8.0_f64 / 7.0).sqrt());
    close(instance.gap(0), 0.05);
    assert!(instance.split_sd() > 0.02 && instance.split_sd() < 0.04);
}

/// Tests that missing cells bias sample means by the splits' effects, but not the fit.
#[test]
fn a_fit_with_gaps() {
    let mut scores = shared();
    scores[2].retain(|&(split, _)| split != 0);
    scores[0].retain(|&(split, _)| split != 2);
    let instance = Instance::of_shared_scores(&scores).unwrap();
    let means = instance.means();
    close(means[2] - means[1], 0.03);
    close(means[1] - means[0], 0.02);
}

#[test]
fn arms_without_common_splits_are_apart() {
    let on = |splits: std::ops::Range<u64>, mean: f64| -> Vec<(u64, f64)> {
        splits
            .map(|split| (split, mean + 0.01 * split as f64))
            .collect()
    };
    let apart = [on(0..5, 0.5), on(5..9, 0.6)];
    assert_eq!(
        Instance::of_shared_scores(&apart),
        Err(InstanceError::Apart)
    );
    let linked = [on(0..5, 0.5), on(3..9, 0.6), on(7..12, 0.7)];
    assert_ne!(
        Instance::of_shared_scores(&linked),
        Err(InstanceError::Apart)
    );
    let once = [on(0..2, 0.5), on(1..3, 0.6)];
    assert_eq!(Instance::of_shared_scores(&once), Err(InstanceError::Apart));
}

#[test]
fn a_guess() {
    let guess = Instance::new(&[(0.02, 0.05), (0.0, 0.05)], 0.03, Design::Shared).unwrap();
    close(guess.residual_sds()[0], 0.04);
    close(guess.difference_sd(1), 0.04 * 2_f64.sqrt());
    assert_eq!(guess.comparison(), TTest::Paired);
    let paired = TTest::Paired
        .required(0.02 / (0.04 * 2_f64.sqrt()), 0.05, 0.8)
        .unwrap();
    close(guess.t_test(1, 0.05, 0.8).unwrap(), paired);
    let apart = Instance::new(&[(0.02, 0.03), (0.0, 0.07)], 0.01, Design::Independent).unwrap();
    let sd = f64::midpoint(0.03_f64.powi(2), 0.07_f64.powi(2)).sqrt();
    let unpaired = TTest::Unpaired.required(0.02 / sd, 0.05, 0.8).unwrap();
    close(apart.t_test(1, 0.05, 0.8).unwrap(), unpaired);
    assert!(apart.split_sd().abs() < f64::MIN_POSITIVE);
}

/// Tests that Bonferroni's correction takes the hardest rival, which need not be the second.
#[test]
fn bonferroni_takes_the_hardest() {
    let arms = [(0.1, 0.05), (0.08, 0.01), (0.07, 0.5)];
    let instance = Instance::new(&arms, 0.0, Design::Independent).unwrap();
    let all = instance.t_tests(0.05, 0.8).unwrap();
    close(all, instance.t_test(2, 0.025, 0.8).unwrap());
    assert!(all > instance.t_test(1, 0.025, 0.8).unwrap());
}

#[test]
fn what_cannot_be_supposed_is_refused() {
    let refused = |moments: &[(f64, f64)], split_sd| {
        Instance::new(moments, split_sd, Design::Shared).unwrap_err()
    };
    assert_eq!(refused(&[(0.5, 0.1), (0.5, 0.1)], 0.0), InstanceError::Tie);
    assert!(matches!(
        refused(&[(0.5, 0.1)], 0.0),
        InstanceError::Arms(_)
    ));
    assert!(matches!(
        refused(&[(0.5, 0.1), (0.6, 0.0)], 0.0),
        InstanceError::Moments { arm: 2, .. }
    ));
    assert!(matches!(
        refused(&[(0.5, 0.1), (0.6, 0.2)], 0.1),
        InstanceError::SplitSd { .. }
    ));
    assert!(matches!(
        refused(&[(0.5, 0.1), (0.6, 0.2)], f64::NAN),
        InstanceError::SplitSd { .. }
    ));
    let few = Instance::of_scores(&[vec![0.5, 0.6], vec![0.7]]);
    assert_eq!(few, Err(InstanceError::TooFew { arm: 2, scores: 1 }));
    assert!(matches!(
        Instance::of_scores(&[vec![0.5, 0.6], vec![0.7, 0.7]]),
        Err(InstanceError::Moments { arm: 2, .. })
    ));
}
