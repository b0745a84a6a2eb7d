//! Tests of importing several tables, directories, compressed files and other forms from a disk.

use fiesta_import::{
    ImportError, Imported, Tool, read_benchmarks, read_results, read_results_from,
};
use fiesta_records::{ColumnNames, ColumnRole, Reading, Role, Rule, SplitSource};
use flate2::{Compression, write::GzEncoder};
use std::{
    fs,
    io::Write,
    path::{Path, PathBuf},
};
use tempfile::TempDir;

/// A temporary directory with the files of a test.
struct Folder(TempDir);

impl Folder {
    fn new(files: &[(&str, &str)]) -> Self {
        let folder = Self(tempfile::tempdir().unwrap());
        for (name, text) in files {
            folder.write(name, text.as_bytes());
        }
        folder
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, bytes: &[u8]) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    /// Reads some of the files in the directory.
    fn read(&self, names: &[&str], options: &Reading) -> Result<Imported, ImportError> {
        let paths: Vec<PathBuf> = names.iter().map(|name| self.path(name)).collect();
        read_results(&paths, options)
    }

    fn refused(&self, names: &[&str], options: &Reading) -> String {
        let error = self.read(names, options).unwrap_err().to_string();
        self.short(&error)
    }

    fn short(&self, text: &str) -> String {
        text.replace(&format!("{}/", self.0.path().display()), "")
            .replace(&self.0.path().display().to_string(), ".")
    }

    fn notices(&self, found: &Imported) -> Vec<String> {
        found
            .notices
            .iter()
            .map(|notice| self.short(notice))
            .collect()
    }
}

const RED: &str = "id,score\n1,1\n2,1\n3,0\n4,1\n";
const BLUE: &str = "id,score\n1,1\n2,0\n3,0\n4,1\n";

fn gzip(text: &str) -> Vec<u8> {
    let mut writer = GzEncoder::new(Vec::new(), Compression::fast());
    writer.write_all(text.as_bytes()).unwrap();
    writer.finish().unwrap()
}

#[test]
fn a_file_for_each_arm_is_joined_by_its_items() {
    // The rows of one file are in another order, and its columns, too.
    let blue = "score,id\n1,4\n0,2\n0,3\n1,1\n";
    let folder = Folder::new(&[("runs/red.csv", RED), ("runs/blue.csv", blue)]);
    let named = folder
        .read(&["runs/red.csv", "runs/blue.csv"], &Reading::default())
        .unwrap();
    assert_eq!(named.records.arms(), ["red", "blue"]);
    assert_eq!(
        named.records.by_arm(),
        [[1.0, 1.0, 0.0, 1.0], [1.0, 0.0, 0.0, 1.0]]
    );
    assert_eq!(named.records.items(), ["1", "2", "3", "4"]);
    let lines: Vec<u64> = named.records.rows().map(|row| row.line).collect();
    assert_eq!(lines, [2, 3, 4, 5, 2, 3, 4, 5]);
    assert_eq!(
        named.notices,
        [
            "the arms are called by their files",
            "rows belong together that have the same `id`"
        ]
    );
    let found = folder.read(&["runs"], &Reading::default()).unwrap();
    assert_eq!(found.records.arms(), ["blue", "red"]);
    assert_eq!(folder.notices(&found)[0], "runs: 2 tables read");
}

#[test]
fn other_forms_of_tables_are_put_side_by_side() {
    let folder = Folder::new(&[
        (
            "a.jsonl",
            "{\"question\": \"x, \\\"y\\\"\", \"score\": 0.5}\n\n{\"question\": \"z\", \"score\": 1}\n",
        ),
        ("b.tsv", "question\tscore\nz\t0.25\n\"x, \"\"y\"\"\"\t1\n"),
    ]);
    let found = folder
        .read(&["a.jsonl", "b.tsv"], &Reading::default())
        .unwrap();
    assert_eq!(found.records.items(), ["x, \"y\"", "z"]);
    assert_eq!(found.records.by_arm(), [[0.5, 1.0], [0.25, 1.0]]);
    let lines: Vec<u64> = found.records.rows().map(|row| row.line).collect();
    assert_eq!(lines, [1, 3, 2, 3]);
}

#[test]
fn rows_belong_together_by_several_columns_splits_or_nothing() {
    let source = |header: &str, rows: &[[&str; 2]]| {
        let text = |of: usize| {
            let lines: Vec<&str> = rows.iter().map(|row| row[of]).collect();
            format!("{header}\n{}\n", lines.join("\n"))
        };
        let folder = Folder::new(&[("a.csv", &text(0)), ("b.csv", &text(1))]);
        let found = folder
            .read(&["a.csv", "b.csv"], &Reading::default())
            .unwrap();
        let told = found.notices.last().unwrap().clone();
        (found.records.split_source(), told)
    };
    let rows = [
        ["x,1,.5", "x,1,.6"],
        ["y,1,.5", "y,1,.6"],
        ["y,2,.1", "y,2,.3"],
    ];
    let (found, told) = source("dataset,id,score", &rows);
    assert_eq!(found, SplitSource::Items);
    assert!(told.ends_with("the same `dataset+id`"), "{told}");
    let (found, _) = source(
        "fold,seed,score",
        &[["0,1,.5", "0,1,.4"], ["1,1,.5", "1,1,.6"]],
    );
    assert_eq!(found, SplitSource::Column);
    // No item is in both files.
    let (found, told) = source("id,score", &[["1,.5", "3,.4"], ["2,.5", "4,.6"]]);
    assert_eq!(found, SplitSource::Nothing);
    assert!(
        told.contains("--paired-rows says that the k-th rows do"),
        "{told}"
    );
    let folder = Folder::new(&[("a.csv", "score\n.5\n.6\n"), ("b.csv", "score\n.5\n.7\n")]);
    let paired = Reading {
        paired_rows: true,
        ..Reading::default()
    };
    let found = folder.read(&["a.csv", "b.csv"], &paired).unwrap();
    assert_eq!(found.records.split_source(), SplitSource::Rows);
}

#[test]
fn parts_of_a_table_are_put_together() {
    let folder = Folder::new(&[
        ("one.csv", "arm,item,score\na,x,1\nb,x,0\n"),
        ("two.csv", "arm,item,score\na,y,1\nb,y,0\n"),
        ("three.csv", "arm,item,score\na,z,1\n\nb,x,0\n"),
        ("model1.csv", "model,acc\na,.5\n"),
        ("model2.csv", "model,acc\nb,.6\n"),
    ]);
    let found = folder
        .read(&["one.csv", "two.csv"], &Reading::default())
        .unwrap();
    assert_eq!(found.records.arms(), ["a", "b"]);
    assert_eq!(found.records.items(), ["x", "y"]);
    assert!(found.notices.is_empty());
    let twice = folder.refused(&["one.csv", "two.csv", "three.csv"], &Reading::default());
    assert!(
        twice.starts_with("three.csv:4: the answer of `b` on item `x` is in one.csv:3 already"),
        "{twice}"
    );
    let named = Reading {
        metric: Some("acc".into()),
        columns: ColumnNames {
            arm: Some("model".into()),
            ..ColumnNames::default()
        },
        ..Reading::default()
    };
    let found = folder.read(&["model1.csv", "model2.csv"], &named).unwrap();
    assert_eq!(found.records.arms(), ["a", "b"]);
}

#[test]
fn files_that_do_not_fit_are_told_with_their_lines() {
    let folder = Folder::new(&[
        ("red.csv", RED),
        ("a/red.csv", RED),
        ("bad.csv", "id,score\n1,1\n2,much\n"),
        ("short.csv", "id,score\n1\n"),
        ("other.csv", "id,acc\n1,1\n"),
        ("named.csv", "id,accuracy\n1,1\n2,0\n"),
        ("named2.csv", "id,accuracy\n1,1\n2,0\n"),
        (
            "log.jsonl",
            "{\"doc_id\": 0, \"filtered_resps\": [\"4\"], \"acc\": 1.0}\n",
        ),
    ]);
    let refused = |names: &[&str]| folder.refused(names, &Reading::default());
    assert!(
        refused(&["red.csv", "a/red.csv"]).starts_with(
            "a/red.csv: the arm would be called `red` by its file, as that of red.csv"
        ),
    );
    assert!(
        refused(&["red.csv", "bad.csv"]).starts_with("bad.csv:3: the score `much` is not a number")
    );
    assert!(refused(&["red.csv", "short.csv"]).starts_with("short.csv:2: the row has 1 fields"));
    assert_eq!(
        refused(&["red.csv", "other.csv"]),
        "other.csv: the columns are `id`, `acc`, and in red.csv they are `id`, `score`: files are read together only if they have the \
         same columns"
    );
    let mixed = "log.jsonl is a log of lm-eval, and the other files are no tool's";
    assert!(refused(&["red.csv", "log.jsonl"]).starts_with(mixed));
    assert!(refused(&["log.jsonl", "red.csv"]).starts_with(mixed));
    // Names of columns that leave no doubt are taken, as those of one file are.
    let found = folder
        .read(&["named.csv", "named2.csv"], &Reading::default())
        .unwrap();
    assert_eq!(found.records.metric(), "accuracy");
    assert_eq!(found.records.arms(), ["named", "named2"]);
    assert_eq!(found.records.items(), ["1", "2"]);
}

#[test]
fn compressed_files_are_read_as_what_they_hold() {
    let folder = Folder::new(&[("red.csv", RED), ("x.tsv", "arm\tscore\na,b\t0.5\n")]);
    folder.write("packed/red.csv.gz", &gzip(RED));
    folder.write(
        "packed/blue.csv.zst",
        &zstd::encode_all(BLUE.as_bytes(), 1).unwrap(),
    );
    let found = folder.read(&["packed"], &Reading::default()).unwrap();
    assert_eq!(found.records.arms(), ["blue", "red"]);
    // The content tells, and the name beneath says what the content is.
    folder.write("plain.csv", &gzip("arm,score\na,0.5\n"));
    folder.write("x.tsv.gz", &gzip("arm\tscore\na,b\t0.5\n"));
    let arms = |name: &str| {
        folder
            .read(&[name], &Reading::default())
            .unwrap()
            .records
            .arms()
            .to_vec()
    };
    assert_eq!(arms("plain.csv"), ["a"]);
    assert_eq!(arms("x.tsv.gz"), arms("x.tsv"));
    // A stream, and logs of tools.
    let piped =
        read_results_from(&gzip("arm,score\na,0.5\n")[..], &Reading::default(), "-").unwrap();
    assert_eq!(piped.records.arms(), ["a"]);
    let logs = super::fixture("logs");
    let eval = fs::read(logs.join("inspect/small.eval")).unwrap();
    let options = super::metric("match");
    let plain = read_results(&[logs.join("inspect/small.eval")], &options).unwrap();
    let piped = read_results_from(&eval[..], &options, "small.eval").unwrap();
    assert_eq!(piped.records, plain.records);
    let json = fs::read_to_string(logs.join("promptfoo/sums.json")).unwrap();
    folder.write("sums.json.gz", &gzip(&json));
    let plain = read_results(&[logs.join("promptfoo/sums.json")], &Reading::default()).unwrap();
    let packed = folder.read(&["sums.json.gz"], &Reading::default()).unwrap();
    assert_eq!(packed.records, plain.records);
    folder.write(
        "o.db.gz",
        &gzip(&format!("SQLite format 3\0{}", " ".repeat(100))),
    );
    assert!(
        folder
            .refused(&["o.db.gz"], &Reading::default())
            .contains("unpack it first")
    );
    folder.write("broken.csv.gz", &gzip(RED)[..12]);
    let broken = folder.refused(&["broken.csv.gz"], &Reading::default());
    assert!(
        broken.starts_with("broken.csv.gz: cannot be read: it is compressed with gzip"),
        "{broken}"
    );
}

#[test]
fn other_forms_are_refused_with_what_to_do() {
    let folder = Folder::new(&[("red.csv", RED)]);
    folder.write("scores.parquet", b"PAR1\x15\x04\x15");
    folder.write("wrong.csv", b"\x80\x04\x95");
    let parquet = folder.refused(&["scores.parquet"], &Reading::default());
    assert!(
        parquet.starts_with("scores.parquet: cannot be read: this Parquet file is damaged"),
        "{parquet}"
    );
    let pickle = folder.refused(&["red.csv", "wrong.csv"], &Reading::default());
    assert!(
        pickle.starts_with("wrong.csv: this is a pickle of Python"),
        "{pickle}"
    );
    let piped = read_results_from(&b"PAR1\x15"[..], &Reading::default(), "standard input");
    assert!(
        piped
            .unwrap_err()
            .to_string()
            .starts_with("standard input: cannot be read: this Parquet file")
    );
}

/// Tests importing Parquet files that pyarrow wrote (`fiesta-parquet/tests/fixtures/make.py`).
#[test]
fn parquet_is_read_as_what_it_holds() {
    let fixture = |name: &str| {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fiesta-parquet/tests/fixtures");
        fs::read(folder.join(name)).unwrap()
    };
    let folder = Folder::new(&[]);
    let read = |names: &[&str]| folder.read(names, &Reading::default()).unwrap();
    folder.write("long.parquet", &fixture("long.parquet"));
    let long = read(&["long.parquet"]).records;
    assert_eq!(
        (long.arms(), long.metric()),
        (&["large", "small"].map(String::from)[..], "accuracy")
    );
    assert_eq!(
        (long.by_arm()[0][0], long.split_source()),
        (0.81, SplitSource::Column)
    );
    folder.write("items.parquet.gz", &{
        let mut writer = GzEncoder::new(Vec::new(), Compression::fast());
        writer.write_all(&fixture("items.parquet")).unwrap();
        writer.finish().unwrap()
    });
    let items = read(&["items.parquet.gz"]).records;
    assert_eq!((items.arms().len(), items.items().len()), (3, 60));
    // Samples of lm-eval, in a directory for each model, as Hugging Face stores them.
    let samples = fixture("samples_sums_2026-11-27.parquet");
    for model in ["large", "small"] {
        folder.write(
            &format!("hub/{model}/samples_sums_2026-11-27T10-00-00.parquet"),
            &samples,
        );
    }
    let hub = read(&["hub"]);
    assert_eq!(
        (hub.tool, hub.records.arms().len()),
        (Some(Tool::LmEval), 2)
    );
    assert_eq!(
        (hub.records.metric(), hub.records.items().len()),
        ("exact_match", 12)
    );
}

/// Tests the files of two models that lighteval calls the same, in directories of a date each.
#[test]
fn details_of_lighteval_are_of_the_model_above_their_date() {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    let fixture = own.join("../fiesta-parquet/tests/fixtures/details_sums_2026-11-27.parquet");
    let details = fs::read(fixture).unwrap();
    let earlier = |right: u8| {
        format!(
            "{{\"__doc__\": {{\"query\": \"How much is 1 + 1?\", \"id\": \"1\"}}, \"__metric__\": {{\"acc\": {right}, \"acc_norm\": NaN}}, \"__model_response__\": {{}}}}\n"
        )
    };
    let folder = Folder::new(&[]);
    let date = "2026-11-27T10-00-00.5";
    for (model, right) in [("large", 1), ("small", 0)] {
        let place = |from: &str, end: &str| {
            format!("{from}/details/org/{model}/{date}/details_sums|0_{date}.{end}")
        };
        folder.write(&place("out", "parquet"), &details);
        folder.write(&place("old", "jsonl"), earlier(right).as_bytes());
    }
    let found = folder.read(&["out"], &Reading::default()).unwrap();
    assert_eq!(found.tool, Some(Tool::Lighteval));
    assert_eq!(found.records.arms(), ["large", "small"]);
    let (metric, items) = (found.records.metric(), found.records.items());
    assert_eq!((metric, items.len()), ("extractive_match", 12));
    let of_large = &found.records.by_arm()[0];
    assert_eq!(of_large[..4], [0.0, 1.0, 1.0, 0.0]);
    let asked = Reading {
        metric: Some("acc".to_owned()),
        ..Reading::default()
    };
    let old = folder.read(&["old"], &asked).unwrap();
    assert_eq!(old.records.by_arm(), [[1.0], [0.0]]);
    assert_eq!(old.records.items(), ["1"]);
}

/// Tests the directory that lighteval itself wrote.
#[cfg(feature = "parquet")]
#[test]
fn details_by_lighteval_itself() {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    let details = own.join("tests/fixtures/logs/lighteval");
    let asked = Reading {
        metric: Some("exact_match".to_owned()),
        ..Reading::default()
    };
    let found = read_results(&[details], &asked).unwrap();
    assert_eq!(found.tool, Some(Tool::Lighteval));
    assert_eq!(found.records.arms(), ["large", "small"]);
    assert_eq!(found.records.items(), ["0", "1", "2", "3"]);
    assert_eq!(found.records.by_arm(), [[0.0, 1.0, 1.0, 0.0], [0.0; 4]]);
    assert_eq!(found.records.columns(), ["length"]);
}

/// Tests the texts that each tool's own log holds of an item, and of the answer to it.
#[test]
fn texts_are_read_where_they_stand() {
    let logs = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/logs");
    for (files, metric, names, expected) in [
        (
            &["inspect/large.eval"][..],
            None,
            ("mockllm/large", "sum/5"),
            ["5+6?", "12"],
        ),
        (
            &["inspect/epochs.json"],
            Some("match"),
            ("mockllm/priced", "sum/0"),
            ["0+1?", "2"],
        ),
        (
            &["lm_eval/org__large"],
            Some("acc"),
            ("org/large", "1"),
            [
                "q: 1?; a: 1",
                "-0.3033685109329176 False -0.5875806061435594 False",
            ],
        ),
        (
            &["promptfoo/sums.json"],
            None,
            ("plain+polite", "twice"),
            ["left: 1; right: 2; sum: 3", "[output stripped]"],
        ),
        (
            &["deepeval/large.json", "deepeval/small.json"],
            Some("success"),
            ("small", "sum-1"),
            ["1+1?", "3"],
        ),
    ] {
        let paths: Vec<PathBuf> = files.iter().map(|file| logs.join(file)).collect();
        let asked = Reading {
            metric: metric.map(str::to_owned),
            ..Reading::default()
        };
        let found = read_results(&paths, &asked).unwrap();
        let texts = found.texts.read(found.records.items(), &[names].into());
        let of_names = texts.get(&(names.0.to_owned(), names.1.to_owned()));
        let expected = expected.map(|text| Some(text.to_owned()));
        assert_eq!(of_names, Some(&expected), "{files:?}: {texts:?}");
        assert_eq!(texts.len(), 1);
        assert!(found.texts.read(&[], &[names].into()).is_empty());
    }
}

#[test]
fn markdown_is_read_as_its_table() {
    let text = "# Results\n\n| item | **net** | tree |\n|:--|--:|--:|\n| a | 1 | 0 |\n| b | 1 | 1 |\n| c | x | 1 |\n";
    let folder = Folder::new(&[("good.md", &text.replace('x', "0")), ("bad.md", text)]);
    let read = folder.read(&["good.md"], &Reading::default()).unwrap();
    assert_eq!(read.records.by_arm(), [[1.0, 1.0, 0.0], [0.0, 1.0, 1.0]]);
    let named = Reading {
        arms: vec!["net".to_owned(), "tree".to_owned()],
        ..Reading::default()
    };
    let bad = folder.refused(&["bad.md"], &named);
    assert!(bad.starts_with("bad.md:7: "), "{bad}");
}

const SAMPLE: &str = "{\"doc_id\": 0, \"filtered_resps\": [\"4\"], \"acc\": 1.0}\n{\"doc_id\": 1, \"filtered_resps\": [\"4\"], \"acc\": 0.0}\n";

#[test]
fn a_broken_log_in_a_directory_is_left_out() {
    let date = "2026-11-23T03-39-12.490047";
    let name = |model: &str, task: &str| format!("out/{model}/samples_{task}_{date}.jsonl");
    let broken = format!("{SAMPLE}{{\"doc_id\": 2, \"acc\"\n");
    let folder = Folder::new(&[
        (&name("large", "sums"), SAMPLE),
        (&name("small", "sums"), SAMPLE),
        (&name("small", "colours"), SAMPLE),
        (&name("tiny", "sums"), &broken),
    ]);
    let found = folder.read(&["out"], &Reading::default()).unwrap();
    assert_eq!(found.records.arms(), ["large", "small"]);
    let notices = folder.notices(&found);
    let left_out = format!("{} is left out: line 3: ", name("tiny", "sums"));
    assert!(
        notices.iter().any(|notice| notice.starts_with(&left_out)),
        "{notices:?}"
    );
    let tasks = "each task can be read alone:\
                 \n  colours: fiesta belief out/*/samples_colours_*.jsonl\
                 \n  sums: fiesta belief out/*/samples_sums_*.jsonl";
    assert_eq!(notices.last().unwrap(), tasks);
    // Whoever names it is told, and so is who has nothing else.
    let named = folder.refused(
        &[&name("large", "sums"), &name("tiny", "sums")],
        &Reading::default(),
    );
    assert!(
        named.starts_with(&format!("{}:3: ", name("tiny", "sums"))),
        "{named}"
    );
    let alone = folder.refused(&["out/tiny"], &Reading::default());
    assert!(
        alone.starts_with(&format!("{}:3: ", name("tiny", "sums"))),
        "{alone}"
    );
    // What cannot be opened is left out as well.
    folder.write("out/large/more.jsonl.gz", b"\x1f\x8b\x08");
    let notices = folder.notices(&folder.read(&["out"], &Reading::default()).unwrap());
    let left_out =
        "out/large/more.jsonl.gz is left out: cannot be read: it is compressed with gzip";
    assert!(
        notices.iter().any(|notice| notice.starts_with(left_out)),
        "{notices:?}"
    );
}

/// Tests that the tasks of logs are benchmarks, each with its own score, and that one task, or arms
/// called by their tasks, are one.
#[test]
fn tasks_are_benchmarks() {
    let date = "2026-11-23T03-39-12.490047";
    let name = |model: &str, task: &str| format!("out/{model}/samples_{task}_{date}.jsonl");
    let matched = SAMPLE.replace("\"acc\"", "\"exact_match\"");
    let folder = Folder::new(&[
        (&name("large", "sums"), SAMPLE),
        (&name("small", "sums"), SAMPLE),
        (&name("large", "colours"), &matched),
        (&name("small", "colours"), &matched),
    ]);
    let read = |path: &str, options: &Reading, column| {
        read_benchmarks(&[folder.path(path)], options, column)
    };
    let all = read("out", &Reading::default(), None).unwrap();
    let names: Vec<&str> = all.iter().map(|(name, _)| &**name).collect();
    assert_eq!(names, ["colours", "sums"]);
    for (name, found) in &all {
        let metric = if name == "sums" { "acc" } else { "exact_match" };
        assert_eq!(found.records.metric(), metric);
        assert_eq!(found.records.arms(), ["large", "small"]);
        assert_eq!(found.records.items(), ["0", "1"]);
    }
    let said = |(_, found): &(String, Imported)| {
        let alone = |notice: &&String| notice.starts_with("each task can be read alone");
        found.notices.iter().filter(alone).count()
    };
    assert_eq!(all.iter().map(said).sum::<usize>(), 1);
    let one_of = Reading {
        metric: Some("acc,exact_match".to_owned()),
        ..Reading::default()
    };
    assert_eq!(read("out", &one_of, Some("task")).unwrap().len(), 2);
    let wrong = read("out", &Reading::default(), Some("dataset")).unwrap_err();
    assert!(
        wrong.to_string().contains("write --benchmark task"),
        "{wrong}"
    );
    let one = read("out/large", &Reading::default(), None).unwrap();
    assert_eq!(one.len(), 2);
    let one = read(&name("large", "sums"), &Reading::default(), None).unwrap();
    assert_eq!((one.len(), &*one[0].0), (1, ""));
}

/// Tests that the values of a column are benchmarks, whose rows are read by themselves.
#[test]
fn values_of_a_column_are_benchmarks() {
    let long = "arm,dataset,item,score\na,x,1,1\nb,x,1,0\na,y,1,0\nb,y,1,1\na,y,2,0\nb,y,2,1\n";
    let folder = Folder::new(&[
        ("long.csv", long),
        ("wide.csv", "dataset,item,a,b\nx,1,1,0\ny,1,0,1\ny,2,0,1\n"),
        (
            "bad.csv",
            "arm,dataset,item,score\na,x,1,1\nb,x,1,0\na,y,1,0\nb,y,1,bad\n",
        ),
        ("empty.csv", "arm,dataset,item,score\na,x,1,1\nb,,1,0\n"),
    ]);
    let read = |path: &str, column: &str| {
        read_benchmarks(&[folder.path(path)], &Reading::default(), Some(column))
    };
    for file in ["long.csv", "wide.csv"] {
        let all = read(file, "dataset").unwrap();
        let found: Vec<(&str, usize)> = { all.iter() }
            .map(|(name, found)| (&**name, found.records.items().len()))
            .collect();
        assert_eq!(found, [("x", 1), ("y", 2)], "{file}");
        let roles = &all[0].1.roles;
        assert_eq!(
            roles[0],
            ColumnRole::new("dataset", Role::Benchmark, Rule::Named)
        );
    }
    for (file, column, why) in [
        (
            "bad.csv",
            "dataset",
            "bad.csv:5: the score `bad` is not a number",
        ),
        (
            "empty.csv",
            "dataset",
            "empty.csv:3: the benchmark in `dataset` is empty",
        ),
        (
            "long.csv",
            "task",
            "there is no column `task` (--benchmark), only `arm`, `dataset`",
        ),
    ] {
        let error = read(file, column).unwrap_err().to_string();
        assert!(error.contains(why), "{error}");
    }
}

/// Tests that `cross_validate` may have written a file for each model, and that a column may name them.
#[test]
fn cross_validations_of_several_models_are_read_together() {
    let rows = |scores: [&str; 2]| {
        let [one, other] = scores;
        format!(",fit_time,score_time,test_score\n0,1,1,{one}\n1,1,1,{other}\n")
    };
    let folder = Folder::new(&[
        ("red.csv", &rows(["0.5", "0.75"])),
        ("blue.csv", &rows(["0.25", "1.0"])),
        ("bad.csv", &rows(["0.25", "x"])),
        (
            "both.csv",
            "model,fold,fit_time,score_time,test_score\na,3,1,1,0.5\nb,3,1,1,0.25\na,4,1,1,1\nb,4,1,1,1\n",
        ),
    ]);
    let found = folder.read(&["red.csv", "blue.csv"], &Reading::default());
    let found = found.unwrap();
    assert_eq!(found.records.arms(), ["red", "blue"]);
    assert_eq!(found.records.by_arm(), [[0.5, 0.75], [0.25, 1.0]]);
    let splits = |found: &Imported| {
        let rows = found.records.rows().map(|row| row.split.unwrap());
        rows.collect::<Vec<_>>()
    };
    assert_eq!(splits(&found), [0, 1, 0, 1]);
    let bad = folder.refused(&["red.csv", "bad.csv"], &Reading::default());
    assert!(bad.starts_with("bad.csv:3: the score `x`"), "{bad}");
    let both = folder.read(&["both.csv"], &Reading::default()).unwrap();
    assert_eq!(both.records.arms(), ["a", "b"]);
    assert_eq!(splits(&both), [3, 3, 4, 4]);
}
