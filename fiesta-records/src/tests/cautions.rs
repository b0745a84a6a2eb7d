//! Tests of cautions about a comparison of arms: notices, columns and rows that are left out,
//! refusals.

use crate::{
    Choice, ColumnNames, ColumnRole, Evaluations, Reading, RecordsError, Role, Rule, Spread,
    Summaries, gold, of_arms, read_from, recognised_summaries, table::Table, understand,
};

fn read(text: &str, options: &Reading) -> Result<Evaluations, RecordsError> {
    read_from(text.as_bytes(), None, options, "s")
}

/// Returns options that name the columns `arm`, `acc` and, if there is one, `split`.
fn named(metric: &str, split: Option<&str>) -> Reading {
    Reading {
        metric: Some(metric.to_owned()),
        columns: ColumnNames {
            arm: Some("model".to_owned()),
            split: split.map(str::to_owned),
            ..ColumnNames::default()
        },
        keep_columns: true,
        ..Reading::default()
    }
}

fn metric(name: &str) -> Reading {
    Reading {
        metric: Some(name.to_owned()),
        ..Reading::default()
    }
}

/// Returns all cautions about a text whose columns are named.
fn told(text: &str, metric: &str, split: Option<&str>) -> String {
    let records = read(text, &named(metric, split)).unwrap_or_else(|error| panic!("{text}{error}"));
    let mut roles = vec![ColumnRole::new("model", Role::Arm, Rule::Named)];
    roles.extend(split.map(|split| ColumnRole::new(split, Role::Split, Rule::Named)));
    [records.cautions(), records.cautions_of_arms(&roles)]
        .concat()
        .join("\n")
}

#[test]
fn two_scales_are_refused_or_told_of() {
    let arms = "model,fold,acc\nlstm,0,.81\nlstm,1,.8\ngru,0,79.3\ngru,1,78\n";
    let one_arm = "model,fold,acc\nlstm,0,.81\nlstm,1,.8\ngru,0,79.3\ngru,1,.78\n";
    for text in [arms, one_arm] {
        let error = read(text, &named("acc", Some("fold"))).unwrap_err();
        assert!(error.to_string().contains("look like shares"), "{error}");
        assert_eq!(error.choices(), Choice::among("bounds", ["0,100"]));
        let bounds = Some((0.0, 100.0));
        let bounded = Reading {
            bounds,
            ..named("acc", Some("fold"))
        };
        assert!(read(text, &bounded).is_ok());
        // Columns that are guessed are no other matter.
        let guessed = understand(text.as_bytes(), None, &Reading::default(), "s").unwrap_err();
        assert_eq!(guessed.to_string(), error.to_string());
    }
    // Only arms that are asked for count.
    let asked = vec!["lstm".to_owned()];
    assert!(
        read(
            arms,
            &Reading {
                arms: asked,
                ..named("acc", Some("fold"))
            }
        )
        .is_ok()
    );
    for (metric, is_told) in [("points", true), ("error", true), ("loss", false)] {
        let text = arms.replace("acc", metric);
        assert_eq!(
            told(&text, metric, Some("fold")).contains("may be shares"),
            is_told,
            "{metric}"
        );
    }
    let ratings = "model,fold,acc\nlstm,0,1\nlstm,1,5\ngru,0,3\ngru,1,1\n";
    assert_eq!(told(ratings, "acc", Some("fold")), "");
}

#[test]
fn right_answers_of_1_and_of_100_are_two_scales() {
    let items = |cells: &str| format!("model,item,points\n{cells}");
    for cells in [
        "a,0,0\na,1,1\nb,0,0\nb,1,100\n",
        "a,0,1\na,1,1\nb,0,0\nb,1,100\n",
        "a,0,1\na,1,100\nb,0,1\nb,1,0\n",
    ] {
        let error = read(&items(cells), &named("points", None)).unwrap_err();
        let told = error.to_string();
        assert!(told.contains("look like shares (1)"), "{cells}{told}");
        assert!(told.contains("like percentages (100)"), "{cells}{told}");
        assert_eq!(error.choices(), []);
    }
    // Where grades are of up to 100, the name decides.
    let graded = items("a,0,0\na,1,1\nb,0,60\nb,1,85\n");
    assert!(told(&graded, "points", None).contains("may be shares"));
    let accuracy = graded.replace("points", "acc");
    assert!(read(&accuracy, &named("acc", None)).is_err());
    for cells in [
        "a,0,0\na,1,1\nb,0,0\nb,1,1\n",
        "a,0,0\na,1,100\nb,0,0\nb,1,100\n",
        "a,0,0\na,1,0\nb,0,0\nb,1,100\n",
    ] {
        assert_eq!(told(&items(cells), "points", None), "", "{cells}");
    }
    // Every percentage of an arm at chance level on 100 classes may be 1.
    let chance = "model,fold,acc\na,0,1\na,1,1\nb,0,71\nb,1,73.5\n";
    assert_eq!(told(chance, "acc", Some("fold")), "");
}

#[test]
fn scores_in_memory_and_means_are_on_one_scale() {
    let arms = [("lstm", &[0.81, 0.8][..]), ("gru", &[79.3, 78.0])];
    let told = of_arms(arms, &metric("acc"), "scores").unwrap_err();
    assert!(told.to_string().contains("`gru` like percentages (79.3)"));
    assert!(of_arms(arms, &metric("points"), "scores").is_ok());
    let means = "method,acc\nlstm,0.812 ± 0.003\ngru,80.1 ± 0.4\n";
    let read = |text: &str, asked: &Reading| {
        let table = Table::read(text.as_bytes(), None, "t.csv")?;
        Summaries::read_each(&table, asked, "t.csv")
    };
    let asked = Reading {
        spread: Some(Spread::Se),
        ..Reading::default()
    };
    let error = read(means, &asked).unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with("t.csv:1: the scores of `lstm` look like shares (0.812)")
    );
    assert_eq!(error.choices(), []);
    let open = &read(&means.replace("acc", "points"), &asked).unwrap()[0];
    assert!(
        open.notices
            .iter()
            .any(|notice| notice.contains("`lstm` may be shares"))
    );
}

#[test]
fn what_counts_together_is_told_of() {
    for (text, split, says) in [
        (
            "model,epoch,acc\na,1,.5\na,2,.6\nb,1,.5\n",
            None,
            "1 row differs from another one of the same arm in `epoch`",
        ),
        (
            "model,fold,ckpt,acc\na,0,s-1,.5\na,0,s-2,.6\nb,0,s-1,.5\n",
            Some("fold"),
            "same arm and split in `ckpt`",
        ),
        (
            "model,epoch,acc\na,1,.5\na,2,.6\nb,1,.5\n",
            Some("epoch"),
            "the scores of an arm differ in `epoch`",
        ),
        (
            "model,fold,lr,acc\na,0,.1,.5\na,0,.2,.6\nb,0,.1,.5\n",
            Some("fold"),
            "--arm model+lr keeps them apart",
        ),
        (
            "model,prompt,acc\na,cot,.5\na,plain,.6\nb,cot,.5\n",
            None,
            "(`cot` and `plain` of `a`)",
        ),
        (
            "model,fold,dataset,acc\na,0,x,.5\na,0,y,.6\nb,0,x,.5\n",
            Some("fold"),
            "--item dataset+fold in place of --split",
        ),
    ] {
        let told = told(text, "acc", split);
        assert!(told.contains(says) && !told.contains('\n'), "{text}{told}");
    }
    for text in [
        // Each split may have a setting of its own, a setting may be that of the arm, and not all
        // that differs is one.
        "model,fold,lr,acc\na,0,.1,.5\na,1,.2,.6\nb,0,.1,.5\n",
        "model,fold,best_epoch,acc\na,0,7,.5\na,0,9,.6\nb,0,7,.5\n",
        "model,fold,prompt_tokens,acc\na,0,7,.5\na,0,9,.6\nb,0,7,.5\n",
        "model,fold,note,acc\na,0,x,.5\na,0,y,.6\nb,0,x,.5\n",
    ] {
        assert_eq!(told(text, "acc", Some("fold")), "", "{text}");
    }
}

#[test]
fn summaries_are_no_cases() {
    let with = |name: &str, column: &str, score: &str| {
        let arm = |arm: &str| format!("{arm},x,.5\n{arm},y,.6\n{arm},{name},{score}\n");
        format!("arm,{column},score\n{}{}", arm("a"), arm("b"))
    };
    for name in ["all", "overall", "Avg.", "macro avg", "Weighted Average"] {
        for column in ["item", "split"] {
            let error = read(&with(name, column, ".55"), &Reading::default()).unwrap_err();
            assert!(error.to_string().contains("summarises"), "{name} {error}");
        }
    }
    // The name alone is told of.
    let records = read(&with("all", "item", ".7"), &Reading::default()).unwrap();
    assert!(records.remarks()[0].starts_with("`all` counts as one more"));
    let records = read(&with("allele", "item", ".55"), &Reading::default()).unwrap();
    assert!(records.remarks().is_empty());
}

#[test]
fn arms_that_are_no_candidates_are_told_of() {
    for name in [
        "oracle",
        "Human",
        "human performance",
        "random",
        "Upper bound",
        "chance",
        "average",
        "all",
        "majority class",
    ] {
        let text = format!("model,fold,acc\na b,0,.5\nc,0,.6\n{name},0,.9\n");
        let told = told(&text, "acc", Some("fold"));
        let says = format!(
            "`{name}` is by its name a reference or a summary, and no candidate: --arms 'a b,c' leaves it out"
        );
        assert_eq!(told, says);
    }
    for name in [
        "random-forest",
        "max-ent",
        "upper-net",
        "allen",
        "chance-lm",
    ] {
        let text = format!("model,fold,acc\na,0,.5\n{name},0,.9\n");
        assert_eq!(told(&text, "acc", Some("fold")), "", "{name}");
    }
    let means = "model,acc ± se\na,.5 ± .1\nb,.6 ± .1\nAverage,.9 ± .1\nhuman,.9 ± .1\n";
    let table = recognised_summaries(means.as_bytes(), None, "s").unwrap();
    let found = Summaries::read(&table, &Reading::default(), "s").unwrap();
    let arms: Vec<&str> = found.rows.iter().map(|row| row.arm.as_str()).collect();
    assert_eq!(arms, ["a", "b", "human"]);
    for says in [
        "left out, as by their names they are no systems: `Average`",
        "--arms a,b leaves it out",
    ] {
        assert!(
            found.notices.iter().any(|notice| notice.contains(says)),
            "{:?}",
            found.notices
        );
    }
    let asked = vec!["a".to_owned(), "Average".to_owned()];
    let found = Summaries::read(
        &table,
        &Reading {
            arms: asked,
            ..Reading::default()
        },
        "s",
    );
    assert_eq!(found.unwrap().rows.len(), 2);
}

#[test]
fn columns_that_are_no_candidates_are_left_out_or_asked_about() {
    let with = |name: &str| format!("dataset,svm,ours,{name}\nx,.7,.8,.9\ny,.6,.7,.9\n");
    for name in [
        "p-value",
        "Δ",
        "Δ acc",
        "diff",
        "improvement",
        "IAA",
        "prevalence",
        "N",
        "support",
        "ours - svm",
        "ours vs. svm",
    ] {
        let records =
            read(&with(name), &Reading::default()).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(records.arms(), ["svm", "ours"], "{name}");
        assert!(records.remarks()[0].contains(&format!("no systems: `{name}`")));
        let arms = ["svm", name].map(str::to_owned).to_vec();
        let asked = Reading {
            arms,
            ..Reading::default()
        };
        assert_eq!(read(&with(name), &asked).unwrap().arms(), ["svm", name]);
    }
    for name in ["kappa", "p", "delta", "rel. gain", "best", "±"] {
        let error = read(&with(name), &Reading::default()).unwrap_err();
        assert!(error.to_string().contains(&format!("`{name}` ")), "{error}");
        let arms = error.proposal().map_or(&[][..], |proposal| &proposal.arms);
        assert!(!arms.contains(&name.to_owned()), "{name}");
    }
    let rows = "model,pears,figs,kiwis\nnet,.9,.8,.7\ntree,.8,.85,.6\nΔ,.1,.05,.1\n";
    assert_eq!(
        read(rows, &Reading::default()).unwrap().arms(),
        ["net", "tree"]
    );
}

#[test]
fn a_column_of_right_answers_is_no_system() {
    let error = read(
        "id,label,large,small\n1,yes,yes,no\n2,no,no,no\n3,yes,yes,no\n",
        &Reading::default(),
    );
    assert_eq!(
        error.unwrap_err().choices(),
        Choice::among("gold", ["label"])
    );
    let error = read(
        "item,target,large,small\n1,3.1,.9,.8\n2,2.5,.8,.7\n",
        &Reading::default(),
    );
    assert_eq!(
        error.unwrap_err().choices(),
        Choice::among("arms", ["large,small"])
    );
    // In the long form, a label is another one.
    let long = "model,fold,label,acc\na,0,x,.5\na,1,y,.6\nb,0,x,.7\nb,1,y,.6\n";
    let error = read(long, &Reading::default()).unwrap_err();
    assert!(error.proposal().is_some(), "{error}");
    let text = "id,label,large,small\n1,Yes,yes,no\n2,No,no,No\n";
    let options = |arms: &[&str]| Reading {
        gold: Some("label".to_owned()),
        arms: arms.iter().map(ToString::to_string).collect(),
        ..Reading::default()
    };
    let error = gold::scores(text.as_bytes(), None, &options(&[]), "s").unwrap_err();
    assert!(
        error
            .to_string()
            .contains("`large` holds `no` where the right answers (--gold) hold `No`"),
        "{error}"
    );
    let (records, notices, _) =
        gold::scores(text.as_bytes(), None, &options(&["large", "small"]), "s").unwrap();
    assert_eq!(records.by_arm(), [[0.0, 0.0], [0.0, 1.0]]);
    assert!(notices[0].contains("which count as wrong"));
}
