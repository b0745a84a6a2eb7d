//! Words in the names of columns: of arms, splits, seeds, items, scores, and numbers that are none.

use crate::data_part::DataPart;

/// Words in the names of columns of arms, the more telling first.
pub(super) const ARMS: [&str; 21] = [
    "arm",
    "model",
    "system",
    "candidate",
    "method",
    "algorithm",
    "algo",
    "classifier",
    "estimator",
    "learner",
    "approach",
    "architecture",
    "variant",
    "agent",
    "prompt",
    "optimizer",
    "config",
    "sweep",
    "experiment",
    "group",
    "name",
];

/// Names of columns of splits.
pub(super) const SPLITS: [&str; 15] = [
    "split",
    "fold",
    "cv_fold",
    "fold_id",
    "fold_idx",
    "split_id",
    "cv_split",
    "outer_fold",
    "partition",
    "repeat",
    "rep",
    "repetition",
    "resample",
    "replicate",
    "iteration",
];

/// Names of columns of seeds.
pub(super) const SEEDS: [&str; 8] = [
    "seed",
    "random_state",
    "random_seed",
    "rng_seed",
    "randomseed",
    "rng",
    "seed_id",
    "torch_seed",
];

/// Names of columns of items.
pub(super) const ITEMS: [&str; 12] = [
    "item",
    "item_id",
    "question_id",
    "question",
    "doc_id",
    "sample_id",
    "example_id",
    "qid",
    "problem_id",
    "prompt_id",
    "task_id",
    "instance_id",
];

/// Words in the names of scores that are better when larger.
pub(super) const SCORES: [&str; 31] = [
    "score",
    "acc",
    "accuracy",
    "f1",
    "auc",
    "auroc",
    "roc",
    "ap",
    "map",
    "bleu",
    "rouge",
    "chrf",
    "mrr",
    "ndcg",
    "precision",
    "recall",
    "r2",
    "reward",
    "return",
    "value",
    "metric",
    "em",
    "match",
    "kappa",
    "mcc",
    "dice",
    "iou",
    "correct",
    "success",
    "performance",
    "result",
];

/// Words in the names of scores that are better when smaller.
pub(super) const LOSSES: [&str; 15] = [
    "loss",
    "error",
    "err",
    "rmse",
    "mse",
    "mae",
    "mape",
    "perplexity",
    "ppl",
    "wer",
    "cer",
    "nll",
    "bpb",
    "regret",
    "fid",
];

/// Words of times and costs.
const SPENT: [&str; 13] = [
    "time",
    "timestamp",
    "duration",
    "runtime",
    "seconds",
    "secs",
    "sec",
    "ms",
    "minutes",
    "hours",
    "cost",
    "price",
    "usd",
];

/// Further words in the names of numbers that are no score.
const NO_SCORES: [&str; 17] = [
    "tokens", "epoch", "epochs", "step", "steps", "lr", "rate", "batch", "size", "id", "index",
    "num", "n", "params", "std", "stderr", "rank",
];

/// Names of splits and items that may also be something else: steps of a training, prompts or tasks
/// that are compared.
pub(super) const UNSURE: [&str; 4] = ["iteration", "prompt_id", "task_id", "partition"];

/// Words of scores that do not say which are better.
const UNDIRECTED: [&str; 5] = ["value", "metric", "result", "performance", "match"];

/// Words that may stand beside that of a score, and change nothing of which is better; so may those
/// of test and validation data.
const BESIDE_SCORES: [&str; 29] = [
    "holdout",
    "held",
    "out",
    "oof",
    "mean",
    "avg",
    "average",
    "overall",
    "macro",
    "micro",
    "weighted",
    "balanced",
    "top",
    "exact",
    "match",
    "word",
    "character",
    "root",
    "squared",
    "absolute",
    "log",
    "cross",
    "entropy",
    "rate",
    "under",
    "curve",
    "pct",
    "percent",
    "at",
];

/// Words of columns of arms that may also be something else: groups of rows, questions.
const UNSURE_ARMS: [&str; 5] = ["experiment", "group", "sweep", "prompt", "name"];

/// Words that may stand beside that of arms.
const BESIDE_ARMS: [&str; 6] = ["name", "id", "type", "label", "key", "the"];

/// Words of when something was done.
const DATES: [&str; 5] = ["date", "datetime", "created", "started", "finished"];

/// Words that may stand beside those of times, costs and dates.
const BESIDE_SPENT: [&str; 18] = [
    "s", "min", "h", "train", "training", "test", "eval", "fit", "score", "total", "wall", "clock",
    "run", "cpu", "gpu", "start", "end", "at",
];

/// Words of settings that are numbers.
pub(super) const SETTINGS: [&str; 21] = [
    "n",
    "num",
    "number",
    "of",
    "params",
    "parameters",
    "lr",
    "learning",
    "rate",
    "batch",
    "size",
    "dropout",
    "weight",
    "decay",
    "hidden",
    "layers",
    "depth",
    "width",
    "dim",
    "epochs",
    "estimators",
];

/// Whether this is one of the words.
pub(super) fn is_one_of(words: &[&str], word: &str) -> bool {
    words.contains(&word)
}

/// Whether each word of a plain name is of scores of one direction, or may stand beside them.
pub(super) fn are_of_score(plain: &str) -> bool {
    let directed = |words: &[&str]| {
        let mut of = plain.split('_');
        of.any(|word| is_one_of(words, word) && !is_one_of(&UNDIRECTED, word))
    };
    let known = |word: &str| {
        let is_number = word.bytes().all(|byte| byte.is_ascii_digit());
        let part = DataPart::of_word(word);
        is_number
            || matches!(part, Some(DataPart::Validation | DataPart::Test))
            || [&SCORES[..], &LOSSES, &BESIDE_SCORES]
                .iter()
                .any(|w| is_one_of(w, word))
    };
    let is_match = plain.contains("exact_match");
    (directed(&SCORES) || is_match) != directed(&LOSSES) && plain.split('_').all(known)
}

/// Whether a word is in the names of numbers that are no score.
pub(super) fn is_of_no_score(word: &str) -> bool {
    is_one_of(&SPENT, word) || is_one_of(&NO_SCORES, word)
}

/// Whether a loss stands in a plain name, and nothing that turns it round.
pub(super) fn is_loss(plain: &str) -> bool {
    let has = |words: &[&str]| plain.split('_').any(|word| is_one_of(words, word));
    has(&LOSSES) && !has(&["neg", "negative", "minus"])
}

/// Whether each word of a plain name is of arms, or may stand beside them.
pub(super) fn are_of_arms(plain: &str) -> bool {
    let is_sure = |word: &str| is_one_of(&ARMS, word) && !is_one_of(&UNSURE_ARMS, word);
    let known = |word: &str| is_sure(word) || is_one_of(&BESIDE_ARMS, word);
    plain == "name" || plain.split('_').any(is_sure) && plain.split('_').all(known)
}

/// Whether each word of a plain name is of what was spent or when, or may stand beside these.
pub(super) fn are_of_spending(plain: &str) -> bool {
    let is = |word: &str| is_one_of(&SPENT, word) || is_one_of(&DATES, word);
    plain.split('_').any(is)
        && plain
            .split('_')
            .all(|w| is(w) || is_one_of(&BESIDE_SPENT, w))
}

/// The column of arms where some column has a name of arms and another one of a score: columns of
/// the long form and no arms, whatever is in them.
pub(crate) fn are_arms_and_scores(names: &[String]) -> Option<&String> {
    let mut scores = names.iter().map(|name| plain(name));
    let is_scored = scores.any(|name| are_of_score(&name));
    let mut arms = names.iter();
    arms.find(|name| is_scored && are_of_arms(&plain(name)))
}

/// The part of a column that its name says it is, in a file with a column for each arm: of none
/// that is certainly an arm.
pub(crate) fn role_of(name: &str) -> Option<&'static str> {
    let plain = plain(name);
    let is = |names: &[&str]| names.contains(&plain.as_str());
    match () {
        () if is(&SPLITS) => Some("split"),
        () if is(&SEEDS) => Some("seed"),
        () if is(&ITEMS) => Some("item"),
        () => None,
    }
}

/// A name in small letters, its words joined by `_`.
pub(crate) fn plain(name: &str) -> String {
    let mut plain = String::new();
    let mut before = '_';
    for character in name.trim().chars() {
        if character.is_alphanumeric() {
            if character.is_uppercase() && before.is_lowercase() {
                plain.push('_');
            }
            plain.extend(character.to_lowercase());
        } else if !plain.is_empty() && !plain.ends_with('_') {
            plain.push('_');
        }
        before = character;
    }
    plain.trim_end_matches('_').to_owned()
}
