//! The runs of a simulation, whatever is observed in them.

use super::Arguments;
use crate::exit::Failure;
use fiesta::{
    core::{Design, StoppingRule},
    policies::{
        self, Parameters, PolicyError,
        simulate::{MakePosterior, MakeRule, Problem, Simulation, Summary},
        stopping::{self, StoppingError},
    },
};

/// What a result was run for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Goal {
    Confidence(f64),
    Budget(u64),
}

impl Goal {
    /// The goal with its kind.
    pub(super) fn words(self) -> String {
        match self {
            Self::Confidence(level) => format!("confidence {level}"),
            Self::Budget(budget) => format!("budget {budget}"),
        }
    }
}

/// What the runs came to.
pub(super) struct Results {
    /// After how many evaluations a run was given up that had not reached its confidence.
    pub(super) cap: Option<u64>,
    pub(super) by_goal: Vec<(Goal, Summary)>,
}

/// Makes the stopping rule of a confidence.
type RuleOf<'a, O> = &'a (dyn Fn(f64) -> Result<Box<dyn StoppingRule<O>>, StoppingError> + Sync);

/// What is simulated: a problem, what believes about it, and what stops on that.
pub(super) struct Setup<'a, O> {
    pub(super) problem: &'a dyn Problem<O>,
    pub(super) design: Design,
    pub(super) posterior: MakePosterior<'a, O>,
    pub(super) rule: RuleOf<'a, O>,
}

impl<O: Copy + 'static> Setup<'_, O> {
    /// Runs the policy until each of the goals.
    pub(super) fn results(&self, arguments: &Arguments) -> Result<Results, Failure> {
        let arms = self.problem.arms().len();
        // Also with a budget, where no rule stops, its name must be one.
        (self.rule)(0.95)?;
        let given = [
            ("beta", arguments.beta.is_some()),
            ("tie-break", arguments.tie_break.is_some()),
            ("extended", arguments.extended),
        ];
        for (name, given) in given {
            if given && !policies::parameters_of(arguments.policy()).contains(&name) {
                let policy = &arguments.policy;
                return Err(Failure::Usage(format!(
                    "the policy {policy} takes no --{name}"
                )));
            }
        }
        let workers = arguments.batch.unwrap_or(arguments.parallel);
        let mut simulation = Simulation::new(self.problem, arguments.runs)
            .seed(arguments.seed)
            .design(self.design)
            .workers(workers as usize, arguments.durations);
        if let Some(cap) = arguments.cap {
            simulation = simulation.cap(cap);
        }
        let parameters = |budget| Parameters {
            arms,
            budget,
            batch: workers,
            extended: arguments.extended,
            beta: arguments.beta,
            tie_break: arguments.tie_break,
        };
        if arguments.budget.is_empty() {
            let levels = if arguments.confidence.is_empty() {
                vec![0.95]
            } else {
                arguments.confidence.clone()
            };
            let rules = levels
                .iter()
                .map(|&level| {
                    (self.rule)(level)?;
                    let make = move || (self.rule)(level).expect("the rule was checked");
                    Ok(Box::new(make) as MakeRule<'_, O>)
                })
                .collect::<Result<Vec<_>, Failure>>()?;
            policies::by_name(arguments.policy(), &parameters(None)).map_err(
                |error| match error {
                    PolicyError::NoBudget(_) => Failure::Usage(format!("{error}: give --budget")),
                    other => other.into(),
                },
            )?;
            let make_policy = || {
                policies::by_name(arguments.policy(), &parameters(None))
                    .expect("the policy was checked")
            };
            let summaries = simulation.confidence(self.posterior, &make_policy, &rules)?;
            let goals = levels.into_iter().map(Goal::Confidence);
            return Ok(Results {
                cap: simulation.gives_up_after(),
                by_goal: goals.zip(summaries).collect(),
            });
        }
        let by_goal = arguments
            .budget
            .iter()
            .map(|&budget| {
                policies::by_name(arguments.policy(), &parameters(Some(budget)))?;
                let make_policy = || {
                    policies::by_name(arguments.policy(), &parameters(Some(budget)))
                        .expect("the policy was checked")
                };
                let summary = simulation.budget(self.posterior, &make_policy, budget)?;
                Ok((Goal::Budget(budget), summary))
            })
            .collect::<Result<_, Failure>>()?;
        Ok(Results { cap: None, by_goal })
    }
}

/// The rule on scores that the arguments say.
pub(super) fn rule(
    arguments: &Arguments,
    level: f64,
    arms: usize,
    design: Design,
) -> Result<Box<dyn StoppingRule>, StoppingError> {
    let parameters = stopping::Parameters {
        level,
        tolerance: arguments.tolerance,
        arms,
        design,
        on_failure: None,
    };
    stopping::by_name(&arguments.stopping, &parameters)
}

/// The names of the arms that a run should find.
pub(super) fn best<O>(problem: &dyn Problem<O>) -> String {
    let best = problem.arms().ids().filter(|&arm| problem.is_best(arm));
    let names: Vec<&str> = best.map(|arm| problem.arms().name(arm)).collect();
    names.join(", ")
}
