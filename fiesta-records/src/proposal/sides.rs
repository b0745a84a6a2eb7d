//! Sides of a table: whether its rows or its columns are what is compared, as far as their names
//! tell.

use super::{
    candidates::sounds_like_system,
    names_arms, names_items, names_summary,
    words::{Kind, are_of_score, has, is, plain, role_of},
};
use crate::{Choice, scores::UNNAMED, words::quoted};

/// Names of data sets that are often reported, in small letters and without signs.
const DATA_SETS: &str = "mnist fashionmnist kmnist emnist cifar cifar10 cifar100 svhn imagenet imagenet1k imagenetr imagenetv2 imageneta \
                         tinyimagenet stl10 caltech101 caltech256 food101 flowers102 oxfordpets stanfordcars aircraft dtd eurosat sun397 \
                         ucf101 coco voc pascalvoc cityscapes ade20k kitti nuscenes vlcs pacs officehome terraincognita domainnet camelyon17 \
                         glue superglue cola sst sst2 mrpc stsb qqp mnli qnli rte wnli boolq copa wic wsc record multirc snli xnli anli \
                         squad triviaqa naturalquestions hotpotqa drop race mmlu mmlupro gpqa arc arcc arceasy arcchallenge hellaswag \
                         winogrande piqa siqa openbookqa commonsenseqa truthfulqa gsm8k math500 aime humaneval mbpp bbh bigbench ifeval mtbench \
                         agieval ceval cmmlu lambada wikitext ptb imdb yelp agnews dbpedia trec conll2003 ontonotes wmt14 wmt16 \
                         librispeech commonvoice voxceleb cora citeseer pubmed ogbn zinc qm9 movielens criteo adult iris higgs covertype \
                         ett etth1 etth2 ettm1 ettm2 electricity traffic weather exchange m4 beir msmarco nfcorpus scifact fiqa";

/// The side of a table that names what is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    Rows,
    Columns,
}

impl Side {
    /// Returns what is said of a reading in which this side names what is compared.
    pub(crate) fn words(self) -> &'static str {
        match self {
            Self::Rows => "methods are the rows",
            Self::Columns => "methods are the columns",
        }
    }
}

/// Returns the message that rows and columns may both be what is compared, and the choices that say
/// which are.
pub(crate) fn either(corner: &str, rows: &[&str], columns: &[&str]) -> (String, Vec<Choice>) {
    // Numbers are folds or years. The flag's list is divided by commas.
    let is_sayable = columns.len() > 1
        && !are_numbers(columns)
        && !columns.iter().any(|name| name.contains(','));
    let called = if corner.is_empty() { UNNAMED } else { corner };
    let of_columns = is_sayable.then(|| ("arms", columns.join(","), Side::Columns));
    let ways = [("arm", called.to_owned(), Side::Rows)]
        .into_iter()
        .chain(of_columns);
    let choices = ways.map(|(flag, value, side)| Choice {
        flag,
        value,
        says: side.words(),
    });
    let problem = format!(
        "rows ({}) and columns ({}) may both be the systems: say that rows are with --arm, or that columns are with --arms",
        quoted(rows),
        quoted(columns)
    );
    (problem, choices.collect())
}

/// Returns the side that names what is compared, by the name in the corner and those of the rows
/// and of the columns. `None` if none of them tells, or if they contradict each other.
pub(crate) fn side(corner: &str, rows: &[&str], columns: &[&str]) -> Option<Side> {
    let has_average = |names: &[&str]| names.iter().any(|name| names_summary(name));
    let sounds = |names: &[&str]| names.iter().any(|name| sounds_like_system(name));
    let of_rows = names_arms(corner) || are_cases(columns);
    let of_columns = role_of(corner).is_some()
        || names_items(corner)
        || are_cases(rows)
        || sounds(columns) && !sounds(rows);
    // An average says something where no other name does.
    match (of_rows, of_columns, has_average(columns), has_average(rows)) {
        (true, false, ..) | (false, false, true, false) => Some(Side::Rows),
        (false, true, ..) | (false, false, false, true) => Some(Side::Columns),
        _ => None,
    }
}

/// Returns whether names are those of data sets, metrics, folds, seeds or years, on which systems
/// are compared.
pub(super) fn are_cases(names: &[&str]) -> bool {
    let names: Vec<&str> = { names.iter().copied() }
        .filter(|name| !names_summary(name))
        .collect();
    let known = names.iter().filter(|name| is_data_set(name)).count();
    let is_metric = |name: &&str| are_of_score(&plain(name));
    let are_known = known > 1 && 2 * known >= names.len();
    names.len() > 1
        && (are_known || are_numbered(&names) || names.iter().all(is_metric))
        && !names.iter().any(|name| sounds_like_system(name))
}

/// Returns whether names are bare numbers of folds or years.
pub(super) fn are_numbers(names: &[&str]) -> bool {
    let is_year = |name: &&str| (1900..2100).contains(&name.parse::<u64>().unwrap_or(0));
    are_folds(names) || names.iter().all(is_year)
}

/// Returns whether names are numbers of folds or years, or one word of splits or seeds with a
/// number behind it.
pub(crate) fn are_numbered(names: &[&str]) -> bool {
    let of_case = |name: &&str| {
        let plain = plain(name);
        let stem = plain.trim_end_matches(|c: char| c.is_ascii_digit() || c == '_');
        let is_case = [Kind::Split, Kind::Seed]
            .into_iter()
            .any(|kind| is(kind, stem));
        (is_case || stem == "run") && stem.len() < plain.len()
    };
    are_numbers(names) || names.iter().all(of_case)
}

/// Returns whether names are numbers in their order, from 0 or 1, as those of folds are.
fn are_folds(names: &[&str]) -> bool {
    let numbers: Option<Vec<usize>> = names.iter().map(|name| name.parse().ok()).collect();
    let in_order = |numbers: Vec<usize>| {
        let first = numbers.first().copied().unwrap_or(usize::MAX);
        first < 2
            && numbers
                .iter()
                .enumerate()
                .all(|(at, &number)| number == first + at)
    };
    numbers.is_some_and(in_order)
}

/// Returns whether a name is one of a known data set, also with a version or a part behind it.
fn is_data_set(name: &str) -> bool {
    let plain = plain(&name.to_lowercase());
    let joined = plain.replace('_', "");
    let first = plain.split('_').next().unwrap_or_default();
    let is_known = |name: &str| DATA_SETS.split_whitespace().any(|known| known == name);
    [&joined, first].into_iter().any(is_known) && !has(Kind::Arm, &plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_the_side() {
        let methods = ["kumo", "lopa", "zuti"];
        let sets = ["CIFAR-10", "ImageNet-1k", "Tabu"];
        for (corner, rows, columns, expected) in [
            ("", methods, sets, Some(Side::Rows)),
            ("", sets, methods, Some(Side::Columns)),
            ("Method", methods, methods, Some(Side::Rows)),
            ("Dataset", methods, methods, Some(Side::Columns)),
            ("", methods, methods, None),
            // Names against the corner.
            ("Method", sets, methods, None),
            ("Task", methods, sets, None),
            ("", methods, ["2019", "2020", "2021"], Some(Side::Rows)),
            (
                "",
                ["fold 1", "fold 2", "fold 3"],
                methods,
                Some(Side::Columns),
            ),
            ("", methods, ["Acc", "F1", "Recall"], Some(Side::Rows)),
            ("", methods, ["tabu", "sole", "Avg."], Some(Side::Rows)),
            ("", ["tabu", "sole", "mean"], methods, Some(Side::Columns)),
            (
                "",
                ["tabu", "sole", "rare"],
                ["llama", "x", "y"],
                Some(Side::Columns),
            ),
            // Systems may be called after their data.
            (
                "",
                methods,
                ["bert-mnli", "gpt-squad", "t5"],
                Some(Side::Columns),
            ),
        ] {
            assert_eq!(
                side(corner, &rows, &columns),
                expected,
                "{corner} {rows:?} {columns:?}"
            );
        }
    }
}
