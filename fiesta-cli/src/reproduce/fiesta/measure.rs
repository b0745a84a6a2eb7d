//! The figures, measured.

use super::{
    Arguments, Experiment, Failure, Name, Row,
    published::{self, CONFIDENCES, Confidence, FIXED_BUDGET, SHARES, SYNTHETIC},
    trace,
};
use fiesta::{
    core::{Design, Observe, Policy, StoppingRule},
    policies::{
        self, Parameters, TopTwo,
        simulate::{Durations, Gaussian, MakeRule, Problem, Simulation, Summary},
        stopping::PosteriorThreshold,
    },
    posterior::GaussianArms,
};

/// The paper's posterior, flat in mean and standard deviation.
fn posterior(arms: usize) -> Box<dyn Observe<f64>> {
    Box::new(GaussianArms::uniform(arms))
}

/// The paper's experiments draw every score anew, and end when they are sure; the cap is so high that hardly a run meets it.
fn simulation<'a>(arguments: &Arguments, problem: &'a dyn Problem) -> Simulation<'a> {
    Simulation::new(problem, arguments.runs)
        .seed(arguments.seed)
        .design(Design::Independent)
        .cap(1000 * problem.arms().len() as u64)
}

fn rules(levels: &[f64]) -> Result<Vec<MakeRule<'static>>, Failure> {
    let rule = |&level: &f64| {
        let rule = PosteriorThreshold::new(level)?;
        Ok(Box::new(move || Box::new(rule) as Box<dyn StoppingRule>) as MakeRule<'static>)
    };
    levels.iter().map(rule).collect()
}

fn counted(
    method: &'static str,
    goal: f64,
    paper: f64,
    independent: Option<f64>,
    summary: &Summary,
) -> Row {
    Row {
        method,
        goal,
        published: Some(paper),
        independent,
        measured: summary.mean,
        standard_error: summary.standard_error,
        counted: Some((summary.correct, summary.min, summary.max)),
    }
}

/// Evaluations until each of the confidences. One run serves them all, since no policy knows the stopping rule.
pub(super) fn confidence(
    arguments: &Arguments,
    problem: &dyn Problem,
    methods: &[Confidence],
) -> Result<Vec<Row>, Failure> {
    let arms = problem.arms().len();
    let rules = rules(&CONFIDENCES)?;
    let mut rows = Vec::new();
    for method in methods {
        let parameters = Parameters {
            arms,
            batch: method.batch,
            ..Parameters::default()
        };
        policies::by_name(method.policy, &parameters)?;
        let policy =
            || policies::by_name(method.policy, &parameters).expect("the policy was checked");
        let workers = method.batch as usize;
        let simulation = simulation(arguments, problem).workers(workers, Durations::Constant);
        let summaries = simulation.confidence(&posterior, &policy, &rules)?;
        let figures = method.paper.into_iter().zip(method.independent);
        for ((level, (paper, independent)), summary) in
            CONFIDENCES.into_iter().zip(figures).zip(&summaries)
        {
            rows.push(counted(
                method.method,
                level,
                paper,
                Some(independent),
                summary,
            ));
        }
    }
    Ok(rows)
}

/// How often each policy finds the best model within each of the budgets.
pub(super) fn budgets(arguments: &Arguments, problem: &dyn Problem) -> Result<Vec<Row>, Failure> {
    let arms = problem.arms().len();
    let simulation = simulation(arguments, problem);
    let mut rows = Vec::new();
    for (method, name) in FIXED_BUDGET {
        for budget in published::budgets() {
            let parameters = Parameters {
                arms,
                budget: Some(budget),
                batch: 1,
                ..Parameters::default()
            };
            policies::by_name(name, &parameters)?;
            let policy = || policies::by_name(name, &parameters).expect("the policy was checked");
            let summary = simulation.budget(&posterior, &policy, budget)?;
            let printed = SHARES
                .iter()
                .find(|share| (share.0, share.1) == (name, budget));
            rows.push(Row {
                method,
                goal: budget as f64,
                published: printed.map(|share| share.2),
                independent: printed.map(|share| share.3),
                measured: summary.correct,
                standard_error: summary.correct_standard_error,
                counted: None,
            });
        }
    }
    Ok(rows)
}

/// The synthetic models: one run in steps, as the figure shows it, and how long such runs are.
pub(super) fn synthetic(arguments: &Arguments) -> Result<Experiment, Failure> {
    let (means, sd, level, evaluations) = SYNTHETIC;
    let problem = Gaussian::new(means.map(|mean| (mean, sd)))?;
    let policy = || -> Box<dyn Policy> { Box::new(TopTwo::thompson()) };
    let summaries =
        simulation(arguments, &problem).confidence(&posterior, &policy, &rules(&[level])?)?;
    let rows = summaries
        .iter()
        .map(|summary| counted("TTTS", level, evaluations, None, summary))
        .collect();
    let rule = PosteriorThreshold::new(level)?;
    let trace = trace::trace(
        &problem,
        posterior(means.len()),
        policy(),
        rule,
        arguments.seed,
    )?;
    Ok(Experiment {
        name: Name::Synthetic,
        rows,
        trace,
    })
}
