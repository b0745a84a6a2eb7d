//! Calibration of `best_of_n`: the share of its sure statements that are right, beside the
//! Bayesian bootstrap.
//!
//! ```console
//! cargo run --release -p fiesta-benches --example best_of_n_calibration -- tuned|held-out|tails|recorded SETS [SCORES.csv]
//! ```
//! Two arms with B trials each are compared, again and again. Half of the pairs are of the same
//! family of distributions, half of two; one arm has mean 0 and standard deviation 1, the other one
//! mean N(0, 0.75²·10/B) and standard deviation exp(N(0, 0.4²·10/B)): differences that B trials can
//! hardly tell, as large ones would flatter any method. Every line is one B and one family of the
//! first arm; for each n it has how often the arm was right that was said to have the higher E_n
//! with at least 95 %, and in which share of the pairs one was. "tails" has the families on which
//! the widening for heavy tails was measured once it was chosen, up to n = B/3 and without the
//! bootstrap. "recorded" draws both arms from a file with the columns arm and score, and takes all
//! scores of an arm for the truth.

use fiesta_core::Streams;
use fiesta_posterior::best_of_n::{ArmTrials, BestOfN, BestOfNOptions};
use rand::{Rng, RngExt, rngs::ChaCha8Rng};
use rand_distr::{Exp1, StandardNormal};
use statrs::distribution::{Beta, ContinuousCDF, Gamma, Normal, StudentsT};
use std::{cell::RefCell, collections::BTreeMap, error::Error, path::Path};

const COUNTS: [usize; 4] = [10, 20, 50, 200];
/// Shares n/B of the trials B at which statements are counted; the first one stands for n = 1.
const SHARES: [f64; 8] = [0.0, 0.1, 0.2, 1.0 / 3.0, 0.5, 1.0, 2.0, 5.0];
const LEVEL: f64 = 0.95;
const DRAWS: u32 = 1000;
/// Points at which an expected value is integrated.
const POINTS: usize = 2000;
/// Number of the [`SHARES`] that are up to n = B/3.
const UP_TO_A_THIRD: usize = 4;

/// Returns the points of an integral over (0, 1), each with its weight; they are dense at both
/// ends, where quantiles of heavy tails are large.
fn points() -> impl Iterator<Item = (f64, f64)> {
    (0..POINTS).map(|i| {
        let t = (i as f64 + 0.5) / POINTS as f64;
        let place = t.powi(4) * (35.0 - 84.0 * t + 70.0 * t * t - 20.0 * t.powi(3));
        let weight = 140.0 * (t * (1.0 - t)).powi(3) / POINTS as f64;
        (place.clamp(1e-15, 1.0 - 1e-15), weight)
    })
}

/// A family of scores: a distribution with mean 0 and standard deviation 1, by its quantiles.
struct Family {
    name: String,
    quantile: Box<dyn Fn(f64) -> f64>,
    mean: f64,
    sd: f64,
    /// Unit to whose multiples scores are rounded, if they are.
    rounded: Option<f64>,
    /// Expected best E_n of the unrounded scores, by n.
    expected: RefCell<BTreeMap<usize, f64>>,
}

impl Family {
    fn new(name: &str, quantile: impl Fn(f64) -> f64 + 'static) -> Self {
        let mean: f64 = points().map(|(u, weight)| weight * quantile(u)).sum();
        let square = |(u, weight)| weight * (quantile(u) - mean).powi(2);
        let variance: f64 = points().map(square).sum();
        Self {
            name: name.to_owned(),
            quantile: Box::new(quantile),
            mean,
            sd: variance.sqrt(),
            rounded: None,
            expected: RefCell::default(),
        }
    }

    fn rounded(self, to: f64) -> Self {
        Self {
            rounded: Some(to),
            ..self
        }
    }
}

/// An arm of the comparison: a family with a location and a scale.
#[derive(Clone, Copy)]
struct Arm<'a> {
    family: &'a Family,
    location: f64,
    scale: f64,
}

impl Arm<'_> {
    fn at(&self, u: f64) -> f64 {
        let standard = ((self.family.quantile)(u) - self.family.mean) / self.family.sd;
        let score = self.location + self.scale * standard;
        match self.family.rounded {
            Some(to) => (score / to).round() * to,
            None => score,
        }
    }

    fn draw(&self, rng: &mut impl Rng) -> f64 {
        let u: f64 = rng.random();
        self.at(u.clamp(1e-15, 1.0 - 1e-15))
    }

    /// Returns the expected best of n, E_n = ∫ Q(u^(1/n)) du.
    fn expected(&self, n: usize) -> f64 {
        let family = self.family;
        if family.rounded.is_some() {
            return self.integral(n);
        }
        let standard = Arm {
            location: 0.0,
            scale: 1.0,
            ..*self
        };
        let mut known = family.expected.borrow_mut();
        let expected = known.entry(n).or_insert_with(|| standard.integral(n));
        self.location + self.scale * *expected
    }

    fn integral(&self, n: usize) -> f64 {
        let at = |v: f64| self.at(v.powf(1.0 / n as f64).min(1.0 - 1e-15));
        points().map(|(v, weight)| weight * at(v)).sum()
    }
}

fn normal() -> impl Fn(f64) -> f64 + Clone {
    let normal = Normal::standard();
    move |u| normal.inverse_cdf(u)
}

/// A mixture of normals: shares, means, standard deviations.
fn mixture(parts: &'static [(f64, f64, f64)]) -> impl Fn(f64) -> f64 {
    let normal = Normal::standard();
    let below = move |x: f64| -> f64 {
        let part = |&(share, mean, sd): &(f64, f64, f64)| share * normal.cdf((x - mean) / sd);
        parts.iter().map(part).sum()
    };
    move |u| {
        let (mut low, mut high) = (-12.0, 12.0);
        for _ in 0..48 {
            let middle = f64::midpoint(low, high);
            if below(middle) < u {
                low = middle;
            } else {
                high = middle;
            }
        }
        f64::midpoint(low, high)
    }
}

/// Returns the families of scores on which the calibrated method was chosen.
fn tuned() -> Vec<Family> {
    let z = normal;
    let beta = |u: f64| (1.0 - (1.0 - u).powf(1.0 / 1.5)).powf(0.2);
    let (skewed, ties) = (z(), z());
    vec![
        Family::new("normal", z()),
        Family::new("uniform", |u| u),
        Family::new("bounded, like a beta (Kumaraswamy 5, 1.5)", beta),
        Family::new("lognormal, 0.75", move |u| (0.75 * skewed(u)).exp()),
        Family::new("two modes", mixture(&[(0.6, 0.0, 0.6), (0.4, 3.0, 0.5)])),
        Family::new("normal in steps of sd/2", ties).rounded(0.5),
    ]
}

/// Returns families of scores that were not looked at before the method was chosen.
fn held_out() -> Vec<Family> {
    let logistic = |u: f64| (u / (1.0 - u)).ln();
    let z = normal();
    let gumbel = |u: f64| -(-u.ln()).ln();
    // Student's t with 4 degrees of freedom, in closed form.
    let student = |u: f64| {
        let a = (4.0 * u * (1.0 - u)).sqrt();
        let q = (a.acos() / 3.0).cos() / a;
        (u - 0.5).signum() * 2.0 * (q - 1.0).max(0.0).sqrt()
    };
    let floor = |u: f64| {
        if u < 0.4 {
            0.0
        } else {
            1.0 + u + 2.0 * (1.0 - ((1.0 - u) / 0.6).powf(0.6))
        }
    };
    vec![
        Family::new("logistic", logistic),
        Family::new("minus lognormal, 0.75 (a loss)", move |u| {
            -(0.75 * z(1.0 - u)).exp()
        }),
        Family::new("Gumbel", gumbel),
        Family::new("quadratic optimum in 2 dimensions", |u| u - 1.0),
        Family::new("quadratic optimum in 4 dimensions", |u: f64| {
            -(1.0 - u).sqrt()
        }),
        Family::new("t with 4 degrees of freedom", student),
        Family::new("40 % at chance level", floor),
        Family::new("logistic in steps of sd/4", logistic).rounded(0.25),
    ]
}

/// Returns the families of scores on which the widening for heavy tails was measured after it was
/// chosen (of these, normal and uniform scores are also among those that it was chosen on, as light
/// ones that should lose little).
fn tails() -> Vec<Family> {
    let z = normal();
    let student = |freedom| {
        let student = StudentsT::new(0.0, 1.0, freedom).expect("positive");
        move |u: f64| student.inverse_cdf(u)
    };
    let gamma = Gamma::new(2.0, 1.0).expect("positive");
    let beta = Beta::new(2.0, 5.0).expect("positive");
    let pareto = |a: f64| move |u: f64| (1.0 - u).powf(-1.0 / a);
    let ends = |u: f64| match u {
        u if u < 0.3 => 0.0,
        u if u < 0.8 => 2.0 * (u - 0.3),
        _ => 1.0,
    };
    let skewed = z.clone();
    vec![
        Family::new("Pareto, 3", pareto(3.0)),
        Family::new("Pareto, 2.5", pareto(2.5)),
        Family::new("lognormal, 1", move |u| skewed(u).exp()),
        Family::new("t with 3 degrees of freedom", student(3.0)),
        Family::new("t with 4 degrees of freedom", student(4.0)),
        Family::new("gamma, 2", move |u| gamma.inverse_cdf(u)),
        Family::new("beta, 2 and 5", move |u| beta.inverse_cdf(u)),
        Family::new("normal", z),
        Family::new("uniform", |u| u),
        Family::new("0 or 1, 30 % are 1", |u| f64::from(u > 0.7)),
        Family::new("30 % 0, 20 % 1, uniform between", ends),
    ]
}

/// Returns a family for every arm of a file of scores, with the step function of its scores.
fn recorded(path: &Path) -> Result<Vec<Family>, Box<dyn Error>> {
    let records = fiesta_records::read(path, &fiesta_records::Reading::default())?;
    let families = records.arms().iter().zip(records.by_arm());
    let family = |(name, mut scores): (&String, Vec<f64>)| {
        scores.sort_by(f64::total_cmp);
        #[allow(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a place in the list"
        )]
        let quantile =
            move |u: f64| scores[((u * scores.len() as f64) as usize).min(scores.len() - 1)];
        // As they are: the differences between them are those of the file.
        Family {
            mean: 0.0,
            sd: 1.0,
            ..Family::new(name, quantile)
        }
    };
    Ok(families.map(family).collect())
}

/// Returns P(E_n of the first > E_n of the second) by the Bayesian bootstrap.
fn bootstrap(scores: [&[f64]; 2], ns: &[usize], rng: &mut ChaCha8Rng) -> Vec<f64> {
    let sorted = scores.map(|scores| {
        let mut sorted = scores.to_vec();
        sorted.sort_by(f64::total_cmp);
        sorted
    });
    let mut wins = vec![0.0; ns.len()];
    for _ in 0..DRAWS {
        let [first, second] = sorted.each_ref().map(|x| {
            let mut level = 0.0;
            let mut levels: Vec<f64> = x
                .iter()
                .map(|_| {
                    level += rng.sample::<f64, _>(Exp1);
                    level
                })
                .collect();
            for l in &mut levels {
                *l = (*l / level).ln();
            }
            let expected = |&n: &usize| {
                let gaps = x.windows(2).zip(&levels).rev();
                let gaps = gaps.map(|(pair, ln)| (pair[1] - pair[0], n as f64 * ln));
                let gaps = gaps.take_while(|&(_, ln)| ln > -40.0);
                x[x.len() - 1] - gaps.map(|(gap, ln)| gap * ln.exp()).sum::<f64>()
            };
            ns.iter().map(expected).collect::<Vec<f64>>()
        });
        for (win, (a, b)) in wins.iter_mut().zip(first.iter().zip(&second)) {
            *win += if a > b {
                1.0
            } else if a < b {
                0.0
            } else {
                0.5
            };
        }
    }
    wins.iter().map(|win| win / f64::from(DRAWS)).collect()
}

/// Counts of statements of at least the level, of those that were right, and of pairs of arms.
#[derive(Clone, Copy, Default)]
struct ArmStatistics {
    pairs: u32,
    sure: u32,
    right: u32,
}

impl ArmStatistics {
    fn add(&mut self, p: f64, first_is_better: bool) {
        self.pairs += 1;
        if p.max(1.0 - p) >= LEVEL {
            self.sure += 1;
            self.right += u32::from((p > 0.5) == first_is_better);
        }
    }

    fn plus(self, other: Self) -> Self {
        Self {
            pairs: self.pairs + other.pairs,
            sure: self.sure + other.sure,
            right: self.right + other.right,
        }
    }

    /// Writes the share of right statements with its standard error, and the share of sure ones, in
    /// percent.
    fn words(self) -> String {
        let (right, sure) = (f64::from(self.right), f64::from(self.sure));
        let share = right / sure;
        let error = (share * (1.0 - share) / sure).sqrt();
        format!(
            "{:.1} ± {:.1} ({:.0})",
            100.0 * share,
            100.0 * error,
            100.0 * sure / f64::from(self.pairs)
        )
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let usage = "say tuned, held-out, tails or recorded, how many pairs, and for recorded the file";
    let (kind, sets) = match arguments.as_slice() {
        [kind, sets, ..] => (kind.as_str(), sets.parse::<u64>()?),
        _ => return Err(usage.into()),
    };
    let families = match (kind, arguments.get(2)) {
        ("tuned", _) => tuned(),
        ("held-out", _) => held_out(),
        ("tails", _) => tails(),
        ("recorded", Some(file)) => recorded(Path::new(file))?,
        _ => return Err(usage.into()),
    };
    let as_recorded = kind == "recorded";
    let of_tails = kind == "tails";
    let shares = if of_tails {
        &SHARES[..UP_TO_A_THIRD]
    } else {
        &SHARES[..]
    };
    for count in COUNTS {
        #[allow(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "multiples of B"
        )]
        let ns: Vec<usize> = shares
            .iter()
            .map(|share| ((share * count as f64).round() as usize).max(1))
            .collect();
        let heads: Vec<String> = ns.iter().map(|n| format!("n = {n}")).collect();
        println!("\n| B = {count} | {} |", heads.join(" | "));
        println!("|---|{}", "--:|".repeat(ns.len()));
        let mut all = [[ArmStatistics::default(); SHARES.len()]; 2];
        for (place, family) in families.iter().enumerate() {
            let mut tallies = [[ArmStatistics::default(); SHARES.len()]; 2];
            for set in 0..sets {
                let number = ((count as u64 * 100 + place as u64) << 24) + set;
                let mut rng = Streams::new(number).run(0);
                let mut other = place;
                while other == place && (as_recorded || set % 2 == 1) {
                    other = rng.random_range(0..families.len());
                }
                let spread = if as_recorded {
                    0.0
                } else {
                    (10.0 / count as f64).sqrt()
                };
                let [location, scale]: [f64; 2] =
                    [rng.sample(StandardNormal), rng.sample(StandardNormal)];
                let arms = [
                    Arm {
                        family,
                        location: 0.0,
                        scale: 1.0,
                    },
                    Arm {
                        family: &families[other],
                        location: 0.75 * spread * location,
                        scale: (0.4 * spread * scale).exp(),
                    },
                ];
                let scores =
                    arms.map(|arm| (0..count).map(|_| arm.draw(&mut rng)).collect::<Vec<f64>>());
                let options = BestOfNOptions {
                    draws: DRAWS,
                    seed: number,
                    largest_n: Some(ns[ns.len() - 1]),
                    ..BestOfNOptions::default()
                };
                let best =
                    BestOfN::compare(&scores.each_ref().map(|s| ArmTrials::new(s)), &options)?;
                let rival = (!of_tails).then(|| bootstrap([&scores[0], &scores[1]], &ns, &mut rng));
                for (column, &n) in ns.iter().enumerate() {
                    let first_is_better = arms[0].expected(n) > arms[1].expected(n);
                    tallies[0][column].add(best.probability(n)[0], first_is_better);
                    if let Some(rival) = &rival {
                        tallies[1][column].add(rival[column], first_is_better);
                    }
                }
            }
            show(&family.name, &tallies, ns.len());
            for (all, tallies) in all.iter_mut().flatten().zip(tallies.iter().flatten()) {
                *all = all.plus(*tallies);
            }
        }
        show("**all**", &all, ns.len());
    }
    Ok(())
}

/// Prints a line of the table for each method that was tried.
fn show(name: &str, tallies: &[[ArmStatistics; SHARES.len()]; 2], columns: usize) {
    for (method, tallies) in ["", ", bootstrap"].iter().zip(tallies) {
        if tallies[0].pairs > 0 {
            let cells: Vec<String> = tallies[..columns]
                .iter()
                .map(|tally| tally.words())
                .collect();
            println!("| {name}{method} | {} |", cells.join(" | "));
        }
    }
}
