//! Sample of lm-eval's file of samples.

use crate::json::{Text, Value, fingerprint};
use serde::{
    Deserialize, Deserializer,
    de::{IgnoredAny, MapAccess, Visitor},
};
use std::{borrow::Cow, fmt};

/// Keys of a sample that are no metric, and are not read.
const PASSED_OVER: [&str; 7] = [
    "doc",
    "target",
    "arguments",
    "resps",
    "filtered_resps",
    "prompt_hash",
    "target_hash",
];

/// Sample of a task with one filter: its document, and its values of the metrics.
#[derive(Default)]
pub(super) struct Sample<'a> {
    pub(super) id: Option<Value<'a>>,
    pub(super) content: Option<u64>,
    pub(super) filter: Option<Cow<'a, str>>,
    /// Names of the metrics. Earlier versions of lm-eval do not write them.
    pub(super) metrics: Option<Vec<Text<'a>>>,
    /// All values of a sample that may be a metric.
    pub(super) values: Vec<(Cow<'a, str>, Value<'a>)>,
}

impl<'de: 'a, 'a> Deserialize<'de> for Sample<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Keys)
    }
}

struct Keys;

impl<'de> Visitor<'de> for Keys {
    type Value = Sample<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object with the keys of a sample")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut sample = Sample::default();
        while let Some(Text(key)) = map.next_key()? {
            match &*key {
                "doc_id" => sample.id = Some(map.next_value()?),
                "doc_hash" => {
                    let hash: Option<Text<'_>> = map.next_value()?;
                    sample.content = hash.map(|Text(hash)| fingerprint(&hash));
                }
                "filter" => {
                    let filter: Option<Text<'_>> = map.next_value()?;
                    sample.filter = filter.map(|Text(filter)| filter);
                }
                "metrics" => sample.metrics = map.next_value()?,
                other if PASSED_OVER.contains(&other) => {
                    map.next_value::<IgnoredAny>()?;
                }
                _ => {
                    let value = map.next_value()?;
                    sample.values.push((key, value));
                }
            }
        }
        Ok(sample)
    }
}
