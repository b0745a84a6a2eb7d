//! Policies with a fixed budget: the mean number of evaluations that another rule needed.

use super::{Arguments, OfArm, Row};
use crate::{Failure, makers, output::Estimate};
use fiesta_core::Observe;
use fiesta_policies::{
    Parameters,
    simulate::{RecordedItems, Simulation},
};
use fiesta_posterior::{GaussianArms, Pool};

/// Returns a row for each policy of `--beside`, and one for answers of all arms to all items. The
/// budget of each policy is the mean number of evaluations of `row`. Without a policy there are no rows.
///
/// Arms are recommended by the plain means of their answers. Sequential halving is the extended
/// one, which spends the whole budget.
pub(super) fn rows(
    arguments: &Arguments,
    row: &Row,
    sets: &[&[OfArm]],
    runs: u64,
) -> Result<Vec<Row>, Failure> {
    if arguments.beside.is_empty() {
        return Ok(Vec::new());
    }
    let budget = fiesta_core::whole_u64(row.evaluations.mean.round());
    let beside = |policy: &str, evaluations: Estimate, wrong: f64| Row {
        policy: policy.to_owned(),
        share: evaluations.mean / row.cells as f64,
        evaluations,
        wrong: Estimate::share(wrong, row.runs),
        tied: 0.0,
        ..row.clone()
    };
    let mut rows = Vec::new();
    for name in &arguments.beside {
        let (mut means, mut wrong) = (Vec::new(), 0.0);
        for (number, set) in (0..).zip(sets) {
            let problem =
                RecordedItems::of_scores(set.iter().cloned())?.within(arguments.tolerance);
            let (arms, items) = (set.len(), problem.items());
            let parameters = Parameters {
                budget: Some(budget),
                extended: true,
                batch: 1,
                ..Parameters::of(arms)
            };
            let policy = makers::policy(name, parameters)?;
            let needs_posterior = policy().needs_posterior();
            let posterior = |arms| -> Box<dyn Observe<f64>> {
                if needs_posterior {
                    Box::new(Pool::new(arms, items))
                } else {
                    Box::new(GaussianArms::pooled(arms))
                }
            };
            let summary = Simulation::new(&problem, runs)
                .design(problem.design())
                .seed(arguments.seed + number)
                .budget(posterior, policy, budget)?;
            means.push(summary.mean);
            wrong += (1.0 - summary.correct) * summary.runs as f64;
        }
        let evaluations: Estimate = means.into_iter().collect();
        rows.push(beside(name, evaluations, wrong / row.runs as f64));
    }
    rows.push(beside(
        "all answers",
        Estimate::exact(row.cells as f64),
        0.0,
    ));
    Ok(rows)
}
