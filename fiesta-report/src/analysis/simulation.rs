//! Simulations of a policy, a posterior and a stopping rule by their names, on recorded evaluations
//! or Gaussian arms.

use super::{
    AnalysisError, ArmScores, CountsOfArms, Score, ScoresOfArms, Target, belief::CountsModel,
};
use crate::{Align, Table, wrapped};
use fiesta_core::{Assumption, Counts, Design, Observe, StoppingRule};
use fiesta_policies::{
    self as policies, Parameters, TieBreakName,
    simulate::{
        Durations, Gaussian, MakePosterior, MakeRule, Problem, Recorded, RecordedItems, Simulation,
        Summary,
    },
    stopping::{self, AtLeast, Distance, OfScores, Shortfall, StoppingError, anytime::doubt},
};
use fiesta_posterior::{self as posterior, f_measure};
use serde::Serialize;

/// The goals until which runs go on.
#[derive(Debug, Clone, PartialEq)]
pub enum Goals {
    /// Confidences to be reached.
    Confidence(Vec<f64>),
    /// Expected shortfalls to be undercut.
    Shortfall(Vec<Distance>),
    /// Numbers of evaluations to be spent.
    Budget(Vec<u64>),
}

/// A simulation's policy, stopping rule and extent.
#[derive(Debug, Clone, PartialEq)]
pub struct SimulationOptions {
    /// The policy's name, or `auto`.
    pub policy: String,
    /// The stopping rule's name.
    pub stopping: String,
    /// How far below the best the recommended arm may be.
    pub tolerance: Distance,
    /// How far below the best arms may be that are called tied.
    pub tie: Distance,
    /// Whether an arm is named only at the probability 1 − δ².
    pub strict: bool,
    /// The least and the greatest possible score, as recorded, for `anytime-bounded`; others count
    /// as the bound.
    pub bounds: Option<(f64, f64)>,
    /// The rate of rare failures that `anytime` waits for.
    pub rare_failures: Option<f64>,
    /// How many items there are, in a pool of them.
    pub items: Option<u64>,
    /// Whether their answers vary, and are asked again.
    pub repeats: bool,
    /// The goals.
    pub goals: Goals,
    /// How many runs.
    pub runs: u64,
    /// The seed of all runs.
    pub seed: u64,
    /// Evaluations in flight at once.
    pub workers: u32,
    /// How long evaluations take.
    pub durations: Durations,
    /// The evaluations after which a run is given up.
    pub cap: Option<u64>,
    /// The share of the leader in top-two policies.
    pub beta: Option<f64>,
    /// How top-two policies choose between leader and challenger.
    pub tie_break: Option<TieBreakName>,
    /// Whether sequential halving also spends what its divisions leave over.
    pub extended: bool,
}

impl SimulationOptions {
    /// The policy's own name beside this posterior.
    pub fn policy(&self, posterior: &str) -> &str {
        policies::resolve(&self.policy, &self.stopping, posterior)
    }

    /// What is to be said if the scores do not look Gaussian, and runs stop with a promise that
    /// supposes it.
    fn doubt(&self, scores: &[(&str, Vec<(u64, f64)>)], design: Design) -> Option<String> {
        let Goals::Confidence(levels) = &self.goals else {
            return None;
        };
        let supposes = stopping::assumption(&self.stopping) == Some(Assumption::Gaussian);
        let level = levels.first().filter(|_| supposes)?;
        doubt(scores, design, *level)
    }

    fn rule(&self, level: f64, arms: usize) -> Result<Box<dyn StoppingRule>, StoppingError> {
        let parameters = stopping::StoppingParameters {
            tolerance: self.tolerance,
            tie: self.tie,
            strict: self.strict,
            bounds: self.bounds,
            rare_failures: self.rare_failures,
            items: self.items,
            ..stopping::StoppingParameters::new(level, arms)
        };
        stopping::by_name(&self.stopping, &parameters)
    }

    fn parameters(&self, arms: usize, budget: Option<u64>) -> Parameters {
        Parameters {
            arms,
            budget,
            batch: self.workers,
            extended: self.extended,
            beta: self.beta,
            tie_break: self.tie_break,
        }
    }
}

/// How many evaluations a policy needed, and how often it named the best arm.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SimulationReport {
    /// What was simulated.
    #[serde(flatten)]
    pub setup: SimulationSetup,
    /// Notes on the data and the stopping rule.
    pub notes: Vec<String>,
    /// One for each goal.
    pub results: Vec<GoalResult>,
    #[serde(skip)]
    policy: String,
    #[serde(skip)]
    cap: Option<u64>,
}

/// A distance as JSON has it: a number in the unit of the scores, or a text such as `0.25 sd`.
#[cfg(feature = "schema")]
#[derive(schemars::JsonSchema)]
#[schemars(untagged)]
#[expect(dead_code, reason = "it only describes")]
enum WrittenDistance {
    Score(f64),
    Sd(String),
}

/// The setting of a simulation.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SimulationSetup {
    /// The policy as it was asked for.
    pub policy: String,
    /// The posterior.
    pub posterior: String,
    /// The stopping rule.
    pub stopping: String,
    /// How far below the best the recommended arm may be.
    #[cfg_attr(feature = "schema", schemars(with = "WrittenDistance"))]
    pub tolerance: Distance,
    /// How far below the best arms may be that are called tied.
    #[cfg_attr(feature = "schema", schemars(with = "WrittenDistance"))]
    pub tie: Distance,
    /// Whether an arm is named only at the probability 1 − δ².
    pub strict: bool,
    /// The least and the greatest possible score, as given for the stopping rule.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bounds: Option<(f64, f64)>,
    /// The rate of rare failures that the stopping rule waits for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rare_failures: Option<f64>,
    /// Which splits evaluations got.
    pub splits: &'static str,
    /// How many runs.
    pub runs: u64,
    /// Their seed.
    pub seed: u64,
    /// The arms that a run should find.
    pub best: String,
    /// The source of splits that pair recorded scores.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pairing: Option<&'static str>,
    /// What is particular to confusion counts.
    #[serde(flatten)]
    pub counts: Option<CountsSetup>,
}

/// The setting of a simulation on confusion counts of documents.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CountsSetup {
    /// How many documents there are.
    pub documents: u64,
    /// The quantity that the posterior is about.
    pub target: String,
    /// The quantity that makes an arm the best.
    pub best_by: String,
    /// The documents that the best two arms must have queried before a run may stop.
    pub min_documents: Option<u64>,
}

/// The runs until one goal.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct GoalResult {
    /// What was simulated.
    #[serde(flatten)]
    pub setup: SimulationSetup,
    /// The goal.
    #[serde(flatten)]
    pub goal: Goal,
    /// How many evaluations were made.
    pub evaluations: Evaluations,
    /// What they cost, in mean durations of an evaluation.
    pub cost: Cost,
    /// The mean time on the virtual clock.
    pub time: f64,
    /// The share of runs that named the best arm.
    pub correct: f64,
    /// Its standard error.
    pub correct_standard_error: f64,
    /// Runs that named another arm as the best.
    pub wrong: u64,
    /// Runs that ended as arms could not be told apart, and named none.
    pub tied: u64,
    /// Runs that were given up at the cap.
    pub capped: u64,
    /// Runs that queried every document without reaching the goal.
    pub exhausted: u64,
}

/// A goal until which runs go on.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Goal {
    /// A confidence.
    Confidence(f64),
    /// An expected shortfall.
    #[cfg_attr(feature = "schema", schemars(with = "WrittenDistance"))]
    Shortfall(Distance),
    /// A number of evaluations.
    Budget(u64),
}

impl Goal {
    fn kind(self) -> &'static str {
        match self {
            Self::Confidence(_) => "confidence",
            Self::Shortfall(_) => "shortfall",
            Self::Budget(_) => "budget",
        }
    }

    fn value(self) -> String {
        match self {
            Self::Confidence(level) => level.to_string(),
            Self::Shortfall(bound) => bound.to_string(),
            Self::Budget(budget) => budget.to_string(),
        }
    }
}

/// Evaluations of a run: least, mean with its standard error, and most.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Evaluations {
    /// The fewest of any run.
    pub min: u64,
    /// The mean.
    pub mean: f64,
    /// The most of any run.
    pub max: u64,
    /// The standard error of the mean.
    pub standard_error: f64,
}

/// The cost of a run.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Cost {
    /// The mean.
    pub mean: f64,
    /// Its standard error.
    pub standard_error: f64,
}

/// Runs on Gaussian arms with these means and standard deviations.
///
/// # Errors
/// [`AnalysisError`] if there is no such policy, posterior or rule, or an arm is none.
pub fn of_gaussian(
    moments: &[(f64, f64)],
    design: Design,
    posterior: &str,
    options: &SimulationOptions,
) -> Result<SimulationReport, AnalysisError> {
    let problem = Gaussian::new(moments.iter().copied())?;
    on_scores(&problem, design, posterior, options)
}

/// The policy on recorded scores, as is asked for: on the items of a pool if the scores name items,
/// else on splits of this design. Without the name of a posterior it is that of the scores, and
/// without a distance of ties that of the policy: none in a pool.
///
/// # Errors
/// As [`of_items`] and [`of_scores`], and [`AnalysisError`] for a posterior of confusion counts.
pub fn of_recorded(
    scores: &ScoresOfArms,
    design: Design,
    posterior: Option<&str>,
    tie: Option<Distance>,
    options: &SimulationOptions,
) -> Result<SimulationReport, AnalysisError> {
    super::of_scores_alone(posterior)?;
    if scores.pool.is_none() {
        return of_scores(
            scores,
            design,
            posterior.unwrap_or(fiesta_posterior::DEFAULT),
            options,
        );
    }
    let options = SimulationOptions {
        tie: tie.unwrap_or(Distance::ZERO),
        ..options.clone()
    };
    let default = scores.default_posterior();
    of_items(scores, posterior.unwrap_or(default), &options)
}

/// Runs on recorded scores, which are drawn again.
///
/// # Errors
/// [`AnalysisError`] as of [`of_gaussian`], and if scores share no splits but the design does.
pub fn of_scores(
    scores: &ScoresOfArms,
    design: Design,
    posterior: &str,
    options: &SimulationOptions,
) -> Result<SimulationReport, AnalysisError> {
    let names = || scores.arms.names().iter();
    let arms = names().zip(&scores.scores).map(|(name, of_arm)| {
        let oriented = |score: Score| (score.split, scores.direction.orient(score.score));
        (name.clone(), of_arm.iter().map(oriented).collect())
    });
    let problem = Recorded::new(arms, design)?;
    let given = options.bounds;
    let options = &SimulationOptions {
        bounds: given.map(|(low, high)| {
            let [one, other] = [low, high].map(|bound| scores.direction.orient(bound));
            (one.min(other), one.max(other))
        }),
        ..options.clone()
    };
    let mut report = on_scores(&problem, design, posterior, options)?;
    report.in_setups(|setup| {
        setup.pairing = Some(scores.splits.name());
        setup.bounds = given;
    });
    let of_case = |score: Score| (score.split.unwrap_or_default(), score.score);
    let cases = |scores: &ArmScores<'_>| scores.iter().map(of_case).collect();
    let arms = names().map(String::as_str);
    let arms: Vec<_> = arms.zip(scores.scores.iter().map(cases)).collect();
    report.notes.extend(options.doubt(&arms, design));
    report.notes.extend(scores.unpaired.clone());
    Ok(report)
}

/// Runs on recorded answers to the items of a pool, of which no arm is asked one twice.
///
/// # Errors
/// [`AnalysisError`] as of [`of_gaussian`], and if an arm lacks an item that another has, or
/// answers have no bounds that the posterior knows.
pub fn of_items(
    scores: &ScoresOfArms,
    posterior: &str,
    options: &SimulationOptions,
) -> Result<SimulationReport, AnalysisError> {
    let arms = scores.arms.names().iter().zip(&scores.scores);
    let arms = arms.map(|(name, of_arm)| {
        let answer = |score: Score| {
            let item = score.split.unwrap_or_default().to_string();
            (item, scores.direction.orient(score.score))
        };
        (name.clone(), of_arm.iter().map(answer).collect())
    });
    let repeats = scores.repeats_answers();
    if repeats && posterior != posterior::POOL {
        return Err(AnalysisError::Refused(format!(
            "an arm has several answers to an item, which the posterior {} takes for answers that vary, and {posterior} does not: take that one, or keep one answer to each item",
            posterior::POOL
        )));
    }
    if repeats && stopping::assumption(&options.stopping).is_some() {
        return Err(AnalysisError::Refused(format!(
            "the stopping rule {} is valid where an item has one answer, and an arm has several to one of these: take the rule posterior, or keep one answer to each item",
            options.stopping
        )));
    }
    let problem = if repeats {
        RecordedItems::of_repeats(arms)?
    } else {
        RecordedItems::of_scores(arms)?
    };
    let problem = match options.tolerance {
        Distance::Score(tolerance) => problem.within(tolerance),
        Distance::Sd(_) => problem,
    };
    let (count, items) = (scores.arms.len(), problem.items());
    let is_pool = posterior == posterior::POOL;
    if is_pool {
        scores.pool_posterior_of(items)?;
    } else {
        posterior::by_name(posterior, count)?;
    }
    let make = |arms: usize| -> Box<dyn Observe<f64>> {
        match scores.pool_posterior_of(items) {
            Ok(pool) if is_pool => Box::new(pool),
            _ => checked(posterior, arms),
        }
    };
    let bounds = options.bounds.or(scores.pool.and_then(|pool| pool.bounds));
    let options = &SimulationOptions {
        bounds: bounds.map(|(low, high)| {
            let [one, other] = [low, high].map(|bound| scores.direction.orient(bound));
            (one.min(other), one.max(other))
        }),
        items: Some(items),
        ..options.clone()
    };
    let rule = |level| options.rule(level, count);
    let design = problem.design();
    let options = &SimulationOptions {
        repeats,
        ..options.clone()
    };
    let mut report = run(&problem, design, (posterior, &make), &rule, options)?;
    report.in_setups(|setup| {
        setup.pairing = Some(scores.splits.name());
        setup.bounds = bounds;
    });
    let cells = items * count as u64;
    report.notes.push(if repeats {
        format!(
            "{items} items, in a random order in each run; answers vary, so that arms are asked items again and the best has the highest expected score: an answer is drawn from those that the file has of the arm to the item, {} of them on {cells} items of arms",
            scores.scores.iter().map(ArmScores::len).sum::<usize>()
        )
    } else {
        format!(
            "{items} items, in a random order in each run; no arm is asked one twice, and all answers are {cells}"
        )
    });
    Ok(report)
}

/// Runs on recorded confusion counts, over the documents in a random order.
///
/// # Errors
/// [`AnalysisError`] as of [`of_gaussian`], and if arms were not evaluated on the same documents.
pub fn of_counts(
    counts: &CountsOfArms,
    target: &Target,
    model: &CountsModel,
    min_documents: Option<u64>,
    options: &SimulationOptions,
) -> Result<SimulationReport, AnalysisError> {
    let f_beta = counts.f_beta;
    let problem = RecordedItems::of_counts(counts.named(), f_beta)?;
    // Every F-measure lies between them.
    let options = &SimulationOptions {
        bounds: Some((0.0, 1.0)),
        ..options.clone()
    };
    let (arms, documents, design) = (counts.arms.len(), problem.items(), problem.design());
    let name = match target {
        Target::Pooled => f_measure::NAME,
        Target::Mean(name) => {
            posterior::by_name(name, arms)?;
            name
        }
    };
    let make = |arms: usize| -> Box<dyn Observe<Counts>> {
        match target {
            Target::Pooled => {
                let of_documents = model.posterior(counts).documents(documents);
                Box::new(posterior::FOfItems::new(of_documents, documents, f_beta))
            }
            Target::Mean(name) => Box::new(posterior::OfScores {
                posterior: checked(name, arms),
                f_beta,
            }),
        }
    };
    let rule = |level| -> Result<Box<dyn StoppingRule<Counts>>, StoppingError> {
        let rule = OfScores {
            rule: options.rule(level, arms)?,
            f_beta,
        };
        Ok(match min_documents {
            Some(evaluations) => Box::new(AtLeast { evaluations, rule }),
            None => Box::new(rule),
        })
    };
    let mut report = run(&problem, design, (name, &make), &rule, options)?;
    let (believed, judged) = (counts.words(target), counts.words(&Target::Pooled));
    report.notes.push(format!(
        "{documents} documents, in a random order in each run; the best has the highest {judged}"
    ));
    match target {
        Target::Pooled => report.notes.extend(model.words()),
        Target::Mean(name) => report.notes.push(format!(
            "the posterior {name} is about another quantity: the {believed}"
        )),
    }
    if *target == Target::Pooled && counts.are_ones() {
        report.notes.push(
            "each item has one count: arms are compared item by item, as in a pool of right and wrong answers".to_owned(),
        );
    }
    report.notes.extend(counts.notes(target));
    let scores = counts.arms.ids().map(|arm| {
        let records = counts.records[arm.index()].iter();
        let scores = (0..).zip(records.map(|record| counts.score(record.counts)));
        (counts.arms.name(arm), scores.collect())
    });
    let scores: Vec<_> = scores.collect();
    report.notes.extend(options.doubt(&scores, design));
    report.in_setups(|setup| {
        setup.splits = "documents";
        setup.counts = Some(CountsSetup {
            documents,
            target: believed.clone(),
            best_by: judged.clone(),
            min_documents,
        });
    });
    Ok(report)
}

/// The posterior with a name that was checked.
fn checked(name: &str, arms: usize) -> Box<dyn Observe<f64>> {
    posterior::by_name(name, arms).expect("the posterior's name was checked")
}

fn on_scores(
    problem: &dyn Problem,
    design: Design,
    posterior: &str,
    options: &SimulationOptions,
) -> Result<SimulationReport, AnalysisError> {
    let arms = problem.arms().len();
    posterior::by_name(posterior, arms)?;
    let make = |arms| checked(posterior, arms);
    let rule = |level| options.rule(level, arms);
    run(problem, design, (posterior, &make), &rule, options)
}

/// Makes the stopping rule of a confidence.
type RuleOf<'a, O> = &'a (dyn Fn(f64) -> Result<Box<dyn StoppingRule<O>>, StoppingError> + Sync);

/// Runs the policy until each of the goals.
fn run<O: Copy + 'static>(
    problem: &dyn Problem<O>,
    design: Design,
    (name, posterior): (&str, MakePosterior<'_, O>),
    rule: RuleOf<'_, O>,
    options: &SimulationOptions,
) -> Result<SimulationReport, AnalysisError> {
    // Also with a budget, where no rule stops, its name must be one.
    rule(0.95)?;
    let arms = problem.arms().len();
    let mut simulation = Simulation::new(problem, options.runs)
        .seed(options.seed)
        .design(design)
        .repeats(options.repeats)
        .workers(options.workers as usize, options.durations);
    if let Some(cap) = options.cap {
        simulation = simulation.cap(cap);
    }
    let policy =
        |budget| policies::by_name(options.policy(name), &options.parameters(arms, budget));
    let checked = |budget| policy(budget).expect("the policy was checked");
    // Runs until each of these rules has stopped.
    let until = |rules: Vec<MakeRule<'_, O>>| -> Result<Vec<Summary>, AnalysisError> {
        policy(None)?;
        Ok(simulation.confidence(posterior, || checked(None), &rules)?)
    };
    let mut by_goal: Vec<(Goal, Summary)> = Vec::new();
    match &options.goals {
        Goals::Confidence(levels) => {
            let rules = levels.iter().map(|&level| {
                rule(level)?;
                let make = move || rule(level).expect("the rule was checked");
                Ok(Box::new(make) as MakeRule<'_, O>)
            });
            let rules = rules.collect::<Result<Vec<_>, AnalysisError>>()?;
            let goals = levels.iter().copied().map(Goal::Confidence);
            by_goal.extend(goals.zip(until(rules)?));
        }
        Goals::Shortfall(bounds) => {
            let rules = bounds.iter().map(|&bound| {
                let rule = Shortfall::new(bound).map_err(StoppingError::from)?;
                let make = move || Box::new(rule) as Box<dyn StoppingRule<O>>;
                Ok(Box::new(make) as MakeRule<'_, O>)
            });
            let rules = rules.collect::<Result<Vec<_>, AnalysisError>>()?;
            let goals = bounds.iter().copied().map(Goal::Shortfall);
            by_goal.extend(goals.zip(until(rules)?));
        }
        Goals::Budget(budgets) => {
            for &budget in budgets {
                policy(Some(budget))?;
                let make = || checked(Some(budget));
                let summary = simulation.budget(posterior, make, budget)?;
                by_goal.push((Goal::Budget(budget), summary));
            }
        }
    }
    let best = problem.arms().ids().filter(|&arm| problem.is_best(arm));
    let best: Vec<&str> = best.map(|arm| problem.arms().name(arm)).collect();
    let setup = SimulationSetup {
        policy: options.policy.clone(),
        posterior: name.to_owned(),
        stopping: options.stopping.clone(),
        tolerance: options.tolerance,
        tie: options.tie,
        strict: options.strict,
        bounds: None,
        rare_failures: options.rare_failures,
        splits: design.name(),
        runs: options.runs,
        seed: options.seed,
        best: best.join(", "),
        pairing: None,
        counts: None,
    };
    let of_goal = |(goal, summary): (Goal, Summary)| GoalResult {
        setup: setup.clone(),
        goal,
        evaluations: Evaluations {
            min: summary.min,
            mean: summary.mean,
            max: summary.max,
            standard_error: summary.standard_error,
        },
        cost: Cost {
            mean: summary.cost,
            standard_error: summary.cost_standard_error,
        },
        time: summary.time,
        correct: summary.correct,
        correct_standard_error: summary.correct_standard_error,
        wrong: summary.wrong,
        tied: summary.tied,
        capped: summary.capped,
        exhausted: summary.exhausted,
    };
    Ok(SimulationReport {
        results: by_goal.into_iter().map(of_goal).collect(),
        setup,
        notes: Vec::new(),
        policy: options.policy(name).to_owned(),
        cap: match options.goals {
            Goals::Confidence(_) | Goals::Shortfall(_) => simulation.gives_up_after(),
            Goals::Budget(_) => None,
        },
    })
}

impl SimulationReport {
    /// The policy's own name.
    pub(super) fn policy_name(&self) -> &str {
        &self.policy
    }

    /// Completes every description of what was simulated.
    fn in_setups(&mut self, complete: impl Fn(&mut SimulationSetup)) {
        complete(&mut self.setup);
        for result in &mut self.results {
            complete(&mut result.setup);
        }
    }

    /// A row for each goal, and beneath it what was simulated.
    pub fn text(&self) -> String {
        self.text_within(usize::MAX)
    }

    /// The same within a width: tables leave columns out, sentences are broken between words.
    pub fn text_within(&self, width: usize) -> String {
        let kind = self.results.first().map_or("", |result| result.goal.kind());
        let of_budget =
            matches!(self.results.first(), Some(result) if matches!(result.goal, Goal::Budget(_)));
        let mut columns = vec![
            (kind, Align::Right),
            ("evaluations", Align::Right),
            ("min–max", Align::Right),
            ("correct", Align::Right),
        ];
        if !of_budget {
            columns.extend([("wrong", Align::Right), ("tied", Align::Right)]);
        }
        let mut table = Table::new(columns).dispensable(&["min–max"]);
        let runs = self.setup.runs;
        let share = |count: u64| format!("{:.2} %", count as f64 / runs as f64 * 100.0);
        let mut lines = vec![format!(
            "{} runs of {} with posterior {}; the best is {}; ± is one standard error",
            self.setup.runs, self.policy, self.setup.posterior, self.setup.best
        )];
        for result in &self.results {
            let Evaluations {
                min,
                mean,
                max,
                standard_error,
            } = result.evaluations;
            let mut cells = vec![
                result.goal.value(),
                format!("{mean:.1} ± {standard_error:.1}"),
                format!("{min}–{max}"),
                format!(
                    "{:.2} ± {:.2} %",
                    result.correct * 100.0,
                    result.correct_standard_error * 100.0
                ),
            ];
            if !of_budget {
                cells.extend([share(result.wrong), share(result.tied)]);
            }
            table.row(cells, false);
            let of = format!("{kind} {}", result.goal.value());
            let (capped, exhausted) = (result.capped, result.exhausted);
            if capped > 0 {
                let cap = self.cap.unwrap_or_default();
                lines.push(format!(
                    "{of}: {capped} of {runs} runs were given up at the cap of {cap} evaluations (--cap) and count with the arm of the highest mean"
                ));
            }
            if exhausted > 0 {
                lines.push(format!(
                    "{of}: {exhausted} of {runs} runs queried every document without reaching it and count with the arm that they recommended"
                ));
            }
        }
        if self.results.iter().any(|result| result.tied > 0) {
            lines.push(
                "correct: runs that recommended the best arm; wrong: runs that named another as the best; tied: runs that ended as arms could not be told apart, and recommended one of them".to_owned(),
            );
        }
        lines.extend(self.notes.iter().cloned());
        let text = format!("{}\n{}", table.text_within(width), lines.join("\n"));
        wrapped(&text, width)
    }
}
