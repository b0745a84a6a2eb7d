//! Tests of tables as people have them: pandas' layouts, other separators, decimal commas, other
//! names.

use crate::{ColumnNames, Evaluations, Format, Reading, RecordsError, read_from};

fn named() -> Reading {
    Reading {
        metric: Some("acc".into()),
        columns: ColumnNames {
            arm: Some("model".into()),
            split: Some("fold".into()),
            seed: Some("rng".into()),
            ..ColumnNames::default()
        },
        ..Reading::default()
    }
}

fn read(text: &str, options: &Reading) -> Result<Evaluations, RecordsError> {
    read_from(text.as_bytes(), None, options, "s")
}

/// A score, with its arm, split and seed.
type Known = (String, f64, Option<u64>, Option<u64>);

fn known(records: &Evaluations) -> Vec<Known> {
    let all = records.named();
    all.map(|r| (r.arm.to_owned(), r.score, r.split, r.seed))
        .collect()
}

const CSV: &str = "model,fold,rng,acc\nlstm,0,7,0.71\ngru,1,8,0.69\n";

#[test]
fn layouts_of_one_table_say_the_same() {
    let options = named();
    let expected = known(&read(CSV, &options).unwrap());
    assert_eq!(expected[1], ("gru".to_owned(), 0.69, Some(1), Some(8)));
    let quoted = CSV.replace("lstm", "\"lstm\"");
    let crlf = format!("\u{feff}{}", CSV.replace('\n', "\r\n"));
    let semicolons = CSV.replace(',', ";").replace("0.", "0,");
    for text in [
        CSV.replace(',', "\t"),
        format!("sep=;\r\n{semicolons}"),
        CSV.replace(',', "\t").replace("0.", "0,"),
        "model,fold,rng,acc\nlstm,0,7,\"0,71\"\ngru,1,8,\"0,69\"\n".to_owned(),
        "Unnamed: 0,model,fold,rng,acc\n0,lstm,0,7,0.71\n1,gru,1,8,0.69\n".to_owned(),
        ",model,fold,rng,acc\n0,lstm,0.0,7.0,0.71\n1,gru,1.0,8.0,0.69\n".to_owned(),
        "arm,model,fold,rng,acc,split\nx,lstm,0,7,0.71,9\ny,gru,1,8,0.69,9\n".to_owned(),
        r#"[{"model":"lstm","fold":0,"rng":7,"acc":0.71},{"model":"gru","fold":1,"rng":8,"acc":0.69}]"#.to_owned(),
        r#"{"model":{"0":"lstm","1":"gru"},"fold":{"0":0,"1":1},"rng":{"0":7,"1":8},"acc":{"0":0.71,"1":0.69}}"#.to_owned(),
        r#"{"model":{"0":"lstm","1":"gru"},"fold":{"1":1,"0":0},"rng":{"0":7,"1":8},"acc":{"0":0.71,"1":0.69}}"#.to_owned(),
        r#"{"model":["lstm","gru"],"fold":[0,1],"rng":[7,8],"acc":[0.71,0.69]}"#.to_owned(),
        r#"{"0":{"model":"lstm","fold":0,"rng":7,"acc":0.71},"1":{"model":"gru","fold":1,"rng":8,"acc":0.69}}"#.to_owned(),
        r#"{"columns":["model","fold","rng","acc"],"index":[0,1],"data":[["lstm",0,7,0.71],["gru",1,8,0.69]]}"#.to_owned(),
        r#"{"schema":{"fields":[{"name":"index","type":"integer"}]},"data":[{"index":0,"model":"lstm","fold":0,"rng":7,"acc":0.71},
            {"index":1,"model":"gru","fold":1,"rng":8,"acc":0.69}]}"#.to_owned(),
        "{\"model\":\"lstm\",\"fold\":0,\"rng\":7,\"acc\":0.71}\n{\"model\":\"gru\",\"fold\":1,\"rng\":8,\"acc\":0.69}\n".to_owned(),
        quoted,
        crlf,
        semicolons,
    ] {
        let records = read(&text, &options).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(known(&records), expected, "{text}");
    }
}

#[test]
fn a_column_for_each_arm_in_every_layout() {
    let expected = [vec![0.71, 0.73], vec![0.69, 0.7]];
    for text in [
        "lstm;gru\n0,71;0,69\n0,73;0,7\n",
        "Unnamed: 0,lstm,gru\n0,0.71,0.69\n1,0.73,0.7\n",
        ",lstm,gru\n1,0.71,0.69\n2,0.73,0.7\n",
        r#"{"lstm":{"0":0.71,"1":0.73},"gru":{"0":0.69,"1":0.7}}"#,
        r#"{"lstm":[0.71,0.73],"gru":[0.69,0.7]}"#,
        r#"{"0":{"lstm":0.71,"gru":0.69},"1":{"lstm":0.73,"gru":0.7}}"#,
        r#"{"columns":["lstm","gru"],"index":[0,1],"data":[[0.71,0.69],[0.73,0.7]]}"#,
        r#"[{"lstm":0.71,"gru":0.69},{"lstm":0.73,"gru":0.7}]"#,
        "{\"lstm\":0.71,\"gru\":0.69}\n{\"lstm\":0.73,\"gru\":0.7}",
    ] {
        let named = Reading {
            arms: vec!["lstm".to_owned(), "gru".to_owned()],
            ..Reading::default()
        };
        let records = read(text, &named);
        let records = records.unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(records.arms(), ["lstm", "gru"], "{text}");
        assert_eq!(records.by_arm(), expected, "{text}");
    }
    let by_fold = Reading {
        columns: ColumnNames {
            split: Some("fold".into()),
            ..ColumnNames::default()
        },
        ..Reading::default()
    };
    let records = read("fold,lstm,gru\n3,0.71,0.69\n", &by_fold).unwrap();
    assert_eq!(records.records().at(1).split, Some(3));
}

#[test]
fn what_is_not_certain_is_refused() {
    let message = |text: &str| read(text, &Reading::default()).unwrap_err().to_string();
    for (text, part) in [
        (
            "arm;score\na;0,71\nb;0.69\n",
            "some numbers have a decimal comma (`0,71`), and some in the column `score` a point (`0.69`)",
        ),
        (
            "arm;score\na;1,234\nb;2,345\n",
            "`1,234` in the column `score` may be a number with three decimals",
        ),
        (
            "arm;score,top\na;0,5\nb;0,25\n",
            "separated by commas as well as by semicolons",
        ),
        ("[[\"a\", 0.5]]", "orient=\"values\""),
        (
            r#"{"a":{"f1":0.5},"b":{"f1":0.5}}"#,
            "nothing says whether it is by columns or by rows",
        ),
        (
            r#"{"columns":["arm","score"],"data":[["a",0.5,1]]}"#,
            "orient=\"split\"",
        ),
        (
            r#"{"arm":{"0":"a","0":"b"},"score":{"0":1,"1":2}}"#,
            "the key `0` occurs twice",
        ),
        (
            ",lstm,gru\nx,0.5,0.5\n7,0.5,0.5\n",
            "no first column names or numbers the rows",
        ),
        ("lstm,fold,gru\n0.5,0,0.25\n", "`fold` could be the split"),
    ] {
        let found = message(text);
        assert!(found.contains(part), "{text}: {found}");
    }
    let same = Reading {
        metric: Some("acc".into()),
        columns: ColumnNames {
            arm: Some("acc".into()),
            ..ColumnNames::default()
        },
        ..Reading::default()
    };
    let found = read(CSV, &same).unwrap_err().to_string();
    assert!(
        found.starts_with("the column `acc` cannot be both --metric and --arm"),
        "{found}"
    );
}

#[test]
fn names_are_proposed_and_work() {
    let proposed = |text: &str, options: &Reading| {
        let error = read(text, options).unwrap_err();
        let proposal = error
            .proposal()
            .unwrap_or_else(|| panic!("{text}: {error}"));
        let ColumnNames {
            arm,
            item,
            split,
            seed,
        } = proposal.columns.clone();
        let again = Reading {
            metric: proposal.metric.clone().or(options.metric.clone()),
            columns: proposal.columns.clone(),
            keep_failures: proposal.failures,
            keep_missing: proposal.failures,
            ..options.clone()
        };
        assert!(read(text, &again).is_ok(), "{text}");
        [arm, proposal.metric.clone(), split, seed, item].map(Option::unwrap_or_default)
    };
    let default = Reading::default();
    let long = "model,fold,random_state,test_acc,train_time\nlstm,0,1,0.71,9.5\ngru,0,1,0.69,3.5\nlstm,1,1,0.7,9\ngru,1,1,0.7,4\n";
    assert_eq!(
        proposed(long, &default),
        ["model", "test_acc", "fold", "random_state", ""]
    );
    let losses = "Classifier;Val Loss;note\nA;0,5;x y\nB;0,25;z\nA;0,5;x\nB;0,75;\n";
    assert_eq!(
        proposed(losses, &default),
        ["Classifier", "Val Loss", "", "", ""]
    );
    let wrong = Reading {
        metric: Some("model".into()),
        ..Reading::default()
    };
    let arms = "arm,model,acc\na,x,0.5\na,x,0.25\nb,y,0.5\nb,y,0.25\n";
    assert_eq!(proposed(arms, &wrong), ["arm", "acc", "", "", ""]);
    let answers = "{\"system\":\"a\",\"question_id\":\"q1\",\"correct\":1}\n{\"system\":\"b\",\"question_id\":\"q1\",\"correct\":0}\n\
                   {\"system\":\"a\",\"question_id\":\"q2\",\"correct\":1}\n{\"system\":\"b\",\"question_id\":\"q2\",\"correct\":null}\n";
    assert_eq!(
        proposed(answers, &default),
        ["system", "correct", "", "", "question_id"]
    );
    assert!(
        read("x,y\nfoo,bar\n", &default)
            .unwrap_err()
            .proposal()
            .is_none()
    );
}

#[test]
fn scores_that_are_missing_are_failures() {
    let keep = Reading {
        keep_failures: true,
        keep_missing: true,
        ..Reading::default()
    };
    for missing in ["", "nan", "NaN", "null", "None", "NA", "<NA>"] {
        let text = format!("arm,split,score\na,0,0.5\na,1,{missing}\n");
        let records = read(&text, &keep).unwrap();
        assert_eq!(records.failures()[0].split, Some(1), "{missing}");
        assert_eq!(records.by_arm(), [[0.5]]);
        assert!(read(&text, &Reading::default()).is_err(), "{missing}");
    }
    let json = "{\"arm\":\"a\",\"score\":0.5}\n{\"arm\":\"a\",\"score\":null}\n{\"arm\":\"a\",\"score\":NaN}";
    assert_eq!(read(json, &keep).unwrap().failures().len(), 2);
    let wide = read("split,a,b\n0,0.5,nan\n1,,0.25\n", &keep).unwrap();
    assert_eq!((wide.failures().len(), wide.records().len()), (1, 2));
    assert!(read("arm,score\na,inf\n", &keep).is_err());
}

/// Tests that any part cut out of a table in any layout yields an error, not a panic.
#[test]
fn pieces_of_layouts_never_panic() {
    let texts = [
        r#"{"model":{"0":"lstm","1":"gru"},"fold":{"0":0,"1":1},"acc":{"0":0.71,"1":null}}"#,
        r#"{"columns":["model","acc"],"index":[0],"data":[["lstm",0.71],["é",1e999]]}"#,
        r#"{"schema":{"fields":[]},"data":[{"index":0,"model":"lst\u006d","acc":0.71}]}"#,
        "sep=;\nmodel;fold;acc\n\"a;\"\"b\";1;0,5\nb;2;1,234\n",
        "Unnamed: 0\tmodel\tacc\n0\ta\t1,5\n",
    ];
    for text in texts {
        for start in 0..text.len() {
            for end in start..=text.len() {
                if let Some(piece) = text.get(start..end) {
                    for format in [None, Some(Format::Json), Some(Format::Csv)] {
                        drop(read_from(piece.as_bytes(), format, &named(), "s"));
                        let default = Reading::default();
                        drop(read_from(piece.as_bytes(), format, &default, "s"));
                    }
                }
            }
        }
    }
}

#[test]
fn row_numbers_of_pandas_tables_are_no_arm() {
    let table = r#"{"schema":{"fields":[{"name":"index","type":"integer"},{"name":"bert","type":"number"},{"name":"gru","type":"number"}],"primaryKey":["index"],"pandas_version":"1.4.0"},"data":[{"index":0,"bert":0.5,"gru":0.25},{"index":1,"bert":0.75,"gru":0.5}]}"#;
    let named = Reading {
        arms: vec!["bert".to_owned(), "gru".to_owned()],
        ..Reading::default()
    };
    let records = read(table, &named).unwrap();
    assert_eq!(records.arms(), ["bert", "gru"]);
    assert_eq!(records.by_arm(), [[0.5, 0.75], [0.25, 0.5]]);
}

#[test]
fn empty_cells_between_scores_are_counted() {
    let read = |text| read(text, &Reading::default()).unwrap();
    assert_eq!(
        read("split,a,b\n0,1,1\n1,,2\n2,3,3\n3,,4\n4,5,\n").gaps(),
        Some((2, 3))
    );
    assert_eq!(read("split,a,b\n0,1,1\n1,,2\n2,,3\n").gaps(), None);
}

#[test]
fn messages_are_one_line_whatever_columns_are_called() {
    let error = read("\",\nfold\",b\n1,2\n", &Reading::default()).unwrap_err();
    assert!(!error.to_string().contains('\n'), "{error}");
}
