//! Words that name metrics, and parts of the data such as the test set.

use fiesta_records::DataPart;

/// A word for a metric.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Word {
    /// The word as it is printed, in lower case, without separators.
    pub(crate) printed: &'static str,
    /// The name of the metric in a study file.
    pub(crate) name: &'static str,
    /// Whether lower values are better.
    pub(crate) is_cost: bool,
    /// Whether the metric is a share, from 0 to 1.
    pub(crate) is_share: bool,
    /// Rank of the metric: the higher, the more often models are compared by it.
    pub(crate) rank: u8,
}

const fn share(word: &'static str, name: &'static str, rank: u8) -> Word {
    Word {
        printed: word,
        name,
        is_cost: false,
        is_share: true,
        rank,
    }
}

const fn open(word: &'static str, name: &'static str, is_cost: bool, rank: u8) -> Word {
    Word {
        printed: word,
        name,
        is_cost,
        is_share: false,
        rank,
    }
}

/// The words, the longer ones before those that they begin with.
pub(crate) const WORDS: &[Word] = &[
    share("balanced accuracy", "balanced_accuracy", 6),
    share("macro f1", "macro_f1", 7),
    share("micro f1", "micro_f1", 7),
    share("weighted f1", "weighted_f1", 7),
    share("f1 macro", "macro_f1", 7),
    share("f1 micro", "micro_f1", 7),
    share("f1 weighted", "weighted_f1", 7),
    share("f1 score", "f1", 6),
    share("f score", "f1", 6),
    share("f1", "f1", 6),
    share("exact match", "exact_match", 6),
    share("accuracy", "accuracy", 6),
    share("acc", "accuracy", 6),
    share("top1", "accuracy", 5),
    share("roc auc", "auc", 6),
    share("auroc", "auc", 6),
    share("auc", "auc", 6),
    share("average precision", "average_precision", 5),
    share("miou", "miou", 5),
    share("iou", "iou", 5),
    share("dice", "dice", 5),
    share("ndcg", "ndcg", 5),
    share("mrr", "mrr", 5),
    share("map", "map", 4),
    share("precision", "precision", 3),
    share("recall", "recall", 3),
    open("mcc", "mcc", false, 5),
    open("kappa", "kappa", false, 5),
    open("bleu", "bleu", false, 6),
    open("rouge", "rouge", false, 5),
    open("spearman", "spearman", false, 5),
    open("pearson", "pearson", false, 5),
    open("r2", "r2", false, 5),
    open("psnr", "psnr", false, 5),
    open("ssim", "ssim", false, 5),
    open("reward", "reward", false, 4),
    open("score", "score", false, 4),
    open("perplexity", "perplexity", true, 5),
    open("ppl", "perplexity", true, 5),
    open("rmse", "rmse", true, 5),
    open("mse", "mse", true, 4),
    open("mae", "mae", true, 4),
    open("wer", "wer", true, 5),
    open("cer", "cer", true, 5),
    open("fid", "fid", true, 5),
    open("error rate", "error_rate", true, 5),
    open("error", "error", true, 3),
    open("nll", "nll", true, 3),
    open("loss", "loss", true, 2),
];

/// Whether a name is among the names in a text that spaces separate.
pub(crate) fn is_one(names: &str, name: &str) -> bool {
    names.split_whitespace().any(|own| own == name)
}

/// Start and end of a word in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) start: usize,
    pub(crate) end: usize,
}

/// Finds a word in a text, with any separators between its parts and in any case. `None` if it
/// occurs only inside longer words.
pub(crate) fn find_word(text: &str, word: &str, from: usize) -> Option<Place> {
    let boundary = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric());
    for (start, _) in text[from..].char_indices() {
        let start = from + start;
        if !boundary(text[..start].chars().next_back()) {
            continue;
        }
        let Some(end) = matched(text, start, word) else {
            continue;
        };
        if boundary(text[end..].chars().next()) {
            return Some(Place { start, end });
        }
    }
    None
}

/// Returns the end of a word that begins at `start`. Between its parts may be one of ` _-@`, or
/// nothing.
fn matched(text: &str, start: usize, word: &str) -> Option<usize> {
    let mut rest = text[start..].char_indices().peekable();
    let mut end = start;
    for wanted in word.chars() {
        if wanted == ' ' {
            rest.next_if(|(_, c)| matches!(c, ' ' | '_' | '-' | '@'));
            continue;
        }
        let (at, c) = rest.next()?;
        if c.to_ascii_lowercase() != wanted {
            // `acc@1` and `top-1` are `acc1` and `top1`.
            let is_separator = wanted.is_ascii_digit() && matches!(c, '@' | '-' | '_' | ' ');
            let next = rest.next_if(|(_, next)| is_separator && *next == wanted)?;
            end = start + next.0 + 1;
            continue;
        }
        end = start + at + c.len_utf8();
    }
    Some(end)
}

/// Finds the metric in a text by which models are most likely compared, at its last place.
pub(crate) fn metric_word(text: &str) -> Option<(&'static Word, Place)> {
    let mut best: Option<(&Word, Place)> = None;
    for word in WORDS {
        let mut from = 0;
        while let Some(place) = find_word(text, word.printed, from) {
            let is_inside =
                best.is_some_and(|(_, known)| known.start <= place.start && place.end <= known.end);
            if !is_inside && best.is_none_or(|(known, _)| known.rank < word.rank) {
                best = Some((word, place));
            }
            from = place.end;
        }
    }
    best
}

/// The words of a metric's name, in lower case.
pub(crate) fn of_name(name: &str) -> Vec<String> {
    let parts = name.split(|c: char| !c.is_alphanumeric());
    let parts = parts.filter(|part| !part.is_empty());
    parts.map(str::to_lowercase).collect()
}

/// Returns the metric that a text names.
pub(crate) fn name_of(text: &str) -> Option<&'static Word> {
    metric_word(text).map(|(word, _)| word)
}

/// Words for parts of a training run.
const PIECES: [&str; 3] = ["batch", "step", "iter"];

/// Whether a word names a part of the data, such as the test set.
pub(crate) fn is_part_of_data(word: &str) -> bool {
    DataPart::of_word(word).is_some()
}

/// Rank of the part of the data that a score is measured on: 4 for the test set, 0 for the training
/// set.
pub(crate) fn part_of_data(text: &str) -> u8 {
    let has = |words: &[&str]| words.iter().any(|word| find_word(text, word, 0).is_some());
    match () {
        () if has(DataPart::Test.words()) => 4,
        () if has(DataPart::Validation.words()) => 3,
        () if has(DataPart::Training.words()) || has(&PIECES) => 0,
        () => 2,
    }
}
