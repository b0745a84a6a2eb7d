//! Words in the names of columns: one table of what each says, and the questions to it.

use crate::data_part::DataPart;
use fiesta_core::Direction;
use std::sync::LazyLock;

/// Meaning of a word, or of a whole name, of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A name of the things compared; the more telling words come first.
    Arm,
    /// A word of arms that may also be of groups of rows, or of questions.
    UnsureArm,
    /// A whole name of splits of the data, or of repeats.
    Split,
    /// A whole name of seeds.
    Seed,
    /// A whole name of items.
    Item,
    /// A whole name of data sets, tasks and the like.
    Dataset,
    /// A whole name of splits and items that may also be of steps, or of what is compared.
    UnsureCase,
    /// A score that is better when larger.
    Score,
    /// A score of which the word does not say which is better.
    Undirected,
    /// A score that is better when smaller.
    Loss,
    /// A word that may accompany the word of a score without changing the better direction.
    BesideScore,
    /// A setting that is a number.
    Setting,
    /// Further words of settings, which names of systems may have as well.
    OtherSetting,
    /// A step of a training.
    Step,
    /// Time or money that was spent.
    Spent,
    /// A time at which something was done.
    Date,
    /// A word that may accompany the words of times, costs and dates.
    BesideSpent,
    /// A count.
    Count,
    /// Which run a row is of.
    Run,
    /// A mean of other numbers.
    Mean,
    /// A spread, a bound or a rank of other numbers: no score.
    Spread,
    /// A remark, or how something ended.
    Note,
}

/// Words that tell what a column holds, in small letters and separated by spaces. A name of several
/// words is joined by `_`.
const WORDS: [(Kind, &str); 22] = [
    (
        Kind::Arm,
        "arm model system candidate method algorithm algo classifier estimator learner approach architecture variant agent llm \
         technique recipe detector retriever solver tagger parser modell methode verfahren optimizer policy pipeline prompt config \
         sweep experiment group name",
    ),
    (
        Kind::UnsureArm,
        "experiment group sweep prompt name policy pipeline config",
    ),
    (
        Kind::Split,
        "split fold cv_fold fold_id fold_idx fold_number split_id split_number cv_split outer_fold inner_fold kfold partition repeat rep \
         repetition resample replicate iteration",
    ),
    (
        Kind::Seed,
        "seed random_state random_seed rng_seed randomseed rng seed_id torch_seed numpy_seed",
    ),
    (
        Kind::Item,
        "item item_id question_id question doc_id document_id sample_id example_id qid query query_id problem_id prompt_id task_id \
         instance_id image image_id",
    ),
    (
        Kind::Dataset,
        "dataset data_set dataset_name dataset_id data data_name corpus benchmark task task_name domain language lang problem environment \
         env env_name env_id game subject subset suite testset test_set datensatz aufgabe",
    ),
    (Kind::UnsureCase, "iteration prompt_id task_id partition"),
    (
        Kind::Score,
        "score acc accuracy f1 auc auroc roc ap map bleu rouge chrf mrr ndcg precision recall r2 reward return value metric em match kappa \
         mcc dice iou correct success performance result sacrebleu rouge1 rouge2 rougel meteor cider bertscore spearman pearson spearmanr \
         pearsonr kendall miou ap50 ap75 psnr ssim auprc fscore jaccard sensitivity specificity elo win wins hits pass objective \
         genauigkeit",
    ),
    (
        Kind::Undirected,
        "value metric result performance match objective",
    ),
    (
        Kind::Loss,
        "loss error err rmse mse mae mape perplexity ppl wer cer nll bpb regret fid logloss brier crps ece rmsle smape nmse nrmse bits \
         fehler fehlerrate",
    ),
    (
        Kind::BesideScore,
        "holdout held out oof mean avg average overall macro micro weighted balanced top exact match word character root squared absolute \
         log cross entropy rate under curve pct percent at per byte binary ep rew episode norm pr k score",
    ),
    (
        Kind::Setting,
        "n num number of params parameters lr learning rate batch size dropout weight decay hidden layers depth width dim epochs estimators",
    ),
    (
        Kind::OtherSetting,
        "bs wd param momentum warmup units heads kernel stride patch temperature smoothing accumulation gradient grad lora embedding \
         threshold buffer coef penalty workers leaf degree eps beta1 beta2 beams optimizer scheduler",
    ),
    (
        Kind::Step,
        "epoch epochs step steps iter iters itr iteration iterations checkpoint timestep timesteps update updates episode generation round",
    ),
    (
        Kind::Spent,
        "time timestamp duration runtime seconds secs sec ms minutes hours cost price usd elapsed latency",
    ),
    (Kind::Date, "date datetime created started finished updated"),
    (
        Kind::BesideSpent,
        "s min h train training test eval fit score total wall clock run cpu gpu start end at mean std",
    ),
    (
        Kind::Count,
        "n count counts num number tokens samples params parameters flops macs memory mem size support requests calls rows anzahl",
    ),
    (
        Kind::Run,
        "run job trial id uuid index row path file filename log url hash commit host note notes comment message output",
    ),
    (Kind::Mean, "mean avg average median total overall sum"),
    (
        Kind::Spread,
        "std stderr sd sem standard deviation var variance ci lower upper min max quantile percentile rank",
    ),
    (
        Kind::Note,
        "note notes comment comments remark remarks tag tags status state description command user device version",
    ),
];

/// Words of each kind of [`WORDS`], parted once: every column of every file is looked up many times.
static PARTED: LazyLock<Vec<(Kind, Vec<&str>)>> = LazyLock::new(|| {
    let parted = |(kind, words): (Kind, &'static str)| (kind, words.split_whitespace().collect());
    WORDS.into_iter().map(parted).collect()
});

/// Returns the words of a kind.
fn words(kind: Kind) -> impl Iterator<Item = &'static str> {
    let of = PARTED.iter().filter(move |(of, _)| *of == kind);
    of.flat_map(|(_, words)| words.iter().copied())
}

/// Returns whether this word, or whole name, is of this kind.
pub(super) fn is(kind: Kind, word: &str) -> bool {
    words(kind).any(|known| known == word)
}

/// Returns whether any word of a plain name is of this kind.
pub(super) fn has(kind: Kind, plain: &str) -> bool {
    plain.split('_').any(|word| is(kind, word))
}

/// The place of a name's most telling word among the words of a kind.
pub(super) fn rank(kind: Kind, plain: &str) -> Option<usize> {
    words(kind).position(|known| plain.split('_').any(|word| word == known))
}

/// Returns whether all words of a plain name are words of scores, or may accompany them.
pub(super) fn are_of_score(plain: &str) -> bool {
    let directed = |kind| {
        let mut of = plain.split('_');
        of.any(|word| is(kind, word) && !is(Kind::Undirected, word))
    };
    let known = |word: &str| {
        let is_number = word.bytes().all(|byte| byte.is_ascii_digit());
        let part = DataPart::of_word(word);
        let of_score = [Kind::Score, Kind::Loss, Kind::BesideScore];
        is_number
            || matches!(part, Some(DataPart::Validation | DataPart::Test))
            || of_score.into_iter().any(|kind| is(kind, word))
    };
    let is_match = plain.contains("exact_match");
    let is_directed = (directed(Kind::Score) || is_match) != directed(Kind::Loss);
    is_directed && plain.split('_').all(known)
}

/// Returns which scores are better, as a word of a score or a loss in the name says it. `None` if
/// none does.
pub(super) fn direction(plain: &str) -> Option<Direction> {
    if is_loss(plain) {
        return Some(Direction::Minimize);
    }
    let is_directed = |word: &str| is(Kind::Score, word) && !is(Kind::Undirected, word);
    let says = plain.contains("exact_match") || plain.split('_').any(is_directed);
    says.then_some(Direction::Maximize)
}

/// Returns whether a word occurs in names of numbers that are not scores.
pub(super) fn is_of_no_score(word: &str) -> bool {
    [
        Kind::Spent,
        Kind::Step,
        Kind::Setting,
        Kind::OtherSetting,
        Kind::Count,
        Kind::Spread,
    ]
    .into_iter()
    .any(|kind| is(kind, word))
        || matches!(word, "id" | "index")
}

/// Returns whether a plain name has a word of a loss, and no word that reverses its direction.
pub(super) fn is_loss(plain: &str) -> bool {
    let is_turned = |word: &str| matches!(word, "neg" | "negative" | "minus");
    let is_bounded = plain.contains("standard_error") || plain.contains("std_err");
    has(Kind::Loss, plain) && !is_bounded && !plain.split('_').any(is_turned)
}

/// Returns whether all words of a plain name are words of arms, or may accompany them.
pub(super) fn are_of_arms(plain: &str) -> bool {
    let is_sure = |word: &str| is(Kind::Arm, word) && !is(Kind::UnsureArm, word);
    let beside = |word: &str| matches!(word, "name" | "id" | "type" | "label" | "key" | "the");
    let known = |word: &str| is_sure(word) || beside(word);
    plain == "name" || plain.split('_').any(is_sure) && plain.split('_').all(known)
}

/// Returns whether a plain name is certainly that of arms, not of groups of rows or cases.
pub(super) fn is_sure_arm(plain: &str) -> bool {
    has(Kind::Arm, plain) && !has(Kind::UnsureArm, plain) && !is(Kind::UnsureCase, plain)
}

/// Returns whether all words of a plain name are of expenses or times, or may accompany them.
pub(super) fn are_of_spending(plain: &str) -> bool {
    let is_sure = |word: &str| is(Kind::Spent, word) || is(Kind::Date, word);
    let known = |word: &str| is_sure(word) || is(Kind::BesideSpent, word);
    plain.split('_').any(is_sure) && plain.split('_').all(known)
}

/// What a name says of a column that is no system's, in words: a step, a metric, a setting, …;
/// `None` if no word of the name is known as such.
pub(super) fn no_system(plain: &str) -> Option<&'static str> {
    let of = |kinds: &[Kind]| kinds.iter().any(|&kind| has(kind, plain));
    let names = |kinds: &[Kind]| kinds.iter().any(|&kind| is(kind, plain));
    match () {
        () if names(&[Kind::Item, Kind::Dataset, Kind::Split, Kind::Seed]) => Some("a case"),
        () if of(&[Kind::Step]) => Some("a step"),
        () if are_of_arms(plain) => Some("what is compared"),
        () if of(&[Kind::Spread, Kind::Mean]) => Some("a summary"),
        () if of(&[Kind::Spent, Kind::Date]) => Some("a time or a cost"),
        () if of(&[Kind::Score, Kind::Loss]) || plain.contains("entropy") => Some("a metric"),
        () if of(&[Kind::Setting, Kind::OtherSetting]) => Some("a setting"),
        () if of(&[Kind::Count]) => Some("a count"),
        () if of(&[Kind::Run, Kind::Note]) => Some("a run or a note"),
        () => None,
    }
}

/// Returns whether all words of a name exclude that the name is a system's.
pub(super) fn is_no_system(plain: &str) -> bool {
    let known = |word: &str| {
        let is_number = word.bytes().all(|byte| byte.is_ascii_digit());
        is_number
            || no_system(word).is_some()
            || DataPart::of_word(word).is_some()
            || is(Kind::BesideScore, word)
    };
    no_system(plain).is_some() && (are_of_arms(plain) || plain.split('_').all(known))
}

/// The part of a column that its name says it is, in a file with a column for each arm: of none
/// that is certainly an arm.
pub(crate) fn role_of(name: &str) -> Option<&'static str> {
    let plain = plain(name);
    match () {
        () if is(Kind::Split, &plain) => Some("split"),
        () if is(Kind::Seed, &plain) => Some("seed"),
        () if is(Kind::Item, &plain) || is(Kind::Dataset, &plain) => Some("item"),
        () => None,
    }
}

/// Returns a name in small letters, with its words joined by `_`.
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
