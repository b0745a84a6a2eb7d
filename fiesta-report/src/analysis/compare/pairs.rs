//! Comparison of several arms: every pair of a few arms, of more the best with each other.

use super::{
    AnalysisError, CompareOptions, ComparedArm, ComparisonReport, ScoresOfArms, best_first,
    no_score, of_arms, text,
};
use crate::{
    Percentages, Table, TableOf,
    analysis::not_compared,
    arm_table::{less_arm, signed_ends},
    figure::Forest,
    summary::{Interval, PairTests, Place, Sample, test_of_means},
    words::{count, decimals, digits, in_percent, level, listed, p_value, signed},
    wrapped,
};
use fiesta_core::{ArmId, Direction};
use serde::Serialize;

/// Largest number of arms of which every pair is compared.
const FEW: usize = 6;
/// Largest number of names in a list of the text.
const NAMES: usize = 8;
/// Largest number of notes that the text prints.
const NOTES: usize = 6;

/// Several arms, and the comparisons of their pairs.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct PairsReport {
    /// What the score is called.
    pub metric: String,
    /// Which scores are better: `maximize` or `minimize`.
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub direction: Direction,
    /// Confidence of all intervals. An adjusted p-value of at most one less this decides a pair.
    pub confidence: f64,
    /// Largest difference, in the metric's units, that counts as a tie. `None` if none was asked for.
    pub tolerance: Option<f64>,
    /// The arms, the best mean first: of items, over those that all arms have answered.
    pub arms: Vec<ComparedArm>,
    /// Places that each of the arms may have among them, in the order of `arms`: all hold together with
    /// the confidence.
    pub places: Vec<Place>,
    /// Number of pairs over which p-values are adjusted: all pairs of the arms, also where only those
    /// with the best are compared, which the scores have chosen.
    pub adjusted_over: u64,
    /// The comparisons: every pair of up to six arms; of more, the best with each other.
    pub pairs: Vec<ComparedPair>,
    /// Notes on the data.
    pub notes: Vec<String>,
}

/// Comparison of one pair among several arms.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct ComparedPair {
    /// The comparison of the two arms alone.
    #[serde(flatten)]
    pub comparison: ComparisonReport,
    /// The p-value after Holm's adjustment over all pairs: McNemar's exact one where there is one, else
    /// `p_value`. `None` if there is no test.
    pub p_adjusted: Option<f64>,
    /// What the scores say of the first arm: `tie` with the second; `better` or `worse` by the adjusted
    /// p-value; else `open`.
    pub result: &'static str,
}

impl ComparedPair {
    fn new(comparison: ComparisonReport, p_adjusted: Option<f64>) -> Self {
        let is_ahead = comparison.direction.orient(comparison.difference) > 0.0;
        let least = 1.0 - comparison.confidence;
        let result = match p_adjusted {
            _ if comparison.tie => "tie",
            Some(p) if p <= least && is_ahead => "better",
            Some(p) if p <= least => "worse",
            _ => "open",
        };
        Self {
            comparison,
            p_adjusted,
            result,
        }
    }
}

impl PairsReport {
    /// Compares every pair of up to six arms, each as [`ComparisonReport::new`]; of more, the arm of the
    /// best mean with each other. P-values are adjusted over all K(K − 1)/2 pairs of the K arms by Holm
    /// (1979), so that a pair of equal arms is told apart with probability 1 − confidence at most.
    ///
    /// The arms of `options` are not looked at: leave others out of `scores`. An arm without a score is
    /// left out, with a note.
    ///
    /// # Errors
    /// [`AnalysisError`] if fewer than two arms have a score, no item was answered by all, or for any
    /// reason of [`ComparisonReport::new`].
    ///
    /// # Example
    /// ```
    /// use fiesta_core::{ArmId, Direction};
    /// use fiesta_records::{Reading, read_from};
    /// use fiesta_report::analysis::{ScoresOfArms, compare::{CompareOptions, PairsReport}};
    /// let file = "split,cnn,gru,lstm\n0,.65,.64,.66\n1,.61,.61,.64\n2,.70,.70,.72\n";
    /// let records = read_from(file.as_bytes(), None, &Reading::default(), "file")?;
    /// let scores = ScoresOfArms::new(&records, &[], Direction::Maximize, "file")?;
    /// let found = PairsReport::new(&scores, &CompareOptions::default())?;
    /// assert_eq!((&*found.arms[0].name, found.pairs.len(), found.adjusted_over), ("lstm", 3, 3));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn new(scores: &ScoresOfArms<'_>, options: &CompareOptions) -> Result<Self, AnalysisError> {
        let (known, unknown): (Vec<_>, Vec<_>) =
            { scores.arms.ids() }.partition(|arm| !scores.scores[arm.index()].is_empty());
        let unknown: Vec<&str> = unknown.iter().map(|&arm| scores.arms.name(arm)).collect();
        let mut notes: Vec<String> = not_compared(&unknown).into_iter().collect();
        let scored = ScoresOfArms {
            unpaired: scores.unpaired.clone(),
            folds: scores.folds.clone(),
            ..of_arms(scores, &known)?
        };
        let (common, missing) = scored.clone().on_common_items()?;
        notes.extend(missing.map(|_| {
            "means are over the items that all arms have answered, and each pair is compared on the items of both".to_owned()
        }));
        let order = best_first(&common);
        let arms = order.iter().map(|&arm| {
            let name = common.arms.name(arm);
            ComparedArm::new(name, &common.scores[arm.index()], options.confidence)
        });
        let arms: Vec<ComparedArm> = arms.collect::<Result<_, _>>()?;
        if arms.len() < 2 {
            return Err(no_score(unknown.first().unwrap_or(&scores.source.as_str())));
        }
        let firsts = if arms.len() > FEW { 1 } else { arms.len() };
        let mut found = Vec::new();
        for (place, first) in arms.iter().take(firsts).enumerate() {
            for second in &arms[place + 1..] {
                let pair = [first, second].map(|arm| arm.name.clone());
                let options = CompareOptions {
                    arms: Some(pair),
                    ..options.clone()
                };
                found.push(ComparisonReport::new(&scored, &options)?);
            }
        }
        let tests = tests(&scored, &order)?;
        if arms.len() > FEW {
            notes.push(format!(
                "of more than {FEW} arms only the best is compared with each other: name up to {FEW} with --arms for all their pairs"
            ));
        }
        for note in found.iter().flat_map(|pair| &pair.notes) {
            if !notes.contains(note) {
                notes.push(note.clone());
            }
        }
        let place = |name: &str| arms.iter().position(|arm| arm.name == name);
        let pairs = found.into_iter().map(|one| {
            let both = place(&one.a.name).zip(place(&one.b.name));
            let p = both.and_then(|(a, b)| tests.adjusted(a, b));
            ComparedPair::new(one, p)
        });
        Ok(Self {
            metric: scores.metric.clone(),
            direction: scores.direction,
            confidence: options.confidence,
            tolerance: options.tolerance,
            adjusted_over: (arms.len() * (arms.len() - 1) / 2) as u64,
            pairs: pairs.collect(),
            places: tests.places(options.confidence),
            arms,
            notes,
        })
    }

    /// Returns the table of the arms and that of the pairs, what they say of the best, and how.
    pub fn text(&self) -> String {
        self.text_within(usize::MAX)
    }

    /// Returns the text for lines of `width` characters, as [`ComparisonReport::text_within`] does.
    pub fn text_within(&self, width: usize) -> String {
        let arms: Vec<&ComparedArm> = self.arms.iter().collect();
        let (shown, rest) = self.notes.split_at(self.notes.len().min(NOTES));
        let more = (!rest.is_empty())
            .then(|| format!("--format json has {}", count(rest.len(), "further note")));
        let sentences = [self.in_short(), self.method()].into_iter();
        let sentences = sentences.chain(shown.iter().cloned()).chain(more);
        let sentences: Vec<String> = sentences.collect();
        let means = (!self.is_of_best()).then(|| {
            let table = text::arms_table(&arms, self.confidence, &self.places);
            format!("{}\n", table.text_within(width))
        });
        format!(
            "{}{}\n{}",
            means.unwrap_or_default(),
            self.table().text_within(width),
            wrapped(&sentences.join("\n"), width)
        )
    }

    /// Returns whether the best alone is compared with each other arm.
    fn is_of_best(&self) -> bool {
        self.arms.len() > FEW
    }

    fn table(&self) -> Table {
        let interval = format!("{} interval", level(self.confidence));
        let errors = { self.pairs.iter() }.filter_map(|pair| pair.comparison.standard_error);
        let decimals = decimals(errors);
        let bases: Vec<String> = self.pairs.iter().map(basis).collect();
        let pairs = TableOf::new(&self.pairs);
        let (table, difference, result) = if self.is_of_best() {
            let rank = |pair: &ComparedPair| {
                let name = &pair.comparison.b.name;
                self.arms.iter().position(|arm| arm.name == *name)
            };
            let table = pairs
                .words("arm", |pair| pair.comparison.b.name.clone())
                .numbers("mean", |pair| {
                    rank(pair).map(|rank| digits(self.arms[rank].mean))
                })
                .numbers("place", |pair| {
                    rank(pair).map(|rank| self.places[rank].in_words())
                });
            (table, less_arm(&self.arms[0].name), "best is")
        } else {
            let table = pairs.words("arm", |pair| pair.comparison.a.name.clone());
            let table = table.words("less", |pair| pair.comparison.b.name.clone());
            (table, "difference".to_owned(), "result")
        };
        table
            .numbers(&difference, |pair| {
                signed(pair.comparison.difference, decimals)
            })
            .numbers(&interval, |pair| {
                let ends = pair.comparison.lower.zip(pair.comparison.upper);
                ends.map(|(lower, upper)| signed_ends(Interval { lower, upper }, decimals))
            })
            .numbers("effect", |pair| {
                pair.comparison.effect.map(|effect| signed(effect, 2))
            })
            .numbers("p (Holm)", |pair| {
                let p = pair.p_adjusted.map(p_value);
                p.map(|p| p.trim_start_matches("= ").to_owned())
            })
            .numbers("P(better)", |pair| {
                let better = pair.comparison.probability_better;
                better.map(|p| Percentages::new(&[p, 1.0 - p]).of(0))
            })
            .words(result, |pair| pair.result.to_owned())
            .when(bases.iter().any(|basis| *basis != bases[0]), |table| {
                table.words("on", |pair| basis(pair))
            })
            .table()
            .dispensable(&["effect", "P(better)", "on"])
    }

    /// Returns what the pairs with the best mean's arm say, in a sentence.
    pub fn in_short(&self) -> String {
        let best = &self.arms[0].name;
        let with = |result: &str| {
            let of_best = { self.pairs.iter() }.filter(|pair| pair.comparison.a.name == *best);
            let names = of_best.filter(|pair| pair.result == result);
            let names: Vec<&str> = names.map(|pair| &*pair.comparison.b.name).collect();
            (!names.is_empty()).then(|| listed(&names, NAMES))
        };
        let said = [
            with("better").map(|names| format!("is better than {names}")),
            with("worse").map(|names| format!("is worse than {names} on what both have")),
            with("tie").map(|names| format!("is a tie with {names}")),
            with("open").map(|names| format!("is not yet told apart from {names}")),
        ];
        let said: Vec<String> = said.into_iter().flatten().collect();
        let mean = digits(self.arms[0].mean);
        let place = if self.is_of_best() {
            format!(" (place {})", self.places[0].in_words())
        } else {
            String::new()
        };
        format!(
            "{best} has the best mean, {mean}{place}. It {}.",
            said.join("; it ")
        )
    }

    /// Tells in words what the columns of the table of pairs are: tests, adjustment and posteriors.
    fn method(&self) -> String {
        let mut tests: Vec<&str> = self.pairs.iter().map(test_of).collect();
        tests.sort_unstable();
        tests.dedup();
        let posteriors = self.pairs.iter();
        let mut posteriors: Vec<String> = posteriors
            .map(|pair| pair.comparison.posterior_in_words())
            .collect();
        posteriors.dedup();
        let mut on: Vec<String> = self.pairs.iter().map(basis).collect();
        on.dedup();
        let on = match &on[..] {
            [one] => one,
            _ => "what both have",
        };
        let chosen = if self.is_of_best() {
            ", as the scores chose the best"
        } else {
            ""
        };
        let tie = self.tolerance.map_or_else(String::new, |tolerance| {
            format!("{}, or ", text::tie_rule(self.confidence, true, tolerance))
        });
        format!(
            "p (Holm): {}, two-sided, adjusted over the {} pairs of all arms{chosen}. \
             Intervals are Student's t, not adjusted; P(better) is under the posterior {}. Both are of each pair alone, on {on}: \
             `fiesta belief` learns the noise from all arms together, and may be surer. \
             effect: the difference in standard deviations of a difference between two scores. \
             better, worse: p (Holm) of at most {}. tie: {tie}no score differs. open: none of these. \
             place: 1 and the number of arms shown to be better, to K less the number shown to be worse; all places hold together at {}.",
            tests.join(" and "),
            self.adjusted_over,
            posteriors.join(" and "),
            in_percent(1.0 - self.confidence) / 100.0,
            level(self.confidence),
        )
    }

    /// Returns a figure of the arms' means with their intervals.
    pub fn figure(&self) -> Forest {
        let arms: Vec<&ComparedArm> = self.arms.iter().collect();
        text::figure(&self.metric, self.direction, &arms, self.confidence)
    }
}

/// Tests every pair of arms in this order, each on the items or splits of both, as
/// [`ComparisonReport::new`] does.
fn tests(scores: &ScoresOfArms<'_>, order: &[ArmId]) -> Result<PairTests, AnalysisError> {
    let samples = order.iter().map(|&arm| scores.scores[arm.index()].sample());
    let samples: Vec<Option<Sample<'_>>> = samples.collect();
    PairTests::new(&samples, scores.direction, |a, b| {
        let two = of_arms(scores, &[order[a], order[b]])?;
        // Arms without a common item have no test.
        let Ok((two, _)) = two.on_common_items() else {
            return Ok((None, 0.0));
        };
        let sample = |arm: usize| two.scores[arm].sample();
        let both = sample(0).zip(sample(1));
        both.map_or(Ok((None, 0.0)), |(a, b)| Ok(test_of_means(&a, &b)?))
    })
}

/// Returns the name of the test of a pair.
fn test_of(pair: &ComparedPair) -> &'static str {
    match (pair.comparison.mcnemar, pair.comparison.test) {
        (Some(_), _) => "exact McNemar test",
        (None, "paired t") => "paired t test",
        (None, "welch t") => "Welch's t test",
        (None, _) => "exact permutation test",
    }
}

/// Returns in words what a pair was compared on: a number of items or splits, or all scores.
fn basis(pair: &ComparedPair) -> String {
    let pair = &pair.comparison;
    pair.shared_splits
        .map_or("all scores".to_owned(), |splits| {
            let what = if pair.pairing == "item" {
                "item"
            } else {
                "split"
            };
            count(splits, what)
        })
}

#[cfg(test)]
mod tests;
