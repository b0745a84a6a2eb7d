//! The price of an evaluation: a sum for each, or a sum for each million tokens of a kind.

use super::{StudyError, error::Source, file::ArmTable};
use crate::run::result::kind_of_tokens;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// Number of tokens that a price is for.
const TOKENS: f64 = 1e6;

/// Price of an arm's evaluations, as the study file states it.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Price {
    /// An evaluation costs this sum, unless the result says itself what it cost.
    Evaluation(f64),
    /// The cost of an evaluation is that of the tokens in its result.
    Tokens(TokenPrices),
}

/// Prices of a million tokens by their kinds, in the study's unit.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize)]
#[serde(transparent)]
pub struct TokenPrices(BTreeMap<String, f64>);

/// Cost of an answer's tokens, with a warning about tokens without a price.
#[derive(Debug, Clone, PartialEq)]
pub struct TokenCost {
    /// Cost of the tokens, in the study's unit.
    pub cost: f64,
    /// A warning about the cost.
    pub warning: Option<String>,
}

impl TokenPrices {
    /// Returns the price of a kind of tokens, under any name of the kind.
    fn of(&self, kind: &str) -> Option<&f64> {
        self.0.get(kind).or_else(|| {
            let mut others = self.0.iter();
            let is_same = |other: &str| kind_of_tokens(other) == kind_of_tokens(kind);
            others.find_map(|(other, price)| is_same(other).then_some(price))
        })
    }

    /// Returns the cost of an answer from its tokens, an object of counts by kind:
    /// ```text
    /// cost = Σ_kind tokens_kind · price_kind / 10⁶
    /// ```
    /// Kinds without a price, and counts that are no numbers, cost nothing, with a warning.
    pub fn cost(&self, tokens: Option<&Value>) -> TokenCost {
        let known = || {
            let kinds: Vec<&str> = self.0.keys().map(String::as_str).collect();
            format!("prices are of {}", kinds.join(" and "))
        };
        let Some(Value::Object(tokens)) = tokens else {
            let found = tokens.map_or_else(String::new, |tokens| format!(" but {tokens}"));
            return TokenCost {
                cost: 0.0,
                warning: Some(format!(
                    "the result has neither a \"cost\" nor \"tokens\": {{\"{}\": …}}{found}: what it cost is not known and counts as 0",
                    self.0.keys().next().map_or("in", String::as_str)
                )),
            };
        };
        let (mut cost, mut troubles) = (0.0, Vec::new());
        for (kind, count) in tokens {
            let is_count = |count: &f64| count.is_finite() && *count >= 0.0;
            match (self.of(kind), count.as_f64().filter(is_count)) {
                (Some(price), Some(count)) => cost += count * price / TOKENS,
                (None, Some(0.0)) => {}
                (None, Some(_)) => troubles.push(format!("`{kind}` has no price ({})", known())),
                (_, None) => {
                    troubles.push(format!("`{kind}` is {count}, which is no number of tokens"));
                }
            }
        }
        if !tokens.keys().any(|kind| self.of(kind).is_some()) && troubles.is_empty() {
            troubles.push(known());
        }
        let warning = (!troubles.is_empty())
            .then(|| format!("tokens that are not in the cost: {}", troubles.join("; ")));
        TokenCost { cost, warning }
    }
}

/// Prices in a table of the study file, with the key of the table.
#[derive(Debug)]
pub(super) struct PriceTable<'a> {
    pub(super) key: Vec<&'a str>,
    pub(super) cost: Option<f64>,
    pub(super) prices: Option<&'a BTreeMap<String, f64>>,
}

impl PriceTable<'_> {
    /// Checks the prices of the table. `None` if it has none.
    pub(super) fn price(&self, source: &Source<'_>) -> Result<Option<Price>, StudyError> {
        let wrong = |name: &str, message: String| {
            let key: Vec<&str> = self.key.iter().copied().chain([name]).collect();
            Err(source.wrong(&key, message))
        };
        match (self.cost, self.prices) {
            (Some(_), Some(_)) => wrong(
                "prices",
                "an answer costs the same each time (cost) or by its tokens (prices): leave one of the two out".to_owned(),
            ),
            (Some(cost), None) if !is_cost(cost) => wrong(
                "cost",
                "the cost must be a number from zero upwards".to_owned(),
            ),
            (None, Some(prices)) if prices.is_empty() => wrong(
                "prices",
                "prices are empty: give one for each kind of tokens and a million of them, such as { in = 0.15, out = 0.6 }".to_owned(),
            ),
            (None, Some(prices)) => match prices.iter().find(|(_, price)| !is_cost(**price)) {
                Some((kind, price)) => wrong(
                    "prices",
                    format!("the price of `{kind}` is {price}: it must be a number from zero upwards, for a million tokens"),
                ),
                None => Ok(Some(Price::Tokens(TokenPrices(prices.clone())))),
            },
            (cost, None) => Ok(cost.map(Price::Evaluation)),
        }
    }
}

/// Whether a number can be a cost: finite and not negative.
fn is_cost(cost: f64) -> bool {
    cost.is_finite() && cost >= 0.0
}

/// Checks that the arms' costs can be added: if one arm is paid by tokens, another's cost cannot be
/// its seconds.
pub(super) fn check_units<'a>(
    source: &Source<'_>,
    mut prices: impl Iterator<Item = (&'a ArmTable, Option<&'a Price>)> + Clone,
) -> Result<(), StudyError> {
    let by_tokens = |(_, price): &(_, Option<&Price>)| matches!(price, Some(Price::Tokens(_)));
    let without = prices.clone().find(|(_, price)| price.is_none());
    let (Some((paid, _)), Some((unpaid, _))) = (prices.find(by_tokens), without) else {
        return Ok(());
    };
    let message = format!(
        "`{}` is paid by its tokens, and `{}` has no price, so that its seconds would count as money: give it `prices`, or a `cost` (0 if it costs nothing)",
        paid.name, unpaid.name
    );
    Err(source.wrong(&["arm", &unpaid.place, "name"], message))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn prices() -> TokenPrices {
        let prices = [("in", 0.15), ("out", 0.6)];
        TokenPrices(prices.map(|(kind, price)| (kind.to_owned(), price)).into())
    }

    #[test]
    fn tokens_cost_their_prices() {
        let found = prices().cost(Some(&json!({ "in": 2_000_000, "out": 500_000 })));
        assert!((found.cost - 0.6).abs() < 1e-12);
        assert_eq!(found.warning, None);
        // As OpenAI and Anthropic call them.
        let openai = json!({ "prompt_tokens": 2_000_000, "completion_tokens": 500_000 });
        let anthropic = json!({ "input_tokens": 2_000_000, "output_tokens": 500_000 });
        for usage in [openai, anthropic] {
            let found = prices().cost(Some(&usage));
            assert!((found.cost - 0.6).abs() < 1e-12 && found.warning.is_none());
        }
        let none = prices().cost(Some(&json!({ "in": 0 })));
        assert_eq!((none.cost, none.warning), (0.0, None));
    }

    #[test]
    fn what_has_no_price_is_told() {
        for (tokens, cost, said) in [
            (
                json!({ "in": 1e6, "cached": 3 }),
                0.15,
                "`cached` has no price (prices are of in and out)",
            ),
            (
                json!({ "in": -1, "out": 1e6 }),
                0.6,
                "`in` is -1, which is no number of tokens",
            ),
            (json!({ "in": "many" }), 0.0, "`in` is \"many\""),
            (
                json!(812),
                0.0,
                "neither a \"cost\" nor \"tokens\": {\"in\": …} but 812",
            ),
            (json!({}), 0.0, "prices are of in and out"),
        ] {
            let found = prices().cost(Some(&tokens));
            assert!((found.cost - cost).abs() < 1e-12, "{tokens}");
            assert!(found.warning.unwrap().contains(said), "{tokens}");
        }
        assert!(prices().cost(None).warning.unwrap().contains("counts as 0"));
    }
}
