//! Answer of a report about measures beside the score, where it was asked for.

use super::{evidence::Evidence, tables::Sheet};
use crate::{
    ArmRow, TableOf,
    analysis::{
        AnalysisError, ScoresOfArms,
        belief::{ArmMeasures, BeliefOptions, BeliefRequest, INTERVAL, MeasuresReport},
        count_failures,
    },
    figure::{Estimate, Pareto},
    summary::Interval,
    words::{level, sentence},
};
use fiesta_posterior::{POOL, POSTERIORS};

/// Answers what the options ask about measures. `None` where they ask nothing.
///
/// The answer is that of `fiesta belief` about the same evaluations.
///
/// # Errors
/// [`AnalysisError`] for results whose arms are not compared by their mean scores, and as
/// [`BeliefRequest::report`].
pub(super) fn measures(evidence: &Evidence<'_>) -> Result<Option<MeasuresReport>, AnalysisError> {
    let (input, options) = (evidence.input, evidence.options);
    let Some(flag) = options.measures.flag() else {
        return Ok(None);
    };
    let study = input.study.as_ref().map(|study| study.posterior.as_str());
    let posterior = study.or(options.posterior.as_deref());
    let is_of_means = posterior.is_none_or(|name| name == POOL || POSTERIORS.contains(&name));
    if evidence.is_search() || evidence.table.f_beta.is_some() || !is_of_means {
        return Err(AnalysisError::Refused(format!(
            "--{flag} is about arms that are compared by their mean score on one benchmark, and these are not: leave it out"
        )));
    }
    let (bounds, source) = (input.bounds(), input.source.as_str());
    let direction = input.direction;
    let (records, _) = count_failures(&input.records, options.failed, direction, bounds, source)?;
    let scores = ScoresOfArms::new(&records, &[], direction, source)?;
    let request = BeliefRequest {
        posterior: posterior.map(str::to_owned),
        bounds: bounds.filter(|_| scores.pool.is_some()),
        target: options.target,
        pool_size: options.pool_size,
        options: BeliefOptions {
            draws: options.draws,
            ..BeliefOptions::default()
        },
        measures: options.measures.clone(),
        ..BeliefRequest::default()
    };
    Ok(request.report(scores, Some(&records))?.measures)
}

impl MeasuresReport {
    /// Returns the heading of its section.
    pub(super) fn heading(&self) -> &'static str {
        match self.by {
            Some(_) => "The cheapest arm that is good enough",
            None => "The best arm within limits",
        }
    }

    /// Returns the figure of scores against the first measure.
    pub(super) fn figure(&self, evidence: &Evidence<'_>) -> Option<Pareto> {
        let first = self.arms.first()?.measures.first()?;
        let (metric, direction) = (&evidence.input.metric, evidence.input.direction);
        let of_measure = level(INTERVAL);
        let what = match evidence.level() {
            of_scores if of_scores == of_measure => format!("{of_scores} intervals"),
            of_scores => format!(
                "{of_scores} intervals of scores and {of_measure} intervals of {}",
                first.measure
            ),
        };
        let mut figure =
            Pareto::new(metric, direction, &first.measure, what).highlight(&evidence.highlighted());
        if let Some(within) = self.cheapest_within {
            figure = figure.within(within);
        }
        let mut limits = self.limits.iter();
        if let Some(limit) = limits.find(|limit| limit.measure == first.measure) {
            figure = figure.limit(limit.at_most);
        }
        let score = |name: &str| {
            let is_own = |(_, row): &(usize, &ArmRow)| row.name == name;
            let (place, row) = evidence.table.arms.iter().enumerate().find(is_own)?;
            let value = row.posterior_mean.or_else(|| evidence.table.value(place))?;
            Some(Estimate::new(value, row.interval))
        };
        for arm in &self.arms {
            let of = arm.measures.first()?;
            let (lower, upper) = (of.lower, of.upper);
            let measure = Estimate::new(of.mean, Some(Interval { lower, upper }));
            figure = figure.arm(
                &arm.name,
                score(&arm.name)?,
                measure,
                arm.probability_pareto,
            );
        }
        Some(figure)
    }

    /// Returns the table of the arms.
    pub(super) fn sheet(&self) -> Sheet {
        let mut data = TableOf::new(self.arms.iter())
            .words("arm", |arm| arm.name.clone())
            .values("probability", |arm| Some(arm.probability))
            .values("near the best", |arm| arm.probability_within)
            .values("feasible", |arm| arm.probability_feasible)
            .values("pareto", |arm| arm.probability_pareto);
        let measures = self.arms.first().map_or(&[][..], |arm| &arm.measures);
        for (place, of) in measures.iter().enumerate() {
            let own = move |arm: &&ArmMeasures| arm.measures[place].clone();
            data = data
                .values(&format!("mean {}", of.measure), |arm| Some(own(arm).mean))
                .values(&format!("lower {}", of.measure), |arm| Some(own(arm).lower))
                .values(&format!("upper {}", of.measure), |arm| Some(own(arm).upper));
        }
        let caption = format!(
            "Probabilities by joint draws of the means of scores and measures, and the mean of each measure. {}",
            sentence(&self.sentence())
        );
        Sheet {
            file: "measures",
            shown: self.table().caption(caption),
            data: data.table(),
        }
    }
}
