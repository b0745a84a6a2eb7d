//! Data sets as a sample of data sets: what that means for the best two arms, and how many would
//! tell them apart.

use crate::{Evaluations, words::excerpt};
use fiesta_core::{Direction, Moments, tail_begins};

/// Level of the tests of all pairs.
const LEVEL: f64 = 0.05;
/// Most data sets that are asked for in numbers.
const MOST: usize = 1000;

impl Evaluations {
    /// Returns a line on data sets that are compared on: they count as a sample of many, and some
    /// number of them would tell the best two arms apart. `None` where scores are on something
    /// else, or some arm has none on some of them.
    ///
    /// The number is the smallest n with d√n/s ≥ t: d and s are the mean and the standard deviation
    /// of the differences of the best two arms on a data set, t is the quantile of Student's t with
    /// n − 1 degrees of freedom for a two-sided test at .05 over the number of pairs of all arms
    /// (Bonferroni's bound, with which Holm begins).
    ///
    /// # Example
    /// ```
    /// use fiesta_core::Direction;
    /// use fiesta_records::{Reading, read_from};
    /// let csv = "Method,pears,figs,kiwis\nred,.90,.82,.71\nblue,.89,.80,.72\n";
    /// let records = read_from(csv.as_bytes(), None, &Reading::default(), "s")?;
    /// let told = records.told_of_data_sets(Direction::Maximize).unwrap();
    /// assert!(told.contains("`red` has the best mean; about 23 data sets"), "{told}");
    /// # Ok::<(), fiesta_records::RecordsError>(())
    /// ```
    pub fn told_of_data_sets(&self, direction: Direction) -> Option<String> {
        if !self.file.on_data_sets {
            return None;
        }
        let scores = self.by_arm();
        let sets = scores.first()?.len();
        if scores.iter().any(|of_arm| of_arm.len() != sets) {
            return None;
        }
        let sum = |arm: usize| direction.orient(scores[arm].iter().sum::<f64>());
        let mut ranked: Vec<usize> = (0..scores.len()).collect();
        ranked.sort_by(|&a, &b| sum(b).total_cmp(&sum(a)));
        let [best, next, ..] = ranked[..] else {
            return None;
        };
        let both = scores[best].iter().zip(&scores[next]);
        let leads: Moments = both
            .map(|(one, other)| direction.orient(one - other))
            .collect();
        let (lead, spread) = (leads.mean(), leads.standard_deviation()?);
        let pairs = (scores.len() * (scores.len() - 1) / 2) as f64;
        let tells = |n: &usize| {
            let most = tail_begins(LEVEL / 2.0 / pairs, *n as f64 - 1.0);
            lead * (*n as f64).sqrt() >= spread * most
        };
        let [best, next] = [best, next].map(|arm| excerpt(&self.arms()[arm]));
        let number = match (2..=MOST).find(tells) {
            Some(n) if n <= sets => return None,
            Some(n) => format!("about {n} data sets"),
            None => format!("more than {MOST} data sets"),
        };
        Some(format!(
            "the {sets} data sets count as a sample of many data sets, and a lead has to hold on further ones like these: on these {sets} alone `{best}` has the best mean; {number} that differ as these do would show it better than `{next}`, in tests of all pairs"
        ))
    }
}
