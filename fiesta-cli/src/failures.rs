//! Failures of a study as text for people.

use fiesta::runner::{
    History, Study,
    status::{FailureGroup, failures},
};

/// Largest number of causes of failures that are shown to people.
const MOST_SHOWN: usize = 5;

/// Returns each cause of failures once, with its number of occurrences; empty without failures.
pub(super) fn text(study: &Study, history: &History) -> String {
    let all = failures(study, history);
    let one = |group: &FailureGroup| {
        let (number, arm) = (group.evaluation, &group.arm);
        let on = format!("evaluation {number}, {arm} on {}", group.description);
        let what = match group.count {
            1 => format!("failed: {on}"),
            count => format!(
                "failed alike, {count} evaluations of {}: first {on}",
                group.arms.join(", ")
            ),
        };
        let (message, log) = (&group.message, group.log.display());
        format!("{what}: {message}\nits output is in: {log}")
    };
    let more = all.len().saturating_sub(MOST_SHOWN);
    let more = (more > 0).then(|| format!("… and for {more} more causes"));
    let shown = all.iter().take(MOST_SHOWN).map(one);
    shown.chain(more).collect::<Vec<_>>().join("\n")
}
