//! Tables with a row for each system, and tables of data sets whose rows are splits.

use crate::{Choice, Evaluations, Reading, SplitSource, read_from};

fn read(text: &str) -> Result<Evaluations, String> {
    let options = Reading::default();
    read_from(text.as_bytes(), None, &options, "s").map_err(|error| error.to_string())
}

#[test]
fn rows_may_be_systems() {
    for text in [
        "model,pears,figs,kiwis\nnet,.9,.8,.7\ntree,.8,.85,.6\n",
        "Method,pears,figs,kiwis,Average\nnet,.9,.8,.7,.8\ntree,.8,.85,.6,.75\n",
        "system,pears,figs,kiwis\nnet,.9,.8,.7\ntree,.8,.85,.6\nmean,.85,.825,.65\n",
        r#"[{"model": "net", "pears": 0.9, "figs": 0.8, "kiwis": 0.7}, {"model": "tree", "pears": 0.8, "figs": 0.85, "kiwis": 0.6}]"#,
    ] {
        let records = read(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(records.arms(), ["net", "tree"], "{text}");
        assert_eq!(
            records.by_arm(),
            [[0.9, 0.8, 0.7], [0.8, 0.85, 0.6]],
            "{text}"
        );
        assert_eq!(records.split_source(), SplitSource::Column);
        assert_eq!(records.records().at(4).split, Some(1));
        assert!(records.file.rows_are_systems && !records.is_wide());
        let said = "each row is taken for a system and each column for a data set: `pears`, `figs`, `kiwis`";
        assert_eq!(records.remarks()[0], said);
    }
    let text = "algorithm;pears;figs;kiwis\nnet;91,5%;80%;70%\ntree;80%;85%;60%\n";
    assert_eq!(
        read(text).unwrap().by_arm(),
        [[91.5, 80.0, 70.0], [80.0, 85.0, 60.0]]
    );
}

/// Tests that a corner such as `Model` may also name the columns: then both readings are told.
/// Names tell the side of a table without a name in the corner, and named arms may stand in the
/// rows.
#[test]
fn columns_that_sound_like_systems_are_no_data_sets() {
    for text in [
        "Model,GPT-4o,Claude,Llama\nMMLU,88.1,87.9,82.0\nGSM8K,94.2,95.1,89.3\nARC-C,94.0,95.2,90.0\n",
        "Method,red,blue,lime\nMMLU,88.1,87.9,82.0\nGSM8K,94.2,95.1,89.3\nARC-C,94.0,95.2,90.0\n",
        "Task,MMLU,GSM8K,ARC-C\nred,88.1,87.9,82.0\nblue,94.2,95.1,89.3\n",
    ] {
        let error = read_from(text.as_bytes(), None, &Reading::default(), "s").unwrap_err();
        let told = error.choices();
        let said: Vec<&str> = told.iter().map(|choice| choice.says).collect();
        assert_eq!(
            said,
            ["methods are the rows", "methods are the columns"],
            "{error}"
        );
        let options = Reading {
            arms: told[1].value.split(',').map(str::to_owned).collect(),
            ..Reading::default()
        };
        let records = read_from(text.as_bytes(), None, &options, "s").unwrap();
        assert_eq!(records.split_source(), SplitSource::Items, "{text}");
    }
    for text in [
        ",MMLU,GSM8K,ARC-C\nred,88.1,87.9,82.0\nblue,94.2,95.1,89.3\n",
        ",seed 1,seed 2,seed 3\nred,88.1,87.9,82.0\nblue,94.2,95.1,89.3\n",
        ",pears,figs,Avg\nred,88,86,87\nblue,94,92,93\n",
    ] {
        assert_eq!(read(text).unwrap().arms(), ["red", "blue"], "{text}");
    }
    let options = Reading {
        arms: vec!["blue".to_owned(), "red".to_owned()],
        ..Reading::default()
    };
    let text = "Model,pears,figs,kiwis\nred,88.1,87.9,82.0\nblue,94.2,95.1,89.3\nlime,1,2,3\n";
    let records = read_from(text.as_bytes(), None, &options, "s").unwrap();
    assert!(records.file.rows_are_systems && records.find("blue").is_some());
    let turned = "Model,MMLU,GSM8K,ARC-C\nGPT-4o,88.1,87.9,82.0\nClaude,94.2,95.1,89.3\n";
    assert_eq!(read(turned).unwrap().arms(), ["GPT-4o", "Claude"]);
}

#[test]
fn names_of_data_sets_may_have_words_of_evaluations() {
    let table = |name: &str| {
        read(&format!(
            "model,{name},figs,kiwis\nnet,.9,.8,.7\ntree,.8,.85,.6\n"
        ))
    };
    for name in [
        "HumanEval",
        "HumanEval+",
        "C-Eval",
        "AlpacaEval 2.0",
        "MMLU",
        "Date Understanding",
    ] {
        assert_eq!(table(name).unwrap().arms(), ["net", "tree"], "{name}");
    }
    for name in ["eval", "topic eval", "HumanEval val", "date"] {
        assert!(table(name).is_err(), "{name}");
    }
}

#[test]
fn rows_that_may_not_be_systems_are_refused() {
    for text in [
        // Too few columns to see whether they are of one kind.
        "model,pears\nnet,.9\ntree,.8\n",
        "model,pears,figs\nnet,.9,.8\ntree,.8,.85\n",
        // Something else than a system may have a name, and several rows the same.
        "name,pears,figs,kiwis\nnet,.9,.8,.7\ntree,.8,.85,.6\n",
        "model,pears,figs,kiwis\nnet,.9,.8,.7\nnet,.8,.85,.6\n",
        "epoch,pears,figs,kiwis\n1,.9,.8,.7\n2,.8,.85,.6\n",
        // Other columns: metrics, settings, spreads, steps, sizes, ranks.
        "model,pears,figs,f1\nnet,.9,.8,.7\ntree,.8,.85,.6\n",
        "model,pears,figs,depth\nnet,.9,.8,.7\ntree,.8,.85,.6\n",
        "model,pears,figs,kiwis,pears_se\nnet,.9,.8,.7,.2\ntree,.8,.85,.6,.3\n",
        "model,pears,figs,kiwis,pears std\nnet,.9,.8,.7,.2\ntree,.8,.85,.6,.3\n",
        "model,pears,figs,kiwis,±\nnet,.9,.8,.7,.2\ntree,.8,.85,.6,.3\n",
        "model,train,val,test\nnet,.9,.8,.7\ntree,.8,.85,.6\n",
        "model,pears,top1,top5\nnet,.9,.8,.7\ntree,.8,.85,.6\n",
        "model,epoch1,epoch2,epoch3\nnet,.9,.8,.7\ntree,.8,.85,.6\n",
        "model,seed1,seed2,seed3\nnet,.9,.8,.7\ntree,.8,.85,.6\n",
        "model,10,20,30\nnet,.9,.8,.7\ntree,.8,.85,.6\n",
        "model,pears,figs,x\nnet,90,80,1\ntree,80,85,2\n",
        "model,pears,figs,year\nnet,90,80,24\ntree,80,85,25\n",
        // Other scales: shares and percentages, small numbers beside large ones, numbers of any size.
        "model,pears,figs,kiwis\nnet,90.5,.8,70.5\ntree,80.5,.85,60.5\n",
        "model,pears,figs,kiwis\nnet,.9,.8,.07\ntree,.8,.85,.06\n",
        "model,pears,figs,kiwis\nnet,190.5,80.5,70.5\ntree,180.5,85.5,60.5\n",
        "model,pears,figs,kiwis\nnet,-.9,.8,.7\ntree,.8,.85,.6\n",
        "model,pears,figs,kiwis\nnet,.9,.8,open\ntree,.8,.85,closed\n",
    ] {
        let error = read(text).expect_err(text);
        assert!(error.starts_with("s:1: "), "{text}: {error}");
    }
    for (text, message) in [
        (
            "model,pears,figs,kiwis,avg\nnet,.9,.8,.7,.8\ntree,.8,.85,.6,.9\n",
            "s:3: by its name `avg` is a mean or a sum of the others, and 0.9 is neither",
        ),
        (
            // On what both have, the tree is better; without figs, the net is.
            "model,pears,figs,kiwis,plums\nnet,.9,.1,.7,.8\ntree,.8,.9,.6,.7\nbush,.7,,.5,.6\n",
            "s:4: the score is missing",
        ),
    ] {
        let error = read(text).expect_err(text);
        assert!(error.starts_with(message), "{text}: {error}");
    }
}

/// Tests that a column which is the average of others shows that those are data sets, and not
/// systems.
#[test]
fn averages_tell_data_sets_apart() {
    let text = "model,Average WER,RTFx,pears WER,figs WER,kiwis WER\n\
                net,8,210,9,8,7\ntree,7,90.5,7,N/A,7\nbush,9,17,10,9,8\n";
    let records = read(text).unwrap();
    assert_eq!(records.by_arm(), [[9.0, 7.0], [7.0, 7.0], [10.0, 8.0]]);
    assert_eq!(records.metric(), "wer");
    let remarks = records.remarks();
    assert_eq!(remarks[1], "left out, as no part of `Average WER`: `RTFx`");
    assert!(
        remarks[2].ends_with("(the first is `tree`): `figs WER`"),
        "{remarks:?}"
    );
    // No column of averages shows that the last column is no data set.
    let text = "model,pears WER,figs WER,kiwis WER,RTFx\nnet,9,8,7,210\ntree,7,8,7,90\n";
    assert!(read(text).is_err());
}

#[test]
fn rows_with_names_may_be_splits() {
    let paired = Reading {
        paired_rows: true,
        ..Reading::default()
    };
    for header in ["Dataset", "", "fruit"] {
        let text = format!("{header},net,tree\npears,.9,.8\nfigs,.8,\nkiwis,.7,.6\nmean,.8,.7\n");
        let records = read_from(text.as_bytes(), None, &paired, "s");
        let records = records.unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(records.arms(), ["net", "tree"], "{text}");
        assert_eq!(records.split_source(), SplitSource::Rows, "{text}");
        let splits: Vec<_> = records.named().map(|r| (r.arm, r.split.unwrap())).collect();
        assert_eq!(
            splits,
            [("net", 0), ("tree", 0), ("net", 1), ("net", 2), ("tree", 2)]
        );
        assert!(records.items().is_empty());
    }
    for key in ["item", "question_id"] {
        let text = format!("{key},net,tree\npears,.9,.8\nfigs,.8,.7\n");
        let error = read_from(text.as_bytes(), None, &paired, "s").expect_err(key);
        assert!(
            error.to_string().contains("leave --paired-rows out"),
            "{error}"
        );
    }
}

#[test]
fn rows_and_columns_that_may_both_be_systems_are_asked_about() {
    for corner in ["", "Unnamed: 0", "x", "name"] {
        let text = format!("{corner},pears,figs,kiwis\nred,.9,.8,.7\nblue,.8,.85,.6\n");
        let error = read_from(text.as_bytes(), None, &Reading::default(), "s").unwrap_err();
        let called = if corner.is_empty() {
            "Unnamed: 0"
        } else {
            corner
        };
        let ways = [
            ("arm", called, "methods are the rows"),
            ("arms", "pears,figs,kiwis", "methods are the columns"),
        ];
        let told = error.choices();
        let told: Vec<_> = told
            .iter()
            .map(|of| (of.flag, &*of.value, of.says))
            .collect();
        assert_eq!(told, ways, "{corner} {error}");
        let mut options = Reading::default();
        options.columns.arm = Some(called.to_owned());
        let records = read_from(text.as_bytes(), None, &options, "s").unwrap();
        assert_eq!(records.arms(), ["red", "blue"]);
        let options = Reading {
            arms: vec!["pears".into(), "figs".into()],
            ..Reading::default()
        };
        let records = read_from(text.as_bytes(), None, &options, "s").unwrap();
        assert_eq!(records.arms(), ["pears", "figs"]);
        assert_eq!(records.split_source(), SplitSource::Items, "{corner}");
    }
    for text in [
        // Names of systems on one side alone, of data sets, of questions.
        ",gpt-4,llama3\npears,.9,.8\nplums,.8,.7\n",
        "Dataset,red,blue\npears,.9,.8\nplums,.8,.7\n",
        ",red,blue\nq1,.9,.8\nq2,.8,.7\n",
    ] {
        assert!(read(text).unwrap().is_wide(), "{text}");
    }
}

#[test]
fn rows_that_are_called_systems_are_no_items() {
    let mut options = Reading::default();
    options.columns.item = Some("Method".to_owned());
    let text = "Method,pears,figs,kiwis\nnet,.9,.8,.7\ntree,.8,.85,.6\n";
    let error = read_from(text.as_bytes(), None, &options, "s").unwrap_err();
    assert!(
        error
            .to_string()
            .contains("`Method` is by its name what is compared"),
        "{error}"
    );
}

#[test]
fn numbered_columns_beside_an_index_are_folds() {
    for first in [0, 1] {
        let folds: Vec<String> = (first..first + 4).map(|fold| fold.to_string()).collect();
        let text = format!(
            ",{}\nridge,.7,.72,.7,.73\nlasso,.69,.7,.68,.72\n",
            folds.join(",")
        );
        let error = read_from(text.as_bytes(), None, &Reading::default(), "s").unwrap_err();
        let told = error.choices();
        assert_eq!((told.len(), &*told[0].value), (1, "Unnamed: 0"), "{error}");
        let mut options = Reading::default();
        options.columns.arm = Some("Unnamed: 0".to_owned());
        let records = read_from(text.as_bytes(), None, &options, "s").unwrap();
        assert_eq!(records.arms(), ["ridge", "lasso"]);
        assert_eq!(records.by_arm()[1], [0.69, 0.7, 0.68, 0.72]);
        // Columns of a model's table may be the epochs of its training.
        assert!(read(&text.replacen(',', "model,", 1)).is_err());
    }
}

#[test]
fn a_column_with_a_known_name_may_be_a_system() {
    for (text, all, rest) in [
        (
            "item,alice,bob,kappa\nq1,.7,.72,.7\nq2,.69,.7,.68\n",
            "alice,bob,kappa",
            "alice,bob",
        ),
        (
            "dataset,batch-norm,layer-norm,group-norm\na,.7,.72,.7\nb,.69,.7,.68\n",
            "batch-norm,layer-norm,group-norm",
            "layer-norm,group-norm",
        ),
    ] {
        let error = read_from(text.as_bytes(), None, &Reading::default(), "s").unwrap_err();
        assert_eq!(
            error.choices(),
            Choice::among("arms", [all, rest]),
            "{error}"
        );
    }
    // Numbers of another kind, and a table without names of items.
    for text in [
        "item,alice,bob,kappa\nq1,.7,.72,70\nq2,.69,.7,68\n",
        "step,alice,bob,loss\n1,.7,.72,.7\n2,.69,.7,.68\n",
    ] {
        let error = read_from(text.as_bytes(), None, &Reading::default(), "s").unwrap_err();
        assert!(error.choices().is_empty(), "{error}");
    }
}

#[test]
fn sizes_beside_data_sets_are_cut_away_by_a_command() {
    let text = "model,params_b,news,mails,books,latency\na,7,89%,80%,71%,882 ms\nb,70,87%,79%,70%,311 ms\n";
    let error = read(text).unwrap_err();
    assert!(
        error.contains("(cut -d, -f1,3,4,5 FILE | fiesta belief -)"),
        "{error}"
    );
    let text = "metric,a,b\naccuracy,89.0%,87.2%\nlatency,882 ms,311 ms\n";
    let error = read(text).unwrap_err();
    assert!(
        error.contains("names another metric in each row"),
        "{error}"
    );
}
