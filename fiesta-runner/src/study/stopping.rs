//! The stopping rule of a study.

use super::{
    Study, StudyError, Terms,
    error::Source,
    file::{DesignTable, ItemsEntry, StudyFile},
    goal::{DEFAULT_LEVEL, POSTERIOR, check_together},
    measure::Measure,
    own::{Method, built_in},
};
use fiesta_core::{Assumption, Design, Observation, StoppingRule};
use fiesta_policies::{
    gate::fewest_items,
    stopping::{
        AtLeast, OfScores, Shortfall, StoppingError, StoppingParameters, assumption, by_name,
        is_gate,
    },
};
use fiesta_records::words::fewest_in_words;

/// The stopping rule of a gate on scores within bounds, and of one on splits without them.
const GATE: &str = "gate";
const GAUSSIAN_GATE: &str = "gate-gaussian";

/// Returns the name of the stopping rule of a study file, after checks, even if the study ends by
/// its budget alone.
pub(super) fn stopping(
    source: &Source<'_>,
    file: &StudyFile,
    terms: &Terms,
    measure: &Measure,
) -> Result<String, StudyError> {
    let default = match (&terms.gate, measure.oriented_bounds()) {
        (None, _) => POSTERIOR,
        (Some(_), Some(_)) => GATE,
        (Some(_), None) => GAUSSIAN_GATE,
    };
    let name = file.design.stopping.as_ref().map_or(default, Method::name);
    check_together(source, &file.goal, terms, name)?;
    if let Some(Err(error)) = terms.shortfall.map(Shortfall::new) {
        return Err(source.wrong(&["goal", "shortfall"], error));
    }
    // Its program makes one of its own.
    let checked = match &file.design.stopping {
        Some(method) => built_in(Some(method)).unwrap_or(POSTERIOR),
        None => default,
    };
    by_name(checked, &parameters(terms, measure, None)).map_err(|error| match error {
        StoppingError::Parameter(_) if terms.cheapest_within.is_some() => source.wrong(
            &["goal", "cheapest_within"],
            "give how far below the best the cheapest arm may be, 0 or more, in the unit of the metric",
        ),
        StoppingError::Parameter(_) => source.wrong(&["goal", "tolerance"], error),
        StoppingError::Rate(_) | StoppingError::ForeignRate(_) => {
            source.wrong(&["goal", "rare_failures"], error)
        }
        StoppingError::Gate(_) if file.goal.margin.is_none() => {
            source.wrong(&["goal", "better_by"], error)
        }
        StoppingError::Gate(_) => source.wrong(&["goal", "margin"], error),
        _ => source.wrong(&["design", "stopping"], error),
    })?;
    Ok(name.to_owned())
}

/// Checks that strata and repeats of items go with the posterior and the stopping rule.
pub(super) fn check_items(
    source: &Source<'_>,
    design: &DesignTable,
    posterior: &str,
    stopping: &str,
) -> Result<(), StudyError> {
    check_strata(source, design, stopping)?;
    check_repeats(source, design, posterior, stopping)
}

/// What a gate does not go together with is refused: an order that depends on scores, answers to a
/// pool without bounds, and splits that are used again, whose differences are no independent draws.
pub(super) fn check_gate_of(
    source: &Source<'_>,
    design: &DesignTable,
    kind: Design,
    stopping: &str,
) -> Result<(), StudyError> {
    if !is_gate(stopping) {
        return Ok(());
    }
    let wrong = |key: &str, message: &str| Err(source.wrong(&["design", key], message));
    if design
        .policy
        .as_ref()
        .is_some_and(|own| !["auto", "turns"].contains(&own.name()))
    {
        return wrong(
            "policy",
            "a gate asks every item or split in its turn, as its error rate supposes an order that no score decides: leave policy out",
        );
    }
    if matches!(kind, Design::Independent | Design::Fixed) {
        return wrong(
            "splits",
            "a gate compares arms on the same splits: leave splits out, or write \"shared\"",
        );
    }
    if design.pool().is_some() && stopping == GAUSSIAN_GATE {
        return wrong(
            "stopping",
            "a gate on items counts answers between bounds: give [metric] its bounds, and leave stopping out",
        );
    }
    if design.repeats() && design.pool().is_none() {
        return wrong(
            "repeats",
            "a gate takes every split once, as splits that are used again are no new draws: leave repeats out",
        );
    }
    Ok(())
}

/// Checks that a study with an anytime-valid rule has no strata. The rule supposes that every order
/// of the items is equally likely, and an order that is balanced over groups is not.
fn check_strata(
    source: &Source<'_>,
    design: &DesignTable,
    stopping: &str,
) -> Result<(), StudyError> {
    if assumption(stopping).is_none() {
        return Ok(());
    }
    if let Some(ItemsEntry::Benchmarks) = design.items {
        let message = format!(
            "the stopping rule {stopping} is about a mean over one pool, and this study has several benchmarks: leave stopping out, or take the rule {POSTERIOR}"
        );
        return Err(source.wrong(&["design", "stopping"], message));
    }
    if design.strata.is_none() {
        return Ok(());
    }
    let message = format!(
        "the stopping rule {stopping} is valid where every order of the items is equally likely, and strata balance the order: leave strata out, or take the rule {POSTERIOR}"
    );
    Err(source.wrong(&["design", "strata"], message))
}

/// Checks that a study whose answers vary has neither a posterior that takes repeated answers for
/// those to other items, nor an anytime-valid rule. Such a rule bets on what the remaining answers
/// can still be, and with answers that vary that is not their expected score.
fn check_repeats(
    source: &Source<'_>,
    design: &DesignTable,
    posterior: &str,
    stopping: &str,
) -> Result<(), StudyError> {
    if !design.repeats() || design.pool().is_none() {
        return Ok(());
    }
    let message = if posterior != fiesta_posterior::POOL {
        format!(
            "repeats need the posterior {}, of scores between bounds, and this study has {posterior}: name the items as `items`, give [metric] its bounds and leave f_beta and posterior out, or leave repeats out",
            fiesta_posterior::POOL
        )
    } else if assumption(stopping).is_some() {
        format!(
            "the stopping rule {stopping} is valid where an item has one answer, and repeats say that answers vary: leave repeats out, or take the rule {POSTERIOR}"
        )
    } else {
        return Ok(());
    };
    Err(source.wrong(&["design", "repeats"], message))
}

fn parameters(terms: &Terms, measure: &Measure, items: Option<u64>) -> StoppingParameters {
    let bounds = measure.oriented_bounds();
    let level = terms.level.unwrap_or(DEFAULT_LEVEL);
    StoppingParameters {
        tolerance: terms.tolerance,
        tie: terms.tie,
        strict: terms.strict,
        // A failure is the worst that can be, if there is a bound.
        on_failure: bounds.map(|(worst, _)| worst),
        bounds,
        rare_failures: terms.rare_failures,
        items,
        cheapest_within: terms.cheapest_within,
        gate: terms.gate,
        ..StoppingParameters::new(level, terms.arms)
    }
}

/// Checks that a study with an anytime-valid rule has a posterior of means.
pub(super) fn check_anytime(
    source: &Source<'_>,
    stopping: &str,
    measure: &Measure,
    posterior: &str,
    is_of_means: bool,
) -> Result<(), StudyError> {
    if assumption(stopping).is_some() && measure.counts.is_some() && !is_of_means {
        let message = format!(
            "the stopping rule {stopping} tests means of scores, and the posterior {posterior} is of the F-measure of all documents together: choose another posterior, such as paired, for the mean of the documents' F-measures"
        );
        return Err(source.wrong(&["design", "stopping"], message));
    }
    Ok(())
}

impl Study {
    /// Returns the note that failures before the study count as the worst bound, which the stopping
    /// rule does not expect of scores. `None` for other rules, or without bounds.
    pub fn note_of_failures(&self) -> Option<String> {
        let supposes = assumption(self.stopping()) == Some(Assumption::Gaussian);
        let (low, high) = self
            .metric()
            .bounds()
            .filter(|_| supposes && !self.is_gate())?;
        let direction = self.metric().direction();
        let worst = if direction.orient(low) < direction.orient(high) {
            low
        } else {
            high
        };
        Some(format!(
            "note: an evaluation that fails counts as {worst}, the worst bound of the metric, and the rate of errors that anytime promises is proven for Gaussian scores only: if jobs may fail, stopping = \"anytime-bounded\" promises it whatever the scores"
        ))
    }

    /// Returns the fewest items after which a gate can ship an arm that answers as the baseline does. `None`
    /// if it can ship none, or the study is no gate on items.
    pub fn fewest_items(&self) -> Option<u64> {
        let ((low, high), items) = (self.metric().bounds()?, self.items()?.len() as u64);
        let margin = -self.terms.gate?.threshold / (high - low);
        fewest_items(items, margin, 1.0 - self.terms.level?)
    }

    /// Returns a sentence on the [fewest items](Self::fewest_items) after which a gate can ship an arm.
    pub fn note_of_fewest_items(&self) -> Option<String> {
        let baseline = self.arms().name(self.terms.gate?.baseline);
        let noun = self.items()?.key().noun();
        Some(fewest_in_words(self.fewest_items()?, noun, baseline))
    }

    /// Makes the stopping rule for these terms, applied to scores or to the F-measure of counts.
    pub(super) fn stopping_rule(&self, terms: &Terms) -> Box<dyn StoppingRule<Observation>> {
        let items = self.items.as_ref().map(|items| items.len() as u64);
        let constraints = self.constraints.iter().map(|own| own.constraint);
        let parameters = StoppingParameters {
            constraints: constraints.collect(),
            ..parameters(terms, &self.measure, items)
        };
        let name = self.file.design.stopping.as_ref();
        let name = name.map_or(POSTERIOR, Method::name);
        // No checked study has a level or a distance that is refused: somebody has edited the
        // ledger, and the decisions will differ.
        let sure = terms.level.and(by_name(name, &parameters).ok());
        let shortfall = terms.shortfall.and_then(|bound| Shortfall::new(bound).ok());
        let shortfall = shortfall.map(|rule| Box::new(rule) as Box<dyn StoppingRule>);
        // The first that stops ends the study; without any, its limits do.
        let rule: Vec<_> = sure.into_iter().chain(shortfall).collect();
        let f_beta = self.measure.counts.unwrap_or_default();
        let rule = OfScores { rule, f_beta };
        match terms.min_documents {
            Some(evaluations) => Box::new(AtLeast { evaluations, rule }),
            None => Box::new(rule),
        }
    }
}
