//! Columns of a table of arms: their titles, their cells, and how many decimals these have.

use super::{
    ArmRow, ArmTable, MeanOverPool,
    versus::{less_arm, signed_ends},
};
use crate::{
    Cell, Percentages, Table, TableOf, counted_share,
    summary::{Interval, ScoreSummary},
    words::{decimals, decimals_of_costs, level, signed},
};
use fiesta_core::Target;

/// Columns that a narrow terminal does without, the first to go first, after those of differences
/// and before costs.
const FEW: [&str; 5] = ["interquartile mean", "median", "TP", "FP", "FN"];

/// Table of arms to which columns are added, those without content left out.
pub(super) struct Columns<'a> {
    of: &'a ArmTable,
    table: TableOf<(usize, &'a ArmRow)>,
    /// The titles of differences to the best arm, which a narrow terminal does without first.
    differences: Vec<String>,
}

impl<'a> Columns<'a> {
    /// Starts a table of the arms at these places.
    fn new(of: &'a ArmTable, places: &[usize]) -> Self {
        let rows = places.iter().map(|&place| (place, &of.arms[place]));
        Self {
            of,
            table: TableOf::new(rows).words("arm", |(_, arm)| arm.name.clone()),
            differences: Vec::new(),
        }
    }

    pub(super) fn brief(of: &'a ArmTable, places: &[usize]) -> Self {
        let columns = Self::new(of, places);
        let counts = columns.any(|arm| arm.counts.is_some());
        let of_pool = columns.any(|arm| arm.of_pool.is_some());
        let what = match (counts, of_pool) {
            (true, _) => "documents",
            (false, true) => "answers",
            (false, false) => "evaluations",
        };
        let columns = columns.probability_best().evaluations(what);
        let columns = columns.when(of_pool, Self::share).failed();
        let columns = columns.when(counts, Self::counts);
        let columns = match of.f_beta {
            Some(_) => columns.of_counts(&of.metric, 4),
            None if of_pool => columns.over_pool(),
            None => columns.mean(4),
        };
        columns.cost().behind()
    }

    pub(super) fn full(of: &'a ArmTable, places: &[usize], confidence: f64) -> Self {
        let columns = Self::new(of, places);
        let pooled = of.f_beta.is_some() && columns.any(|arm| arm.counts.is_some());
        let interval = match level(confidence).as_str() {
            "95 %" => "95 % interval",
            _ => "interval",
        };
        if columns.any(|arm| arm.of_pool.is_some()) && !pooled {
            let columns = columns.probability_best().like_these();
            let columns = columns.evaluations("answers").share().failed();
            return columns.over_pool().interval(interval, 4).cost();
        }
        let digits = of.decimals();
        let what = if pooled { "documents" } else { "evaluations" };
        let has_belief = columns.any(|arm| arm.probability_best.is_some() || arm.retired);
        let has_posterior = columns.any(|arm| arm.posterior_mean.is_some());
        let columns = columns.when(has_belief, Self::probability_best);
        let columns = columns.evaluations(what).failed().when(pooled, |columns| {
            columns.counts().of_counts("pooled F", digits)
        });
        let columns = columns
            .mean(digits)
            .summary("median", digits, |summary| summary.median)
            .summary("interquartile mean", digits, |summary| {
                summary.interquartile_mean
            });
        let columns = columns.when(has_posterior, |columns| {
            columns.add("posterior mean", |arm| {
                arm.posterior_mean.map(|mean| show(mean, digits))
            })
        });
        columns.interval(interval, digits).cost()
    }

    pub(super) fn best_trials(of: &'a ArmTable, places: &[usize]) -> Self {
        let columns = Self::new(of, places).add("trials", ArmRow::trials).failed();
        let columns = columns.add(&format!("best {}", of.metric), |arm| {
            arm.best_trial.as_ref().map(|best| show(best.score, 4))
        });
        let columns = columns.mean(4).cost();
        let table = { columns.table }.words("best setting", |(_, arm)| arm.best_setting());
        Self { table, ..columns }
    }

    /// Returns the table of the columns: the arm at the place `best` and tied ones stand out, and
    /// `mark` is behind the names of some.
    pub(super) fn table(
        self,
        best: Option<usize>,
        mark: impl Fn(usize, &ArmRow) -> &'static str,
    ) -> Table {
        let (_, cost) = self.of.cost_column();
        let differences = self.differences.iter().rev().map(String::as_str);
        let titles: Vec<&str> = differences
            .chain(FEW)
            .chain([cost.as_str(), "of the pool", "failed"])
            .collect();
        self.table
            .bold(|(place, arm)| arm.tied || best == Some(*place))
            .marked(|(place, arm)| mark(*place, arm))
            .table()
            .dispensable(&titles)
    }

    fn any(&self, found: impl Fn(&ArmRow) -> bool) -> bool {
        self.of.arms.iter().any(found)
    }

    fn when(self, is_shown: bool, add: impl FnOnce(Self) -> Self) -> Self {
        if is_shown { add(self) } else { self }
    }

    fn add<C: Cell>(self, title: &str, cell: impl Fn(&ArmRow) -> C) -> Self {
        let table = self.table.numbers(title, |(_, arm)| cell(arm));
        Self { table, ..self }
    }

    fn probability_best(self) -> Self {
        let percentages = self.of.percentages();
        let title = self.of.probability_title();
        let table = self.table.numbers(&title, |(place, arm)| {
            let known = arm.probability_best.map(|_| percentages.of(*place));
            if arm.retired {
                Some("retired".to_owned())
            } else {
                known
            }
        });
        Self { table, ..self }
    }

    /// Adds the column of P(best) on items like those of the pool.
    fn like_these(self) -> Self {
        let like = { self.of.arms.iter() }.map(|arm| arm.of_pool?.like_these);
        let Some(like) = like.collect::<Option<Vec<f64>>>() else {
            return self;
        };
        let percentages = Percentages::new(&like);
        let title = Target::ItemsLikeThese.name();
        let table = { self.table }.numbers(title, |(place, _)| percentages.of(*place));
        Self { table, ..self }
    }

    fn evaluations(self, what: &str) -> Self {
        self.add(what, |arm| arm.scores.count())
    }

    fn share(self) -> Self {
        self.add("of the pool", |arm| {
            arm.of_pool.map(|known| counted_share(known.share))
        })
    }

    fn failed(self) -> Self {
        let any = self.any(|arm| arm.failed > 0);
        self.when(any, |columns| columns.add("failed", |arm| arm.failed))
    }

    fn counts(self) -> Self {
        let count = |arm: &ArmRow, cell: usize| arm.counts.unwrap_or_default().cells()[cell];
        let columns = self.add("TP", |arm| count(arm, 0));
        let columns = columns.add("FP", |arm| count(arm, 1));
        columns.add("FN", |arm| count(arm, 3))
    }

    /// Adds the column of the F-measure of the sum of the counts.
    fn of_counts(self, title: &str, digits: usize) -> Self {
        let of = self.of;
        let table = self.table.numbers(title, |(place, _)| {
            of.value(*place).map(|value| show(value, digits))
        });
        Self { table, ..self }
    }

    fn mean(self, digits: usize) -> Self {
        self.add("mean ± sd", |arm| arm.mean_and_deviation(digits))
    }

    fn over_pool(self) -> Self {
        self.add("mean over the pool ± se", |arm| {
            arm.of_pool.map(|known| match known.standard_error {
                error if error > 0.0 => format!("{:.4} ± {error:.4}", known.mean),
                _ => show(known.mean, 4),
            })
        })
    }

    fn summary(self, title: &str, digits: usize, value: fn(&ScoreSummary) -> f64) -> Self {
        self.add(title, |arm| {
            let summary = arm.summary.as_ref();
            summary.map(|summary| show(value(summary), digits))
        })
    }

    /// Adds the column of intervals. One score tells nothing of its arm's noise, whatever the
    /// others' is.
    fn interval(self, title: &str, digits: usize) -> Self {
        self.add(title, |arm| {
            let is_alone = arm.summary.as_ref().is_some_and(|of| of.count <= 1);
            let known = arm.interval.filter(Interval::is_finite);
            known
                .filter(|_| !is_alone)
                .map(|Interval { lower, upper }| {
                    format!("{} to {}", show(lower, digits), show(upper, digits))
                })
        })
    }

    fn cost(self) -> Self {
        let ((digits, one), title) = self.of.cost_column();
        let any = self.any(|arm| arm.cost.is_some_and(|cost| cost > 0.0));
        self.when(any, |columns| {
            columns.add(&title, |arm| arm.cost.map(|cost| show(cost / one, digits)))
        })
    }

    /// Differences to the best arm, where there are any, in as many decimals as a report shows.
    fn behind(self) -> Self {
        let known = || self.of.arms.iter().filter_map(|arm| arm.behind.as_ref());
        let best = self.of.ranked().first().copied();
        let best = best.map(|best| &self.of.arms[best].name);
        let Some(best) = best.filter(|_| known().next().is_some()) else {
            return self;
        };
        let digits = decimals(known().filter_map(|behind| behind.standard_error));
        let differences = vec![less_arm(best), "95 % interval".to_owned()];
        let columns = self.add(&differences[0], |arm| {
            let behind = arm.behind.as_ref();
            behind.map(|behind| signed(behind.difference, digits))
        });
        let columns = columns.add(&differences[1], |arm| {
            let interval = arm.behind.and_then(|behind| behind.interval());
            interval.map(|interval| signed_ends(interval, digits))
        });
        Self {
            differences,
            ..columns
        }
    }
}

fn show(value: f64, decimals: usize) -> String {
    format!("{value:.decimals$}")
}

impl ArmRow {
    /// Returns how many trials were started: those that failed are scores already where they count
    /// as some.
    fn trials(&self) -> u64 {
        self.scores.count() + self.failed - self.failed_with_score
    }

    fn mean_and_deviation(&self, digits: usize) -> Option<String> {
        let mean = self.mean()?;
        Some(match self.scores.standard_deviation() {
            Some(sd) => format!("{mean:.digits$} ± {sd:.digits$}"),
            None => format!("{mean:.digits$}"),
        })
    }

    fn best_setting(&self) -> String {
        let best = self.best_trial.as_ref();
        let setting = best.map_or("", |best| best.setting.as_str());
        match (self.retired, setting) {
            (true, "") => "retired".to_owned(),
            (true, setting) => format!("{setting} (retired)"),
            (false, setting) => setting.to_owned(),
        }
    }
}

impl ArmTable {
    /// Decimals of costs and the unit that they are shown in, as costs of their own, and the title of
    /// their column: to a tenth, in three digits of the highest one if that is below one.
    fn cost_column(&self) -> ((usize, f64), String) {
        let costs = self.arms.iter().filter_map(|arm| arm.cost);
        let highest = costs.fold(0.0, f64::max);
        let unit = self.cost_unit.as_ref().map(|unit| unit.readable(highest));
        let one = unit.map_or(1.0, |(one, _)| one);
        let title = unit.map_or("cost".to_owned(), |(_, name)| format!("cost ({name})"));
        ((decimals_of_costs(highest / one), one), title)
    }

    /// Returns the table for programs: a column per number, in full precision, arms in their own
    /// order.
    pub fn data(&self) -> Table {
        let maybe = |arm: &ArmRow, field: fn(&ScoreSummary) -> Option<f64>| {
            arm.summary.as_ref().and_then(field)
        };
        let of = |arm: &ArmRow, field: fn(&ScoreSummary) -> f64| arm.summary.as_ref().map(field);
        let counts = |arm: &ArmRow| arm.counts.filter(|_| self.f_beta.is_some());
        let count =
            |arm: &ArmRow, cell: usize| counts(arm).map(|counts| counts.cells()[cell] as f64);
        let pool =
            |arm: &ArmRow, field: fn(MeanOverPool) -> Option<f64>| arm.of_pool.and_then(field);
        TableOf::new(self.arms.iter().enumerate())
            .words("arm", |(_, arm)| arm.name.clone())
            .numbers("evaluations", |(_, arm)| arm.scores.count())
            .numbers("failed", |(_, arm)| arm.failed)
            .values("mean", |(_, arm)| of(arm, |summary| summary.mean))
            .values("sd", |(_, arm)| maybe(arm, |of| of.standard_deviation))
            // Equal scores tell nothing of the error of their mean.
            .values("standard_error", |(_, arm)| {
                maybe(arm, |of| of.standard_error.filter(|&error| error > 0.0))
            })
            .values("posterior_mean", |(_, arm)| arm.posterior_mean)
            .values("lower", |(_, arm)| arm.interval.map(|of| of.lower))
            .values("upper", |(_, arm)| arm.interval.map(|of| of.upper))
            .values("minimum", |(_, arm)| of(arm, |of| of.minimum))
            .values("lower_quartile", |(_, arm)| of(arm, |of| of.lower_quartile))
            .values("median", |(_, arm)| of(arm, |of| of.median))
            .values("upper_quartile", |(_, arm)| of(arm, |of| of.upper_quartile))
            .values("maximum", |(_, arm)| of(arm, |of| of.maximum))
            .values("interquartile_mean", |(_, arm)| {
                of(arm, |of| of.interquartile_mean)
            })
            .values("tp", |(_, arm)| count(arm, 0))
            .values("fp", |(_, arm)| count(arm, 1))
            .values("tn", |(_, arm)| count(arm, 2))
            .values("fn", |(_, arm)| count(arm, 3))
            .values("pooled_f", |(place, arm)| {
                counts(arm).and_then(|_| self.value(*place))
            })
            .values("probability_best", |(_, arm)| arm.probability_best)
            .values("cost", |(_, arm)| arm.cost)
            .numbers("cost_unit", |(_, arm)| {
                let unit = self.cost_unit.as_ref().filter(|_| arm.cost.is_some());
                unit.map_or(String::new(), |unit| unit.name().to_owned())
            })
            .numbers("possibly_best", |(_, arm)| arm.possibly_best.to_string())
            .numbers("tied", |(_, arm)| arm.tied.to_string())
            .numbers("retired", |(_, arm)| arm.retired.to_string())
            .when(self.arms.iter().any(|arm| arm.of_pool.is_some()), |table| {
                table
                    .values("share_of_pool", |(_, arm)| pool(arm, |of| Some(of.share)))
                    .values("mean_over_pool", |(_, arm)| pool(arm, |of| Some(of.mean)))
                    .values("standard_error_over_pool", |(_, arm)| {
                        pool(arm, |of| Some(of.standard_error))
                    })
                    .values("probability_on_items_like_these", |(_, arm)| {
                        pool(arm, |of| of.like_these)
                    })
            })
            .table()
    }
}
