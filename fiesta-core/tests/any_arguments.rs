//! Tests of public functions with arguments of any kind: none panics but where its documentation
//! says so. The selector has tests of its own.
//!
//! As many cases as `FIESTA_CALLS` says, each of which calls every function at least once:
//! ```sh
//! FIESTA_CALLS=100000 cargo test --release -p fiesta-core --all-features --test any_arguments
//! ```

use fiesta_core::{
    ArmId, Arms, Belief, Case, CostUnit, Counts, Design, Direction, FBeta, Foreign, Limits,
    Marginal, Method, Metric, Moments, Observation, Posterior, Streams, Target, bisect, finest,
    greatest, harmless, highest, is_hidden, one_spelling, shell_word, tail_begins, upper_tail,
};
use proptest::prelude::*;
use rand::Rng;

fn cases() -> u32 {
    let asked = std::env::var("FIESTA_CALLS").ok();
    asked.map_or(500, |calls| {
        calls.parse().expect("FIESTA_CALLS is a number")
    })
}

fn number() -> impl Strategy<Value = f64> {
    let odd = [
        0.0,
        1.0,
        -1.0,
        0.5,
        3e9,
        1e100,
        f64::MAX,
        f64::INFINITY,
        f64::NAN,
    ];
    prop_oneof![
        2 => -1.0..1.0_f64,
        1 => prop::sample::select(odd.to_vec()),
        1 => any::<f64>(),
    ]
}

/// Posterior of normal means whose draws are their locations, whatever numbers these are.
struct Normal(Vec<Marginal>);

impl Posterior for Normal {
    fn arms(&self) -> usize {
        self.0.len()
    }

    fn marginal(&self, arm: ArmId) -> Option<Marginal> {
        self.0.get(arm.index()).copied()
    }

    fn draw(&self, _rng: &mut dyn Rng, means: &mut [f64]) {
        for (mean, marginal) in means.iter_mut().zip(&self.0) {
            *mean = marginal.location;
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases()))]

    #[test]
    fn numbers(x in prop::collection::vec(number(), 6), count in any::<u64>(), place in any::<u32>()) {
        let marginal = Marginal { location: x[0], scale: x[1], degrees_of_freedom: x[2] };
        let other = Marginal::normal(x[3], x[4]).shifted(x[5]);
        for marginal in [marginal, other, marginal.minus(&other)] {
            marginal.cdf(x[5]);
            marginal.quantile(x[5]);
            marginal.interval(x[5]);
            marginal.sd();
        }
        upper_tail(x[0], x[1]);
        tail_begins(x[0], x[1]);
        bisect(x[0], x[1], |middle| middle < x[2]);
        greatest(x.iter().copied());
        highest(x.iter().copied());
        let moments: Moments = x.iter().copied().collect();
        let _ = (moments.total(), moments.variance(), moments.standard_deviation(), moments.standard_error());
        for direction in [Direction::Maximize, Direction::Minimize] {
            direction.orient(x[0]);
            if let Ok(metric) = Metric::new("score", direction, Some((x[0], x[1]))) {
                let _ = metric.check(x[2]);
            }
        }
        for f in [FBeta::new(x[0]), FBeta::from_weight(x[0])].into_iter().flatten() {
            let _ = (f.b(), f.weight(), f.to_string(), f.of([x[1], x[2], x[3], x[4]]));
            let counts = Counts::from_cells([count, count / 3, u64::MAX, count % 7]);
            let twice = [counts, counts].into_iter().sum::<Counts>();
            let _ = (counts.total(), f.of_counts(&twice), Counts::cell(x[0]));
            let _ = (Observation::Score(x[0]).score(f), Observation::Counts(counts).score(f), Observation::Counts(counts).counts());
        }
        for unit in [CostUnit::Seconds, CostUnit::GpuSeconds] {
            unit.readable(x[0]);
        }
        for design in [Design::Shared, Design::Items { count }] {
            Limits::by_default(usize::MAX, design);
            Limits::by_default_with_repeats(usize::MAX, count);
        }
        let streams = Streams::new(count);
        for mut rng in [streams.run(count), streams.splits(count), streams.draws(count), streams.durations(count), streams.group(count), streams.documents()] {
            rng.next_u64();
        }
        streams.run_seed(count);
        prop_assert_eq!(ArmId::new(place as usize).index(), place as usize);
    }

    #[test]
    fn beliefs(x in prop::collection::vec((number(), number()), 0..5), margin in number(), draws in 0..20_u64, candidates in prop::collection::vec(0..7_usize, 0..6)) {
        let means = x.iter().map(|&(location, scale)| Marginal::normal(location, scale)).collect();
        let posterior = Normal(means);
        let candidates: Vec<ArmId> = candidates.into_iter().map(ArmId::new).collect();
        let drawn = Belief::by_draws(x.len(), &candidates, draws, |means| means.fill(margin));
        for belief in [drawn, posterior.belief(&candidates), Belief::nothing(x.len(), Method::Quadrature)] {
            belief.closest(candidates.iter().copied());
            for &arm in &candidates {
                let _ = (belief.of(arm), belief.shortfall_of(arm));
            }
            if !x.is_empty() {
                belief.leader();
            }
        }
        for a in ArmId::all(7) {
            posterior.within(a, margin, &candidates);
            posterior.variances(a, &[(ArmId::new(6), Case { split: 0, seed: 0 })]);
            for b in ArmId::all(7) {
                posterior.difference(a, b);
                let _ = posterior.claim_of_distance(a, b, margin);
                posterior.evaluation_variance(a, b, [draws, u64::MAX]);
            }
        }
        let _ = (posterior.claim(margin, &candidates), finest(&posterior).arms());
    }

    #[test]
    fn texts(text in any::<String>(), other in ".{0,4}") {
        let _ = (Foreign::new(&text).to_string(), harmless(&text), shell_word(&text), one_spelling(&text));
        text.chars().for_each(|c| { is_hidden(c); });
        let names = [text.as_str(), &other];
        for arms in [Arms::new(names), Arms::even_one(names)].into_iter().flatten() {
            let _ = (arms.find(&text), arms.find(&other), arms.len());
            arms.ids().for_each(|arm| { arms.name(arm); });
        }
        let _ = (text.parse::<Design>(), text.parse::<Direction>(), text.parse::<Target>());
        let _ = (Metric::new(text.as_str(), Direction::Maximize, None), CostUnit::of_name(&text).name().len());
        Streams::new(1).parameter(&text);
    }
}
