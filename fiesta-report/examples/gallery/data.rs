//! Made-up data, seeded, and figures of these data.

use fiesta_core::Direction;
use fiesta_report::figure::{
    BeliefHistory, BlockRanks, CriticalDifference, Curve, CurvePoint, Ecdf, Estimate, FigureError,
    Forest, Pairwise, Pareto, PerformanceProfile, Plot, Spacing, SuccessCurves, SuccessPoint,
    TuningAxis, TuningCurves, Violins,
};
use rand::rngs::ChaCha8Rng;
use rand::{Rng, RngExt, SeedableRng};

const MODELS: [&str; 12] = [
    "lstm",
    "td-lstm",
    "tc-lstm",
    "ian",
    "memnet",
    "ram",
    "cabasc",
    "atae-lstm",
    "aoa",
    "tnet-lf",
    "mgan",
    "bert-spc",
];

fn names(arms: usize) -> Vec<String> {
    (0..arms)
        .map(|arm| {
            let model = MODELS[arm % 12];
            if arm < 12 {
                model.to_owned()
            } else {
                format!("{model}-{}", arm / 12 + 1)
            }
        })
        .collect()
}

fn hostile() -> Vec<String> {
    vec![
        "<script>alert(1)</script>".to_owned(),
        "\"><img src=x onerror=alert(1)>".to_owned(),
        "\\input{x}".to_owned(),
        "=cmd()|' /C calc'!A0\nsecond line".to_owned(),
        "日本語のモデル名はとても長いことがある".to_owned(),
        "👩‍👩‍👧 🎉🎉 emoji".to_owned(),
        "\u{202e}right to left\u{202c}\u{1b}[31m".to_owned(),
        "W".repeat(10_000),
    ]
}

fn rng() -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(20_190)
}

fn normal(rng: &mut impl Rng) -> f64 {
    // Twelve uniform numbers sum to a variance of one.
    (0..12).map(|_| rng.random::<f64>()).sum::<f64>() - 6.0
}

/// Draws scores of every arm: the later, the better; skewed to the bottom, some with two modes.
fn scores(arms: usize, n: usize) -> Vec<Vec<f64>> {
    let mut rng = rng();
    (0..arms)
        .map(|arm| {
            let quality = ((arm * 7) % arms.max(1)) as f64 / arms.max(2) as f64;
            (0..n)
                .map(|_| {
                    let z = normal(&mut rng);
                    let dip = if arm % 5 == 2 && rng.random::<f64>() < 0.25 {
                        0.05
                    } else {
                        0.0
                    };
                    let skew = if z < 0.0 { 1.6 } else { 0.8 };
                    0.56 + 0.11 * quality + 0.016 * z * skew - dip
                })
                .collect()
        })
        .collect()
}

fn violins(names: &[String]) -> Violins {
    let mut figure = Violins::new("macro-F1", Direction::Maximize);
    for (name, scores) in names.iter().zip(scores(names.len(), 500)) {
        figure = figure.arm(name, &scores);
    }
    figure
}

fn ecdf(names: &[String]) -> Ecdf {
    let mut figure =
        Ecdf::new("macro-F1", Direction::Maximize).band("simultaneous 95 % bands (DKW)");
    for (name, scores) in names.iter().zip(scores(names.len(), 50)) {
        figure = if names.len() == 1 {
            figure.arm_with_band(name, &scores, &dkw(&scores))
        } else {
            figure.arm(name, &scores)
        };
    }
    figure
}

fn dkw(scores: &[f64]) -> Vec<(f64, f64, f64)> {
    let mut sorted = scores.to_vec();
    sorted.sort_by(f64::total_cmp);
    let n = sorted.len() as f64;
    let wide = ((2.0f64 / 0.05).ln() / (2.0 * n)).sqrt();
    let at = |i: usize| (i + 1) as f64 / n;
    sorted
        .iter()
        .enumerate()
        .map(|(i, x)| (*x, (at(i) - wide).max(0.0), (at(i) + wide).min(1.0)))
        .collect()
}

fn forest(names: &[String]) -> Forest {
    let mut figure = Forest::new("macro-F1", Direction::Maximize, "mean, 95 % interval");
    for (arm, (name, scores)) in names.iter().zip(scores(names.len(), 60)).enumerate() {
        let n = 5 + (arm * 11) % 55;
        let value = scores[..n].iter().sum::<f64>() / n as f64;
        let half = 0.05 / (n as f64).sqrt();
        let upper = if arm == 3 {
            f64::INFINITY
        } else {
            value + half
        };
        figure = figure.arm(
            name,
            n,
            Estimate {
                value,
                lower: value - half,
                upper,
            },
        );
    }
    figure
}

fn pareto(names: &[String]) -> Pareto {
    let about = |value: f64, by: f64| Estimate {
        value,
        lower: value / by,
        upper: value * by,
    };
    let figure = Pareto::new("macro-F1", Direction::Maximize, "cost", "95 % intervals");
    let scores = scores(names.len(), 60);
    let arms = names.iter().zip(&scores).enumerate();
    let figure = arms.fold(figure, |figure, (arm, (name, scores))| {
        let mean = scores.iter().sum::<f64>() / scores.len() as f64;
        let cost = (1.0 + (arm * 7 % 12) as f64) * mean.powi(4);
        let on_front = 1.0 / (1.0 + (arm * 5 % 12) as f64);
        figure.arm(name, about(mean, 1.02), about(cost, 1.3), Some(on_front))
    });
    figure.within(0.02).limit(3.0)
}

fn belief(names: &[String]) -> BeliefHistory {
    let arms = names.len();
    let mut rng = rng();
    let mut figure = BeliefHistory::new(&names.iter().map(String::as_str).collect::<Vec<_>>());
    let truth: Vec<f64> = (0..arms)
        .map(|arm| ((arm * 7) % arms) as f64 / arms as f64)
        .collect();
    let mut evaluations = vec![2u64; arms];
    let mut drift = vec![0.0; arms];
    for step in 0..(arms * 12).max(40) {
        let strength = 1.0 + step as f64 * 0.6;
        let weights: Vec<f64> = truth
            .iter()
            .zip(&mut drift)
            .map(|(quality, drift)| {
                *drift += 0.15 * normal(&mut rng);
                (quality * strength.sqrt() * 3.0 + *drift).exp()
            })
            .collect();
        let sum: f64 = weights.iter().sum();
        let belief: Vec<f64> = weights.iter().map(|weight| weight / sum).collect();
        let mut draw = rng.random::<f64>();
        let next = belief.iter().position(|p| {
            draw -= (p + 0.5 / arms as f64) / 1.5;
            draw <= 0.0
        });
        evaluations[next.unwrap_or(0)] += 1;
        figure = figure.point(&evaluations, &belief);
    }
    figure
}

/// Returns E[max of n] of the empirical distribution.
fn expected_best(sorted: &[f64], n: u32) -> f64 {
    let b = sorted.len() as f64;
    let below = |i: usize| (i as f64 / b).powi(n.cast_signed());
    (0..sorted.len())
        .map(|i| sorted[i] * (below(i + 1) - below(i)))
        .sum()
}

fn curve(name: &str, scores: &[f64], band: bool) -> Curve {
    let mut sorted = scores.to_vec();
    sorted.sort_by(f64::total_cmp);
    let points = (1..=sorted.len()).map(|n| {
        let n = u32::try_from(n).unwrap_or(u32::MAX);
        let value = expected_best(&sorted, n);
        let half = 0.02 / f64::from(n).powf(0.2);
        let upper = if n > 30 { f64::INFINITY } else { value + half };
        CurvePoint {
            budget: f64::from(n),
            value,
            band: band.then_some((value - half, upper)),
        }
    });
    Curve::new(name, sorted.len(), points.collect())
}

fn tuning(names: &[String], bands: bool) -> TuningCurves {
    let mut figure = TuningCurves::new("macro-F1", Direction::Maximize)
        .spacing(Spacing::Log)
        .band("simultaneous 95 % bands for the mean curve");
    for (name, scores) in names.iter().zip(scores(names.len(), 50)) {
        figure = figure.curve(curve(name, &scores, bands));
    }
    figure
}

fn two_bands() -> TuningCurves {
    let scores = scores(3, 50);
    TuningCurves::new("macro-F1", Direction::Maximize)
        .band("simultaneous 95 % bands for the mean curve (equal-tailed)")
        .curve(curve("lstm", &scores[0], true))
        .curve(curve("td-lstm", &scores[1], true).required(8.0, expected_at(&scores[1], 8)))
        .reported("reported by Tang et al. (2016)", 0.684)
        .reported("reported by Chen et al. (2017)", 0.687)
}

fn expected_at(scores: &[f64], n: u32) -> f64 {
    let mut sorted = scores.to_vec();
    sorted.sort_by(f64::total_cmp);
    expected_best(&sorted, n)
}

fn time() -> TuningCurves {
    let mut figure = TuningCurves::new("perplexity", Direction::Minimize)
        .axis(TuningAxis::Seconds)
        .spacing(Spacing::Log);
    for (arm, name) in ["random search", "TPE", "hand-tuned"]
        .into_iter()
        .enumerate()
    {
        let each = 40.0 * (arm + 1) as f64;
        let points = (1..=300).map(|n| CurvePoint {
            budget: f64::from(n) * each,
            value: 21.0 + 12.0 / f64::from(n).powf(0.5 + 0.2 * arm as f64),
            band: None,
        });
        figure = figure.curve(Curve::new(name, 300, points.collect()));
    }
    figure.reported("state of the art: 22.4", 22.4)
}

fn one_trial() -> TuningCurves {
    let point = |value| {
        vec![CurvePoint {
            budget: 1.0,
            value,
            band: None,
        }]
    };
    TuningCurves::new("accuracy", Direction::Maximize)
        .curve(Curve::new("a", 1, point(0.61)))
        .curve(Curve::new("b", 1, point(0.58)))
}

fn pairwise(names: &[String]) -> Pairwise {
    let scores = scores(names.len(), 30);
    let mean = |arm: usize| scores[arm].iter().sum::<f64>() / 30.0;
    let matrix: Vec<Vec<f64>> = (0..names.len())
        .map(|a| {
            (0..names.len())
                .map(|b| 1.0 / (1.0 + (-(mean(a) - mean(b)) * 130.0).exp()))
                .collect()
        })
        .collect();
    Pairwise::new(
        &names.iter().map(String::as_str).collect::<Vec<_>>(),
        &matrix,
    )
}

fn ranks(names: &[String]) -> Result<CriticalDifference, FigureError> {
    let blocks = 20;
    let scores = scores(names.len(), blocks);
    let ranks: Vec<(&str, f64)> = names
        .iter()
        .enumerate()
        .map(|(a, name)| {
            let better = (0..blocks)
                .map(|s| {
                    scores
                        .iter()
                        .filter(|other| other[s] > scores[a][s])
                        .count()
                })
                .sum::<usize>();
            (name.as_str(), 1.0 + better as f64 / blocks as f64)
        })
        .collect();
    let k = names.len() as f64;
    let difference = 3.0 * (k * (k + 1.0) / (6.0 * blocks as f64)).sqrt();
    let ranks = BlockRanks::new(blocks, &ranks, difference)?;
    Ok(CriticalDifference::new(ranks, "Nemenyi, α = .05"))
}

fn profile(names: &[String]) -> PerformanceProfile {
    let mut figure = PerformanceProfile::new("normalised score", Direction::Maximize)
        .band("pointwise 95 % intervals");
    let scores = scores(names.len(), 60);
    for (name, scores) in names.iter().zip(&scores) {
        let tasks: Vec<&[f64]> = scores.chunks(20).collect();
        figure = figure.arm(name, &tasks);
    }
    figure
}

fn success(names: &[String]) -> SuccessCurves {
    let mut figure = SuccessCurves::new()
        .target(0.95)
        .trials(500)
        .interval("95 % Wilson intervals");
    for (arm, name) in names.iter().enumerate() {
        let points: Vec<SuccessPoint> = (1..=8)
            .map(|step| {
                let budget = f64::from(step) * 30.0;
                let share = 1.0 - 0.8 * (-budget / (60.0 + 9.0 * arm as f64)).exp();
                let half = 1.96 * (share * (1.0 - share) / 500.0).sqrt();
                SuccessPoint {
                    budget,
                    share,
                    lower: share - half,
                    upper: (share + half).min(1.0),
                }
            })
            .collect();
        figure = figure.policy(name, &points);
    }
    figure
}

fn equal_violins() -> Violins {
    Violins::new("accuracy", Direction::Maximize)
        .arm("all equal", &[0.5; 20])
        .arm("one score", &[0.61])
        .arm("two scores", &[0.55, 0.6])
        .arm("three, two tied", &[0.5, 0.5, 0.58])
        .arm("coarse", &[0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.55, 0.6])
}

fn equal_forest() -> Forest {
    let interval = Estimate {
        value: 3.25,
        lower: 3.25,
        upper: 3.25,
    };
    Forest::new("loss", Direction::Minimize, "mean, 95 % interval")
        .arm("a", 3, interval)
        .arm("b", 3, interval)
}

fn equal_ecdf() -> Ecdf {
    Ecdf::new("accuracy", Direction::Maximize)
        .arm("a", &[0.5; 9])
        .arm("b", &[0.5; 9])
}

/// A figure with its name.
type Named = (&'static str, Box<dyn Plot>);

/// Returns every figure with its name.
pub(crate) fn figures() -> Result<Vec<Named>, FigureError> {
    let mut all: Vec<Named> = Vec::new();
    for (name, arms) in [("1", 1), ("8", 8), ("12", 12), ("60", 60)] {
        let names = names(arms);
        let name = |kind| leak(format!("{kind}-{name}"));
        all.push((name("violins"), Box::new(violins(&names))));
        all.push((name("belief"), Box::new(belief(&names))));
        all.push((name("tuning"), Box::new(tuning(&names, false))));
        all.push((name("bands"), Box::new(tuning(&names, true))));
        all.push((name("ecdf"), Box::new(ecdf(&names))));
        all.push((name("forest"), Box::new(forest(&names))));
        all.push((name("pareto"), Box::new(pareto(&names))));
        all.push((name("pairwise"), Box::new(pairwise(&names))));
        all.push((name("ranks"), Box::new(ranks(&names)?)));
        all.push((name("profile"), Box::new(profile(&names))));
        all.push((name("success"), Box::new(success(&names))));
    }
    let hostile = hostile();
    all.push(("hostile-violins", Box::new(violins(&hostile))));
    all.push(("hostile-belief", Box::new(belief(&hostile))));
    all.push(("hostile-tuning", Box::new(tuning(&hostile, false))));
    all.push(("hostile-bands", Box::new(tuning(&hostile, true))));
    all.push(("hostile-ecdf", Box::new(ecdf(&hostile))));
    all.push(("hostile-forest", Box::new(forest(&hostile))));
    all.push(("hostile-pareto", Box::new(pareto(&hostile))));
    all.push(("hostile-pairwise", Box::new(pairwise(&hostile))));
    all.push(("hostile-ranks", Box::new(ranks(&hostile)?)));
    all.push(("two-bands", Box::new(two_bands())));
    all.push(("time", Box::new(time())));
    all.push(("equal-violins", Box::new(equal_violins())));
    all.push(("equal-forest", Box::new(equal_forest())));
    all.push(("equal-ecdf", Box::new(equal_ecdf())));
    all.push(("one-trial", Box::new(one_trial())));
    Ok(all)
}

/// Leaks a name, as the gallery lives as long as its names.
fn leak(name: String) -> &'static str {
    Box::leak(name.into_boxed_str())
}
