//! What the columns of a table hold.

use super::{columns::OWN, error::HeaderProblem, problem::excerpt};

/// The columns by which a file of counts is known where scores are sought.
pub(super) const COUNTS: [&str; 3] = ["tp", "fp", "fn"];

/// The two forms of a table, as the header tells them apart.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Layout {
    /// A row per evaluation.
    Long(Columns),
    /// A column per arm.
    Wide(ArmColumns),
}

/// Where the fields of a record stand, counting from 0.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Columns {
    pub(super) arm: usize,
    pub(super) score: usize,
    pub(super) split: Option<usize>,
    pub(super) seed: Option<usize>,
    pub(super) cost: Option<usize>,
    pub(super) duration: Option<usize>,
    pub(super) status: Option<usize>,
    /// The user's own.
    pub(super) others: Vec<usize>,
}

/// Where the scores of each arm stand, counting from 0.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ArmColumns {
    pub(super) scores: Vec<(usize, String)>,
    pub(super) split: Option<usize>,
    pub(super) seed: Option<usize>,
    pub(super) document: Option<usize>,
}

/// Understands a header of columns with these names, which `delimiter` separated.
pub(super) fn layout(names: &[&str], metric: &str, delimiter: u8) -> Result<Layout, HeaderProblem> {
    check(names, delimiter)?;
    let find = |name: &str| names.iter().position(|n| *n == name);
    let columns = || names.iter().map(|&name| name.to_owned()).collect();
    match (find("arm"), find(metric)) {
        (Some(arm), Some(score)) => {
            // The metric may be called `cost` or `duration`: a column is one thing only.
            let unless_score = |name| find(name).filter(|&column| column != score);
            Ok(Layout::Long(Columns {
                arm,
                score,
                split: find("split"),
                seed: find("seed"),
                cost: unless_score("cost"),
                duration: unless_score("duration"),
                status: find("status"),
                others: others(names, metric),
            }))
        }
        (_, None) if COUNTS.iter().all(|name| find(name).is_some()) => Err(HeaderProblem::Counts {
            metric: metric.to_owned(),
        }),
        (Some(_), None) => Err(HeaderProblem::NoMetric {
            metric: metric.to_owned(),
            columns: columns(),
        }),
        (None, Some(_)) => Err(HeaderProblem::NoArm { columns: columns() }),
        (None, None) => wide(names).map(Layout::Wide),
    }
}

/// The columns with a name that means nothing here.
fn others(names: &[&str], metric: &str) -> Vec<usize> {
    let known = |name: &str| name.is_empty() || name == metric || OWN.contains(&name);
    let named = names.iter().enumerate();
    named
        .filter(|(_, name)| !known(name))
        .map(|(column, _)| column)
        .collect()
}

fn wide(names: &[&str]) -> Result<ArmColumns, HeaderProblem> {
    let mut found = ArmColumns {
        scores: Vec::new(),
        split: None,
        seed: None,
        document: None,
    };
    for (column, &name) in names.iter().enumerate() {
        match name {
            "" => return Err(HeaderProblem::Unnamed(column + 1)),
            "split" => found.split = Some(column),
            "seed" => found.seed = Some(column),
            "document" => found.document = Some(column),
            "cost" | "duration" | "status" => return Err(HeaderProblem::NotOfArm(name.to_owned())),
            arm => found.scores.push((column, arm.to_owned())),
        }
    }
    if found.scores.is_empty() {
        return Err(HeaderProblem::NoArms);
    }
    Ok(found)
}

/// Refuses names that occur twice, and columns that are separated by something else.
pub(super) fn check(names: &[&str], delimiter: u8) -> Result<(), HeaderProblem> {
    if let [only] = names {
        separator(only, delimiter)?;
    }
    let mut sorted: Vec<&str> = names.iter().copied().filter(|n| !n.is_empty()).collect();
    sorted.sort_unstable();
    match sorted.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => Err(HeaderProblem::Duplicate(excerpt(pair[0]))),
        None => Ok(()),
    }
}

/// Refuses a single column whose name contains what other files separate their columns by.
fn separator(name: &str, delimiter: u8) -> Result<(), HeaderProblem> {
    let expected = match delimiter {
        b'\t' => "tabs",
        _ => "commas, and write numbers with a decimal point",
    };
    let others = [(b',', "commas"), (b';', "semicolons"), (b'\t', "tabs")];
    let found = others
        .into_iter()
        .find(|&(other, _)| other != delimiter && name.as_bytes().contains(&other));
    match found {
        Some((_, found)) => Err(HeaderProblem::Separator { found, expected }),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(names: &[&str]) -> String {
        layout(names, "score", b',').unwrap_err().to_string()
    }

    #[test]
    fn long_columns_stand_anywhere() {
        let names = ["note", "score", "", "seed", "arm", "", "duration"];
        let columns = Columns {
            arm: 4,
            score: 1,
            split: None,
            seed: Some(3),
            cost: None,
            duration: Some(6),
            status: None,
            others: vec![0],
        };
        assert_eq!(layout(&names, "score", b','), Ok(Layout::Long(columns)));
    }

    #[test]
    fn the_cost_may_be_the_score() {
        let Ok(Layout::Long(columns)) = layout(&["arm", "cost", "duration"], "cost", b',') else {
            panic!("no long form");
        };
        assert_eq!((columns.score, columns.cost), (1, None));
        assert_eq!(columns.duration, Some(2));
    }

    #[test]
    fn wide_columns_are_arms() {
        let names = ["document", "lstm", "split", "gru", "seed"];
        let arms = ArmColumns {
            scores: vec![(1, "lstm".into()), (3, "gru".into())],
            split: Some(2),
            seed: Some(4),
            document: Some(0),
        };
        assert_eq!(layout(&names, "score", b','), Ok(Layout::Wide(arms)));
    }

    #[test]
    fn says_what_is_wrong_with_a_header() {
        assert_eq!(
            refused(&["arm", "split", "f1", "acc"]),
            "there is no column `score`, only `arm`, `split`, `f1`, `acc`: \
             name the column of the score with --metric"
        );
        assert_eq!(
            refused(&["model", "score"]),
            "there is no column `arm`, only `model`, `score`: \
             call the column with the names of the candidates `arm`"
        );
        assert!(refused(&["arm", "score", "arm"]).starts_with("two columns are called `arm`"));
        assert!(refused(&["", "lstm"]).starts_with("column 1 has no name"));
        assert!(refused(&["lstm", "cost"]).starts_with("the column `cost` does not say whose"));
        assert!(refused(&["split", "seed"]).starts_with("no column is an arm"));
        assert_eq!(
            refused(&["arm;score"]),
            "the columns are separated by semicolons: \
             separate them by commas, and write numbers with a decimal point"
        );
        assert!(refused(&["arm\tscore"]).starts_with("the columns are separated by tabs"));
        let tabs = layout(&["arm,score"], "score", b'\t').unwrap_err();
        assert!(tabs.to_string().ends_with("separate them by tabs"));
        assert!(layout(&["lstm"], "score", b',').is_ok());
        for names in [
            &["arm", "tp", "fp", "fn"][..],
            &["document", "fn", "fp", "tp"],
        ] {
            assert!(refused(names).ends_with("read confusion counts with --counts"));
        }
        assert!(layout(&["arm", "tp", "fp", "fn"], "tp", b',').is_ok());
    }
}
