//! The best two arms on the items that both have answered, as in a comparison fixed beforehand.

use super::ItemClusters;
use crate::{
    analysis::ScoresOfArms,
    summary::{McNemar, MeanError},
    words::{count, digits},
};
use fiesta_core::{ArmId, Belief};
use serde::Serialize;

/// The difference of the two arms that are most probably best, on the items that both have
/// answered, with the standard errors and the test of a comparison whose items were fixed
/// beforehand. Where items were asked, or the asking ended, as the answers came in, they are too
/// small.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct ItemComparison {
    /// The arm that is most probably best.
    pub leader: String,
    /// The rival whose choice would lose the least.
    pub runner_up: String,
    /// Number of items that both arms have answered.
    pub items: u64,
    /// Leader's mean less the runner-up's on the items of both, in the score's own direction.
    pub difference: f64,
    /// Standard error of the difference over independent items; `None` of a single item, and where
    /// all differences are equal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub standard_error: Option<f64>,
    /// The column of the clusters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cluster_column: Option<String>,
    /// Number of clusters of the items.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clusters: Option<u64>,
    /// The standard error over clusters of items; `None` if all are of one, or all differences equal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clustered_standard_error: Option<f64>,
    /// McNemar's exact test, of answers that are 0 or 1; first is the leader, and the better answer
    /// is right.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mcnemar: Option<McNemar>,
}

impl ItemComparison {
    /// Compares answers to the items of a pool; none of other scores, and where no item was
    /// answered by both.
    pub(super) fn new(
        scores: &ScoresOfArms,
        belief: &Belief,
        clusters: Option<&ItemClusters>,
    ) -> Option<Self> {
        let pool = scores.pool?;
        let [leader, runner_up] = leader_and_rival(scores, belief)?;
        // The bounds of the answers make no difference.
        let answers = scores.answers_in(pool.items, pool.origin, (0.0, 1.0));
        let mut pairs: Vec<_> = answers.common(leader, runner_up).collect();
        pairs.sort_unstable_by_key(|(one, _)| one.item);
        let differences = || pairs.iter().map(|(one, other)| one.score - other.score);
        let error = match clusters {
            Some(clusters) => {
                let clusters = pairs.iter().map(|(one, _)| clusters.of(one.item));
                MeanError::of_clusters(differences().zip(clusters))
            }
            None => MeanError::new(differences()),
        }?;
        let is_bit = |score: f64| [0.0, 1.0].contains(&score);
        let mut all = pairs
            .iter()
            .flat_map(|(one, other)| [one.score, other.score]);
        let are_bits = answers.every.is_none() && all.all(is_bit);
        let better = |sign: f64| {
            let oriented = differences().map(|difference| scores.direction.orient(difference));
            oriented
                .filter(|difference| difference * sign > 0.5)
                .count() as u64
        };
        let name = |arm: ArmId| scores.arms.name(arm).to_owned();
        Some(Self {
            leader: name(leader),
            runner_up: name(runner_up),
            items: error.items as u64,
            difference: error.mean,
            standard_error: error.standard_error,
            cluster_column: clusters.map(|clusters| clusters.column().to_owned()),
            clusters: error.clusters.map(|clusters| clusters as u64),
            clustered_standard_error: error.clustered,
            mcnemar: are_bits.then(|| McNemar::new(better(1.0), better(-1.0))),
        })
    }

    /// Returns the comparison in words, a line for what was found and one for when it holds.
    pub(super) fn text(&self) -> String {
        let found = format!(
            "{} − {} on the {} of both: {}{}{}",
            self.leader,
            self.runner_up,
            count(self.items, "item"),
            digits(self.difference),
            self.errors(),
            self.test()
        );
        let what = match self.mcnemar {
            Some(_) => "such errors and p-values hold",
            None => "such an error holds",
        };
        format!(
            "{found}\n{what} only where the items were not chosen, nor their number, as the answers came in"
        )
    }

    fn errors(&self) -> String {
        let Some(error) = self.standard_error else {
            return match self.items {
                1 => String::new(),
                _ => format!(" ({NO_SPREAD})"),
            };
        };
        let clustered = match (&self.cluster_column, self.clustered_standard_error) {
            (Some(column), Some(clustered)) => format!(
                "; {} over {} clusters by {column}",
                digits(clustered),
                self.clusters.unwrap_or(0)
            ),
            (Some(column), None) if self.clusters == Some(1) => {
                format!("; all of one cluster by {column}")
            }
            (Some(column), None) => format!("; none over clusters by {column}, which do not vary"),
            (None, _) => String::new(),
        };
        format!(" ± {} (standard error{clustered})", digits(error))
    }

    fn test(&self) -> String {
        self.mcnemar.map_or_else(String::new, |test| {
            format!(
                "; better on {}, worse on {}: {}",
                test.only_first,
                test.only_second,
                test.words()
            )
        })
    }
}

/// Words that say why several differences have no standard error.
const NO_SPREAD: &str = "the differences are all equal, so that nothing is known of their error";

/// Finds the arm that is most probably best, of equally probable ones that with the better mean,
/// and its closest rival.
fn leader_and_rival(scores: &ScoresOfArms, belief: &Belief) -> Option<[ArmId; 2]> {
    let moments = scores.moments();
    let mean = |arm: ArmId| scores.direction.orient(moments[arm.index()].mean());
    let leader = scores.arms.ids().max_by(|&a, &b| {
        let by_probability = belief.of(a).total_cmp(&belief.of(b));
        by_probability.then(mean(a).total_cmp(&mean(b)))
    })?;
    let rival = belief.closest(scores.arms.ids().filter(|&arm| arm != leader))?;
    Some([leader, rival])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::belief::{BeliefOptions, BeliefRequest, of_scores};
    use fiesta_core::{Direction, Target};
    use fiesta_records::{self as records, Reading};

    fn report(
        file: &str,
        direction: Direction,
        column: Option<&str>,
    ) -> super::super::BeliefReport {
        let options = Reading {
            keep_columns: true,
            ..Reading::default()
        };
        let records = records::read_from(file.as_bytes(), None, &options, "file").unwrap();
        let scores = ScoresOfArms::new(&records, &[], direction, "file").unwrap();
        let options = BeliefOptions {
            clusters: column.map(|column| ItemClusters::new(&records, column, "file").unwrap()),
            ..BeliefOptions::default()
        };
        of_scores(&scores, scores.default_posterior(), &options).unwrap()
    }

    /// Results of two arms on 6 items, of which both have 5: b is better on 3 and worse on none;
    /// differences 1, 1, 1, 0, 0.
    const FILE: &str = "arm,item,text,score\na,q1,t,0\na,q2,t,0\na,q3,u,0\na,q4,u,1\na,q5,u,0\na,q6,u,0\n\
        b,q5,u,0\nb,q4,u,1\nb,q3,u,1\nb,q2,t,1\nb,q1,t,1\n";

    #[test]
    fn of_answers_that_are_right_or_wrong() {
        let found = report(FILE, Direction::Maximize, Some("text"))
            .on_items
            .unwrap();
        assert_eq!(
            (found.leader.as_str(), found.runner_up.as_str()),
            ("b", "a")
        );
        assert_eq!((found.items, found.difference), (5, 0.6));
        // Σ(d − .6)² = 3·.16 + 2·.36 = 1.2, over 5·4.
        assert!((found.standard_error.unwrap() - 0.06_f64.sqrt()).abs() < 1e-12);
        // Residuals .4, .4 of t and .4, −.6, −.6 of u: (.64 − .32 + .64 − .88)/25 = .0032.
        assert!((found.clustered_standard_error.unwrap() - 0.0632_f64.sqrt()).abs() < 1e-12);
        assert_eq!(found.clusters, Some(2));
        assert_eq!(found.mcnemar, Some(McNemar::new(3, 0)));
    }

    /// Tests errors, of which less is better: the better answer is 0.
    #[test]
    fn of_errors() {
        let found = report(FILE, Direction::Minimize, None).on_items.unwrap();
        assert_eq!((found.leader.as_str(), found.difference), ("a", -0.6));
        assert_eq!(found.mcnemar, Some(McNemar::new(3, 0)));
        assert_eq!(
            (found.clusters, found.clustered_standard_error),
            (None, None)
        );
    }

    #[test]
    fn graded_answers_have_no_such_test() {
        let file = "item,a,b\nq1,0.5,1\nq2,0,1\nq3,0,0.5\nq4,0,1\n";
        let found = report(file, Direction::Maximize, None).on_items.unwrap();
        assert_eq!((found.items, found.mcnemar), (4, None));
        assert!((found.difference - 0.75).abs() < 1e-12);
    }

    /// Tests that nothing is compared on splits, nor on items of which no two arms share one.
    #[test]
    fn only_shared_items() {
        let splits = "arm,split,score\na,0,0.1\nb,0,0.5\na,1,0.2\nb,1,0.3\n";
        assert_eq!(report(splits, Direction::Maximize, None).on_items, None);
    }

    #[test]
    fn an_item_has_one_cluster() {
        let options = Reading {
            keep_columns: true,
            ..Reading::default()
        };
        for (file, said) in [
            (
                "arm,item,text,score\na,q1,t,0\nb,q1,u,1\n",
                "file:3: the item `q1`",
            ),
            (
                "arm,item,text,score\na,q1,t,0\nb,q2,,1\n",
                "the item `q2` has no `text`",
            ),
            ("arm,split,text,score\na,1,t,0\nb,1,t,1\n", "names none"),
            (
                "arm,item,topic,score\na,q1,t,0\nb,q1,t,1\n",
                "or take one of topic",
            ),
        ] {
            let records = records::read_from(file.as_bytes(), None, &options, "file").unwrap();
            let error = ItemClusters::new(&records, "text", "file").unwrap_err();
            assert!(error.to_string().contains(said), "{error}");
        }
    }

    /// Returns a belief that says what is known of these items, and of items like these, in one
    /// call.
    fn both(file: &str, target: Target, clusters: Option<&str>) -> super::super::BeliefReport {
        let options = Reading {
            keep_columns: true,
            ..Reading::default()
        };
        let records = records::read_from(file.as_bytes(), None, &options, "f").unwrap();
        let scores = ScoresOfArms::new(&records, &[], Direction::Maximize, "f").unwrap();
        let request = BeliefRequest {
            target,
            clusters: clusters.map(str::to_owned),
            ..BeliefRequest::default()
        };
        request.report(scores, Some(&records)).unwrap()
    }

    /// Tests both questions on 4 items, of which b is right on 3 and a on 1: these items are
    /// counted, and items like these give P(Beta(4, 2) > ½).
    #[test]
    fn both_questions_are_answered() {
        let file =
            "arm,item,score\na,q1,0\na,q2,0\na,q3,1\na,q4,0\nb,q1,1\nb,q2,1\nb,q3,0\nb,q4,1\n";
        let report = both(file, Target::TheseItems, None);
        let text = report.text();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], "these items: b is best on these 4 items, by 2");
        assert_eq!(
            lines[1],
            "items like these: b is best with 81.2 % posterior probability"
        );
        assert!(lines[2].contains("tuned on these items, nor where items come in clusters"));
        let pool = report.pool.as_ref().unwrap();
        let these = pool.these_items.as_ref().unwrap();
        assert_eq!((these.probability, these.lead), (None, Some(0.5)));
        let like = pool.items_like_these.as_ref().unwrap();
        assert!((like.probability - 13.0 / 16.0).abs() < 1e-6);
        assert!(report.arms[1].probability_best > 1.0 - 1e-12);
        let report = both(file, Target::ItemsLikeThese, None);
        assert!((report.arms[1].probability_best - 13.0 / 16.0).abs() < 1e-6);
        assert!(report.pool.unwrap().claim.unwrap().error > 0.18);
        // With an answer missing that no study chose, nothing is known of these.
        let missing = file.replace("a,q4,0\n", "");
        let text = both(&missing, Target::TheseItems, None).text();
        assert!(
            text.starts_with("these items: not known, as answers are missing"),
            "{text}"
        );
        assert!(
            text.contains("items like these: b is best with 68.7 % posterior"),
            "{text}"
        );
        let equal = "arm,item,score\na,q1,1\na,q2,0\na,q3,1\nb,q1,1\nb,q2,1\nb,q3,0\n";
        let text = both(equal, Target::TheseItems, None).text();
        assert!(text.starts_with("these items: a, b are equal and best on these 3 items\n"));
    }

    /// Tests that eight equal differences in four clusters of two count as four differences.
    #[test]
    fn clusters_are_the_items() {
        let rows = (0..8).flat_map(|item| {
            [("a", 0), ("b", 1)]
                .map(|(arm, score)| format!("{arm},q{item},t{},{score}\n", item / 2))
        });
        let file = "arm,item,text,score\n".to_owned() + &rows.collect::<String>();
        let p = |file: &str, column| {
            let report = both(file, Target::ItemsLikeThese, column);
            let like = report.pool.unwrap().items_like_these.unwrap();
            assert!((report.arms[1].probability_best - like.probability).abs() < 1e-12);
            (like.probability, like.not_where)
        };
        assert!((p(&file, None).0 - (1.0 - 0.5_f64.powi(9))).abs() < 1e-6);
        let (clustered, not_where) = p(&file, Some("text"));
        assert!((clustered - (1.0 - 0.5_f64.powi(5))).abs() < 1e-6);
        assert!(not_where.ends_with("tuned on these items"), "{not_where}");
        let (_, not_where) = p(&file.replace("a,q7,t3,0\n", ""), Some("text"));
        assert!(not_where.contains("not taken into account"), "{not_where}");
    }
}
