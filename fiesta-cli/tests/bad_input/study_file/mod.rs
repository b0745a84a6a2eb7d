//! Tests of study files that are refused before anything is run.

mod executors;
mod goals;
mod jobs;
mod shapes;
mod together;
mod values;

use super::support::{Bench, STUDY, code};

/// A refused study: a text of the valid study, its replacement, a text on the line that the message
/// must name, and words of the message.
type Case = (
    &'static str,
    &'static str,
    &'static str,
    &'static [&'static str],
);

fn refuse(cases: &[Case]) {
    for (from, to, at, says) in cases {
        assert_eq!(STUDY.matches(from).count(), 1, "{from}");
        let study = STUDY.replace(from, to);
        let bench = Bench::with_study(&study);
        let line = study.lines().position(|line| line.contains(at)).unwrap() + 1;
        let place = format!("error: study.toml:{line}: ");
        for arguments in [
            &["run", "study.toml"][..],
            &["run", "--check", "study.toml"],
        ] {
            let ran = bench.fiesta(arguments);
            ran.says(code::USAGE, &[&[place.as_str()], *says].concat());
            assert_eq!(ran.stdout, "");
            assert!(!bench.path("study.fiesta").exists(), "{to}");
        }
    }
}

#[test]
fn arms() {
    refuse(&[
        (
            "[[arm]]\nname = \"low\"\n",
            "",
            "name = \"high\"",
            &["only one arm, `high`", "add another [[arm]]"],
        ),
        (
            "name = \"low\"",
            "name = \" \"",
            "name = \" \"",
            &["arm number 1 has an empty name"],
        ),
        (
            "name = \"low\"",
            "naem = \"low\"",
            "naem",
            &["unknown key `naem`", "did you mean `name`?"],
        ),
        (
            "name = \"low\"",
            "name = \"low\"\ncost = -1",
            "cost = -1",
            &["cost must be a number from zero"],
        ),
    ]);
    // Of two equal names, the later is one too many.
    let study = STUDY.replace("name = \"low\"", "name = \"high\"");
    let place = format!("study.toml:{}: ", study.lines().count());
    Bench::with_study(&study)
        .fiesta(&["run", "study.toml"])
        .says(
            code::USAGE,
            &[&place, "`high` is used by two arms", "distinct"],
        );
    let (head, _) = STUDY.split_once("[[arm]]").unwrap();
    Bench::with_study(head).fiesta(&["run", "study.toml"]).says(
        code::USAGE,
        &["study.toml: there are no arms", "add [[arm]] tables"],
    );
}

#[test]
fn unknown_keys_are_named_with_the_nearest_known_one() {
    refuse(&[
        (
            "name = \"trial\"",
            "name = \"trial\"\ncomand = []",
            "comand",
            &["unknown key `comand`", "did you mean `command`?"],
        ),
        (
            "parallel = 2",
            "paralel = 2",
            "paralel",
            &[
                "unknown key `paralel`",
                "did you mean `parallel`?",
                "splits",
            ],
        ),
        (
            "name = \"low\"",
            "name = \"low\"\ngpu_per_job = 1",
            "gpu_per_job",
            &["unknown key `gpu_per_job`", "did you mean `gpus_per_job`?"],
        ),
        (
            "confidence = 0.95",
            "confidense = 0.95",
            "confidense",
            &["did you mean `confidence`?"],
        ),
        (
            "evaluations = 40",
            "evaluation = 40",
            "evaluation = 40",
            &["did you mean `evaluations`?"],
        ),
        (
            "kind = \"local\"",
            "xyz = 1",
            "xyz",
            &["unknown key `xyz`", "known here: kind, gpus"],
        ),
        // Below an unknown table, a key that is like one that is known where the table stands.
        (
            "seed = 1",
            "seed = 1\n[r0.1esources]",
            "r0.1esources",
            &["unknown key `r0`", "known here: name, command"],
        ),
    ]);
}

#[test]
fn broken_toml() {
    refuse(&[
        ("parallel = 2", "parallel = = 2", "parallel", &[]),
        (
            "seed = 1",
            "seed = 1\nseed = 2",
            "seed = 2",
            &["duplicate key"],
        ),
        ("name = \"trial\"", "name = \"trial", "trial", &["string"]),
        (
            "seed = 1",
            "seed = \"one\"",
            "seed = ",
            &["\"one\" is a text", "a whole number, without quotes"],
        ),
        (
            "name = \"trial\"",
            "name = 5",
            "name = 5",
            &["invalid type", "string"],
        ),
        ("seed = 1", "seed = -1", "seed = -1", &["-1"]),
    ]);
    let no_metric = STUDY
        .replace("[metric]\nname = \"accuracy\"\n", "")
        .replace("direction = \"maximize\"\nbounds = [0.0, 1.0]\n", "");
    Bench::with_study(&no_metric)
        .fiesta(&["run", "study.toml"])
        .says(code::USAGE, &["study.toml", "missing", "metric"]);
}

#[test]
fn names_that_cannot_begin_a_run() {
    refuse(&[
        (
            "name = \"trial\"",
            "name = \"a/b\"",
            "a/b",
            &["`a/b`", "letters, digits"],
        ),
        (
            "name = \"trial\"",
            "name = \"\"",
            "name = \"\"",
            &["letters, digits"],
        ),
    ]);
}

#[test]
fn a_file_that_is_not_there() {
    let bench = Bench::new();
    for verb in ["run", "status"] {
        let ran = bench.fiesta(&[verb, "nowhere.toml"]);
        ran.says(
            code::USAGE,
            &["cannot read the study file nowhere.toml", "No such file"],
        );
    }
    assert!(!bench.path("nowhere.fiesta").exists());
}

/// Tests that independent mistakes are reported together, each with its line.
#[test]
fn several_mistakes_are_told_at_once() {
    let told = |changes: &[(&str, &str)], says: &[&str], count: usize| {
        let mut study = STUDY.to_owned();
        for (from, to) in changes {
            assert_eq!(study.matches(from).count(), 1, "{from}");
            study = study.replace(from, to);
        }
        let bench = Bench::with_study(&study);
        let ran = bench.fiesta(&["run", "study.toml"]);
        ran.says(code::USAGE, says);
        let head = format!("error: study.toml has {count} mistakes:\n  study.toml:");
        assert!(ran.stderr.starts_with(&head), "{}", ran.stderr);
        assert_eq!(ran.stderr.lines().count(), 1 + count, "{}", ran.stderr);
        let at = |line: &str| {
            let line = line.trim().strip_prefix("study.toml:").unwrap();
            line.split(':').next().unwrap().parse::<usize>().unwrap()
        };
        let lines: Vec<usize> = ran.stderr.lines().skip(1).map(at).collect();
        assert!(lines.is_sorted(), "{}", ran.stderr);
        assert!(!bench.path("study.fiesta").exists());
    };
    // Unknown keys, of which one is like a known one; and a value of a key that was misspelt.
    told(
        &[
            ("confidence = 0.95", "confidense = 95"),
            ("parallel = 2", "parallel = 0\nepochs = 3"),
            ("timeout = \"1m\"", "timeout = \"soon\"\ngrace = \"later\""),
        ],
        &[
            "unknown key `confidense`, did you mean `confidence`?",
            "unknown key `epochs`",
            "parallel must be at least 1",
            "timeout = \"soon\" is no duration",
            "grace = \"later\" is no duration",
        ]
        .map(|text| text.replace("`, did", "`; did"))
        .each_ref()
        .map(String::as_str),
        5,
    );
    // Values of a wrong type, and a key that nobody knows.
    told(
        &[
            ("seed = 1", "seed = \"one\""),
            ("bounds = [0.0, 1.0]", "bounds = [0.0, \"one\"]"),
            ("kind = \"local\"", "sort = \"local\""),
        ],
        &[
            "unknown key `sort`",
            "\"one\" is a text: write a number, without quotes",
        ],
        3,
    );
    // What checks find: of the commands of both arms, once.
    told(
        &[
            ("\"{split}\"", "\"{fold}\""),
            ("posterior = \"pooled\"", "posterior = \"poled\""),
            ("confidence = 0.95", "confidence = 95"),
            ("kind = \"local\"", "kind = \"lokal\""),
        ],
        &["there is no executor `lokal`", "confidence: ", "poled"],
        3,
    );
    told(
        &[
            ("policy = \"ttts\"", "policy = \"tttt\""),
            ("posterior = \"pooled\"", "posterior = \"poled\""),
        ],
        &["there is no posterior `poled`", "there is no policy `tttt`"],
        2,
    );
    told(
        &[
            ("\"{split}\"", "\"{fold}\""),
            ("name = \"low\"", "name = \"low\"\ngpus_per_job = -1"),
            ("bounds = [0.0, 1.0]", "bounds = [1.0, 0.0]"),
        ],
        &["unknown placeholder {fold}", "study.toml:7: "],
        3,
    );
}

/// Tests that an unknown key is not also reported as the missing key that it may stand for.
#[test]
fn one_mistake_is_told_as_one() {
    let command = "command = [\"sh\", \"score.sh\", \"{arm}\", \"{split}\", \"{seed}\"]";
    for (from, to) in [
        (command, "start = [\"sh\", \"score.sh\"]"),
        ("name = \"trial\"", "title = \"trial\""),
        ("[metric]", "[score]"),
        ("name = \"accuracy\"", "naem = \"accuracy\""),
        ("confidence = 0.95", "confidense = \"0.95\""),
        ("posterior = \"pooled\"", "prior = \"pooled\""),
    ] {
        let bench = Bench::with_study(&STUDY.replace(from, to));
        let ran = bench.fiesta(&["run", "study.toml"]);
        ran.says(code::USAGE, &["error: study.toml:", "unknown key"]);
        assert_eq!(ran.stderr.lines().count(), 1, "{}", ran.stderr);
    }
}
