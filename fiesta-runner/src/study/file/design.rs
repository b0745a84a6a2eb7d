//! The table `[design]` of a study file: on what arms are evaluated, and by which methods.

use crate::study::{items::PoolKey, own::Method};
use serde::{Deserialize, Serialize, Serializer};

#[derive(Debug, Default, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(in crate::study) struct DesignTable {
    /// Splits on which arms are evaluated: `"shared"` (the k-th evaluation of every arm is of
    /// split k), `"independent"` (each of a split of its own), `"fixed"` (one split, seeds vary);
    /// or their number, or `{ kind = "independent", count = 800 }`. `first = 3` beside `kind` numbers
    /// them from 3. Default `"shared"`, `"fixed"` in a random search.
    #[cfg_attr(feature = "schema", schemars(with = "Option<SplitsShape>"))]
    pub(in crate::study) splits: Option<serde_json::Value>,
    /// Items on which arms are evaluated, in place of splits: a file of one a line (`.jsonl`,
    /// `.ndjson`) or a row (`.csv`, `.tsv`), a pattern for files such as `"texts/*.txt"`, or a list.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::study) items: Option<ItemsEntry>,
    /// Items under another word, whose results are confusion counts by default.
    pub(in crate::study) documents: Option<String>,
    /// Key of the items whose values are groups: their order is balanced over them, and results
    /// are shown by them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::study) strata: Option<String>,
    /// Whether answers to an item vary when it is asked again; items are then asked more than
    /// once. On a number of splits: whether these are used again, with other seeds, once all were
    /// used; the verdict is then of these splits. Default false.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::study) repeats: Option<bool>,
    /// Policy that chooses the next arm: a name; or `{ own = "NAME", parameters = { … } }`, one of
    /// the program that runs the study; or `{ command = ["python", "policy.py"] }`, a process that
    /// is asked, with the `timeout` of an answer (default `"1min"`).
    pub(in crate::study) policy: Option<Method>,
    /// Posterior of the arms' means, by a name or as `{ own = "NAME" }`. Default: `paired` on splits,
    /// `pool` on items, `f-measure` with counts.
    pub(in crate::study) posterior: Option<Method>,
    /// Concentration of documents about their arm under `f-measure`: a number, or `"learned"`.
    /// Default `"learned"`.
    pub(in crate::study) alpha: Option<Alpha>,
    /// Weight of the prior under `f-measure`, in items. Default 1.
    // Ledgers of before these two keys are still of the same study.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::study) alpha0: Option<f64>,
    /// Expected shares of TP, FP, TN and FN under `f-measure`, in this order. Default: all alike.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::study) theta0: Option<[f64; 4]>,
    /// Rule that decides whether the confidence is reached, by a name or as `{ own = "NAME" }`.
    pub(in crate::study) stopping: Option<Method>,
    /// Jobs at a time. Default 1. A study that has reached its confidence ends when the jobs that run have ended, if it holds then.
    pub(in crate::study) parallel: Option<usize>,
    /// Evaluations that the policy `bts` chooses at once.
    pub(in crate::study) batch: Option<u32>,
    /// Share of the leader in policies that compare two arms (`ttts`, `pets`, `t3c`, `eb-tci`,
    /// `ttps`, `ttucb`); then they toss a coin. Default ½ with a coin.
    pub(in crate::study) beta: Option<f64>,
    /// How policies that compare two arms choose between them: `"coin"`, `"balanced"` or
    /// `"cost-aware"`. Default: that of the policy.
    pub(in crate::study) tie_break: Option<String>,
    /// Whether `sequential-halving` also spends what its divisions leave over. Default false.
    pub(in crate::study) extended: Option<bool>,
    /// Seed of all random choices. Default 0.
    #[serde(default)]
    pub(in crate::study) seed: u64,
    /// Number of documents, and a digest of all of them.
    #[serde(skip_deserializing, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(skip))]
    pub(in crate::study) collection: Option<serde_json::Value>,
}

impl DesignTable {
    /// Returns the key under which the study file names items. `None` in a study of splits.
    pub(in crate::study) fn pool(&self) -> Option<PoolKey> {
        let items = self.items.as_ref().map(|_| PoolKey::Items);
        items.or(self.documents.as_ref().map(|_| PoolKey::Documents))
    }

    pub(in crate::study) fn repeats(&self) -> bool {
        self.repeats == Some(true)
    }
}

/// The items of a pool: a name of files, or the items themselves.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(
    untagged,
    expecting = "items is the name of a file, a pattern for files, or a list of items"
)]
pub(in crate::study) enum ItemsEntry {
    Name(String),
    List(Vec<serde_json::Value>),
    /// The items of all benchmarks, which have tables of their own.
    #[serde(skip)]
    Benchmarks,
}

/// Value of `items` in a ledger if the study file lists them. A digest identifies the items.
const LISTED: &str = "listed";

impl Serialize for ItemsEntry {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(match self {
            Self::Name(name) => name,
            Self::List(_) => LISTED,
            Self::Benchmarks => fiesta_posterior::BENCHMARKS,
        })
    }
}

/// How alike an arm's documents are: learned, or a number.
#[derive(Debug, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub(in crate::study) enum Alpha {
    Number(f64),
    Name(String),
}

/// The forms of `splits`.
#[cfg(feature = "schema")]
#[derive(schemars::JsonSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "its schema is all that is wanted")]
enum SplitsShape {
    Kind(String),
    Count(u64),
    Both {
        kind: String,
        count: Option<u64>,
        first: Option<u64>,
    },
}
