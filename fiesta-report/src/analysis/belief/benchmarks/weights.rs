//! Weights of benchmarks, and the scales by which scores in different units are made alike.

use crate::{analysis::AnalysisError, words::listed};
use std::str::FromStr;

/// How many times another one a weight may be at most.
const MOST_APART: f64 = 1e9;
/// The most names that a message lists.
const MOST: usize = 12;

/// How much each benchmark counts.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum BenchmarkWeights {
    /// All benchmarks count the same.
    #[default]
    Equal,
    /// Each benchmark counts by its number of items.
    Items,
    /// Each benchmark has a weight by its name. Only their ratios matter.
    Given(Vec<(String, f64)>),
}

/// Scale of a benchmark's scores: the worst score and the best score that there can be. The worst
/// may be the larger one.
#[derive(Debug, Clone, PartialEq)]
pub struct BenchmarkScale {
    /// Name of the benchmark.
    pub benchmark: String,
    /// Worst score.
    pub worst: f64,
    /// Best score.
    pub best: f64,
}

/// Splits `name=value` at its last equals sign.
fn named(text: &str) -> Option<(String, &str)> {
    let (name, value) = text.rsplit_once('=')?;
    let name = name.trim();
    (!name.is_empty()).then(|| (name.to_owned(), value.trim()))
}

impl FromStr for BenchmarkWeights {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.trim() {
            "equal" => return Ok(Self::Equal),
            "items" => return Ok(Self::Items),
            _ => {}
        }
        let each = text.split(',').map(|part| {
            let (name, value) = named(part)?;
            let weight: f64 = value.parse().ok()?;
            (weight.is_finite() && weight >= 0.0).then_some((name, weight))
        });
        each.collect::<Option<_>>().map(Self::Given).ok_or_else(|| {
            "give a weight of 0 or more for each benchmark, for example gsm8k=1,mmlu=2; or say items, or equal"
                .to_owned()
        })
    }
}

impl FromStr for BenchmarkScale {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let scale = || {
            let (benchmark, ends) = named(text)?;
            let (worst, best) = ends.split_once(',')?;
            let [worst, best] = [worst, best].map(|end| end.trim().parse::<f64>().ok());
            let (worst, best) = (worst?, best?);
            let length = (best - worst).abs();
            let is_scale = length.is_finite() && length > 0.0;
            is_scale.then_some(Self {
                benchmark,
                worst,
                best,
            })
        };
        scale().ok_or_else(|| {
            "give a benchmark with its worst and its best score, for example mt_bench=1,10"
                .to_owned()
        })
    }
}

impl BenchmarkWeights {
    /// Returns the word for how benchmarks are weighted.
    pub(super) fn word(&self) -> &'static str {
        match self {
            Self::Equal => "equal",
            Self::Items => "items",
            Self::Given(_) => "given",
        }
    }

    /// Returns the weight of each of these benchmarks with their numbers of items; they sum to 1.
    pub(super) fn of(&self, benchmarks: &[(&str, usize)]) -> Result<Vec<f64>, AnalysisError> {
        let refused = |why: String| Err(AnalysisError::Refused(why));
        let all: Vec<&str> = benchmarks.iter().map(|of| of.0).collect();
        let weights: Vec<f64> = match self {
            Self::Equal => vec![1.0; benchmarks.len()],
            Self::Items => {
                if let Some((name, _)) = benchmarks.iter().find(|of| of.1 == 0) {
                    return refused(format!(
                        "the benchmark `{name}` names no items to weigh it by: name the column of items with --item, or give weights such as --weights {name}=1"
                    ));
                }
                benchmarks.iter().map(|of| of.1 as f64).collect()
            }
            Self::Given(given) => {
                known(given.iter().map(|of| &*of.0), &all, "--weights")?;
                let of = |name: &&str| given.iter().find(|of| of.0 == **name).map(|of| of.1);
                let lacks: Vec<&str> = all
                    .iter()
                    .copied()
                    .filter(|name| of(name).is_none())
                    .collect();
                if !lacks.is_empty() {
                    return refused(format!(
                        "--weights gives no weight to {}: give each benchmark one, and 0 to leave it out",
                        listed(&lacks, MOST)
                    ));
                }
                all.iter().filter_map(of).collect()
            }
        };
        let above_0 = weights.iter().copied().filter(|&weight| weight > 0.0);
        let least = above_0.fold(f64::INFINITY, f64::min);
        let most = weights.iter().copied().fold(0.0, f64::max);
        if most <= 0.0 {
            return refused(
                "all weights are 0: give at least one benchmark a weight above 0".to_owned(),
            );
        }
        if most / least > MOST_APART {
            let named = |weight: f64| {
                weights
                    .iter()
                    .position(|of| of.total_cmp(&weight).is_eq())
                    .unwrap_or(0)
            };
            let [heavy, light] = [most, least].map(|weight| all[named(weight)]);
            return refused(format!(
                "`{heavy}` weighs more than {MOST_APART:e} times as much as `{light}`, which then tells nothing: give `{light}` the weight 0 to leave it out, or a larger one"
            ));
        }
        // By a power of 2, which changes no digit: the sum of large weights is none.
        let unit = most.log2().floor().exp2();
        let weights = weights.iter().map(|weight| weight / unit);
        let sum: f64 = weights.clone().sum();
        Ok(weights.map(|weight| weight / sum).collect())
    }
}

/// Refuses a name that is not that of a benchmark, or stands twice.
pub(super) fn known<'a>(
    names: impl Iterator<Item = &'a str>,
    all: &[&str],
    flag: &str,
) -> Result<(), AnalysisError> {
    let mut seen: Vec<&str> = Vec::new();
    for name in names {
        if !all.contains(&name) {
            return Err(AnalysisError::Refused(format!(
                "there is no benchmark `{name}` ({flag}): there are {}",
                listed(all, MOST)
            )));
        }
        if seen.contains(&name) {
            return Err(AnalysisError::Refused(format!(
                "{flag} names the benchmark `{name}` twice"
            )));
        }
        seen.push(name);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_are_read_and_sum_to_one() {
        let of = |text: &str| text.parse::<BenchmarkWeights>();
        let benchmarks = [("a", 10), ("b=c", 30)];
        let weights = |text: &str| of(text).unwrap().of(&benchmarks);
        assert_eq!(weights("equal").unwrap(), [0.5, 0.5]);
        assert_eq!(weights("items").unwrap(), [0.25, 0.75]);
        assert_eq!(weights("b=c=4, a=1").unwrap(), [0.2, 0.8]);
        assert_eq!(weights("a=0,b=c=2").unwrap(), [0.0, 1.0]);
        assert_eq!(weights("a=1e308,b=c=1e308").unwrap(), [0.5, 0.5]);
        for wrong in ["", "a", "a=x", "a=-1", "a=inf", "=1"] {
            assert!(of(wrong).is_err(), "{wrong}");
        }
        for (text, why) in [
            ("a=1", "no weight to b=c"),
            ("a=1,b=c=1,d=1", "no benchmark `d`"),
            ("a=1,a=2", "`a` twice"),
            ("a=0,b=c=0", "all weights are 0"),
            (
                "a=1e300,b=c=1e-300",
                "`a` weighs more than 1e9 times as much as `b=c`",
            ),
        ] {
            let error = weights(text).unwrap_err().to_string();
            assert!(error.contains(why), "{error}");
        }
        let error = BenchmarkWeights::Items.of(&[("a", 0)]).unwrap_err();
        assert!(error.to_string().contains("names no items"), "{error}");
    }

    #[test]
    fn scales_may_run_down() {
        let scale: BenchmarkScale = "perplexity=50, 1".parse().unwrap();
        assert_eq!((scale.worst, scale.best), (50.0, 1.0));
        for wrong in ["a", "a=1", "a=1,1", "a=x,1"] {
            assert!(wrong.parse::<BenchmarkScale>().is_err(), "{wrong}");
        }
    }
}
