//! Names that tell candidates from what stands beside them in tables of results: references, numbers
//! that compare systems, right answers.

use super::words::{Kind, has, is, no_system, plain};
use crate::{data_part::DataPart, words::agree, words::quoted};
use fiesta_core::shell_word;

/// Words in the names of references, such as `human baseline`. A single word of the first line makes a name a reference.
const REFERENCES: [&str; 2] = [
    "oracle human humans",
    "random chance majority ceiling topline upper bound upperbound class vote baseline guess guessing guesser level performance \
     most frequent",
];

/// Whole names of numbers that compare systems or describe the data.
const NO_CANDIDATES: &str = "p_value p_values pvalue p_val pval diff difference improvement iaa inter_annotator_agreement \
     interannotator_agreement annotator_agreement prevalence base_rate n support";

/// Names that a system may have, and a number that compares systems, too: whole names first, then words in any name.
const UNSURE: [&str; 2] = [
    "p t z delta gain lift margin significance sig agreement best winner worst effect_size",
    "gain diff difference improvement",
];

/// Whole names of right answers.
const GOLD: &str = "gold label labels answer target truth ground_truth y_true reference expected gold_label true_label \
     correct_answer gold_answer groundtruth true_class";

/// Whole names of what a system predicted.
const PREDICTIONS: &str =
    "prediction predictions predicted pred preds y_pred predicted_label predicted_class";

/// Words in the names of systems alone.
const SYSTEMS: &str = "ours baseline svm svc gpt llama mistral mixtral qwen claude gemini gemma phi deepseek bert roberta deberta \
     t5 lstm gru rnn cnn mlp resnet vit transformer gcn gat sage graphsage gin xgboost catboost lightgbm knn llm lm rf gbm \
     ent ridge markov cam";

fn holds(words: &str, name: &str) -> bool {
    words.split_whitespace().any(|word| word == name)
}

/// Returns whether a name is that of a reference, with which candidates are compared.
pub(super) fn names_reference(name: &str) -> bool {
    let plain = plain(name);
    let known = |word: &str| REFERENCES.iter().any(|words| holds(words, word));
    let heads = [
        "random",
        "chance",
        "majority",
        "ceiling",
        "topline",
        "upperbound",
    ];
    plain.split('_').any(|word| holds(REFERENCES[0], word))
        || plain.split('_').all(known)
            && (heads.iter().any(|head| plain.contains(head)) || plain.contains("upper_bound"))
}

/// Returns a line on arms that are by their names references or summaries, and no candidates. `None`
/// if there are none.
///
/// # Example
/// ```
/// use fiesta_records::told_of_references;
/// let arms = ["lstm", "gru", "oracle"].map(str::to_owned);
/// let told = told_of_references(&arms).unwrap();
/// assert!(told.ends_with("--arms lstm,gru leaves it out"));
/// assert_eq!(told_of_references(&arms[..2]), None);
/// ```
pub fn told_of_references(arms: &[String]) -> Option<String> {
    let is_one = |arm: &&String| names_reference(arm) || names_whole(arm);
    let (references, others): (Vec<&String>, Vec<&String>) = arms.iter().partition(is_one);
    if references.is_empty() {
        return None;
    }
    let is_sayable = others.len() > 1 && !others.iter().any(|arm| arm.contains(','));
    let others: Vec<&str> = others.into_iter().map(String::as_str).collect();
    let (a, it) = agree(
        references.len(),
        ("is by its name a reference or a summary", "it"),
        ("are by their names references or summaries", "them"),
    );
    let out = if is_sayable {
        let others = shell_word(&others.join(","));
        format!("--arms {others} leaves {it} out")
    } else {
        format!("leave {it} out of the file if so")
    };
    Some(format!(
        "{} {a}, and no candidate: {out}",
        quoted(references)
    ))
}

/// Returns whether a name may be that of a row that summarises all others.
pub(crate) fn names_whole(name: &str) -> bool {
    const LONGEST: usize = 20;
    let is_other = || matches!(&*plain(name), "all" | "overall_score" | "total_score");
    let may_be = name.len() <= LONGEST && !name.contains(|c: char| c.is_ascii_digit());
    may_be && (super::names_summary(name) || is_other())
}

/// Returns whether a column of numbers is by its name certainly no system: it compares systems, such as
/// `p-value` and `gru − lstm` beside these columns, or describes the data.
pub(crate) fn names_no_candidate(name: &str, columns: &[String]) -> bool {
    let plain = plain(name);
    let is_column = |part: &str| columns.iter().any(|column| column == part.trim());
    let signs = ["−", "–", "-", " vs ", " vs. ", "/"];
    let compares = signs.iter().any(|sign| {
        let mut places = name.match_indices(sign);
        places.any(|(at, _)| is_column(&name[..at]) && is_column(&name[at + sign.len()..]))
    });
    compares || holds(NO_CANDIDATES, &plain) || plain.split('_').next() == Some("δ")
}

/// Returns whether a column may be no system although its name could be one: `gain`, `p`, `±`.
pub(crate) fn may_be_no_candidate(name: &str) -> bool {
    let plain = plain(name);
    let mut words = plain.split('_');
    // Other signs, such as emoji, may be names.
    let is_sign = |sign: char| sign.is_ascii() || "±∓−–—".contains(sign);
    plain.is_empty() && name.chars().all(is_sign)
        || holds(UNSURE[0], &plain)
        || words.any(|word| holds(UNSURE[1], word))
}

/// Returns whether a column holds by its name the right answers.
pub(crate) fn names_gold(name: &str) -> bool {
    holds(GOLD, &plain(name))
}

/// Returns whether a column holds by its name what a system predicted.
pub(crate) fn names_prediction(name: &str) -> bool {
    holds(PREDICTIONS, &plain(name))
}

/// Returns whether names are those of levels, such as `easy` and `hard`, of classes with numbers, or of languages.
pub(super) fn are_groups(names: &[&str]) -> bool {
    const LEVELS: &str =
        "easy medium hard difficult moderate simple complex beginner intermediate advanced expert";
    const LANGUAGES: &str = "ar bn cs da de el en es et fa fi fr hi hu ja ko nl pl pt ro ru sv sw ta te th tr uk ur vi \
         zh english french german spanish italian russian chinese japanese korean arabic hindi portuguese";
    let all = |is: &dyn Fn(&str) -> bool| names.iter().all(|name| is(&plain(&name.to_lowercase())));
    let is_class = |name: &str| {
        let number = name.strip_prefix("class").unwrap_or_default();
        number.trim_start_matches('_').parse::<u64>().is_ok()
    };
    all(&|name| holds(LEVELS, name)) || all(&|name| holds(LANGUAGES, name)) || all(&is_class)
}

/// Returns whether a name has a word that systems alone have, also with a number behind it: `gpt-4`,
/// `llama3`.
pub(crate) fn sounds_like_system(name: &str) -> bool {
    let plain = plain(&name.to_lowercase());
    let is_one = |word: &str| {
        let stem = word.trim_end_matches(|c: char| c.is_ascii_digit());
        holds(SYSTEMS, word) || holds(SYSTEMS, stem)
    };
    plain.split('_').any(is_one)
}

/// Returns whether a name is one of a system in spite of a word that other columns have.
///
/// | the words have hyphens between them, and | examples |
/// |---|---|
/// | the last one is a word of systems, or a size | `rank-svm`, `mean-pooling`, `size-1b` |
/// | one is unknown, and one of a run or a note | `command-r-plus`, `log-reg` |
/// | one is unknown, and one of a step beside a number | `step-3.5-flash` |
///
/// A name that begins with `no-` or `w/o` is one of a system without a part: `no-dropout`, `w/o dropout`.
pub(super) fn is_system_in_spite(name: &str) -> bool {
    let (name, plain) = (name.trim(), plain(&name.to_lowercase()));
    let lacks = ["w/o", "without ", "no-", "no "]
        .iter()
        .any(|start| name.starts_with(start));
    if lacks || !name.contains('-') || name.contains(['_', '/', ' ']) {
        return lacks;
    }
    let of = |kinds: &[Kind]| kinds.iter().any(|&kind| has(kind, &plain));
    let is_size = |word: &str| {
        let digits = word.trim_end_matches(['b', 'k', 'm']);
        digits.len() + 1 == word.len() && digits.parse::<u32>().is_ok()
    };
    let ends = ["net", "former", "bert", "gpt", "pool", "pooling"];
    let is_model = |word: &str| {
        holds(SYSTEMS, word) || is_size(word) || ends.iter().any(|end| word.ends_with(end))
    };
    let is_known = |word: &str| {
        let kinds = [Kind::BesideScore, Kind::BesideSpent];
        no_system(word).is_some()
            || kinds.into_iter().any(|kind| is(kind, word))
            || DataPart::of_word(word).is_some()
    };
    let is_number = |word: &str| word.bytes().all(|byte| byte.is_ascii_digit());
    let has_unknown = plain
        .split('_')
        .any(|word| !is_known(word) && !is_number(word));
    let is_measured = of(&[
        Kind::Score,
        Kind::Loss,
        Kind::Spent,
        Kind::Spread,
        Kind::Mean,
    ]);
    let is_run = of(&[Kind::Run, Kind::Note]) && !of(&[Kind::Step]);
    let is_release = of(&[Kind::Step]) && plain.split('_').any(is_number);
    plain.rsplit('_').next().is_some_and(is_model)
        || has_unknown && !is_measured && (is_run || is_release)
}
