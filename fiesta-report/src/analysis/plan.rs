//! Plans of a study: how many evaluations it will need, by bounds, by simulation and by classical
//! tests.

use super::{AnalysisError, ArmScores, Score, ScoresOfArms, percent, pool::PoolPlanReport};
use crate::{Align, Table, wrapped};
use fiesta_core::{Design, Direction, Limits, StoppingRule};
use fiesta_policies::{
    self as policies, Parameters,
    plan::{Comparison, Instance, InstanceError, complexity, unknown_variances},
    simulate::{Durations, MakeRule, Noise, Simulation, Summary, Synthetic, SyntheticArm},
    stopping::PosteriorThreshold,
};
use fiesta_posterior::{self as posterior, POOL};
use serde::Serialize;
use std::time::Duration;

/// The policy of a study that names none.
const POLICY: &str = "auto";
/// Its posterior.
const POSTERIOR: &str = posterior::DEFAULT;
/// Its stopping rule.
const STOPPING: &str = "posterior";

/// The arms that a plan is for, as they are supposed to be.
#[derive(Debug, Clone)]
pub struct SupposedArms {
    names: Vec<String>,
    instance: Instance,
    design: Design,
    /// Which way scores are shown; the instance's means are such that more is better.
    direction: Direction,
    /// The number of pilot scores, if the instance is estimated.
    pilot: Option<usize>,
}

impl SupposedArms {
    /// Gaussian arms with these means and standard deviations of a score, of which `split_sd` lies
    /// between splits.
    ///
    /// # Errors
    /// [`AnalysisError`] if no study could tell the arms apart, or a moment is none.
    pub fn gaussian(
        moments: &[(f64, f64)],
        split_sd: f64,
        design: Design,
        direction: Direction,
    ) -> Result<Self, AnalysisError> {
        let oriented = moments
            .iter()
            .map(|&(mean, sd)| (direction.orient(mean), sd));
        let oriented: Vec<(f64, f64)> = oriented.collect();
        Ok(Self {
            names: (1..=moments.len()).map(|arm| format!("arm{arm}")).collect(),
            instance: Instance::new(&oriented, split_sd, design)?,
            design,
            direction,
            pilot: None,
        })
    }

    /// Arms with the means and standard deviations of pilot scores. Without a design it is that of
    /// the scores: shared if they share splits.
    ///
    /// # Errors
    /// [`AnalysisError`] if an arm has too few scores or equal ones, or the design is shared and
    /// the scores share no splits.
    pub fn of_scores(scores: &ScoresOfArms, design: Option<Design>) -> Result<Self, AnalysisError> {
        let direction = scores.direction;
        let oriented = |score: Score| direction.orient(score.score);
        let bare = || {
            let of_arm = |scores: &ArmScores<'_>| scores.iter().map(oriented).collect();
            let scores: Vec<Vec<f64>> = scores.scores.iter().map(of_arm).collect();
            Instance::of_scores(&scores)
        };
        // None if a score lacks its split.
        let on_splits = scores.scores.iter().map(|scores| {
            let on_split = |score: Score| Some((score.split?, oriented(score)));
            scores.iter().map(on_split).collect::<Option<Vec<_>>>()
        });
        let on_splits: Option<Vec<Vec<(u64, f64)>>> = on_splits.collect();
        let (instance, design) = match (design, on_splits) {
            (Some(Design::Shared), None) => return Err(AnalysisError::NoSharedSplits),
            (Some(Design::Shared), Some(scores)) => {
                (Instance::of_shared_scores(&scores), Design::Shared)
            }
            (None, Some(scores)) => match Instance::of_shared_scores(&scores) {
                Err(InstanceError::Apart) => (bare(), Design::Independent),
                other => (other, Design::Shared),
            },
            _ => (bare(), Design::Independent),
        };
        let name = |arm: usize| &scores.arms.names()[arm - 1];
        let instance = instance.map_err(|error| match error {
            InstanceError::TooFew { arm, scores } => AnalysisError::Refused(format!(
                "the arm `{}` has too few scores, {scores}: estimating a standard deviation takes at least 2",
                name(arm)
            )),
            InstanceError::Moments { arm, .. } => AnalysisError::Refused(format!(
                "the scores of arm `{}` are all equal, or nearly: their standard deviation cannot be planned with",
                name(arm)
            )),
            other => other.into(),
        })?;
        Ok(Self {
            names: scores.arms.names().to_vec(),
            instance,
            design,
            direction,
            pilot: Some(scores.scores.iter().map(ArmScores::len).sum()),
        })
    }
}

/// Options of a plan.
#[derive(Debug, Clone, PartialEq)]
pub struct PlanOptions {
    /// The confidences to plan for.
    pub confidence: Vec<f64>,
    /// The power of the classical tests.
    pub power: f64,
    /// Evaluations in flight at once.
    pub parallel: u32,
    /// The time that one evaluation takes.
    pub cost_per_evaluation: Option<Duration>,
    /// How many studies are simulated.
    pub runs: u64,
    /// The seed of the simulation.
    pub seed: u64,
    /// The evaluations after which a simulated study is given up; by default those of a study
    /// without a budget.
    pub cap: Option<u64>,
}

/// A plan: of a pool of items, or of arms whose evaluations are on splits.
#[derive(Debug, Clone)]
#[allow(clippy::large_enum_variant, reason = "one is made at a time")]
pub enum AnyPlan {
    /// Of a pool.
    Pool(PoolPlanReport),
    /// Of arms.
    Arms(PlanReport),
}

/// What is asked of a plan.
#[derive(Debug, Clone, PartialEq)]
pub struct PlanRequest {
    /// Its options.
    pub options: PlanOptions,
    /// Which splits evaluations get; without, those that pilot scores share.
    pub design: Option<Design>,
    /// How many items the pool has, where pilot answers are of part of it.
    pub pool_size: Option<u64>,
    /// How far below the best the arm of a pool may be that is named.
    pub tolerance: Option<f64>,
}

impl PlanRequest {
    /// The plan from pilot scores: that of a pool if they are answers to its items.
    ///
    /// # Errors
    /// [`AnalysisError`] if they tell of no plan, or something is said that only a pool has.
    pub fn of_pilot(&self, scores: &ScoresOfArms) -> Result<AnyPlan, AnalysisError> {
        if scores.pool.is_some() && scores.default_posterior() == POOL {
            let scores = scores.clone().in_pool(None, self.pool_size)?;
            if let Some(answers) = scores.pool_answers() {
                let (levels, margin) = (&self.options.confidence, self.tolerance.unwrap_or(0.0));
                let report = PoolPlanReport::of_pilot(&answers, levels, margin, self.options.seed)?;
                return Ok(AnyPlan::Pool(report));
            }
        }
        self.refuse_pool()?;
        self.of_arms(&SupposedArms::of_scores(scores, self.design)?)
    }

    /// The plan for supposed arms.
    ///
    /// # Errors
    /// As [`of_pilot`](Self::of_pilot).
    pub fn of_arms(&self, supposed: &SupposedArms) -> Result<AnyPlan, AnalysisError> {
        self.refuse_pool()?;
        PlanReport::new(supposed, &self.options).map(AnyPlan::Arms)
    }

    /// Refuses what only a pool has.
    fn refuse_pool(&self) -> Result<(), AnalysisError> {
        if self.tolerance.is_none() && self.pool_size.is_none() {
            return Ok(());
        }
        Err(AnalysisError::Refused(
            "--tolerance and --pool-size are of pools of items: give --items, or pilot answers with a column `item` between 0 and 1 (or --bounds)"
                .to_owned(),
        ))
    }
}

/// How many evaluations a study will need.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PlanReport {
    /// The arms.
    pub arms: Vec<SupposedArm>,
    /// The best arm.
    pub best: String,
    /// The arm next to it.
    pub second: String,
    /// The difference of their means.
    pub gap: f64,
    /// The standard deviation of a score between splits.
    pub split_standard_deviation: f64,
    /// The standard deviation of the difference of two scores of the best and the second arm.
    pub difference_standard_deviation: f64,
    /// The number of pilot scores, if the arms are estimated from some.
    pub pilot_scores: Option<usize>,
    /// Which splits evaluations get.
    pub splits: &'static str,
    /// The policy of the simulated studies.
    pub policy: String,
    /// Their posterior.
    pub posterior: String,
    /// Their stopping rule.
    pub stopping: String,
    /// Evaluations in flight at once.
    pub parallel: u32,
    /// How many studies were simulated.
    pub runs: u64,
    /// Their seed.
    pub seed: u64,
    /// The evaluations after which a simulated study was given up.
    pub cap: u64,
    /// H₂, the complexity of sequential halving.
    pub h2: f64,
    /// The power of the classical tests.
    pub power: f64,
    /// Whether they are paired.
    pub comparison: &'static str,
    /// One for each confidence.
    pub results: Vec<PlanAtConfidence>,
    #[serde(skip)]
    means: [f64; 2],
    /// A quantity of time, in hours, for each evaluation.
    #[serde(skip)]
    unit: Option<f64>,
}

/// One arm of a plan.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SupposedArm {
    /// The arm.
    pub name: String,
    /// The mean of its scores.
    pub mean: f64,
    /// Their standard deviation.
    pub standard_deviation: f64,
    /// That part of it that does not lie between splits.
    pub residual_standard_deviation: f64,
}

/// The evaluations that a study with one confidence needs.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PlanAtConfidence {
    /// The confidence.
    pub confidence: f64,
    /// The least mean of any policy that errs no more often.
    pub lower_bound: LowerBound,
    /// Simulated studies; none where even the lower bound exceeds the cap.
    pub simulated: Option<SimulatedStudies>,
    /// The budget with which sequential halving is proven to err no more often.
    pub sequential_halving: Planned,
    /// Classical tests.
    pub t_test: Tests,
}

/// Lower bounds on the mean number of evaluations.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LowerBound {
    /// Of policies that are told the variances.
    pub known_variances: Planned,
    /// Of those that are not.
    pub unknown_variances: Planned,
}

/// A number of evaluations, and how long they take.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Planned {
    /// The evaluations.
    pub evaluations: f64,
    /// Their time, if that of one is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hours: Option<f64>,
}

/// Simulated studies.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SimulatedStudies {
    /// The evaluations that they needed.
    pub evaluations: SimulatedEvaluations,
    /// The share of them that named a wrong arm.
    pub error: f64,
    /// Its standard error.
    pub error_standard_error: f64,
    /// Studies that were given up at the cap.
    pub capped: u64,
    /// The time of the mean number of evaluations.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hours: Option<f64>,
    /// The same with so many evaluations at once as are planned.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub elapsed_hours: Option<f64>,
}

/// Evaluations of simulated studies.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SimulatedEvaluations {
    /// The mean.
    pub mean: f64,
    /// Its standard error.
    pub standard_error: f64,
    /// The number within which 90 % of the studies ended.
    pub q90: u64,
}

/// One-sided t-tests with fixed numbers of evaluations.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Tests {
    /// The best arm against the second.
    pub second: Test,
    /// The best arm against each other, with Bonferroni's correction.
    pub all: Test,
}

/// A test with a fixed number of evaluations.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Test {
    /// The level of one test.
    pub level: f64,
    /// Evaluations of each arm.
    pub per_arm: f64,
    /// Evaluations in all.
    #[serde(flatten)]
    pub total: Planned,
}

impl PlanReport {
    /// The plan of a study of these arms.
    ///
    /// # Errors
    /// [`AnalysisError`] if the gap to the second arm is too small to plan with, or the power is
    /// none.
    pub fn new(supposed: &SupposedArms, options: &PlanOptions) -> Result<Self, AnalysisError> {
        let instance = &supposed.instance;
        let arms = supposed.names.len();
        let (means, sds) = (instance.means(), instance.residual_sds());
        let known = complexity(means, sds, &vec![1.0; arms])?;
        let unknown = unknown_variances(means, sds)?;
        let halving = instance.halving().ok_or_else(|| {
            let reason = "the gap to the second arm is too small to plan with";
            AnalysisError::Refused(reason.to_owned())
        })?;
        let cap = options.cap.unwrap_or(Limits::CAP_PER_ARM * arms as u64);
        let is_within = |&level: &f64| known.lower_bound(1.0 - level) <= cap as f64;
        let within: Vec<f64> = options
            .confidence
            .iter()
            .copied()
            .filter(is_within)
            .collect();
        let mut summaries = simulate(supposed, options, &within, cap)?.into_iter();
        let unit = options
            .cost_per_evaluation
            .map(|cost| cost.as_secs_f64() / 3600.0);
        let planned = |evaluations: f64| Planned {
            evaluations,
            hours: options
                .cost_per_evaluation
                .map(|cost| evaluations * cost.as_secs_f64() / 3600.0),
        };
        let mut results = Vec::new();
        for &confidence in &options.confidence {
            let delta = 1.0 - confidence;
            let level = percent(delta) / 100.0;
            let test = |per_arm: f64, arms: usize, level: f64| Test {
                level,
                per_arm,
                total: planned(per_arm.ceil() * arms as f64),
            };
            let simulated = within.contains(&confidence).then(|| summaries.next());
            let second = instance.t_test(instance.second(), delta, options.power)?;
            let all = instance.t_tests(delta, options.power)?;
            results.push(PlanAtConfidence {
                confidence,
                lower_bound: LowerBound {
                    known_variances: planned(known.lower_bound(delta)),
                    unknown_variances: planned(unknown.lower_bound(delta)),
                },
                simulated: simulated.flatten().map(|summary| SimulatedStudies {
                    evaluations: SimulatedEvaluations {
                        mean: summary.mean,
                        standard_error: summary.standard_error,
                        q90: summary.quantile(0.9),
                    },
                    error: 1.0 - summary.correct,
                    error_standard_error: summary.correct_standard_error,
                    capped: summary.capped,
                    hours: planned(summary.mean).hours,
                    elapsed_hours: planned(summary.time).hours,
                }),
                sequential_halving: planned(halving.budget(delta)),
                t_test: Tests {
                    second: test(second, 2, level),
                    all: test(all, arms, level / (arms - 1) as f64),
                },
            });
        }
        let (best, second) = (instance.best(), instance.second());
        let arm = |arm: usize| SupposedArm {
            name: supposed.names[arm].clone(),
            mean: supposed.direction.orient(means[arm]),
            standard_deviation: instance.sds()[arm],
            residual_standard_deviation: sds[arm],
        };
        Ok(Self {
            arms: (0..arms).map(arm).collect(),
            best: supposed.names[best].clone(),
            second: supposed.names[second].clone(),
            gap: instance.gap(second),
            split_standard_deviation: instance.split_sd(),
            difference_standard_deviation: instance.difference_sd(second),
            pilot_scores: supposed.pilot,
            splits: supposed.design.name(),
            policy: policies::resolve(POLICY, STOPPING, POSTERIOR).to_owned(),
            posterior: POSTERIOR.to_owned(),
            stopping: STOPPING.to_owned(),
            parallel: options.parallel,
            runs: options.runs,
            seed: options.seed,
            cap,
            h2: halving.h2,
            power: options.power,
            comparison: match instance.comparison() {
                Comparison::Paired => "paired",
                Comparison::Unpaired => "unpaired",
            },
            results,
            means: [best, second].map(|arm| supposed.direction.orient(means[arm])),
            unit,
        })
    }

    /// The table of evaluations at each confidence, what they are for, and what is supposed.
    pub fn text(&self) -> String {
        self.text_within(usize::MAX)
    }

    /// The same within a width: tables leave columns out, sentences are broken between words.
    pub fn text_within(&self, width: usize) -> String {
        let on = match self.splits {
            "independent" => "independent",
            _ => "shared",
        };
        let [best, second] = self.means;
        let sd = self.arms.iter().find(|arm| arm.name == self.best);
        let mut lines = vec![
            format!(
                "{} arms on {on} splits: {} is best with {best:.4}, {} is second with {second:.4}",
                self.arms.len(),
                self.best,
                self.second
            ),
            format!(
                "standard deviation of a score {:.4}, of the difference of these two {:.4}\n",
                sd.map_or(f64::NAN, |arm| arm.standard_deviation),
                self.difference_standard_deviation
            ),
            self.table().text_within(width),
        ];
        lines.extend(self.notes());
        wrapped(&lines.join("\n"), width)
    }

    fn table(&self) -> Table {
        let names = self
            .results
            .iter()
            .map(|at| format!("{} %", percent(at.confidence)));
        let names: Vec<String> = names.collect();
        let numbers = names.iter().map(|name| (name.as_str(), Align::Right));
        let mut table = Table::new([("evaluations", Align::Left)].into_iter().chain(numbers));
        let mut row = |name: &str, cell: &dyn Fn(&PlanAtConfidence) -> String| {
            let cells = self.results.iter().map(cell);
            table.row([name.to_owned()].into_iter().chain(cells), false);
        };
        let counted = |planned: Planned| match planned.hours {
            Some(hours) => format!("{:.0} ({hours:.0} h)", planned.evaluations),
            None => format!("{:.0}", planned.evaluations),
        };
        let simulated = |at: &PlanAtConfidence, show: &dyn Fn(&SimulatedStudies) -> String| {
            at.simulated.as_ref().map_or_else(|| "–".to_owned(), show)
        };
        row("lower bound, variances known", &|at| {
            counted(at.lower_bound.known_variances)
        });
        row("lower bound, variances unknown", &|at| {
            counted(at.lower_bound.unknown_variances)
        });
        let of_studies = format!("{}, mean of {} studies", self.policy, self.runs);
        row(&of_studies, &|at| {
            simulated(at, &|studies| {
                let (evaluations, hours) = (studies.evaluations.mean, studies.hours);
                counted(Planned { evaluations, hours })
            })
        });
        row("  90 % of studies need at most", &|at| {
            simulated(at, &|studies| {
                let evaluations = studies.evaluations.q90 as f64;
                let hours = self.unit.map(|unit| evaluations * unit);
                counted(Planned { evaluations, hours })
            })
        });
        row("  name a wrong arm", &|at| {
            simulated(at, &|studies| {
                let (error, se) = (studies.error, studies.error_standard_error);
                format!("{:.1} ± {:.1} %", error * 100.0, se * 100.0)
            })
        });
        if self.unit.is_some() {
            row(&format!("  elapsed, {} at once", self.parallel), &|at| {
                simulated(at, &|studies| {
                    format!("{:.0} h", studies.elapsed_hours.unwrap_or_default())
                })
            });
        }
        row("sequential halving, proven", &|at| {
            counted(at.sequential_halving)
        });
        let power = percent(self.power);
        row(
            &format!("t-test, best against second, power {power} %"),
            &|at| counted(at.t_test.second.total),
        );
        row("t-tests, best against all, Bonferroni", &|at| {
            counted(at.t_test.all.total)
        });
        table
    }

    fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if self.results.iter().any(|at| at.simulated.is_none()) {
            notes.push(format!(
                "– not simulated: the lower bound exceeds {} evaluations (--cap)",
                self.cap
            ));
        }
        for at in &self.results {
            let capped = at.simulated.map_or(0, |studies| studies.capped);
            if capped > 0 {
                notes.push(format!(
                    "confidence {}: {capped} of {} simulated studies were given up after {} evaluations (--cap)",
                    at.confidence, self.runs, self.cap
                ));
            }
        }
        notes.push(format!(
            "The tests are one-sided and {}; they suppose that one knows beforehand which arm to test.",
            self.comparison
        ));
        notes.push("The bounds are for policies that err no more often whatever the arms; stopping on a posterior probability promises less and may need less.".to_owned());
        let source = match self.pilot_scores {
            Some(scores) => {
                format!("The plan takes the estimates from {scores} scores for the truth")
            }
            None => "The plan takes these numbers for the truth".to_owned(),
        };
        let words = match self.unit {
            Some(_) => "time",
            None => "evaluations",
        };
        notes.push(format!(
            "{source}: a gap of {}, half of that, takes about four times the {words}.",
            short(self.gap / 2.0)
        ));
        notes
    }
}

/// A small number with its first digits.
fn short(value: f64) -> String {
    if value.abs() >= 0.01 {
        format!("{value:.4}")
    } else {
        format!("{value:.2e}")
    }
}

/// A study with the defaults, many times.
fn simulate(
    supposed: &SupposedArms,
    options: &PlanOptions,
    levels: &[f64],
    cap: u64,
) -> Result<Vec<Summary>, AnalysisError> {
    if levels.is_empty() {
        return Ok(Vec::new());
    }
    let instance = &supposed.instance;
    let noise = Noise {
        split: match supposed.design {
            Design::Independent => 0.0,
            _ => instance.split_sd(),
        },
        ..Noise::default()
    };
    let arms = instance.means().iter().zip(instance.residual_sds());
    let problem = Synthetic::new(arms.map(|(&mean, &sd)| SyntheticArm::new(mean, sd)), noise)?;
    let arms = supposed.names.len();
    let parameters = Parameters {
        arms,
        batch: options.parallel,
        ..Parameters::default()
    };
    let durations = match options.parallel {
        1 => Durations::Constant,
        _ => Durations::Exponential,
    };
    let rules = levels.iter().map(|&level| {
        let rule = PosteriorThreshold::new(level)?;
        Ok(Box::new(move || Box::new(rule) as Box<dyn StoppingRule>) as MakeRule<'_>)
    });
    let rules = rules.collect::<Result<Vec<_>, AnalysisError>>()?;
    posterior::by_name(POSTERIOR, arms)?;
    policies::by_name(POLICY, &parameters)?;
    let make_posterior =
        |arms: usize| posterior::by_name(POSTERIOR, arms).expect("the posterior was checked");
    let make_policy = || policies::by_name(POLICY, &parameters).expect("the policy was checked");
    let simulation = Simulation::new(&problem, options.runs)
        .seed(options.seed)
        .design(supposed.design)
        .workers(options.parallel as usize, durations)
        .cap(cap);
    Ok(simulation.confidence(make_posterior, make_policy, &rules)?)
}
