//! Words in the names of columns: a table of what each word says, and functions that look words up.

use crate::data_part::DataPart;
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
    /// Words that together name one data set, though one of them alone says something else.
    NamedDataset,
    /// A whole name of what tells rows apart: of items where every arm has a row of each.
    RowName,
    /// A whole name of what items consist of.
    ItemText,
    /// A whole name of splits and items that may also be of steps, or of what is compared.
    UnsureCase,
    /// A score that is better when larger.
    Score,
    /// A score of which the word does not say which is better.
    Undirected,
    /// A score that is better when larger if it is 0 or 1 throughout.
    Verdict,
    /// A score that is better when smaller.
    Loss,
    /// A word that may accompany the word of a score without changing the better direction.
    BesideScore,
    /// A further word that may accompany the word of a score, and may also be in the name of a system.
    OfScore,
    /// A word that turns a score into something else, whose better direction nobody can tell.
    OtherThanScore,
    /// A setting that is a number.
    Setting,
    /// Further words of settings, which names of systems may have as well.
    OtherSetting,
    /// A step of a training.
    Step,
    /// A word for time or money that was spent.
    Spent,
    /// A time at which something was done.
    Date,
    /// A word that may accompany the words of times, costs and dates.
    BesideSpent,
    /// A word for a count, such as `tokens`.
    Count,
    /// A word that says which run a row is of.
    Run,
    /// A word for the mean of other numbers.
    Mean,
    /// A word for a spread, a bound or a rank of other numbers, which is no score.
    Spread,
    /// A word for a remark, which says nothing of what was evaluated.
    Remark,
    /// A word for a remark, or for how something ended.
    Note,
}

/// Words that tell what a column holds, in small letters and separated by spaces. A name of several
/// words is joined by `_`.
const WORDS: [(Kind, &str); 29] = [
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
         instance_id image image_id test_id testcase test_case test_name case_id qno question_no item_name item_number",
    ),
    (
        Kind::RowName,
        "id uid idx index key example sample instance",
    ),
    (
        Kind::ItemText,
        "prompt input input_text text sentence instruction passage utterance question_text problem_statement user_prompt",
    ),
    (
        Kind::Dataset,
        "dataset data_set dataset_name dataset_id data data_name corpus benchmark task task_name domain language lang problem environment \
         env env_name env_id game subject subset suite testset test_set datensatz aufgabe",
    ),
    (
        Kind::NamedDataset,
        "human_eval c_eval alpaca_eval agi_eval if_eval eval_plus date_understanding",
    ),
    (Kind::UnsureCase, "iteration prompt_id task_id partition"),
    (
        Kind::Score,
        "score acc accuracy accuracies f1 auc auroc roc ap map bleu rouge chrf mrr ndcg precision recall r2 reward return value metric em match kappa \
         mcc dice iou correct passed solved resolved verdict outcome success performance result sacrebleu rouge1 rouge2 rougel meteor cider bertscore spearman pearson spearmanr \
         pearsonr kendall miou ap50 ap75 psnr ssim auprc fscore jaccard sensitivity specificity elo win wins hits pass objective \
         genauigkeit tpr tnr",
    ),
    (
        Kind::Undirected,
        "value metric result performance match objective",
    ),
    (Kind::Verdict, "verdict outcome passed solved resolved"),
    (
        Kind::Loss,
        "misclassification loss losses error errors err rmse mse mae mape perplexity ppl wer cer ter nll bpb regret fid logloss brier crps ece rmsle smape nmse nrmse bits \
         fehler fehlerrate fpr fnr",
    ),
    (
        Kind::BesideScore,
        "holdout held out oof mean avg average overall macro micro weighted balanced top exact match word character root squared absolute \
         log cross entropy rate under curve pct percent at per byte binary ep rew episode norm pr k score is",
    ),
    (
        Kind::OfScore,
        "final best total normalized normalised raw model bert comet judge quality human llm eval evaluation public private leaderboard exam \
         benchmark silhouette similarity semantic answer rubric helpfulness faithfulness relevancy relevance correctness coherence fluency \
         adequacy skill",
    ),
    (
        Kind::OtherThanScore,
        "std standard stderr sd sem deviation variance var rank ranks ranking time drop gap degradation decrease reduction increase delta diff \
         difference change improvement gain distance divergence toxicity toxic hallucination hallucinations bias risk complexity davies \
         bouldin metricx violation violations refusal invalid failed failure failures rejected false miss missed missing attack \
         uncertainty free se ci p pvalue not no non un inverse inv neg negative minus",
    ),
    (
        Kind::Setting,
        "n num number of params parameters lr learning rate batch size dropout weight decay hidden layers depth width dim epochs estimators",
    ),
    (
        Kind::OtherSetting,
        "bs wd param momentum warmup units heads kernel stride patch temperature smoothing accumulation gradient grad lora embedding \
         threshold thresholds buffer coef penalty workers leaf degree eps beta1 beta2 beams optimizer scheduler",
    ),
    (
        Kind::Step,
        "epoch epochs step steps iter iters itr iteration iterations checkpoint ckpt timestep timesteps update updates episode generation round",
    ),
    (
        Kind::Spent,
        "time timestamp duration runtime seconds secs sec ms minutes hours cost price usd elapsed latency",
    ),
    (Kind::Date, "date datetime created started finished updated"),
    (
        Kind::BesideSpent,
        "s min h train training test eval fit score total wall clock run cpu gpu start end at mean std attempt call request response \
         inference generation per example item sample question answer taken spent in of",
    ),
    (
        Kind::Count,
        "n count counts num number tokens samples params parameters flops macs memory mem size support requests calls rows anzahl tp fp fn tn",
    ),
    (
        Kind::Run,
        "run job trial id uuid index row path file filename log url hash commit host note notes comment message output",
    ),
    (
        Kind::Remark,
        "note notes comment comments remark remarks message description bemerkung bemerkungen kommentar",
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

/// Words of each kind of [`WORDS`], split only once, as every column of every file is looked up many times.
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

/// Returns a plain name without known names of data sets.
pub(super) fn without_data_sets(plain: &str) -> String {
    let without = |name: String, known| name.replace(&format!("_{known}_"), "_");
    let rest = words(Kind::NamedDataset).fold(format!("_{plain}_"), without);
    rest.trim_matches('_').to_owned()
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
    let known = |word: &str| is(Kind::Loss, word) || is_score_or_beside(word);
    let is_match = plain.contains("exact_match");
    let is_directed = (directed(Kind::Score) || is_match) != directed(Kind::Loss);
    is_directed && plain.split('_').all(known)
}

/// Returns whether a word is one of scores, a number or a part of the data, or may accompany them.
fn is_score_or_beside(word: &str) -> bool {
    let part = DataPart::of_word(word);
    word.bytes().all(|byte| byte.is_ascii_digit())
        || matches!(part, Some(DataPart::Validation | DataPart::Test))
        || is(Kind::Score, word)
        || is(Kind::BesideScore, word)
}

/// Returns whether a word beside `score` leaves larger scores better.
pub(super) fn is_beside_score(word: &str) -> bool {
    is_score_or_beside(word) || is(Kind::OfScore, word)
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
pub(crate) fn are_of_arms(plain: &str) -> bool {
    let is_sure = |word: &str| is(Kind::Arm, word) && !is(Kind::UnsureArm, word);
    let beside = |word: &str| matches!(word, "name" | "id" | "type" | "label" | "key" | "the");
    let known = |word: &str| is_sure(word) || beside(word);
    plain == "name" || plain.split('_').any(is_sure) && plain.split('_').all(known)
}

/// Returns whether a plain name is certainly that of arms, not of groups of rows or cases.
pub(super) fn is_sure_arm(plain: &str) -> bool {
    has(Kind::Arm, plain) && !has(Kind::UnsureArm, plain) && !is(Kind::UnsureCase, plain)
}

/// Returns whether a name is that of a statistic of several scores: `mean`, `std`, `count`, `50%`.
pub(crate) fn names_statistic(name: &str) -> bool {
    let plain = plain(name);
    let known = |word: &str| {
        [Kind::Mean, Kind::Spread, Kind::Count]
            .into_iter()
            .any(|kind| is(kind, word))
            || word.bytes().all(|byte| byte.is_ascii_digit())
    };
    plain.split('_').all(known)
}

/// Returns whether a row of this name holds another quantity than scores on a case: a time or a cost, a size, or a
/// number that is computed of scores. Units in parentheses count for nothing.
pub(crate) fn names_quantity(name: &str) -> bool {
    const NAMES: &str = "params parameters n_params num_params parameter_count number_of_parameters flops macs gpu_hours size \
                         model_size n p p_value pvalue std stddev std_dev sd se stderr variance δ diff difference improvement rank \
                         avg_rank average_rank mean_rank rank_average wins number_of_wins median geo_mean geomean geometric_mean macro micro \
                         gesamt σ sum total";
    let plain = plain(name.split('(').next().unwrap_or_default());
    are_of_spending(&plain) || NAMES.split_whitespace().any(|known| known == plain)
}

/// Returns whether all words of a plain name are of counts, such as `input_tokens`.
pub(super) fn are_of_counts(plain: &str) -> bool {
    let beside = |word: &str| matches!(word, "input" | "output" | "prompt" | "completion" | "of");
    has(Kind::Count, plain)
        && plain
            .split('_')
            .all(|word| is(Kind::Count, word) || beside(word))
}

/// Returns whether all words of a plain name are of expenses or times, or may accompany them.
pub(super) fn are_of_spending(plain: &str) -> bool {
    let is_sure = |word: &str| is(Kind::Spent, word) || is(Kind::Date, word);
    let known = |word: &str| is_sure(word) || is(Kind::BesideSpent, word);
    plain.split('_').any(is_sure) && plain.split('_').all(known)
}

/// Returns what kind of column, other than a system's, a name stands for, in words: a step, a
/// metric, a setting, …; `None` if no word of the name is known as such.
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

/// Returns the column of the long form that a name stands for, in a file with a column for each
/// arm. `None` for other names.
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
