//! Columns of a table of arms: header and cells of each, and how many decimals these have.

use super::{
    ArmRow, ArmTable, MeanOverPool,
    versus::{less_arm, signed_ends},
};
use crate::{
    Align, Percentages, Table, TableOf, counted_share,
    summary::{Interval, ScoreSummary},
    words::{decimals, decimals_of_costs, level, signed},
};
use fiesta_core::Target;

/// A column with what its cells need beside the arms.
#[derive(Debug, Clone)]
pub(super) enum Column {
    Name,
    Evaluations(&'static str),
    /// Failed ones included.
    Trials,
    Failed,
    /// Counts by their place among TP, FP, TN and FN.
    Count(&'static str, usize),
    /// The F-measure of the sum of the counts, under this header.
    OfCounts(String, usize),
    /// Mean ± standard deviation.
    Mean(usize),
    /// The share of a pool that was answered.
    Share,
    /// Mean over a pool ± its standard error.
    OverPool(usize),
    Median(usize),
    InterquartileMean(usize),
    /// The posterior mean, of which the interval is.
    PosteriorMean(usize),
    Interval(&'static str, usize),
    ProbabilityBest(Percentages),
    /// P(best) on items like those of the pool.
    LikeThese(Percentages),
    /// Costs under this header with `digits` decimals, in a unit that is `one` of the costs' own.
    Cost {
        digits: usize,
        one: f64,
        header: String,
    },
    BestScore,
    BestSetting,
    /// The difference of the best arm to each, under this header.
    Behind(String, usize),
    /// Interval of the difference of the best arm to each.
    BehindInterval(usize),
}

impl Column {
    pub(super) fn brief(arms: &ArmTable) -> Vec<Self> {
        let any = |found: fn(&ArmRow) -> bool| arms.arms.iter().any(found);
        let counts = any(|arm| arm.counts.is_some());
        let of_pool = any(|arm| arm.of_pool.is_some());
        let what = match (counts, of_pool) {
            (true, _) => "documents",
            (false, true) => "answers",
            (false, false) => "evaluations",
        };
        let percentages = arms.percentages();
        let mut columns = vec![
            Self::Name,
            Self::ProbabilityBest(percentages),
            Self::Evaluations(what),
        ];
        columns.extend(of_pool.then_some(Self::Share));
        columns.extend(any(|arm| arm.failed > 0).then_some(Self::Failed));
        columns.extend(counts.then(Self::counts).into_iter().flatten());
        columns.push(match arms.f_beta {
            Some(_) => Self::OfCounts(arms.metric.clone(), 4),
            None if of_pool => Self::OverPool(4),
            None => Self::Mean(4),
        });
        columns.extend(any(ArmRow::has_cost).then(|| Self::cost(arms)));
        columns.extend(Self::behind(arms));
        columns
    }

    /// Differences to the best arm, where there are any, in as many decimals as a report shows.
    fn behind(arms: &ArmTable) -> Vec<Self> {
        let known = || arms.arms.iter().filter_map(|arm| arm.behind.as_ref());
        let best = arms.ranked().first().map(|&best| &arms.arms[best].name);
        let Some(best) = best.filter(|_| known().next().is_some()) else {
            return Vec::new();
        };
        let decimals = decimals(known().filter_map(|behind| behind.standard_error));
        let difference = Self::Behind(less_arm(best), decimals);
        vec![difference, Self::BehindInterval(decimals)]
    }

    pub(super) fn full(arms: &ArmTable, confidence: f64) -> Vec<Self> {
        let any = |found: fn(&ArmRow) -> bool| arms.arms.iter().any(found);
        let pooled = arms.f_beta.is_some() && any(|arm| arm.counts.is_some());
        let interval = match level(confidence).as_str() {
            "95 %" => "95 % interval",
            _ => "interval",
        };
        if any(|arm| arm.of_pool.is_some()) && !pooled {
            let mut columns = vec![Self::Name, Self::ProbabilityBest(arms.percentages())];
            let like = arms.arms.iter().map(|arm| arm.of_pool?.like_these);
            if let Some(like) = like.collect::<Option<Vec<f64>>>() {
                columns.push(Self::LikeThese(Percentages::new(&like)));
            }
            columns.extend([Self::Evaluations("answers"), Self::Share]);
            columns.extend(any(|arm| arm.failed > 0).then_some(Self::Failed));
            columns.extend([Self::OverPool(4), Self::Interval(interval, 4)]);
            columns.extend(any(ArmRow::has_cost).then(|| Self::cost(arms)));
            return columns;
        }
        let decimals = arms.decimals();
        let what = if pooled { "documents" } else { "evaluations" };
        let mut columns = vec![Self::Name];
        if any(|arm| arm.probability_best.is_some() || arm.retired) {
            columns.push(Self::ProbabilityBest(arms.percentages()));
        }
        columns.push(Self::Evaluations(what));
        columns.extend(any(|arm| arm.failed > 0).then_some(Self::Failed));
        if pooled {
            columns.extend(Self::counts());
            columns.push(Self::OfCounts("pooled F".to_owned(), decimals));
        }
        columns.extend([
            Self::Mean(decimals),
            Self::Median(decimals),
            Self::InterquartileMean(decimals),
        ]);
        if any(|arm| arm.posterior_mean.is_some()) {
            columns.push(Self::PosteriorMean(decimals));
        }
        columns.push(Self::Interval(interval, decimals));
        columns.extend(any(ArmRow::has_cost).then(|| Self::cost(arms)));
        columns
    }

    pub(super) fn best_trials(arms: &ArmTable) -> Vec<Self> {
        let any = |found: fn(&ArmRow) -> bool| arms.arms.iter().any(found);
        let mut columns = vec![Self::Name, Self::Trials];
        columns.extend(any(|arm| arm.failed > 0).then_some(Self::Failed));
        columns.extend([Self::BestScore, Self::Mean(4)]);
        columns.extend(any(ArmRow::has_cost).then(|| Self::cost(arms)));
        columns.push(Self::BestSetting);
        columns
    }

    /// Costs to a tenth; in three digits of the highest one if that is below one.
    fn cost(arms: &ArmTable) -> Self {
        let costs = arms.arms.iter().filter_map(|arm| arm.cost);
        let highest = costs.fold(0.0, f64::max);
        let unit = arms.cost_unit.as_ref().map(|unit| unit.readable(highest));
        let one = unit.map_or(1.0, |(one, _)| one);
        Self::Cost {
            digits: decimals_of_costs(highest / one),
            one,
            header: unit.map_or("cost".to_owned(), |(_, name)| format!("cost ({name})")),
        }
    }

    /// The headers of the columns that a narrow terminal does without, the first to go first.
    pub(super) fn dispensable(columns: &[Self], arms: &ArmTable) -> Vec<String> {
        let rank = |column: &Self| match column {
            Self::BehindInterval(_) => Some(0),
            Self::Behind(..) => Some(1),
            Self::InterquartileMean(_) => Some(2),
            Self::Median(_) => Some(3),
            Self::Count(..) => Some(4),
            Self::Cost { .. } => Some(5),
            Self::Share => Some(6),
            Self::Failed => Some(7),
            _ => None,
        };
        let mut ranked: Vec<(i32, String)> = columns
            .iter()
            .filter_map(|column| Some((rank(column)?, column.header(arms).0)))
            .collect();
        ranked.sort_by_key(|(rank, _)| *rank);
        ranked.into_iter().map(|(_, header)| header).collect()
    }

    fn counts() -> [Self; 3] {
        [
            Self::Count("TP", 0),
            Self::Count("FP", 1),
            Self::Count("FN", 3),
        ]
    }

    pub(super) fn header(&self, arms: &ArmTable) -> (String, Align) {
        let name: &str = match self {
            Self::Name => return ("arm".to_owned(), Align::Left),
            Self::BestSetting => return ("best setting".to_owned(), Align::Left),
            Self::BestScore => return (format!("best {}", arms.metric), Align::Right),
            Self::OfCounts(name, _) => name,
            Self::Evaluations(name) | Self::Count(name, _) | Self::Interval(name, _) => name,
            Self::Trials => "trials",
            Self::Failed => "failed",
            Self::Mean(_) => "mean ± sd",
            Self::Share => "of the pool",
            Self::OverPool(_) => "mean over the pool ± se",
            Self::Median(_) => "median",
            Self::InterquartileMean(_) => "interquartile mean",
            Self::PosteriorMean(_) => "posterior mean",
            Self::ProbabilityBest(_) => "P(best)",
            Self::LikeThese(_) => Target::ItemsLikeThese.name(),
            Self::Cost { header, .. } | Self::Behind(header, _) => header,
            Self::BehindInterval(_) => "95 % interval",
        };
        (name.to_owned(), Align::Right)
    }

    pub(super) fn cell(&self, arms: &ArmTable, place: usize) -> String {
        let arm = &arms.arms[place];
        let summary = arm.summary.as_ref();
        let show = |value: f64, decimals: usize| format!("{value:.decimals$}");
        let shown = match self {
            Self::Name => Some(arm.name.clone()),
            Self::Evaluations(_) => Some(arm.scores.count().to_string()),
            Self::Trials => Some(arm.trials().to_string()),
            Self::Failed => Some(arm.failed.to_string()),
            Self::Count(_, cell) => Some(arm.counts.unwrap_or_default().cells()[*cell].to_string()),
            Self::OfCounts(_, digits) => arms.value(place).map(|value| show(value, *digits)),
            Self::Mean(digits) => arm.mean_and_deviation(*digits),
            Self::Share => arm.of_pool.map(|known| counted_share(known.share)),
            Self::OverPool(digits) => arm.of_pool.map(|known| {
                let mean = show(known.mean, *digits);
                if known.standard_error > 0.0 {
                    format!("{mean} ± {}", show(known.standard_error, *digits))
                } else {
                    mean
                }
            }),
            Self::Median(digits) => summary.map(|summary| show(summary.median, *digits)),
            Self::InterquartileMean(digits) => {
                summary.map(|summary| show(summary.interquartile_mean, *digits))
            }
            Self::PosteriorMean(digits) => arm.posterior_mean.map(|mean| show(mean, *digits)),
            // One score tells nothing of its arm's noise, whatever the others' is.
            Self::Interval(_, digits) => arm
                .interval
                .filter(Interval::is_finite)
                .filter(|_| summary.is_none_or(|summary| summary.count > 1))
                .map(|Interval { lower, upper }| {
                    format!("{} to {}", show(lower, *digits), show(upper, *digits))
                }),
            Self::ProbabilityBest(_) if arm.retired => Some("retired".to_owned()),
            Self::LikeThese(percentages) => Some(percentages.of(place)),
            Self::ProbabilityBest(percentages) => {
                arm.probability_best.map(|_| percentages.of(place))
            }
            Self::Cost { digits, one, .. } => arm.cost.map(|cost| show(cost / one, *digits)),
            Self::BestScore => arm.best_trial.as_ref().map(|best| show(best.score, 4)),
            Self::BestSetting => Some(arm.best_setting()),
            Self::Behind(_, digits) => {
                let behind = arm.behind.as_ref();
                behind.map(|behind| signed(behind.difference, *digits))
            }
            Self::BehindInterval(digits) => {
                let interval = arm.behind.as_ref().and_then(|behind| behind.interval);
                interval.map(|interval| signed_ends(interval, *digits))
            }
        };
        shown.unwrap_or_else(|| "–".to_owned())
    }
}

impl ArmRow {
    /// How many trials were started: those that failed are scores already where they count as some.
    fn trials(&self) -> u64 {
        self.scores.count() + self.failed - self.failed_with_score
    }

    fn has_cost(&self) -> bool {
        self.cost.is_some_and(|cost| cost > 0.0)
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
    /// Returns the table for programs: a column per number, in full precision, arms in their own
    /// order.
    pub fn data(&self) -> Table {
        let number = |value: Option<f64>| value.map_or(String::new(), |value| value.to_string());
        let maybe = |arm: &ArmRow, field: fn(&ScoreSummary) -> Option<f64>| {
            number(arm.summary.as_ref().and_then(field))
        };
        let of =
            |arm: &ArmRow, field: fn(&ScoreSummary) -> f64| number(arm.summary.as_ref().map(field));
        let counts = |arm: &ArmRow| arm.counts.filter(|_| self.f_beta.is_some());
        let count = |arm: &ArmRow, cell: usize| {
            counts(arm).map_or(String::new(), |counts| counts.cells()[cell].to_string())
        };
        let pool = |arm: &ArmRow, field: fn(MeanOverPool) -> Option<f64>| {
            number(arm.of_pool.and_then(field))
        };
        TableOf::new(self.arms.iter().enumerate())
            .words("arm", |(_, arm)| arm.name.clone())
            .numbers("evaluations", |(_, arm)| arm.scores.count().to_string())
            .numbers("failed", |(_, arm)| arm.failed.to_string())
            .numbers("mean", |(_, arm)| of(arm, |summary| summary.mean))
            .numbers("sd", |(_, arm)| maybe(arm, |of| of.standard_deviation))
            // Equal scores tell nothing of the error of their mean.
            .numbers("standard_error", |(_, arm)| {
                maybe(arm, |of| of.standard_error.filter(|&error| error > 0.0))
            })
            .numbers("posterior_mean", |(_, arm)| number(arm.posterior_mean))
            .numbers("lower", |(_, arm)| number(arm.interval.map(|of| of.lower)))
            .numbers("upper", |(_, arm)| number(arm.interval.map(|of| of.upper)))
            .numbers("minimum", |(_, arm)| of(arm, |summary| summary.minimum))
            .numbers("lower_quartile", |(_, arm)| {
                of(arm, |summary| summary.lower_quartile)
            })
            .numbers("median", |(_, arm)| of(arm, |summary| summary.median))
            .numbers("upper_quartile", |(_, arm)| {
                of(arm, |summary| summary.upper_quartile)
            })
            .numbers("maximum", |(_, arm)| of(arm, |summary| summary.maximum))
            .numbers("interquartile_mean", |(_, arm)| {
                of(arm, |summary| summary.interquartile_mean)
            })
            .numbers("tp", |(_, arm)| count(arm, 0))
            .numbers("fp", |(_, arm)| count(arm, 1))
            .numbers("tn", |(_, arm)| count(arm, 2))
            .numbers("fn", |(_, arm)| count(arm, 3))
            .numbers("pooled_f", |(place, arm)| {
                number(counts(arm).and_then(|_| self.value(*place)))
            })
            .numbers("probability_best", |(_, arm)| number(arm.probability_best))
            .numbers("cost", |(_, arm)| number(arm.cost))
            .numbers("cost_unit", |(_, arm)| {
                let unit = self.cost_unit.as_ref().filter(|_| arm.cost.is_some());
                unit.map_or(String::new(), |unit| unit.name().to_owned())
            })
            .numbers("possibly_best", |(_, arm)| arm.possibly_best.to_string())
            .numbers("tied", |(_, arm)| arm.tied.to_string())
            .numbers("retired", |(_, arm)| arm.retired.to_string())
            .when(self.arms.iter().any(|arm| arm.of_pool.is_some()), |table| {
                table
                    .numbers("share_of_pool", |(_, arm)| pool(arm, |of| Some(of.share)))
                    .numbers("mean_over_pool", |(_, arm)| pool(arm, |of| Some(of.mean)))
                    .numbers("standard_error_over_pool", |(_, arm)| {
                        pool(arm, |of| Some(of.standard_error))
                    })
                    .numbers("probability_on_items_like_these", |(_, arm)| {
                        pool(arm, |of| of.like_these)
                    })
            })
            .table()
    }
}
