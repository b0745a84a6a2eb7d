//! The selector of a checked study.

use super::{Items, Study, Terms, goal::CHEAPEST, own::Part, search};
use fiesta_core::{
    Arms, FailureLimits, Next, Observation, Observe, Outcome, Policy, Selector, SelectorError,
    StoppingRule, View,
};
use fiesta_policies::{Cheapest, Opening, Parameters, policy_by_name, random_search::EqualTrials};
use rand::Rng;

/// A policy, a posterior and a stopping rule that a program provides. `None` leaves the study's
/// own.
#[derive(Default)]
pub struct OwnParts {
    /// The choice of the arm to evaluate next.
    pub policy: Option<Box<dyn Policy>>,
    /// The posterior, which is the distribution of the arms' means.
    pub posterior: Option<Box<dyn Observe<Observation>>>,
    /// The stopping rule, which decides when to stop.
    pub stopping: Option<Box<dyn StoppingRule<Observation>>>,
}

/// Stand-in for a policy that only another program has. It chooses nothing.
struct Elsewhere;

impl Policy for Elsewhere {
    fn next(&mut self, _: &View<'_>, _: &mut dyn Rng) -> Next {
        Next::Wait
    }
}

impl Study {
    /// Makes a selector for this study at its beginning, with the [program's own
    /// parts](Self::with_parts).
    ///
    /// # Errors
    /// [`SelectorError`] never for a checked study.
    ///
    /// # Panics
    /// Never for a checked study.
    pub fn selector(&self) -> Result<Selector<Observation>, SelectorError> {
        self.selector_under(&self.terms)
    }

    /// Makes a selector for this study with the program's own parts, which the study file does not
    /// name, for a loop without a ledger.
    ///
    /// # Errors
    /// [`SelectorError`] if the posterior is of another number of arms.
    ///
    /// # Panics
    /// Never for a checked study.
    ///
    /// # Example
    /// ```
    /// use fiesta_core::{Next, Policy, View};
    /// use fiesta_runner::{Study, study::OwnParts};
    ///
    /// /// Evaluates the arm that was evaluated least.
    /// struct Even;
    /// impl Policy for Even {
    ///     fn next(&mut self, view: &View<'_>, _: &mut dyn rand::Rng) -> Next {
    ///         let attempts = |arm| view.attempts(arm) + view.pending(arm);
    ///         let least = view.candidates().iter().copied().min_by_key(|&arm| attempts(arm));
    ///         least.map_or(Next::Wait, Next::Evaluate)
    ///     }
    /// }
    /// # let text = "name = \"x\"\nmetric.name = \"f1\"\nexecutor.kind = \"functions\"\narm = [{ name = \"a\" }, { name = \"b\" }]";
    /// let study = Study::in_memory(text, ".".as_ref())?;
    /// let own = OwnParts { policy: Some(Box::new(Even)), ..OwnParts::default() };
    /// let mut selector = study.selector_with(own)?;
    /// # let _ = selector.ask()?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn selector_with(&self, own: OwnParts) -> Result<Selector<Observation>, SelectorError> {
        self.selector_of(&self.terms, own)
    }

    /// Returns an outcome with its score negated if smaller is better, as selectors expect it.
    pub fn oriented(&self, outcome: Outcome<Observation>) -> Outcome<Observation> {
        match outcome {
            Outcome::Observed(Observation::Score(score)) => {
                let oriented = self.metric().direction().orient(score);
                Outcome::Observed(Observation::Score(oriented))
            }
            // More is better of every F-measure.
            other => other,
        }
    }

    /// Makes a selector for this study under other terms, at its beginning.
    pub(crate) fn selector_under(
        &self,
        terms: &Terms,
    ) -> Result<Selector<Observation>, SelectorError> {
        self.selector_of(terms, OwnParts::default())
    }

    fn selector_of(
        &self,
        terms: &Terms,
        own: OwnParts,
    ) -> Result<Selector<Observation>, SelectorError> {
        let count = terms.arms.clamp(1, self.arms.len());
        let names = self.arms.names().iter().take(count);
        let arms = Arms::even_one(names).expect("they are arms of a checked study");
        let made = self.parts(arms.len());
        let posterior = own.posterior.or(made.posterior).unwrap_or_else(|| {
            self.posterior
                .build(self.posterior(), arms.len(), terms.top)
        });
        let stopping = own.stopping.or(made.stopping).unwrap_or_else(|| {
            self.stopping_rule(&Terms {
                arms: arms.len(),
                ..terms.clone()
            })
        });
        let policy = own.policy.or(made.policy).unwrap_or_else(|| {
            if let Some(trials) = terms.trials {
                return Box::new(EqualTrials::new(trials));
            }
            if let Some(policy) = self.command_policy() {
                return Box::new(policy);
            }
            if self.part_elsewhere(Part::Policy).is_some() {
                return Box::new(Elsewhere);
            }
            if let Some(within) = terms.cheapest_within.filter(|_| self.policy() == CHEAPEST) {
                return Box::new(Cheapest::within(within));
            }
            let parameters = Parameters {
                arms: arms.len(),
                baseline: terms.gate.map(|gate| gate.baseline),
                ..self.parameters.clone()
            };
            policy_by_name(self.policy(), &parameters).expect("the policy was checked")
        });
        let policy = match self.search_winner() {
            Some(winner) => Box::new(Opening::new(policy, winner.arm, winner.first)),
            None => policy,
        };
        let failure_limits = match terms.trials {
            Some(_) => search::FAILURE_LIMITS,
            None => FailureLimits::default(),
        };
        let builder = Selector::builder(arms, posterior, policy, stopping);
        let groups = self.items.as_ref().map(Items::group_numbers);
        let builder = if self.file.benchmark.is_empty() {
            builder.groups(groups.unwrap_or_default())
        } else {
            builder.benchmarks(groups.unwrap_or_default())
        };
        builder
            .design(self.design)
            .splits(terms.splits)
            .repeats(self.repeats())
            .keeps_order(terms.gate.is_some())
            .failure_limits(failure_limits)
            .limits(terms.limits)
            .negligible(terms.negligible(count))
            .top(terms.top)
            .expected_costs(self.arms.ids().map(|arm| self.cost(arm)))
            .seed(self.seed())
            .build()
    }
}
