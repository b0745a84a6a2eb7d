//! Columns of a table of arms: header and cells of each, and how many decimals these have.

use super::{
    ArmRow, ArmTable,
    versus::{less_arm, signed_ends},
};
use crate::{
    Align, Percentages, Table, counted_share,
    summary::{Interval, Summary},
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
        let names = [
            "evaluations",
            "failed",
            "mean",
            "sd",
            "standard_error",
            "posterior_mean",
            "lower",
            "upper",
            "minimum",
            "lower_quartile",
            "median",
            "upper_quartile",
            "maximum",
            "interquartile_mean",
            "tp",
            "fp",
            "tn",
            "fn",
            "pooled_f",
            "probability_best",
            "cost",
            "cost_unit",
            "possibly_best",
            "tied",
            "retired",
        ];
        let of_pool = [
            "share_of_pool",
            "mean_over_pool",
            "standard_error_over_pool",
            "probability_on_items_like_these",
        ];
        let of_pool = of_pool.into_iter().filter(|_| self.is_of_pool());
        let numbers = names.into_iter().chain(of_pool);
        let numbers = numbers.map(|name| (name, Align::Right));
        let mut table = Table::new([("arm", Align::Left)].into_iter().chain(numbers));
        for place in 0..self.arms.len() {
            table.row(self.numbers(place), false);
        }
        table
    }

    fn is_of_pool(&self) -> bool {
        self.arms.iter().any(|arm| arm.of_pool.is_some())
    }

    fn numbers(&self, place: usize) -> Vec<String> {
        let arm = &self.arms[place];
        let number = |value: Option<f64>| value.map_or(String::new(), |value| value.to_string());
        let summary = arm.summary.as_ref();
        let of = |field: fn(&Summary) -> f64| number(summary.map(field));
        let maybe = |field: fn(&Summary) -> Option<f64>| number(summary.and_then(field));
        let mut cells = vec![
            arm.name.clone(),
            arm.scores.count().to_string(),
            arm.failed.to_string(),
            of(|summary| summary.mean),
            maybe(|summary| summary.standard_deviation),
            // Equal scores tell nothing of the error of their mean.
            maybe(|summary| summary.standard_error.filter(|&error| error > 0.0)),
            number(arm.posterior_mean),
            number(arm.interval.map(|interval| interval.lower)),
            number(arm.interval.map(|interval| interval.upper)),
            of(|summary| summary.minimum),
            of(|summary| summary.lower_quartile),
            of(|summary| summary.median),
            of(|summary| summary.upper_quartile),
            of(|summary| summary.maximum),
            of(|summary| summary.interquartile_mean),
        ];
        match arm.counts.filter(|_| self.f_beta.is_some()) {
            Some(counts) => {
                cells.extend(counts.cells().map(|count| count.to_string()));
                cells.push(number(self.value(place)));
            }
            None => cells.extend(std::array::from_fn::<_, 5, _>(|_| String::new())),
        }
        cells.extend([arm.probability_best, arm.cost].map(number));
        let unit = self.cost_unit.as_ref().filter(|_| arm.cost.is_some());
        cells.push(unit.map_or(String::new(), |unit| unit.name().to_owned()));
        let words = [arm.possibly_best, arm.tied, arm.retired];
        cells.extend(words.map(|word| word.to_string()));
        if self.is_of_pool() {
            let known = arm.of_pool;
            cells.extend([
                number(known.map(|known| known.share)),
                number(known.map(|known| known.mean)),
                number(known.map(|known| known.standard_error)),
                number(known.and_then(|known| known.like_these)),
            ]);
        }
        cells
    }
}
