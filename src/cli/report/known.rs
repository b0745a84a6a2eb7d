//! All that a report says something about.

use super::{
    Arguments,
    belief::Believed,
    curves::{Curve, curves},
    evaluations::Evaluations,
    simulated::{Simulated, simulate},
};
use crate::cli::{counts::of_scores, exit::Failure, results::Results, standing};
use fiesta::{
    core::Direction,
    report::{
        ArmOverview, Overview,
        summary::{Bootstrap, Resampling, Sample, Summary, credible_set, possibly_best},
        tuning_curve::Failed,
    },
};

/// What was read, and what follows from it.
pub(super) struct Known<'a> {
    pub(super) arguments: &'a Arguments,
    pub(super) results: &'a Results,
    /// As they ended.
    pub(super) evaluations: Evaluations,
    /// With failures counted as asked.
    pub(super) counted: Evaluations,
    pub(super) samples: Vec<Option<Sample>>,
    pub(super) belief: Believed,
    pub(super) overview: Overview,
    pub(super) bootstrap: Bootstrap,
    /// How many times scores are drawn again.
    pub(super) resamples: u32,
    /// What the marks in the table of arms mean.
    pub(super) mark: String,
    pub(super) bounds: Option<(f64, f64)>,
    pub(super) curves: Vec<Curve>,
    /// Replays of the scores, if they were asked for.
    pub(super) simulated: Option<Simulated>,
}

/// Scores times resamples beyond which fewer resamples must do.
const DRAWS: u64 = 200_000_000;

impl<'a> Known<'a> {
    pub(super) fn new(arguments: &'a Arguments, results: &'a Results) -> Result<Self, Failure> {
        let evaluations = Evaluations::new(results, arguments.strata.as_deref())?;
        let study = results.study.as_deref();
        let bounds = match study {
            Some(recorded) => recorded.study.metric().bounds(),
            None => arguments.results.scores.bounds,
        };
        let worst = bounds.map(|(low, high)| match results.direction {
            Direction::Maximize => low,
            Direction::Minimize => high,
        });
        let counted = evaluations.with_failures(arguments.failed, results.direction, worst)?;
        let samples: Vec<Option<Sample>> = counted
            .arms
            .iter()
            .map(super::evaluations::OfArm::sample)
            .collect();
        let belief = if let Some(recorded) = study {
            if arguments.posterior.is_some() {
                return Err(Failure::Usage(
                    "the posterior of a study stands in its file: leave --posterior out".to_owned(),
                ));
            }
            Believed::of_study(recorded)?
        } else {
            let name = of_scores(arguments.posterior.as_deref())?;
            Believed::of_scores(name, &counted, results.direction)?
        };
        let resamples = resamples(arguments.resamples, counted.scored());
        let resampling = match &arguments.strata {
            Some(_) => Resampling::WithinGroups,
            None => Resampling::Units,
        };
        let bootstrap = Bootstrap::new(arguments.confidence, resamples, arguments.seed)?;
        let curves = curves(
            &evaluations,
            results.direction,
            bounds,
            arguments.failed,
            arguments.confidence,
        )?;
        let simulated = arguments
            .simulate
            .map(|runs| simulate(&counted, results.direction, runs, arguments.seed))
            .transpose()?;
        let (possibly, mark) = marks(arguments, results.direction, &belief, &samples)?;
        let overview = overview(arguments, results, &counted, &samples, &belief, &possibly)?;
        Ok(Self {
            arguments,
            results,
            evaluations,
            counted,
            samples,
            belief,
            overview,
            bootstrap: bootstrap.resampling(resampling),
            resamples,
            mark,
            bounds,
            curves,
            simulated,
        })
    }

    /// The best arm's place.
    pub(super) fn best(&self) -> Option<usize> {
        let search = self.results.study.as_deref().and_then(|recorded| {
            recorded.study.search()?;
            let (arm, _) = crate::cli::search::leader(&recorded.study, &recorded.history)?;
            Some(arm.index())
        });
        search.or_else(|| self.overview.best())
    }

    /// The names of all arms.
    pub(super) fn names(&self) -> Vec<&str> {
        self.counted
            .arms
            .iter()
            .map(|arm| arm.name.as_str())
            .collect()
    }

    /// What failures count as, if there are any.
    pub(super) fn failures(&self) -> Option<Failed> {
        (self.evaluations.failed() > 0).then_some(self.arguments.failed)
    }

    /// The confidence in words: "95 %".
    pub(super) fn level(&self) -> String {
        level(self.arguments.confidence)
    }

    /// What arms are compared by, for people.
    pub(super) fn target(&self) -> String {
        match self.results.study.as_deref() {
            Some(recorded) => standing::target(&recorded.study),
            None => self.results.metric.clone(),
        }
    }

    /// What costs are in: seconds times GPUs, unless something else was said; none if that is not known.
    pub(super) fn cost_is_seconds(&self) -> bool {
        self.results.study.as_deref().is_some_and(|recorded| {
            let study = &recorded.study;
            let arms = study.arms();
            arms.ids()
                .all(|arm| study.cost(arm).is_none() && study.gpus_per_job(arm).is_none())
                && recorded.history.records.values().all(|record| {
                    let (cost, seconds) = (record.cost(), record.seconds());
                    let both = cost.zip(seconds).filter(|_| record.origin.is_none());
                    both.is_none_or(|(cost, seconds)| {
                        (cost - seconds).abs() <= 1e-9 * seconds.max(1.0)
                    })
                })
        })
    }
}

/// A confidence as people write it.
pub(super) fn level(confidence: f64) -> String {
    let percent = confidence * 100.0;
    let rounded = (percent * 1e6).round() / 1e6;
    format!("{rounded} %")
}

#[allow(clippy::cast_possible_truncation, reason = "it is less than the given")]
fn resamples(asked: u32, scores: usize) -> u32 {
    let most = DRAWS / (scores as u64).max(1);
    u64::from(asked).min(most.max(200)) as u32
}

/// Which arms may be the best as well, and how that is known.
fn marks(
    arguments: &Arguments,
    direction: Direction,
    belief: &Believed,
    samples: &[Option<Sample>],
) -> Result<(Vec<bool>, String), Failure> {
    let level = level(arguments.confidence);
    if belief.probability.iter().any(Option::is_some) {
        let known: Vec<f64> = belief
            .probability
            .iter()
            .map(|p| p.unwrap_or(0.0))
            .collect();
        let within = credible_set(&known, arguments.confidence)?;
        let mark = format!(
            "† With {level} posterior probability the best arm is the first or one of those marked (posterior {}).",
            belief.posterior
        );
        return Ok((within, mark));
    }
    let found = possibly_best(samples, direction, arguments.confidence)?;
    let mark = format!(
        "† Not distinguishable from the first at {level}: one-sided t tests with Bonferroni's correction, {} of {} on shared splits.",
        found.paired, found.comparisons
    );
    Ok((found.within, mark))
}

fn overview(
    arguments: &Arguments,
    results: &Results,
    counted: &Evaluations,
    samples: &[Option<Sample>],
    belief: &Believed,
    possibly: &[bool],
) -> Result<Overview, Failure> {
    let study = results.study.as_deref();
    let candidates = study.map(|recorded| recorded.history.selector.view().candidates().to_vec());
    let f_beta = study.and_then(|recorded| {
        let study = &recorded.study;
        study.f_beta().filter(|_| !study.is_of_mean_f())
    });
    let mut arms = Vec::new();
    for (place, arm) in counted.arms.iter().enumerate() {
        let summary = samples[place]
            .as_ref()
            .map(|sample| Summary::new(sample, arguments.confidence))
            .transpose()?;
        arms.push(ArmOverview {
            name: arm.name.clone(),
            summary,
            failed: arm.failed,
            pooled: f_beta.and_then(|f_beta| {
                let counts = arm.counts?;
                Some((counts, f_beta.of_counts(&counts)))
            }),
            probability_best: belief.probability[place],
            cost: arm.cost,
            retired: candidates
                .as_ref()
                .is_some_and(|candidates| candidates.iter().all(|arm| arm.index() != place)),
            possibly_best: possibly[place],
        });
    }
    Ok(Overview {
        metric: results.metric.clone(),
        direction: results.direction,
        confidence: arguments.confidence,
        cost_unit: None,
        arms,
    })
}

impl Known<'_> {
    /// The names of the arms that have a colour where there are too many for all: the best five.
    pub(super) fn highlighted(&self) -> Vec<&str> {
        const IN_A_CROWD: usize = 5;
        let ranked = self.overview.ranked().into_iter();
        let names = ranked.map(|arm| self.counted.arms[arm].name.as_str());
        names.take(IN_A_CROWD).collect()
    }

    /// Which of the figures' colours each arm has.
    pub(super) fn colours(&self) -> Vec<Option<usize>> {
        let arms = self.counted.arms.len();
        if arms <= fiesta::report::figure::palette::ARMS.len() {
            return (0..arms).map(Some).collect();
        }
        let highlighted = self.highlighted();
        let place = |name: &str| highlighted.iter().position(|other| *other == name);
        self.names().into_iter().map(place).collect()
    }
}
