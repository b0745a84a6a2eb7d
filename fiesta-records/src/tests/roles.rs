//! Tests of roles of columns: the rule that takes each column, and that the reader does what the
//! roles say.

use crate::{ColumnNames, Reading, Role, Rule, Understood, understand};

fn understood(csv: &str, options: &Reading) -> Understood {
    understand(csv.as_bytes(), None, options, "s").unwrap()
}

fn roles(csv: &str, options: &Reading) -> Vec<(String, Role, Rule)> {
    let found = understood(csv, options).roles;
    let roles = found.into_iter();
    roles.map(|of| (of.column, of.role, of.rule)).collect()
}

fn role(column: &str, role: Role, rule: Rule) -> (String, Role, Rule) {
    (column.to_owned(), role, rule)
}

/// Tests each rule of the table in `proposal/roles.rs`.
#[test]
fn each_rule_takes_its_column() {
    let csv =
        ",model,fold,acc,epochs,note\n0,a,0,0.7,3,x\n1,b,0,0.6,3,x\n2,a,1,0.8,3,x\n3,b,1,0.7,3,x\n";
    let expected = [
        role("", Role::Nothing, Rule::Nameless),
        role("model", Role::Arm, Rule::Word),
        role("fold", Role::Split, Rule::Word),
        role("acc", Role::Score, Rule::Word),
        role("epochs", Role::Kept, Rule::Known("a step")),
        role("note", Role::Kept, Rule::Known("a run or a note")),
    ];
    assert_eq!(roles(csv, &Reading::default()), expected);

    let named = Reading {
        metric: Some("acc".to_owned()),
        columns: ColumnNames {
            arm: Some("model".to_owned()),
            item: Some("fold+note".to_owned()),
            ..ColumnNames::default()
        },
        ..Reading::default()
    };
    let csv = csv.replace(",x\n", ",y\n").replacen(",y\n", ",x\n", 2);
    let found = roles(&csv, &named);
    assert_eq!(found[1], role("model", Role::Arm, Rule::Named));
    assert_eq!(found[2], role("fold", Role::Item, Rule::Named));
    assert_eq!(found[3], role("acc", Role::Score, Rule::Named));
    assert_eq!(found[5], role("note", Role::Item, Rule::Named));

    let long = "arm,split,score,cost,colour\na,0,0.7,1,red\nb,0,0.6,1,red\n";
    let expected = [
        role("arm", Role::Arm, Rule::LongForm),
        role("split", Role::Split, Rule::LongForm),
        role("score", Role::Score, Rule::LongForm),
        role("cost", Role::Cost, Rule::LongForm),
        role("colour", Role::Kept, Rule::Unknown),
    ];
    assert_eq!(roles(long, &Reading::default()), expected);
}

/// Tests tables with a column for each arm, found or named.
#[test]
fn arms_in_columns_have_roles() {
    let csv = "question,large,small\nq1,1,0\nq2,1,1\nq3,0,0\n";
    let expected = [
        role("question", Role::Item, Rule::Key),
        role("large", Role::Scores, Rule::Alike),
        role("small", Role::Scores, Rule::Alike),
    ];
    assert_eq!(roles(csv, &Reading::default()), expected);
    let named = Reading {
        arms: vec!["large".to_owned()],
        ..Reading::default()
    };
    let found = roles(csv, &named);
    assert_eq!(found[1], role("large", Role::Scores, Rule::Named));
    assert_eq!(found[2].1, Role::Nothing);
}

/// Tests a table with a row for each system, and rows that are splits.
#[test]
fn rows_that_are_systems_or_splits_have_roles() {
    let csv = "model,news,mails,books,avg\nlarge,71.2,70.0,69.1,70.1\nsmall,69.5,70.2,66.4,68.7\n";
    let expected = [
        role("model", Role::Arm, Rule::Word),
        role("news", Role::Score, Rule::DataSet),
        role("mails", Role::Score, Rule::DataSet),
        role("books", Role::Score, Rule::DataSet),
        role("avg", Role::Nothing, Rule::Known("a summary")),
    ];
    assert_eq!(roles(csv, &Reading::default()), expected);
    let paired = Reading {
        paired_rows: true,
        ..Reading::default()
    };
    let found = roles("dataset,a,b\nx,.7,.6\ny,.8,.7\n", &paired);
    assert_eq!(found[0], role("dataset", Role::Split, Rule::Key));
}

/// Tests that evaluations hold what stands in the columns with the roles of arm, score and case.
#[test]
fn the_reader_does_what_the_roles_say() {
    for csv in [
        "model,fold,acc\na,0,0.7\nb,0,0.6\na,1,0.8\nb,1,0.7\n",
        "arm,item,score\na,x,0.7\nb,x,0.6\na,y,0.8\nb,y,0.7\n",
        "dataset,a,b\nx,0.7,0.6\ny,0.8,0.7\n",
        "[{\"system\":\"a\",\"seed\":1,\"f1\":0.7},{\"system\":\"b\",\"seed\":1,\"f1\":0.6},{\"system\":\"a\",\"seed\":2,\"f1\":0.8},{\"system\":\"b\",\"seed\":2,\"f1\":0.7}]",
    ] {
        let found = understood(csv, &Reading::default());
        let evaluations = &found.evaluations;
        let columns = |role: Role| {
            let of = found.roles.iter().filter(move |of| of.role == role);
            of.map(|of| of.column.as_str()).collect::<Vec<&str>>()
        };
        let (arms, scores) = (columns(Role::Scores), columns(Role::Score));
        if evaluations.is_wide() {
            assert_eq!(evaluations.arms(), arms, "{csv}");
        } else {
            assert_eq!(scores, [evaluations.metric()], "{csv}");
            assert_eq!(columns(Role::Arm).len(), 1, "{csv}");
        }
        let has_items = !evaluations.items().is_empty();
        assert_eq!(has_items, !columns(Role::Item).is_empty(), "{csv}");
        let has_splits = evaluations.records().at(0).split.is_some() && !has_items;
        assert_eq!(has_splits, !columns(Role::Split).is_empty(), "{csv}");
        let has_seeds = evaluations.records().at(0).seed.is_some();
        assert_eq!(has_seeds, !columns(Role::Seed).is_empty(), "{csv}");
    }
}

/// Tests that a refusal explains the columns as far as the proposed names go.
#[test]
fn a_refusal_has_roles_too() {
    let csv = "model,tag,acc\na,u,0.7\nb,u,0.6\na,u,0.8\nb,v,0.7\n";
    let error = understand(csv.as_bytes(), None, &Reading::default(), "s").unwrap_err();
    let roles = &error.proposal().unwrap().roles;
    let found: Vec<(&str, Role)> = roles.iter().map(|of| (&*of.column, of.role)).collect();
    assert_eq!(
        found,
        [
            ("model", Role::Arm),
            ("tag", Role::Kept),
            ("acc", Role::Score)
        ]
    );
}
