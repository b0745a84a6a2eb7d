//! Tests of the settings of a random search: their values, their distributions, and what they depend on.

use fiesta_core::{
    ArmId, Arms, Ask, Conclusion, Event, FailureLimits, Limits, Outcome, Reason, Selector,
};
use fiesta_policies::{
    random_search::{
        EqualTrials, LARGEST_INTEGER, Parameter, ParameterError, Space, SpaceError, Value,
    },
    stopping::Never,
};
use fiesta_posterior::Best;
use std::collections::{BTreeMap, VecDeque};

/// Number of trials in each test of a distribution.
const TRIALS: u64 = 20_000;
/// Bound of a test: sup|F_n − F| √n exceeds it once in 10,000 seeds' choices (Kolmogorov, 2 exp(−2 c²) = 1e-4).
const KOLMOGOROV: f64 = 2.226;

fn one(parameter: Parameter) -> Space {
    Space::new([("x", parameter)]).unwrap()
}

fn all_kinds() -> Space {
    let choice = ["relu", "tanh", "gelu"];
    Space::new([
        ("lr", Parameter::loguniform(1e-6, 1e-1).unwrap()),
        ("layers", Parameter::integer(1, 6).unwrap()),
        ("dropout", Parameter::uniform(0.0, 0.5).unwrap()),
        ("activation", Parameter::choice(choice).unwrap()),
    ])
    .unwrap()
}

/// Draws the value of the only parameter in the trials with these seeds.
fn values(parameter: Parameter) -> Vec<Value> {
    let space = one(parameter);
    (0..TRIALS)
        .map(|seed| space.setting(seed).get("x").unwrap().clone())
        .collect()
}

fn numbers(parameter: Parameter) -> Vec<f64> {
    let number = |value: &Value| match value {
        Value::Number(number) => *number,
        other => panic!("{other:?}"),
    };
    values(parameter).iter().map(number).collect()
}

/// Tests that settings drawn from a seed never change, on any machine: recorded studies rest on them.
#[test]
fn golden_settings() {
    let space = all_kinds();
    for (seed, words) in [
        (
            0,
            "activation = gelu, dropout = 0.2551549818148376, layers = 6, lr = 8.435062677873578e-5",
        ),
        (
            1,
            "activation = relu, dropout = 0.29740290719193946, layers = 3, lr = 0.0010457070036138537",
        ),
        (
            2_147_483_647,
            "activation = gelu, dropout = 0.12044488107055817, layers = 4, lr = 0.004608863973846141",
        ),
    ] {
        assert_eq!(format!("{:#}", space.setting(seed)), words);
    }
}

#[test]
fn a_parameter_does_not_depend_on_the_others() {
    let whole = all_kinds();
    for (name, parameter) in whole.parameters() {
        let alone = Space::new([(name, parameter.clone())]).unwrap();
        for seed in 0..50 {
            let (alone, whole) = (alone.setting(seed), whole.setting(seed));
            assert_eq!(alone.get(name), whole.get(name));
            assert_eq!((alone.len(), whole.len()), (1, 4));
        }
    }
}

/// Returns the distance of Kolmogorov and Smirnov from the distribution function, times √n.
fn distance(mut sample: Vec<f64>, distribution: impl Fn(f64) -> f64) -> f64 {
    sample.sort_by(f64::total_cmp);
    let n = sample.len() as f64;
    let gap = |(i, &x): (usize, &f64)| {
        let below = distribution(x) - i as f64 / n;
        let above = (i + 1) as f64 / n - distribution(x);
        below.max(above)
    };
    let gaps = sample.iter().enumerate().map(gap);
    gaps.fold(0.0, f64::max) * n.sqrt()
}

#[test]
fn uniform_is_uniform() {
    let sample = numbers(Parameter::uniform(-2.0, 3.0).unwrap());
    assert!(sample.iter().all(|x| (-2.0..=3.0).contains(x)));
    let distance = distance(sample, |x| (x + 2.0) / 5.0);
    assert!(distance < KOLMOGOROV, "{distance}");
}

#[test]
fn loguniform_is_uniform_in_the_logarithm() {
    let sample = numbers(Parameter::loguniform(1e-6, 1e-1).unwrap());
    assert!(sample.iter().all(|x| (1e-6..=1e-1).contains(x)));
    let distance = distance(sample, |x| (x / 1e-6).log10() / 5.0);
    assert!(distance < KOLMOGOROV, "{distance}");
}

/// Returns χ² of how often each value of a choice was drawn; `expected` has them by their words.
fn deviation(drawn: &[Value], expected: &BTreeMap<String, f64>) -> f64 {
    let mut counts: BTreeMap<String, f64> = BTreeMap::new();
    for value in drawn {
        *counts.entry(value.to_string()).or_default() += 1.0;
    }
    assert!(
        counts.keys().all(|value| expected.contains_key(value)),
        "{counts:?}"
    );
    let of = |(value, probability): (&String, &f64)| {
        let expected = probability * drawn.len() as f64;
        (counts.get(value).copied().unwrap_or(0.0) - expected).powi(2) / expected
    };
    expected.iter().map(of).sum()
}

/// Tests ten integers, both bounds among them: χ² with 9 degrees of freedom exceeds 33.72 once in
/// 10,000.
#[test]
fn integers_include_both_bounds_and_are_equally_likely() {
    let drawn = values(Parameter::integer(-4, 5).unwrap());
    let expected = (-4..=5).map(|k| (k.to_string(), 0.1)).collect();
    let deviation = deviation(&drawn, &expected);
    assert!(deviation < 33.72, "{deviation}");
}

/// Tests that a value that is listed twice comes twice as often: χ² with 2 degrees of freedom
/// exceeds 18.42 once in 10,000.
#[test]
fn each_place_of_a_choice_is_equally_likely() {
    let values_listed: [Value; 4] = ["adam".into(), 0.5.into(), true.into(), "adam".into()];
    let drawn = values(Parameter::choice(values_listed).unwrap());
    let expected = [("adam", 0.5), ("0.5", 0.25), ("true", 0.25)];
    let expected = expected.map(|(value, p)| (value.to_owned(), p)).into();
    let deviation = deviation(&drawn, &expected);
    assert!(deviation < 18.42, "{deviation}");
}

/// Tests that the correlation of two parameters of the same trial, times √n, is beyond 3.9 once in
/// 10,000; so is that of neighbouring seeds.
#[test]
fn parameters_and_trials_are_independent() {
    let uniform = || Parameter::uniform(-1.0, 1.0).unwrap();
    let space = Space::new([("a", uniform()), ("b", uniform())]).unwrap();
    let of = |seed, name| match space.setting(seed).get(name) {
        Some(&Value::Number(number)) => number,
        other => panic!("{other:?}"),
    };
    let n = TRIALS as f64;
    let mean = |f: &dyn Fn(u64) -> f64| (0..TRIALS).map(f).sum::<f64>() / n;
    // The variance of each is 1/3.
    let parameters = 3.0 * mean(&|seed| of(seed, "a") * of(seed, "b")) * n.sqrt();
    let trials = 3.0 * mean(&|seed| of(seed, "a") * of(seed + 1, "a")) * n.sqrt();
    assert!(
        parameters.abs() < 3.9 && trials.abs() < 3.9,
        "{parameters} {trials}"
    );
}

#[test]
fn the_widest_that_is_accepted_stays_within_its_bounds() {
    let largest = LARGEST_INTEGER;
    for value in values(Parameter::integer(-largest, largest).unwrap()) {
        assert!(matches!(value, Value::Integer(k) if k.abs() <= largest));
    }
    let half = f64::MAX / 2.0;
    for (low, high) in [
        (-half, half),
        (0.0, f64::MIN_POSITIVE),
        (1.0, 1.0 + f64::EPSILON),
    ] {
        let sample = numbers(Parameter::uniform(low, high).unwrap());
        assert!(sample.iter().all(|x| (low..=high).contains(x)));
    }
    for (low, high) in [(5e-324, f64::MAX), (1.0, 1.0 + f64::EPSILON)] {
        let sample = numbers(Parameter::loguniform(low, high).unwrap());
        assert!(sample.iter().all(|x| (low..=high).contains(x)));
    }
}

#[test]
fn what_is_no_parameter_is_refused() {
    let none: [i64; 0] = [];
    assert_eq!(Parameter::choice(none), Err(ParameterError::NoChoice));
    assert!(matches!(
        Parameter::choice([f64::NAN]),
        Err(ParameterError::NotFinite(_))
    ));
    assert!(matches!(
        Parameter::choice(["a\0"]),
        Err(ParameterError::Nul(_))
    ));
    for (low, high) in [(3, 3), (4, 3)] {
        let refused = Parameter::integer(low, high).unwrap_err();
        assert!(
            refused
                .to_string()
                .contains(&format!("[{low}, 3] is no interval"))
        );
        let (low, high) = (low as f64, high as f64);
        assert!(matches!(
            Parameter::uniform(low, high),
            Err(ParameterError::Interval { .. })
        ));
        assert!(matches!(
            Parameter::loguniform(low, high),
            Err(ParameterError::Interval { .. })
        ));
    }
    let huge = LARGEST_INTEGER + 1;
    assert_eq!(
        Parameter::integer(0, huge),
        Err(ParameterError::TooLarge(huge))
    );
    assert_eq!(
        Parameter::integer(i64::MIN, 0),
        Err(ParameterError::TooLarge(i64::MIN))
    );
    assert_eq!(
        Parameter::choice([huge]),
        Err(ParameterError::TooLarge(huge))
    );
    assert_eq!(
        Parameter::loguniform(0.0, 1.0),
        Err(ParameterError::NotPositive(0.0))
    );
    assert_eq!(
        Parameter::loguniform(-1.0, 1.0),
        Err(ParameterError::NotPositive(-1.0))
    );
    for bound in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        assert!(matches!(
            Parameter::uniform(bound, 1.0),
            Err(ParameterError::NotFinite(_))
        ));
        assert!(matches!(
            Parameter::uniform(0.0, bound),
            Err(ParameterError::NotFinite(_))
        ));
        assert!(matches!(
            Parameter::loguniform(bound, 1.0),
            Err(ParameterError::NotFinite(_))
        ));
        assert!(matches!(
            Parameter::loguniform(1.0, bound),
            Err(ParameterError::NotFinite(_))
        ));
    }
    assert!(matches!(
        Parameter::uniform(-f64::MAX, f64::MAX),
        Err(ParameterError::TooWide(..))
    ));
}

#[test]
fn names_fit_the_environment() {
    let x = || Parameter::uniform(0.0, 1.0).unwrap();
    let long = "a".repeat(65);
    for name in ["", "1st", "learning-rate", "a b", "ä", "a=b", "a\n", &long] {
        assert_eq!(
            Space::new([(name, x())]),
            Err(SpaceError::Name(name.to_owned()))
        );
    }
    assert!(Space::new([("_", x()), ("LR", x()), ("lr", x()), ("h2", x())]).is_ok());
    let twice = Space::new([("lr", x()), ("lr", x())]);
    assert_eq!(twice, Err(SpaceError::Duplicate("lr".to_owned())));
}

#[test]
fn spaces_in_words() {
    assert_eq!(
        all_kinds().to_string(),
        "activation: choice[relu, tanh, gelu]; dropout: uniform-float[0.0, 0.5]; layers: uniform-integer[1, 6]; lr: loguniform-float[1e-6, 0.1]"
    );
}

/// Runs a search to its conclusion, and counts how often each arm was tried. `outcome` is told for
/// an arm's k-th evaluation, from 0.
fn search(
    arms: usize,
    each: u64,
    limits: Limits,
    parallel: usize,
    mut outcome: impl FnMut(ArmId, u64) -> Outcome<f64>,
) -> (Conclusion, Vec<u64>) {
    let names = ArmId::all(arms).map(|arm| arm.index().to_string());
    let mut selector = Selector::builder(
        Arms::even_one(names).unwrap(),
        Best::new(arms),
        EqualTrials::new(each),
        Never,
    )
    .limits(limits)
    .failure_limits(FailureLimits {
        at_first: 3,
        later: 5,
    })
    .build()
    .unwrap();
    let mut made = vec![0; arms];
    let mut running = VecDeque::new();
    loop {
        while running.len() < parallel {
            match selector.ask().unwrap() {
                Ask::Evaluate(trial) => running.push_back(trial),
                Ask::Wait => break,
                Ask::Finished(conclusion) => return (conclusion, made),
            }
        }
        let trial = running.pop_front().expect("something to wait for");
        let index = trial.arm.index();
        let outcome = outcome(trial.arm, made[index]);
        made[index] += u64::from(outcome != Outcome::Withdrawn);
        let event = Event::Ended {
            id: trial.id,
            outcome,
            cost: 1.0,
        };
        selector.tell(event).unwrap();
    }
}

#[test]
fn every_arm_gets_its_trials_and_the_best_score_wins() {
    for parallel in [1, 3, 50] {
        // The mean of arm 0 is higher, the best score is arm 1's.
        let score = |arm: ArmId, k| {
            Outcome::Observed(match (arm.index(), k) {
                (0, _) => 0.8,
                (_, 4) => 0.9,
                _ => 0.1,
            })
        };
        let (conclusion, made) = search(2, 7, Limits::default(), parallel, score);
        assert_eq!(made, [7, 7]);
        assert_eq!(conclusion.arm, ArmId::new(1));
        assert_eq!(conclusion.reason, Reason::Schedule);
        assert_eq!(conclusion.probability, None);
        assert_eq!(conclusion.evaluations, 14);
    }
}

#[test]
fn failures_are_trials_and_withdrawn_ones_come_again() {
    let mut withdrawn = 0;
    let (conclusion, made) = search(2, 6, Limits::default(), 4, |arm, k| {
        if withdrawn < 5 && k == 2 {
            withdrawn += 1;
            return Outcome::Withdrawn;
        }
        if arm.index() == 0 && k % 2 == 0 {
            return Outcome::Failed;
        }
        Outcome::Observed(0.5)
    });
    assert_eq!((made, withdrawn), (vec![6, 6], 5));
    assert_eq!(conclusion.evaluations, 12);
}

#[test]
fn the_only_arm_left_gets_its_trials_all_the_same() {
    let (conclusion, made) = search(3, 9, Limits::default(), 2, |arm, _| {
        if arm.index() < 2 {
            Outcome::Failed
        } else {
            Outcome::Observed(0.5)
        }
    });
    assert_eq!(made, [3, 3, 9]);
    assert_eq!(conclusion.arm, ArmId::new(2));
    let alone = search(1, 4, Limits::default(), 1, |_, _| Outcome::Observed(0.5));
    assert_eq!((alone.0.reason, alone.1), (Reason::Schedule, vec![4]));
}

#[test]
fn a_limit_may_come_first() {
    let limits = Limits {
        evaluations: Some(5),
        ..Limits::default()
    };
    let (conclusion, made) = search(2, 4, limits, 2, |_, k| Outcome::Observed(k as f64));
    assert_eq!(made.iter().sum::<u64>(), 5);
    assert!(matches!(conclusion.reason, Reason::Limit(_)));
}
