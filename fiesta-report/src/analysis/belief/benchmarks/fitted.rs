//! Posteriors of several benchmarks, and what follows from them together.

use super::{
    ArmLeftOut, ArmOnBenchmark, BenchmarkRecords, BenchmarkResult, BenchmarkScale,
    BenchmarkWeights, HARM, Known,
    units::{Unit, units},
};
use crate::{
    analysis::{
        AnalysisError, ScoresOfArms,
        belief::{BeliefRequest, Sampling, fit},
        folds::folds_note,
    },
    words::listed,
};
use fiesta_core::{ArmId, Belief, Case, Direction, Moments, Observe, Posterior, Target, greatest};
use fiesta_posterior::{Benchmarks, DEFAULT, POOL, Pool};

/// Part of the size of two values up to which their difference is rounding.
const ROUNDING: f64 = 1e-12;
/// The least size of scores whose squares can be summed.
const LEAST: f64 = 1e-100;
/// The most names that a message lists.
const MOST: usize = 12;

/// Arms on several benchmarks, and their posterior.
pub(super) struct Fitted {
    pub(super) arms: Vec<String>,
    pub(super) left_out: Vec<ArmLeftOut>,
    pub(super) without_weight: Vec<String>,
    pub(super) notes: Vec<String>,
    pub(super) metric: String,
    pub(super) direction: Direction,
    /// Posterior on the items of all benchmarks. `None` where it is not known.
    pub(super) these: Option<Benchmarks>,
    /// Posterior on items like these.
    pub(super) like: Benchmarks,
    each: Vec<OfOne>,
}

/// One benchmark.
struct OfOne {
    name: String,
    metric: String,
    weight: f64,
    unit: Unit,
    /// Number of items; 0 where there is no pool.
    items: u64,
    posterior: &'static str,
    evaluations: Vec<u64>,
    answered: Vec<u64>,
    /// Size of the scores, in the benchmark's own unit.
    size: f64,
    /// Oriented mean of each arm, in the benchmark's own unit.
    means: Vec<f64>,
}

impl OfOne {
    fn value(&self, arm: usize) -> f64 {
        self.unit.value(self.means[arm])
    }

    /// Returns the difference of two arms' values that rounding makes.
    fn rounding(&self) -> f64 {
        ROUNDING * self.size * self.unit.factor()
    }
}

impl Fitted {
    pub(super) fn new(
        request: &BeliefRequest,
        benchmarks: Vec<BenchmarkRecords>,
        weights: &BenchmarkWeights,
        scales: &[BenchmarkScale],
        source: &str,
    ) -> Result<Self, AnalysisError> {
        let sizes: Vec<(&str, usize)> = { benchmarks.iter() }
            .map(|of| (&*of.name, of.records.items().len()))
            .collect();
        let weights = weights.of(&sizes)?;
        let (others, benchmarks): (Vec<_>, Vec<_>) =
            { benchmarks.into_iter().zip(weights) }.partition(|(_, weight)| *weight <= 0.0);
        let (others, _): (Vec<BenchmarkRecords>, Vec<f64>) = others.into_iter().unzip();
        let without_weight: Vec<String> = others.iter().map(|of| of.name.clone()).collect();
        let (benchmarks, weights): (Vec<BenchmarkRecords>, Vec<f64>) =
            benchmarks.into_iter().unzip();
        let scales: Vec<BenchmarkScale> = { scales.iter() }
            .filter(|of| !without_weight.contains(&of.benchmark))
            .cloned()
            .collect();
        let units = units(&benchmarks, &scales, request.bounds.is_some())?;
        let (arms, left_out) = common(&benchmarks, &others)?;
        let first = benchmarks[0].records.metric();
        let is_of_one_metric = benchmarks.iter().all(|of| of.records.metric() == first);
        let mut fitted = Self {
            metric: if is_of_one_metric { first } else { "score" }.to_owned(),
            direction: if scales.is_empty() {
                units[0].direction
            } else {
                Direction::Maximize
            },
            these: Some(Benchmarks::new(arms.len())),
            like: Benchmarks::new(arms.len()),
            arms,
            left_out,
            without_weight,
            notes: Vec::new(),
            each: Vec::new(),
        };
        for ((benchmark, weight), unit) in benchmarks.iter().zip(weights).zip(units) {
            let added = fitted.add(request, benchmark, weight, unit, source);
            added.map_err(|error| {
                AnalysisError::Refused(format!("on `{}`: {error}", benchmark.name))
            })?;
        }
        Ok(fitted)
    }

    /// Adds a note on a benchmark; several benchmarks with the same note are named before it.
    fn note(&mut self, benchmark: &str, note: &str) {
        let end = format!(": {note}");
        match self.notes.iter_mut().find(|known| known.ends_with(&end)) {
            Some(known) => {
                let names = known.len() - end.len();
                known.insert_str(names, &format!(", {benchmark}"));
            }
            None => self.notes.push(format!("{benchmark}{end}")),
        }
    }

    /// Adds a benchmark.
    fn add(
        &mut self,
        request: &BeliefRequest,
        benchmark: &BenchmarkRecords,
        weight: f64,
        unit: Unit,
        source: &str,
    ) -> Result<(), AnalysisError> {
        let scores = ScoresOfArms::new(&benchmark.records, &self.arms, unit.direction, source)?;
        let scores = scores.in_pool(unit.bounds().or(request.bounds), None)?;
        let by_default = scores.default_posterior();
        let posterior = match request.posterior.as_deref() {
            None => by_default,
            Some(POOL) => POOL,
            Some(other) => known_name(other)?,
        };
        let moments = scores.moments();
        let sizes = moments
            .iter()
            .flat_map(|of| [of.mean().abs(), of.standard_deviation().unwrap_or(0.0)]);
        let size = greatest(sizes);
        if size > 0.0 && size < LEAST {
            return Err(AnalysisError::Refused(format!(
                "the scores are no larger than about {size:.0e}, too small to compute a variance with: multiply them, and their bounds and scale, by a power of 10"
            )));
        }
        let orient = |mean: f64| unit.direction.orient(mean);
        let mut one = OfOne {
            name: benchmark.name.clone(),
            metric: benchmark.records.metric().to_owned(),
            weight,
            unit,
            items: 0,
            posterior,
            evaluations: moments.iter().map(Moments::count).collect(),
            answered: Vec::new(),
            size,
            means: moments.iter().map(|of| orient(of.mean())).collect(),
        };
        let known = if posterior == POOL {
            let (pool, answers) = scores.pool_posterior(None)?;
            let answers = answers
                .ok_or_else(|| AnalysisError::refused("no answers to items of a pool are there"))?;
            one.items = answers.items;
            one.answered = answers.answers.iter().map(|of| of.len() as u64).collect();
            let is_known = !answers.are_compared_in_pairs();
            if is_known {
                for (mean, arm) in one.means.iter_mut().zip(ArmId::all(self.arms.len())) {
                    *mean = pool.mean(arm).unwrap_or(*mean);
                }
            }
            let missing = answers.missing.iter();
            for note in missing.flat_map(|of| of.sentences(answers.origin)) {
                self.note(&benchmark.name, &note);
            }
            Known::Pool {
                like: Box::new(answers.posterior_of(Target::ItemsLikeThese)?),
                these: is_known.then(|| Box::new(pool)),
            }
        } else {
            let sampling = Sampling {
                draws: request.options.draws,
                seed: request.options.seed,
            };
            let notes = scores.unpaired.clone().into_iter();
            let notes = notes.chain(scores.no_pool_note());
            let folds = scores.folds.as_ref();
            let folds = folds.map(|folds| folds_note(folds, "intervals and P(best)"));
            for note in notes.chain(folds) {
                self.note(&benchmark.name, &note);
            }
            let fitted = fit(&scores, posterior, None, sampling, None);
            Known::Splits(fitted.map_err(with_advice)?)
        };
        let weight = weight * one.unit.factor();
        match known {
            Known::Pool { these, like } => {
                let before = self.these.take();
                self.these = before.zip(these).map(|(all, pool)| all.pool(weight, *pool));
                self.add_like(|like_all| like_all.pool(weight, *like));
            }
            Known::Splits(posterior) => {
                self.these = None;
                self.add_like(|like_all| like_all.means(weight, posterior));
            }
        }
        self.each.push(one);
        Ok(())
    }

    fn add_like(&mut self, add: impl FnOnce(Benchmarks) -> Benchmarks) {
        let before = std::mem::replace(&mut self.like, Benchmarks::new(0));
        self.like = add(before);
    }

    pub(super) fn ids(&self) -> Vec<ArmId> {
        ArmId::all(self.arms.len()).collect()
    }

    /// Returns whether every benchmark is a pool of items.
    pub(super) fn is_of_items(&self) -> bool {
        self.each.iter().all(|of| of.items > 0)
    }

    /// Returns the weighted mean of each arm, oriented.
    pub(super) fn values(&self) -> Vec<f64> {
        let value = |arm| self.each.iter().map(|of| of.weight * of.value(arm)).sum();
        (0..self.arms.len()).map(value).collect()
    }

    /// Returns the difference of two arms' values that rounding makes.
    pub(super) fn rounding(&self) -> f64 {
        greatest(self.each.iter().map(OfOne::rounding))
    }

    /// Returns an oriented value in the direction of the scores.
    pub(super) fn as_reported(&self, value: f64) -> f64 {
        self.direction.orient(value)
    }

    /// Returns the belief on many more benchmarks drawn as these were. `None` of fewer than three,
    /// or with unequal weights.
    pub(super) fn like_all_benchmarks(
        &self,
        values: &[f64],
    ) -> Result<Option<Belief>, AnalysisError> {
        let weight = 1.0 / self.each.len() as f64;
        let is_equal = { self.each.iter() }.all(|of| (of.weight - weight).abs() < ROUNDING);
        if self.each.len() < 3 || !is_equal {
            return Ok(None);
        }
        let all = || {
            self.each
                .iter()
                .flat_map(|of| (0..values.len()).map(|arm| of.value(arm)))
        };
        let (low, high) = (
            all().fold(f64::INFINITY, f64::min),
            all().fold(f64::NEG_INFINITY, f64::max),
        );
        if high - low <= self.rounding() {
            return Ok(None);
        }
        let pool = Pool::new(values.len(), self.each.len() as u64).like_these();
        let mut pool = pool.bounded(low, high)?;
        for (split, of) in (0..).zip(&self.each) {
            for arm in self.ids() {
                let case = Case { split, seed: 0 };
                pool.observe(arm, case, of.value(arm.index()))?;
            }
        }
        Ok(Some(pool.belief(&self.ids())))
    }

    /// Returns what is known of each benchmark, and of the winner's lead over the runner-up there.
    pub(super) fn results(&self, pair: [usize; 2], tolerance: f64) -> Vec<BenchmarkResult> {
        let [winner, runner_up] = pair;
        let [one, other] = pair.map(ArmId::new);
        let result = |(place, of): (usize, &OfOne)| {
            let worse = |margin: f64| {
                let margin = margin / of.unit.factor();
                self.like.worse_on(place, one, other, margin).unwrap_or(0.5)
            };
            let (harm, lead) = (worse(tolerance), of.value(winner) - of.value(runner_up));
            BenchmarkResult {
                name: of.name.clone(),
                weight: of.weight,
                metric: of.metric.clone(),
                items: of.items,
                posterior: of.posterior.to_owned(),
                scale: of.unit.scale,
                arms: self.on_benchmark(place),
                lead,
                part_of_lead: of.weight * lead,
                probability_ahead: 1.0 - worse(0.0),
                probability_harm: harm,
                is_harm: harm >= HARM && lead < -tolerance,
                weights_of_best: self.weights_of_best(place),
            }
        };
        self.each.iter().enumerate().map(result).collect()
    }

    fn on_benchmark(&self, place: usize) -> Vec<ArmOnBenchmark> {
        let of = &self.each[place];
        let belief = self
            .like
            .of(place)
            .map(|posterior| posterior.belief(&self.ids()));
        let arm = |arm: usize| {
            let own = of.value(arm);
            let better =
                (0..self.arms.len()).filter(|&other| of.value(other) > own + of.rounding());
            ArmOnBenchmark {
                evaluations: of.evaluations[arm],
                share: { of.answered.get(arm) }
                    .map(|answered| *answered as f64 / of.items.max(1) as f64),
                mean: of.unit.direction.orient(of.means[arm]),
                place: 1 + better.count(),
                probability_best: belief.as_ref().map_or(0.0, |of| of.probability[arm]),
            }
        };
        (0..self.arms.len()).map(arm).collect()
    }

    /// Returns the least and the greatest weight of a benchmark at which the arm with the highest
    /// value keeps that, with the others' weights in proportion. `None` of a single benchmark.
    ///
    /// With the difference D to a rival here and the weighted mean R of the others' differences,
    /// the lead at the weight w is R + w·(D − R), which is 0 at R/(R − D).
    fn weights_of_best(&self, place: usize) -> Option<(f64, f64)> {
        let rest = 1.0 - self.each[place].weight;
        if self.each.len() < 2 || rest <= ROUNDING {
            return None;
        }
        let values = self.values();
        let highest = |a: &usize, b: &usize| values[*a].total_cmp(&values[*b]);
        let best = (0..values.len()).rev().max_by(highest)?;
        let (mut least, mut most, rounding) = (0.0_f64, 1.0_f64, self.rounding());
        for rival in (0..values.len()).filter(|&arm| arm != best) {
            let of = &self.each[place];
            let here = of.value(best) - of.value(rival);
            let others = (values[best] - values[rival] - of.weight * here) / rest;
            if others < -rounding {
                least = least.max(others / (others - here));
            }
            if here < -rounding {
                most = most.min(others / (others - here));
            }
        }
        Some((least, most))
    }
}

/// Returns the arms that have scores on all benchmarks, in the order of the first, and those that
/// lack some, among them those that only the others have, which do not count.
fn common(
    benchmarks: &[BenchmarkRecords],
    others: &[BenchmarkRecords],
) -> Result<(Vec<String>, Vec<ArmLeftOut>), AnalysisError> {
    let mut names: Vec<&String> = Vec::new();
    let has: Vec<Vec<&String>> = { benchmarks.iter().chain(others) }
        .map(|of| {
            let scored = of
                .records
                .by_arm()
                .into_iter()
                .map(|scores| !scores.is_empty());
            let scored = of.records.arms().iter().zip(scored);
            scored.filter_map(|(name, is)| is.then_some(name)).collect()
        })
        .collect();
    for name in has.iter().flatten().copied() {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let (mut arms, mut left_out) = (Vec::new(), Vec::new());
    for name in names {
        let lacks: Vec<String> = { benchmarks.iter().zip(&has) }
            .filter(|(_, has)| !has.contains(&name))
            .map(|(of, _)| of.name.clone())
            .collect();
        if lacks.is_empty() {
            arms.push(name.clone());
        } else {
            left_out.push(ArmLeftOut {
                name: name.clone(),
                lacks,
            });
        }
    }
    if arms.len() > 1 {
        return Ok((arms, left_out));
    }
    let lacking: Vec<String> = { left_out.iter() }
        .map(|of| format!("`{}` has none on {}", of.name, listed(&of.lacks, MOST)))
        .collect();
    let why = if lacking.is_empty() {
        format!("there is only `{}`", arms.concat())
    } else {
        listed(&lacking, MOST)
    };
    Err(AnalysisError::Refused(format!(
        "fewer than two arms have scores on every benchmark: {why}; evaluate what is missing, or leave a benchmark out with the weight 0"
    )))
}

/// Returns the name of a posterior of scores on splits.
fn known_name(name: &str) -> Result<&'static str, AnalysisError> {
    let known = fiesta_posterior::POSTERIORS.into_iter();
    let mut known = known.filter(|known| *known == name);
    known.next().ok_or_else(|| {
        AnalysisError::Refused(format!(
            "`{name}` is no posterior of the scores on several benchmarks: leave --posterior out, or take {DEFAULT}"
        ))
    })
}

/// Adds to the refusal of too few scores what to do where there is one score of each arm.
fn with_advice(error: AnalysisError) -> AnalysisError {
    match error {
        AnalysisError::TooFew(why) => AnalysisError::TooFew(format!(
            "{why}; of one score for each arm and data set, leave --benchmark out, and data sets are items"
        )),
        other => other,
    }
}
