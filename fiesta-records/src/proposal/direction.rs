//! Better direction of a score, as its name says it.

use super::words::{self, Kind, plain};
use fiesta_core::Direction;

/// Marks and words in the name of a score that state its better direction.
const STATED: [(Direction, [&str; 4]); 2] = [
    (
        Direction::Maximize,
        ["↑", "higher_is_better", "larger_is_better", "higher_better"],
    ),
    (
        Direction::Minimize,
        ["↓", "lower_is_better", "smaller_is_better", "lower_better"],
    ),
];

/// Returns which scores are better, as the name of the score says it: by an arrow or words (`acc ↑`,
/// `lower is better`), or by a word of a score or a loss beside none that turns it into something
/// else. `None` if the name does not say it.
///
/// # Example
/// ```
/// use fiesta_core::Direction;
/// use fiesta_records::named_direction;
/// for name in ["val/loss", "acc ↓", "1 - F1", "Score (lower is better)"] {
///     assert_eq!(named_direction(name), Some(Direction::Minimize), "{name}");
/// }
/// for name in ["test_accuracy", "neg_log_loss", "Error ↑", "brier_skill_score"] {
///     assert_eq!(named_direction(name), Some(Direction::Maximize), "{name}");
/// }
/// for name in ["makespan", "avg_rank_f1", "accuracy drop", "toxicity_score", "f1_std"] {
///     assert_eq!(named_direction(name), None, "{name}");
/// }
/// ```
pub fn named_direction(name: &str) -> Option<Direction> {
    let plain = plain(name);
    let states = |marks: &[&str]| {
        let mut marks = marks.iter();
        marks.any(|mark| name.contains(mark) || plain.contains(mark))
    };
    let mut stated = STATED.iter().filter(|(_, marks)| states(marks));
    if let Some((direction, _)) = stated.next() {
        return stated.next().is_none().then_some(*direction);
    }
    match complemented(name) {
        Some(rest) => of_words(&words::plain(rest)).map(reversed),
        None => of_words(&plain),
    }
}

/// Words that, as the last of a name, are certainly those of a loss.
const LOSSES: &str = "rmse mse mae mape perplexity ppl wer cer ter nll bpb fid logloss brier crps rmsle smape nmse nrmse";

/// Returns whether a name is certainly that of a loss, also where other names stand beside it that are of no
/// scores: `boston_rmse`, `ETTh1 (MSE)`, `WikiText ↓`.
fn names_loss(name: &str) -> bool {
    let plain = plain(&name.to_lowercase());
    let last = plain.rsplit('_').next().unwrap_or_default();
    let is_stated = STATED[1]
        .1
        .iter()
        .any(|mark| name.contains(mark) || plain.contains(mark));
    named_direction(name) == Some(Direction::Minimize)
        && (is_stated || LOSSES.split_whitespace().any(|loss| loss == last))
}

/// Returns the name of a loss and one that is not of a loss, among names of what scores are of, such as data
/// sets: scores of both have no mean. `None` if no name certainly is one of a loss, or all are.
///
/// # Example
/// ```
/// use fiesta_records::loss_among;
/// assert_eq!(loss_among(["adult_acc", "boston_rmse"]), Some(["boston_rmse", "adult_acc"]));
/// assert_eq!(loss_among(["MMLU", "LibriSpeech WER"]), Some(["LibriSpeech WER", "MMLU"]));
/// assert_eq!(loss_among(["boston_rmse", "WikiText ↓"]), None);
/// assert_eq!(loss_among(["grammar errors", "style"]), None);
/// assert_eq!(loss_among(["Orchard WER", "Delta WER"]), None);
/// ```
pub fn loss_among<'n>(names: impl IntoIterator<Item = &'n str>) -> Option<[&'n str; 2]> {
    let is_other = |name: &&str| named_direction(name) != Some(Direction::Minimize);
    let (others, losses): (Vec<&str>, Vec<&str>) = names.into_iter().partition(is_other);
    let loss = losses.into_iter().find(|name| names_loss(name))?;
    let has_loss = |name: &str| {
        plain(name)
            .split('_')
            .any(|word| words::is(Kind::Loss, word))
    };
    let other = others.into_iter().find(|name| !has_loss(name))?;
    Some([loss, other])
}

/// Returns the score of a name such as `1 - F1` or `100-acc`. `None` of other names.
fn complemented(name: &str) -> Option<&str> {
    let name = name.trim().trim_start_matches('(').trim_start();
    let rest = name
        .strip_prefix("100")
        .or_else(|| name.strip_prefix('1'))?;
    let rest = rest.trim_start_matches(['%', ' ']);
    rest.strip_prefix(['-', '−', '–'])
}

fn reversed(direction: Direction) -> Direction {
    match direction {
        Direction::Maximize => Direction::Minimize,
        Direction::Minimize => Direction::Maximize,
    }
}

/// Returns which scores are better, as the words of a plain name say it.
fn of_words(plain: &str) -> Option<Direction> {
    let any = |is: &dyn Fn(&str) -> bool| plain.split('_').any(is);
    // Bits alone may be answers.
    let is_loss = any(&|word| words::is(Kind::Loss, word)) && plain != "bits"
        || plain.contains("cross_entropy");
    let is_other = any(&|word| words::is(Kind::OtherThanScore, word));
    // Losses that scikit-learn's scorers negate, and skill scores of losses.
    let is_turned = plain.starts_with("neg_") || any(&|word| word == "skill");
    // A word of a score; `score` is one alone, or beside known words.
    let is_sure = any(&|word| {
        words::is(Kind::Score, word) && !words::is(Kind::Undirected, word) && word != "score"
    });
    match (is_loss, is_other) {
        (true, _) if is_turned => Some(Direction::Maximize),
        (true, false) => (!is_sure).then_some(Direction::Minimize),
        (_, true) => None,
        (false, false) => (is_sure || is_score(plain)).then_some(Direction::Maximize),
    }
}

fn is_score(plain: &str) -> bool {
    plain.contains("exact_match")
        || plain.split('_').any(|word| word == "score")
            && plain.split('_').all(words::is_beside_score)
}
