//! The selector of a checked study.

use super::{Items, Study, Terms, search};
use fiesta_core::{Arms, FailureLimits, Observation, Policy, Selector, SelectorError};
use fiesta_policies::{Parameters, by_name, random_search::Trials};

impl Study {
    /// A selector for this study, at its beginning.
    ///
    /// # Errors
    /// [`SelectorError`] never for a checked study.
    ///
    /// # Panics
    /// Never for a checked study.
    pub fn selector(&self) -> Result<Selector<Observation>, SelectorError> {
        self.selector_under(&self.terms())
    }

    /// Among how many arms it is chosen, on how many splits, how sure the study is to become, and
    /// what it may spend.
    pub(crate) fn terms(&self) -> Terms {
        self.terms.clone()
    }

    /// A selector for this study as it was under other terms, at its beginning.
    pub(crate) fn selector_under(
        &self,
        terms: &Terms,
    ) -> Result<Selector<Observation>, SelectorError> {
        let count = terms.arms.clamp(1, self.arms.len());
        let names = self.arms.names().iter().take(count);
        let arms = Arms::even_one(names).expect("they are arms of a checked study");
        let posterior = self.posterior.build(self.posterior(), arms.len());
        let stopping = self.stopping_rule(&Terms {
            arms: arms.len(),
            ..terms.clone()
        });
        let (policy, failure_limits): (Box<dyn Policy>, _) = if let Some(trials) = terms.trials {
            (Box::new(Trials::new(trials)), search::FAILURE_LIMITS)
        } else {
            let parameters = Parameters {
                arms: arms.len(),
                ..self.parameters.clone()
            };
            let policy = by_name(self.policy(), &parameters);
            (
                policy.expect("the policy was checked"),
                FailureLimits::default(),
            )
        };
        Selector::builder(arms, posterior, policy, stopping)
            .design(self.design)
            .splits(terms.splits)
            .groups(
                self.items
                    .as_ref()
                    .map(Items::group_numbers)
                    .unwrap_or_default(),
            )
            .repeats(self.repeats())
            .failure_limits(failure_limits)
            .limits(terms.limits)
            .expected_costs(self.arms.ids().map(|arm| self.cost(arm)))
            .seed(self.seed())
            .build()
    }
}
