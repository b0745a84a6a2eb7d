//! All that a report says something about.

use super::{
    Arguments,
    belief::Believed,
    curves::{Curve, curves},
    evaluations::Evaluations,
    simulated::{Simulated, simulate},
};
use crate::{
    counts::of_scores,
    exit::Failure,
    results::Results,
    standing::{self, StudyStatus},
};
use fiesta::{
    core::{ArmId, Direction},
    report::{
        ArmOverview, Overview, TieWords,
        summary::{Bootstrap, Resampling, Sample, Summary, Tie, credible_set, possibly_best},
        tuning_curve::Failed,
    },
};

/// What was read, and what follows from it.
pub(super) struct Known<'a> {
    pub(super) arguments: &'a Arguments,
    pub(super) results: &'a Results,
    /// The study that they are of, as its other texts state it.
    pub(super) status: Option<StudyStatus<'a>>,
    /// The arms that are tied for the best, in words.
    pub(super) tie: Option<TieWords>,
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
        let status = study.map(|recorded| StudyStatus::new(&recorded.study, &recorded.history));
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
        let (mut possibly, mark) = marks(arguments, results.direction, &belief, &samples)?;
        let mut overview = overview(arguments, results, &counted, &samples, &belief)?;
        if let (Some(status), Some(recorded)) = (&status, study) {
            let of_search = recorded.study.search().is_some();
            let recommended = status.recommended().filter(|_| !of_search);
            overview.recommended = recommended.map(ArmId::index);
        }
        let tie = match &status {
            Some(status) => status.tie().cloned(),
            None => tie_of_scores(arguments, &overview, &samples),
        };
        for &place in tie.iter().flat_map(|tie| &tie.arms) {
            possibly[place] = true;
            overview.arms[place].tied = true;
        }
        for (arm, possibly) in overview.arms.iter_mut().zip(possibly) {
            arm.possibly_best = possibly;
        }
        let tie = tie.map(|tie| {
            let names: Vec<&str> = counted.arms.iter().map(|arm| arm.name.as_str()).collect();
            let percentages = belief.all().map(|_| overview.percentages());
            TieWords::new(&tie, &names, percentages.as_ref())
        });
        Ok(Self {
            arguments,
            results,
            status,
            tie,
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
        let of_study = self.status.as_ref().and_then(StudyStatus::recommended);
        of_study.map(ArmId::index).or_else(|| self.overview.best())
    }

    /// P(best) of an arm as every table prints it; none while too little is known.
    pub(super) fn probability_of(&self, arm: usize) -> Option<String> {
        self.belief.probability[arm]?;
        Some(self.overview.percentages().of(arm))
    }

    /// How many arms were compared: of a study those that were not retired.
    pub(super) fn compared(&self) -> usize {
        let of_study = self.status.as_ref().map(StudyStatus::compared);
        of_study.unwrap_or(self.counted.arms.len())
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
            "† With {level} posterior probability the best arm is the one in bold or one of those marked (posterior {}).",
            belief.posterior
        );
        return Ok((within, mark));
    }
    let found = possibly_best(samples, direction, arguments.confidence)?;
    let exact = match found.exact {
        0 => String::new(),
        exact => format!(
            "; {exact} of them by an exact permutation test, as no noise was seen between the arms"
        ),
    };
    let mark = format!(
        "† Not distinguishable from the best mean at {level}: one-sided t tests with Bonferroni's correction, {} of {} on shared splits{exact}.",
        found.paired, found.comparisons
    );
    Ok((found.within, mark))
}

/// The arms of a file that are tied with the best, if the posterior does not tell it from them.
fn tie_of_scores(
    arguments: &Arguments,
    overview: &Overview,
    samples: &[Option<Sample>],
) -> Option<Tie> {
    let best = overview.best()?;
    if overview.arms[best].probability_best.is_none() {
        return Tie::with(samples, best);
    }
    let p = overview.arms.iter().map(|arm| arm.probability_best);
    let p: Vec<f64> = p.map(Option::unwrap_or_default).collect();
    Tie::unless_told_apart(samples, best, &p, arguments.confidence)
}

fn overview(
    arguments: &Arguments,
    results: &Results,
    counted: &Evaluations,
    samples: &[Option<Sample>],
    belief: &Believed,
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
            possibly_best: false,
            tied: false,
        });
    }
    Ok(Overview {
        metric: results.metric.clone(),
        direction: results.direction,
        confidence: arguments.confidence,
        cost_unit: None,
        recommended: None,
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
