//! Tests of importing logs of Inspect AI.

use super::{answers, column, fixture, logs, metric, refused};
use fiesta_import::{Imported, Tool, read_bytes};
use fiesta_records::{ColumnNames, Missing, Reading};
use std::{
    fs,
    io::{Cursor, Write},
};
use zip::{ZipWriter, write::SimpleFileOptions};

const LARGE: &str = "inspect/large.eval";
const SMALL: &str = "inspect/small.eval";
const EPOCHS: &str = "inspect/epochs.json";

/// Returns a log of Inspect AI as JSON, with these samples.
pub(super) fn log(model: &str, task: &str, solver: &str, samples: &str) -> String {
    format!(
        r#"{{"version": 2, "status": "success", "eval": {{"task": "{task}", "model": "{model}"}},
        "plan": {{"name": "plan", "steps": [{{"solver": "{solver}", "params": {{}}}}]}}, "samples": [{samples}]}}"#
    )
}

fn sample(id: &str, value: &str) -> String {
    format!(
        r#"{{"id": {id}, "epoch": 1, "target": "t", "scores": {{"match": {{"value": {value}, "answer": "a"}}}}}}"#
    )
}

pub(super) fn read_text(text: &str, options: &Reading) -> Result<Imported, String> {
    let read = read_bytes(text.as_bytes(), Tool::Inspect, options, "log.json");
    read.map_err(|error| error.to_string())
}

/// Imports logs from a folder in which they are called `0.json`, `1.json` and so on.
fn several(texts: &[String], options: &Reading) -> Result<Imported, String> {
    let folder = tempfile::tempdir().unwrap();
    let write = |(number, text): (usize, &String)| {
        let path = folder.path().join(format!("{number}.json"));
        fs::write(&path, text).unwrap();
        path
    };
    let paths: Vec<_> = texts.iter().enumerate().map(write).collect();
    let read = fiesta_import::read_files(&paths, Tool::Inspect, options);
    read.map_err(|error| error.to_string())
}

#[test]
fn archives_of_two_models() {
    let imported = logs(&[LARGE, SMALL], Tool::Inspect, &Reading::default()).unwrap();
    let records = &imported.records;
    assert_eq!(imported.notices, ["the arms are called by their model"]);
    assert_eq!(records.arms(), ["mockllm/large", "mockllm/small"]);
    assert_eq!(
        records.items(),
        ["sum/0", "sum/1", "sum/2", "sum/3", "sum/4", "sum/5"]
    );
    assert_eq!(records.metric(), "match");
    // The model was refused on one sum, and errs on others.
    let scores: Vec<_> = records.rows().map(|row| row.score).collect();
    let (right, wrong) = (Some(1.0), Some(0.0));
    let large = [wrong, right, right, None, right, wrong];
    let small = [wrong, right, right, wrong, right, right];
    assert_eq!(scores, [large, small].concat());
    assert_eq!(
        (records.failures()[0].split, records.failures()[0].line),
        (Some(3), 0)
    );
    assert_eq!(records.columns(), ["input_tokens", "output_tokens"]);
    assert_eq!(
        column(records, "input_tokens")[..4],
        [Some("40"), Some("41"), Some("42"), None]
    );
    assert!(
        records
            .rows()
            .all(|row| row.duration.is_some() && row.cost.is_none() && row.seed.is_none())
    );
    // From memory it is the same.
    let bytes = fs::read(fixture("logs").join(LARGE)).unwrap();
    assert_eq!(Tool::recognise(&bytes[..64]), Some(Tool::Inspect));
    let one = read_bytes(&bytes, Tool::Inspect, &Reading::default(), "log").unwrap();
    assert_eq!(answers(&one.records), answers(records)[..6]);
}

#[test]
fn epochs_are_seeds_and_values_have_keys() {
    let imported = logs(&[EPOCHS], Tool::Inspect, &metric("match")).unwrap();
    let expected = [
        ("sum/0", 1, Some(0.0)),
        ("sum/1", 1, None),
        ("sum/0", 2, Some(0.0)),
        ("sum/1", 2, None),
    ];
    let expected = expected.map(|(item, seed, score)| {
        (
            "mockllm/priced".to_owned(),
            item.to_owned(),
            Some(seed),
            score,
        )
    });
    assert_eq!(answers(&imported.records), expected);
    let costs: Vec<_> = imported.records.rows().map(|row| row.cost).collect();
    assert_eq!(costs, [Some(0.25), None, Some(0.25), None]);
    let columns = [
        "graded.close",
        "graded.right",
        "input_tokens",
        "output_tokens",
    ];
    assert_eq!(imported.records.columns(), columns);
    assert_eq!(column(&imported.records, "graded.close")[0], Some("0.5"));
    assert_eq!(column(&imported.records, "graded.right")[0], Some("I"));

    for name in ["close", "graded.close"] {
        let imported = logs(&[EPOCHS], Tool::Inspect, &metric(name)).unwrap();
        assert_eq!(imported.records.metric(), "graded.close");
        assert_eq!(imported.records.by_arm(), [[0.5, 0.5]]);
    }
    let which = "`graded.close`, `graded.right`, `match`";
    let undecided = refused(logs(&[EPOCHS], Tool::Inspect, &Reading::default()));
    assert!(
        undecided.ends_with(&format!("name one of {which} with --metric")),
        "{undecided}"
    );
    let unknown = refused(logs(&[EPOCHS], Tool::Inspect, &metric("graded")));
    assert!(
        unknown.contains(&format!("no column `graded`, only {which}")),
        "{unknown}"
    );
}

#[test]
fn values_are_grades_or_numbers() {
    for (value, score) in [
        (r#""C""#, 1.0),
        (r#""P""#, 0.5),
        (r#""I""#, 0.0),
        (r#""N""#, 0.0),
        (r#""yes""#, 1.0),
        (r#""False""#, 0.0),
        (r#"" 0.25 ""#, 0.25),
        ("true", 1.0),
        ("7", 7.0),
        ("-0.5", -0.5),
    ] {
        let text = log("m", "t", "generate", &sample("1", value));
        let imported = read_text(&text, &Reading::default()).unwrap();
        assert_eq!(imported.records.by_arm(), [[score]], "{value}");
    }
    for (value, found) in [
        (r#""well""#, "`well`"),
        ("[1]", "a list"),
        (r#""c""#, "`c`"),
    ] {
        let text = log("m", "t", "generate", &sample("1", value));
        let refused = read_text(&text, &Reading::default()).unwrap_err();
        let expected = format!(
            "log.json: sample `1`, epoch 1: the match {found} is no score: name another with --metric"
        );
        assert_eq!(refused, expected);
    }
    for value in ["NaN", "null", r#""nan""#] {
        let samples = [sample("1", "1"), sample("2", value)].join(",");
        let text = log("m", "t", "generate", &samples);
        let refused = read_text(&text, &Reading::default()).unwrap_err();
        assert!(
            refused.starts_with(
                "1 trial ended without a finite `match` (the first is log.json: sample 2)"
            ),
            "{refused}"
        );
        let options = Reading {
            missing: Some(Missing::Fail),
            ..Reading::default()
        };
        assert_eq!(
            read_text(&text, &options).unwrap().records.failures().len(),
            1
        );
    }
}

#[test]
fn arms_are_called_by_what_tells_them_apart() {
    let one = &sample("1", "1");
    let arms = |logs: &[String], arm: Option<&str>| {
        let options = Reading {
            columns: ColumnNames {
                arm: arm.map(ToOwned::to_owned),
                ..ColumnNames::default()
            },
            ..Reading::default()
        };
        several(logs, &options).map(|imported| {
            (
                imported.records.arms().to_vec(),
                imported.records.items().to_vec(),
            )
        })
    };
    let of = |names: [&str; 2], items: &[&str]| {
        let items = items.iter().map(ToString::to_string).collect::<Vec<_>>();
        Ok((names.map(ToOwned::to_owned).to_vec(), items))
    };
    // By their solvers, if they are of one model on one task.
    let solvers = [log("m", "t", "plain", one), log("m", "t", "chain", one)];
    assert_eq!(arms(&solvers, None), of(["m+plain", "m+chain"], &["1"]));
    assert_eq!(
        arms(&solvers, Some("solver")),
        of(["plain", "chain"], &["1"])
    );
    assert_eq!(arms(&solvers, Some("file")), of(["0", "1"], &["1"]));
    // By their tasks, if they are of one model, and then the items are the same.
    let tasks = [log("m", "terse", "s", one), log("m", "polite", "s", one)];
    assert_eq!(arms(&tasks, None), of(["terse", "polite"], &["1"]));
    let apart = arms(&tasks, Some("model")).unwrap();
    assert_eq!(
        apart,
        (
            vec!["m".to_owned()],
            vec!["terse/1".to_owned(), "polite/1".to_owned()]
        )
    );
    // Several models on several tasks: an arm for each model.
    let grid = ["a", "b"]
        .map(|model| ["s", "t"].map(|task| log(model, task, "x", one)))
        .concat();
    assert_eq!(arms(&grid, None), of(["a", "b"], &["s/1", "t/1"]));
    // Nothing tells these apart but their files.
    let same = [log("m", "t", "s", one), log("m", "t", "s", one)];
    assert!(
        arms(&same, None)
            .unwrap_err()
            .contains("1.json: this is the arm `m`, as is")
    );
    assert_eq!(arms(&same, Some("model+file")), of(["m+0", "m+1"], &["1"]));
    // The same name for another item.
    let other = [
        log("a", "t", "s", one),
        log("b", "t", "s", &one.replace("\"t\"", "\"u\"")),
    ];
    assert!(
        arms(&other, None)
            .unwrap_err()
            .contains("the item `1` is another one than in")
    );
    let scorers = [
        log("a", "t", "s", one),
        log("b", "t", "s", &one.replace("match", "exact")),
    ];
    assert!(
        arms(&scorers, None)
            .unwrap_err()
            .contains("the score is `exact`, and in")
    );
}

/// Returns a ZIP archive with these members.
fn archive(members: &[(&str, &str)]) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (number, (name, text)) in members.iter().enumerate() {
        let methods = [
            zip::CompressionMethod::Zstd,
            zip::CompressionMethod::Deflated,
            zip::CompressionMethod::Stored,
        ];
        let options = SimpleFileOptions::default().compression_method(methods[number % 3]);
        writer.start_file(*name, options).unwrap();
        writer.write_all(text.as_bytes()).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

#[test]
fn archives_of_what_did_not_come_to_its_end() {
    let start = r#"{"version": 2, "eval": {"task": "t", "model": "m"}, "plan": {"steps": []}}"#;
    let header = start.replace("2,", "2, \"status\": \"cancelled\",");
    let list = |ids: &[&str]| {
        let samples: Vec<String> = ids.iter().map(|id| sample(id, "1")).collect();
        format!("[{}]", samples.join(","))
    };
    let read = |members: &[(&str, &str)]| {
        let read = read_bytes(
            &archive(members),
            Tool::Inspect,
            &Reading::default(),
            "log.eval",
        );
        read.map_err(|error| error.to_string())
    };
    let (one, ten) = (list(&["1", "2"]), list(&["3"]));
    let unfinished = list(&["4", "5"]).replacen("\"epoch\"", "\"completed\": false, \"epoch\"", 1);
    let unfinished = unfinished.replacen("{\"match\": {\"value\": 1, \"answer\": \"a\"}}", "{}", 1);
    let journal = [
        ("_journal/start.json", start),
        ("_journal/summaries/10.json", &ten),
        ("_journal/summaries/2.json", &one),
    ];
    let imported = read(&journal).unwrap();
    assert_eq!(imported.records.items(), ["1", "2", "3"]);
    assert!(
        imported.notices[1]
            .contains("log.eval: the evaluation did not come to its end (status `started`)"),
        "{:?}",
        imported.notices
    );
    let imported = read(&[("header.json", &header), ("summaries.json", &unfinished)]).unwrap();
    assert_eq!(imported.records.items(), ["5"]);
    assert!(
        imported.notices[2].contains("1 sample that has not ended left out"),
        "{:?}",
        imported.notices
    );
    // Samples alone, as early versions have them.
    let (first, second) = (sample("1", "1"), sample("2", "NaN"));
    let samples = [
        ("header.json", &*header),
        ("samples/1_epoch_1.json", &first),
        ("samples/2_epoch_1.json", &second),
    ];
    assert!(
        read(&samples)
            .unwrap_err()
            .contains("without a finite `match`")
    );
    assert_eq!(read(&samples[..2]).unwrap().records.items(), ["1"]);

    let broken = |members: &[(&str, &str)]| read(members).unwrap_err();
    assert!(
        broken(&[("x.json", "{}")]).contains("no header.json in it, so this is no log of Inspect")
    );
    assert!(
        broken(&[("header.json", "{}"), ("summaries.json", &one)]).contains("missing field `eval`")
    );
    assert!(
        broken(&[("header.json", &header), ("summaries.json", "[{]")])
            .contains("this is not what inspect writes: ")
    );
    assert!(
        broken(&[("header.json", &header), ("summaries.json", "[]")])
            .contains("there is no answer in this log of inspect")
    );
    let mut cut = archive(&journal);
    cut.truncate(cut.len() - 30);
    let refused = refused(read_bytes(
        &cut,
        Tool::Inspect,
        &Reading::default(),
        "cut.eval",
    ));
    assert!(
        refused.starts_with("cut.eval: this archive cannot be understood: "),
        "{refused}"
    );
    assert!(
        read_text("{\"version\": 2}", &Reading::default())
            .unwrap_err()
            .contains("missing field `eval`")
    );
}

/// Tests that no change to an archive makes its reader panic.
#[test]
fn injured_archives_are_refused_or_read() {
    let whole = fs::read(fixture("logs").join(LARGE)).unwrap();
    for place in 0..whole.len() {
        let mut bytes = whole.clone();
        bytes[place] ^= 0x55;
        let options = Reading::default();
        if let Err(error) = read_bytes(&bytes, Tool::Inspect, &options, "s") {
            assert!(!error.to_string().contains('\n'));
        }
    }
}
