//! Every figure of some arms, from made-up data.

use crate::figure::{
    BeliefHistory, BlockRanks, CriticalDifference, Curve, CurvePoint, Ecdf, Estimate, Forest,
    Pairwise, Pareto, PerformanceProfile, Plot, Spacing, SuccessCurves, SuccessPoint, TuningAxis,
    TuningCurves, Violins,
};
use fiesta_core::{
    CostUnit,
    Direction::{Maximize, Minimize},
};

const HOSTILE: [&str; 9] = [
    "<script>alert(1)</script>",
    "\"><img src=x onerror=alert(1)>",
    "\\input{x}",
    "=cmd()|' /C calc'!A0\nsecond line",
    "]]><!-- &#x3c; &lt;",
    "日本語のモデル名はとても長いことがある",
    "👩‍👩‍👧 🎉",
    "\u{202e}right to left\u{1b}[31m\0\u{ffff}",
    "",
];

pub(super) fn names(arms: usize) -> Vec<String> {
    (0..arms).map(|arm| format!("model-{arm}")).collect()
}

pub(super) fn hostile() -> Vec<String> {
    let mut names: Vec<String> = HOSTILE.map(str::to_owned).to_vec();
    names.extend(["W".repeat(10_000), "e\u{301}".repeat(5_000)]);
    names
}

/// Returns a number between 0 and 1 that looks arbitrary.
pub(super) fn noise(seed: usize) -> f64 {
    let x = (seed as f64 * 12.9898 + 4.1).sin() * 43758.5453;
    x - x.floor()
}

pub(super) fn scores(arm: usize, n: usize) -> Vec<f64> {
    (0..n)
        .map(|i| 0.5 + 0.03 * ((arm * 5) % 13) as f64 + 0.1 * noise(arm * 1000 + i))
        .collect()
}

/// Returns scores against costs, of which some are far apart.
fn pareto(names: &[String]) -> Pareto {
    let estimate = |value: f64, by: f64| Estimate {
        value,
        lower: value / by,
        upper: value * by,
    };
    let empty = Pareto::new("loss (nats)", Minimize, "cost", "95 % intervals");
    let arms = names.iter().enumerate();
    let figure = arms.fold(empty, |figure, (arm, name)| {
        let cost = estimate(0.5 * 1.8_f64.powf((arm % 10) as f64), 1.4);
        let score = estimate(scores(arm, 2)[1], 1.05);
        figure.arm(name, score, cost, Some(noise(arm)))
    });
    figure.within(0.1).limit(20.0)
}

/// Returns every figure of these arms.
pub(super) fn plots(names: &[String]) -> Vec<(&'static str, Box<dyn Plot>)> {
    let strs: Vec<&str> = names.iter().map(String::as_str).collect();
    let k = names.len();
    let mut violins = Violins::new("macro-F1", Maximize);
    let mut ecdf = Ecdf::new("loss (nats)", Minimize);
    let mut forest = Forest::new("macro-F1", Maximize, "mean, 95 % interval");
    let mut curves = TuningCurves::new("accuracy", Maximize).spacing(Spacing::Log);
    let mut bands = TuningCurves::new("accuracy", Maximize)
        .axis(TuningAxis::Seconds)
        .reported("reported elsewhere", 0.9)
        .reported("and again", 0.901);
    let mut costs = TuningCurves::new("accuracy", Maximize)
        .axis(TuningAxis::Cost(CostUnit::Named("USD".to_owned())));
    let mut profile = PerformanceProfile::new("normalised score", Maximize);
    let mut success = SuccessCurves::new().target(0.95).trials(500);
    for (arm, name) in names.iter().enumerate() {
        let x = scores(arm, 30);
        violins = violins.arm(name, &x);
        ecdf = ecdf.arm(name, &x);
        let (lower, upper) = if arm == 1 {
            (f64::NEG_INFINITY, f64::INFINITY)
        } else {
            (0.4, 1.2)
        };
        forest = forest.arm(
            name,
            7 + arm,
            Estimate {
                value: x[0],
                lower,
                upper,
            },
        );
        let point = |n: usize, band| CurvePoint {
            budget: n as f64,
            value: x[0] + 0.1 * (1.0 - 1.0 / n as f64),
            band,
        };
        let open = |n: usize| Some((0.3, if n > 20 { f64::INFINITY } else { 1.1 }));
        curves = curves.curve(Curve::new(
            name,
            30,
            (1..=30).map(|n| point(n, None)).collect(),
        ));
        bands = bands.curve(
            Curve::new(name, 30, (1..=30).map(|n| point(n, open(n))).collect())
                .required(10.0, x[0]),
        );
        let paid = |n: usize| CurvePoint {
            budget: 0.004 * n as f64,
            ..point(n, None)
        };
        let paid = Curve::new(name, 30, (1..=30).map(paid).collect());
        costs = costs.curve(paid.required(0.04, point(10, None).value));
        profile = profile.arm(name, &[&x[..10], &x[10..]]);
        let points: Vec<SuccessPoint> = (1..=5)
            .map(|i| SuccessPoint {
                budget: f64::from(i) * 40.0,
                share: 0.5 + 0.08 * f64::from(i),
                lower: 0.4 + 0.08 * f64::from(i),
                upper: 0.6 + 0.08 * f64::from(i),
            })
            .collect();
        success = success.policy(name, &points);
    }
    let mut belief = BeliefHistory::new(&strs);
    for step in 1..40u64 {
        let weights: Vec<f64> = (0..k).map(|a| 1.0 + noise(a) * step as f64).collect();
        let sum: f64 = weights.iter().sum();
        let p: Vec<f64> = weights.iter().map(|w| w / sum).collect();
        belief = belief.point(&vec![step; k], &p);
    }
    let better: Vec<Vec<f64>> = (0..k)
        .map(|a| (0..k).map(|b| 0.5 + 0.5 * (noise(a) - noise(b))).collect())
        .collect();
    let ranks: Vec<(&str, f64)> = strs
        .iter()
        .zip(1..)
        .map(|(name, r)| (*name, f64::from(r)))
        .collect();
    let ranks = BlockRanks::new(20, &ranks, 1.7).unwrap();
    vec![
        ("violins", Box::new(violins)),
        ("belief", Box::new(belief)),
        ("success", Box::new(success)),
        ("curves", Box::new(curves)),
        ("bands", Box::new(bands)),
        ("costs", Box::new(costs)),
        ("ecdf", Box::new(ecdf)),
        ("forest", Box::new(forest)),
        ("pareto", Box::new(pareto(names))),
        ("pairwise", Box::new(Pairwise::new(&strs, &better))),
        (
            "ranks",
            Box::new(CriticalDifference::new(ranks, "Nemenyi, α = .05")),
        ),
        ("profile", Box::new(profile)),
    ]
}
