//! Results on the page that follows a study: the answer so far, the belief over the evaluations,
//! the table of the arms. The figures, numbers and words are those of the report.

use super::{
    best_of_n::CONFIDENCE,
    pool::Groups,
    report::{NOT_OVER, of_lost, verdict_now},
    shares::{self, highlighted},
    study::{StudyFacts, StudyFindings},
};
use crate::{
    Table, cost_with_unit, counted_share,
    html::{Answer, Drawing, Highlight, Share, live::Overview},
    percent,
    words::{level, listed, span},
};
use fiesta_posterior::POOL;

/// The headers of the column of evaluations, by what a study is of.
const EVALUATIONS: [&str; 4] = ["evaluations", "documents", "answers", "trials"];

/// Facts of a study that only whoever follows the study knows.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Course {
    /// Evaluations that have not ended, by arm.
    pub pending: Vec<u64>,
    /// Greatest number of evaluations that the study can make; none if nothing limits them.
    pub most_evaluations: Option<u64>,
    /// How long the study has run, over all sessions, in seconds.
    pub seconds: f64,
}

/// The results of a study at one moment, for a page.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct LiveResults {
    /// Answer of the study so far: which arm, how sure, at what cost.
    pub answer: Answer,
    /// P(best) over the evaluations; none before there are two points.
    pub belief: Option<Drawing>,
    /// Table of the arms: P(best), evaluations and their share, what runs or waits, scores, costs.
    pub arms: Table,
    /// The results by groups of items, where the study has some.
    pub groups: Option<Table>,
    /// Notices beside all this, a sentence or a paragraph each.
    pub notices: Vec<String>,
    /// Overview of the study: one row of a table of studies.
    pub overview: Overview,
}

impl LiveResults {
    /// Collects the results of a study, with its [belief path](super::study::BeliefPath).
    pub fn new(facts: &StudyFacts, course: &Course) -> Self {
        let findings = StudyFindings::new(facts);
        let (belief, problem) = match belief(&findings) {
            Some(Ok(drawing)) => (Some(drawing), None),
            Some(Err(problem)) => (None, Some(problem)),
            None => (None, None),
        };
        let mut notices: Vec<String> = findings.notice().into_iter().collect();
        notices.extend(
            findings
                .best_of_n(CONFIDENCE)
                .map(|report| report.text().trim().to_owned()),
        );
        notices.extend(facts.notes.iter().cloned());
        notices.extend(facts.variation());
        notices.extend(problem);
        Self {
            answer: answer(&findings, course),
            belief,
            arms: arms(&findings, course),
            groups: groups(&findings),
            notices,
            overview: overview(&findings),
        }
    }
}

fn answer(findings: &StudyFindings<'_>, course: &Course) -> Answer {
    let facts = findings.facts();
    let (named, verdict) = verdict_now(findings);
    let caveats = match &facts.conclusion {
        Some(_) => findings.meaning().into_iter().collect(),
        None if facts.is_known() => vec![NOT_OVER.to_owned()],
        None => Vec::new(),
    };
    Answer {
        arm: named.map(|arm| facts.arms[arm].name.clone()),
        verdict,
        highlights: highlights(findings, course),
        belief: shares(findings),
        belief_of: (facts.posterior == POOL).then_some(facts.items_target),
        sentence: findings.sentence().unwrap_or_default(),
        method: findings.method().unwrap_or_default(),
        caveats,
    }
}

fn highlights(findings: &StudyFindings<'_>, course: &Course) -> Vec<Highlight> {
    let facts = findings.facts();
    let mut highlights = Vec::new();
    if let Some(confidence) = facts.confidence.filter(|_| facts.search.is_none()) {
        let rule = format!("stopping rule {}", facts.stopping);
        let confidence = level(confidence);
        highlights.push(Highlight::new("Confidence asked for", confidence, rule));
    }
    let mut note = Vec::new();
    match course.most_evaluations {
        Some(most) => note.push(format!("of at most {most}")),
        None => note.push(format!("of {} arms", facts.arms.len())),
    }
    let pending: u64 = course.pending.iter().sum();
    let failed = facts.arms.iter().map(|arm| arm.failed).sum();
    let numbers = [
        (pending, "pending"),
        (failed, "failed"),
        (facts.recorded, "made before"),
    ];
    let numbers = numbers.iter().filter(|(count, _)| *count > 0);
    note.extend(numbers.map(|(count, what)| format!("{count} {what}")));
    let ended = facts.ended.to_string();
    highlights.push(Highlight::new("Evaluations", ended, note.join(", ")));
    let lost: u64 = facts
        .evaluations
        .iter()
        .map(|evaluation| evaluation.lost.attempts)
        .sum();
    let lost = of_lost(lost).unwrap_or_default();
    highlights.push(Highlight::new("Cost", total_cost(facts), lost));
    let time = span(course.seconds);
    highlights.push(Highlight::new("Running time", time, "of all sessions"));
    highlights
}

fn total_cost(facts: &StudyFacts) -> String {
    let total = facts.arms.iter().map(|arm| arm.cost).sum();
    cost_with_unit(total, facts.cost_unit.as_ref())
}

/// P(best) of the arms from the most probable on, each with its colour in the figure.
fn shares(findings: &StudyFindings<'_>) -> Vec<Share> {
    let facts = findings.facts();
    let belief = facts.belief.as_ref().filter(|_| facts.search.is_none());
    let shares = belief.map(|belief| shares::shares(findings.arms(), &belief.probability));
    shares.unwrap_or_default()
}

/// Returns the figure of P(best) over the evaluations, or why it could not be drawn; none before there are two points.
fn belief(findings: &StudyFindings<'_>) -> Option<Result<Drawing, String>> {
    let figure = shares::history(findings, &highlighted(findings.arms()))?;
    Some(Drawing::new(&figure).map_err(|error| format!("The figure is not there: {error}.")))
}

fn arms(findings: &StudyFindings<'_>, course: &Course) -> Table {
    let facts = findings.facts();
    let mut table = findings.table();
    let place_of = |cells: &[String]| {
        let name = cells.first()?;
        facts.arms.iter().position(|arm| arm.name == *name)
    };
    let rows = findings.arms().arms.iter();
    let ended: Vec<u64> = rows.map(|row| row.scores.count() + row.failed).collect();
    let all = ended.iter().sum::<u64>().max(1) as f64;
    let after = EVALUATIONS.iter().find_map(|header| table.column(header));
    let mut next = after.map_or(1, |place| place + 1);
    table.insert_column(next, "share of evaluations", |cells| {
        let place = place_of(cells);
        place.map_or_else(String::new, |arm| counted_share(ended[arm] as f64 / all))
    });
    if course.pending.iter().any(|&pending| pending > 0) {
        next += 1;
        table.insert_column(next, "pending", |cells| {
            let pending = place_of(cells).and_then(|arm| course.pending.get(arm));
            pending.map_or_else(String::new, u64::to_string)
        });
    }
    if let Some(place) = table.column(&findings.arms().probability_title()) {
        table.move_column(place, 1);
    }
    table
}

fn groups(findings: &StudyFindings<'_>) -> Option<Table> {
    let groups = Groups::new(&findings.facts().pool_answers()?)?;
    Some(groups.table(&shares::ranked_names(findings.arms())))
}

fn overview(findings: &StudyFindings<'_>) -> Overview {
    let facts = findings.facts();
    let tied = findings.tied();
    let top = facts.top();
    let leader = match (findings.recommended(), tied) {
        _ if top.is_some() => top.iter().map(|top| listed(&top.arms, top.count)).collect(),
        (_, [_, _, ..]) => format!("{} arms tied", tied.len()),
        (Some(arm), _) => facts.arms[arm.index()].name.clone(),
        (None, _) => String::new(),
    };
    let p = findings
        .recommended()
        .filter(|_| tied.is_empty() && facts.search.is_none());
    Overview {
        leader,
        probability: match top {
            Some(top) => percent(top.probability),
            None => p
                .and_then(|arm| findings.probability_of(arm))
                .unwrap_or_default(),
        },
        evaluations: facts.ended.to_string(),
        cost: total_cost(facts),
    }
}
