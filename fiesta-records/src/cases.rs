//! Cases on which arms were evaluated: copies of scores, and arms that were evaluated on other cases than others.

use crate::{
    Evaluations,
    proposal::{is_group, is_remark},
    words::{count, excerpt},
};
use fiesta_core::{ArmId, Direction, Moments};
use std::collections::{BTreeMap, HashSet};

impl Evaluations {
    /// Returns a line on copies of scores, and on columns by which arms were evaluated on other cases.
    pub(crate) fn cautions_of_cases(&self) -> Vec<String> {
        let copies = self.copies().map(|copies| {
            format!(
                "{} of the same arm, split and score as another one, and each counts as an evaluation of its own: if these are copies, keep one of each",
                count(copies as u64, "row")
            )
        });
        let columns = self.columns().iter().enumerate();
        let unequal = columns.filter_map(|(column, name)| {
            let [value, one, other] = self.unequal(column)?;
            Some(format!(
                "`{one}` has far more scores of `{}` = `{value}` than `{other}`: a difference between arms may be one of these cases, so compare the scores of each value by themselves",
                excerpt(name)
            ))
        });
        copies.into_iter().chain(unequal).collect()
    }

    /// Returns how many records are copies of an earlier one on the same split, if half of all are.
    fn copies(&self) -> Option<usize> {
        const MOST: usize = 1_000_000;
        let records = self.records();
        if records.len() > MOST || records.iter().any(|record| record.split.is_none()) {
            return None;
        }
        let scores: HashSet<u64> = records
            .iter()
            .map(|record| record.score.to_bits())
            .collect();
        let key = |record: crate::Record| {
            (
                record.arm,
                record.split,
                record.seed,
                record.score.to_bits(),
            )
        };
        let distinct: HashSet<_> = records.iter().map(key).collect();
        let copies = records.len() - distinct.len();
        // Answers and grades agree by themselves.
        (scores.len() > 3 && 2 * copies >= records.len()).then_some(copies)
    }

    /// Refuses scores of which the best mean is that of an arm that was evaluated on easier cases: within each group of
    /// cases another arm is better, by more than chance, and few splits are common that would tell how hard the cases are.
    /// Columns that are by their names no groups may say what a run did, and are left to a caution. Only arms that are
    /// `wanted` count.
    ///
    /// # Errors
    /// The column, both arms, and what to do.
    pub fn check_cases(
        &self,
        direction: Direction,
        wanted: impl Fn(ArmId) -> bool,
    ) -> Result<(), String> {
        let splits = |arm: usize| -> HashSet<u64> {
            let of_arm = self.records().iter();
            let of_arm = of_arm.filter(|record| record.arm.index() == arm);
            of_arm.filter_map(|record| record.split).collect()
        };
        let arms: Vec<usize> = ArmId::all(self.arms().len())
            .filter(|arm| wanted(*arm))
            .map(ArmId::index)
            .collect();
        let reversed = (0..self.columns().len()).find_map(|column| {
            let cases = is_group(&self.columns()[column]).then(|| self.cases(column))??;
            let [best, other] = cases.reversed(&arms, direction)?;
            let [of_best, of_other] = [best, other].map(splits);
            let common = of_best.intersection(&of_other).count();
            let is_paired = common > 0 && 2 * common >= of_best.len().min(of_other.len());
            (!is_paired).then_some((column, [best, other]))
        });
        let Some((column, arms)) = reversed else {
            return Ok(());
        };
        let [best, other] = arms.map(|arm| excerpt(&self.arms()[arm]));
        let name = excerpt(&self.columns()[column]);
        Err(format!(
            "`{best}` has the best mean, but its scores are of other cases: of each `{name}` that both have, `{other}` is better; keep the scores of one `{name}`, or, if each arm has scores of all, take the mean over them with --benchmark {name}, or name the column of splits that both have with --split"
        ))
    }

    /// Finds a value of a column that is far more frequent among the scores of one arm than of another. Returns the
    /// value and both arms.
    fn unequal(&self, column: usize) -> Option<[String; 3]> {
        let cases = self.cases(column)?;
        cases.values.iter().find_map(|(value, scores)| {
            let by_share = |one: &usize, other: &usize| {
                cases
                    .share(scores, *one)
                    .total_cmp(&cases.share(scores, *other))
            };
            let most = cases.arms().max_by(by_share)?;
            let least = cases.arms().min_by(by_share)?;
            let differs = cases.share(scores, most) - cases.share(scores, least) > MUCH;
            differs.then(|| [*value, &self.arms()[most], &self.arms()[least]].map(excerpt))
        })
    }

    /// Returns the scores of each arm by the values of a column. `None` if the column describes arms: no arm has two of
    /// its values, or no value is of two arms. Numbers are values of columns that are by their names of groups alone.
    fn cases(&self, column: usize) -> Option<Cases<'_>> {
        const MOST_VALUES: usize = 100;
        const MOST_ARMS: usize = 100;
        let (arms, name) = (self.arms().len(), &self.columns()[column]);
        if arms > MOST_ARMS || is_remark(name) {
            return None;
        }
        let mut values: BTreeMap<&str, Vec<Moments>> = BTreeMap::new();
        let mut totals = vec![Moments::default(); arms];
        for (row, record) in self.records().iter().enumerate() {
            let cell = self.cell(row, column)?;
            let scores = values
                .entry(cell)
                .or_insert_with(|| vec![Moments::default(); arms]);
            scores[record.arm.index()].push(record.score);
            totals[record.arm.index()].push(record.score);
            if values.len() > MOST_VALUES || cell.parse::<f64>().is_ok() && !is_group(name) {
                return None;
            }
        }
        let has = |scores: &Moments| scores.count() > 0;
        let is_shared =
            |scores: &Vec<Moments>| scores.iter().filter(|of_arm| has(of_arm)).count() > 1;
        let varies = |arm: usize| values.values().filter(|scores| has(&scores[arm])).count() > 1;
        (values.values().any(is_shared) && (0..arms).any(varies))
            .then_some(Cases { values, totals })
    }
}

/// Difference of two shares of an arm's scores that is large.
const MUCH: f64 = 0.25;

/// Standard errors of a difference that chance rarely exceeds.
const CHANCE: f64 = 3.0;

/// Scores of each arm, by the values of a column.
struct Cases<'e> {
    /// Scores of each arm that have the value.
    values: BTreeMap<&'e str, Vec<Moments>>,
    /// All scores of each arm.
    totals: Vec<Moments>,
}

impl Cases<'_> {
    /// Returns the arms that have enough scores to speak of shares.
    fn arms(&self) -> impl Iterator<Item = usize> + '_ {
        const FEWEST: u64 = 3;
        (0..self.totals.len()).filter(|&arm| self.totals[arm].count() >= FEWEST)
    }

    /// Returns the share of an arm's scores that have a value, of which the scores are given.
    fn share(&self, scores: &[Moments], arm: usize) -> f64 {
        scores[arm].count() as f64 / self.totals[arm].count() as f64
    }

    /// Returns the arm with the best mean of some arms and another arm that is better within each value that both have, by
    /// more than three standard errors where both have several scores, if both have values in much other shares.
    fn reversed(&self, arms: &[usize], direction: Direction) -> Option<[usize; 2]> {
        let mean = |of_arm: &Moments| direction.orient(of_arm.mean());
        let by_mean = |one: &usize, other: &usize| {
            mean(&self.totals[*one]).total_cmp(&mean(&self.totals[*other]))
        };
        let arms = || {
            arms.iter()
                .copied()
                .filter(|&arm| self.totals[arm].count() > 0)
        };
        let best = arms().max_by(by_mean)?;
        let is_better = |&other: &usize| {
            let differs = |scores: &Vec<Moments>| {
                (self.share(scores, best) - self.share(scores, other)).abs() > MUCH
            };
            let both =
                |scores: &&Vec<Moments>| [best, other].iter().all(|&arm| scores[arm].count() > 0);
            let shared = || self.values.values().filter(both);
            let leads = |scores: &Vec<Moments>| mean(&scores[other]) > mean(&scores[best]);
            self.values.values().any(differs) && shared().all(leads) && {
                // The weighted mean of the differences, beside its standard error.
                let [mut sum, mut weights] = [0.0; 2];
                for scores in shared() {
                    let variance = |arm: usize| scores[arm].standard_error().map(|se| se * se);
                    if let (Some(one), Some(two)) = (variance(best), variance(other)) {
                        let weight = 1.0 / (one + two).max(f64::MIN_POSITIVE);
                        sum += weight * (mean(&scores[other]) - mean(&scores[best]));
                        weights += weight;
                    }
                }
                sum > CHANCE * weights.sqrt()
            }
        };
        let other = arms().find(|arm| *arm != best && is_better(arm))?;
        Some([best, other])
    }
}

#[cfg(test)]
mod tests {
    use crate::{Evaluations, Reading, read_from};
    use fiesta_core::Direction;

    fn read_all(csv: &str) -> Result<Evaluations, String> {
        let options = Reading {
            keep_columns: true,
            ..Reading::default()
        };
        read_from(csv.as_bytes(), None, &options, "s").map_err(|error| error.to_string())
    }

    fn read(csv: &str) -> Result<Vec<String>, String> {
        Ok(read_all(csv)?.cautions_of_arms(&[]))
    }

    #[test]
    fn the_best_mean_is_not_that_of_easier_cases() {
        let of = |csv: &str| {
            let read = read_all(csv).unwrap();
            read.check_cases(Direction::Maximize, |_| true)
        };
        let cases = "arm,level,score\na,easy,.9\na,easy,.91\na,hard,.6\na,hard,.61\nb,easy,.85\nb,easy,.86\nb,easy,.87\n";
        let told = of(cases).unwrap_err();
        assert!(
            told.starts_with("`b` has the best mean, but") && told.contains("`a` is better"),
            "{told}"
        );
        // By chance, in one of several groups, or by a column that may say what a run did.
        assert_eq!(of(&cases.replace("b,easy,.85", "b,easy,.91")), Ok(()));
        assert_eq!(of(&format!("{cases}b,easy,.86\nb,hard,.62\n")), Ok(()));
        assert_eq!(of(&cases.replace("level", "converged")), Ok(()));
        // Where `b` is better on easy cases, too.
        assert_eq!(of(&cases.replace("b,easy,.8", "b,easy,.98")), Ok(()));
        // Where the splits of both tell how hard the cases are.
        let mut number = 0;
        let numbered = cases.lines().map(|line| {
            let split = if line.starts_with("arm") {
                "split".to_owned()
            } else {
                (number % 4).to_string()
            };
            number += usize::from(!line.starts_with("arm"));
            format!("{line},{split}\n")
        });
        assert_eq!(of(&numbered.collect::<String>()), Ok(()));
    }

    #[test]
    fn copies_and_unequal_cases_are_told_of() {
        let rows = "a,0,.7\na,1,.8\nb,0,.6\nb,1,.5\n";
        assert_eq!(read(&format!("arm,split,score\n{rows}")).unwrap(), [""; 0]);
        let told = read(&format!("arm,split,score\n{rows}{rows}")).unwrap();
        assert!(
            told[0].starts_with("4 rows of the same arm, split and score"),
            "{told:?}"
        );
        let cases = "arm,level,score\nold,easy,.9\nold,easy,.95\nold,hard,.5\nnew,hard,.6\nnew,hard,.65\nnew,easy,.97\n";
        let told = read(cases).unwrap();
        assert!(told[0].contains("`level` = `easy`"), "{told:?}");
        assert_eq!(
            read(&cases.replace("new,hard,.65", "new,easy,.65")).unwrap(),
            [""; 0]
        );
        // One arm may lack a group, and groups may be numbers.
        for (one, other) in [("en", "de"), ("1", "2")] {
            let groups = format!(
                "arm,level,score\na,{one},.9\na,{one},.91\na,{other},.6\na,{other},.61\nb,{one},.89\nb,{one},.88\nb,{one},.87\n"
            );
            let told = read(&groups).unwrap();
            let says = format!("`a` has far more scores of `level` = `{other}` than `b`");
            let also = format!("`b` has far more scores of `level` = `{one}` than `a`");
            let is_told = told[0].starts_with(&says) || told[0].starts_with(&also);
            assert!(is_told, "{told:?}");
            for name in ["best_epoch", "note"] {
                let other = groups
                    .replace("level", name)
                    .replace("en", "1")
                    .replace("de", "2");
                assert_eq!(read(&other).unwrap(), [""; 0]);
            }
            // A column that describes the arms differs between them.
            assert_eq!(read(&groups.replace(other, one)).unwrap(), [""; 0]);
        }
        let described = "arm,kind,score\na,x,.9\na,x,.8\na,x,.7\nb,y,.9\nb,y,.8\nb,y,.7\nc,y,.9\nc,y,.8\nc,y,.7\n";
        assert_eq!(read(described).unwrap(), [""; 0]);
    }
}
