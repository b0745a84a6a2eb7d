//! Study files that are refused before anything is run.

use super::support::{Bench, Running, STUDY, code};
use std::{ffi::OsStr, fs, os::unix::ffi::OsStrExt};

/// A text of the good study, what it becomes, a text on the line that must be named, and the
/// message.
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

/// Jobs, and the ledger, are told of paths as texts.
#[test]
fn a_directory_whose_name_is_not_utf_8() {
    let bench = Bench::with_study(STUDY);
    let directory = bench.path("").join(OsStr::from_bytes(b"caf\xe9"));
    fs::create_dir(&directory).unwrap();
    for name in ["study.toml", "score.sh"] {
        fs::copy(bench.path(name), directory.join(name)).unwrap();
    }
    for arguments in [
        &["run", "study.toml"][..],
        &["run", "--check", "study.toml"],
    ] {
        let mut command = bench.command(arguments);
        command.current_dir(&directory);
        let ran = Running::start(command).wait();
        ran.says(
            code::USAGE,
            &["error: study.toml: the path", "is not UTF-8"],
        );
        assert!(!directory.join("study.fiesta").exists());
    }
}

/// What no program can be given, and what would be another variable than it seems.
#[test]
fn variables_and_zero_bytes() {
    let of_arm = |env: &'static str, says: &'static [&'static str]| -> Case {
        let study = "name = \"low\"";
        (
            study,
            Box::leak(format!("{study}\nenv = {env}").into_boxed_str()),
            "env = ",
            says,
        )
    };
    refuse(&[
        of_arm(
            "{ \"A=B\" = \"c\" }",
            &["`A=B` is no name of a variable", "write A = "],
        ),
        of_arm("{ \"\" = \"c\" }", &["the name of a variable is empty"]),
        of_arm("{ \"A\\u0000\" = \"c\" }", &["zero byte", "remove it"]),
        of_arm("{ A = \"b\\u0000c\" }", &["the variable A", "zero byte"]),
        of_arm("{ A = { from = \"\" } }", &["the variable A", "empty"]),
        of_arm("{ A = { from = \"B=C\" } }", &["`B=C` is no name"]),
        of_arm(
            "{ A = { form = \"B\" } }",
            &["a text, or { from = \"NAME\" }"],
        ),
        of_arm("{ A = 1 }", &["a text, or { from = \"NAME\" }"]),
        (
            "name = \"low\"",
            "name = \"l\\u0000w\"",
            "name = \"l\\u0000w\"",
            &["zero byte"],
        ),
        (
            "\"score.sh\"",
            "\"sc\\u0000re.sh\"",
            "command",
            &["zero byte"],
        ),
    ]);
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
            &["invalid type", "u64"],
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
fn unknown_names() {
    refuse(&[
        (
            "policy = \"ttts\"",
            "policy = \"tts\"",
            "policy",
            &["no policy `tts`", "uniform", "ttts"],
        ),
        (
            "posterior = \"pooled\"",
            "posterior = \"flat\"",
            "posterior = \"flat\"",
            &["no posterior `flat`", "uniform", "pooled"],
        ),
        (
            "splits = \"shared\"",
            "splits = \"common\"",
            "splits",
            &["common", "shared", "independent", "fixed"],
        ),
        (
            "splits = \"shared\"",
            "splits = 0",
            "splits",
            &["at least 1 split"],
        ),
        (
            "splits = \"shared\"",
            "splits = 8.5",
            "splits",
            &[
                "the number of splits",
                "kind = \"independent\", count = 800",
            ],
        ),
        (
            "splits = \"shared\"",
            "splits = { kind = \"independent\", number = 800 }",
            "splits",
            &["unknown key `number`", "kind, count"],
        ),
        (
            "splits = \"shared\"",
            "splits = { kind = \"fixed\", count = 2 }",
            "splits",
            &["fixed split is the one split 0", "leave count out"],
        ),
        (
            "stopping = \"posterior\"",
            "stopping = \"luck\"",
            "stopping",
            &["no stopping rule `luck`", "posterior", "anytime"],
        ),
        (
            "confidence = ",
            "rare_failures = 0.05\nconfidence = ",
            "rare_failures",
            &["belongs to the stopping rule anytime", "beside posterior"],
        ),
        (
            "kind = \"local\"",
            "kind = \"cloud\"",
            "kind",
            &["no executor `cloud`", "local"],
        ),
        (
            "direction = \"maximize\"",
            "direction = \"up\"",
            "direction",
            &["up", "maximize", "minimize"],
        ),
    ]);
}

#[test]
fn what_ray_is_asked_for() {
    const LOCAL: &str = "kind = \"local\"";
    refuse(&[
        (
            LOCAL,
            "kind = \"ray\"\npartition = \"gpu\"",
            "partition",
            &[
                "`partition` says nothing to ray",
                "it is for slurm",
                "address, resources",
            ],
        ),
        (
            LOCAL,
            "kind = \"slurm\"\nruntime_env = {}",
            "runtime_env",
            &["`runtime_env` says nothing to slurm", "partition"],
        ),
        (
            LOCAL,
            "kind = \"local\"\naddress = \"http://head:8265\"",
            "address",
            &[
                "`address` is for an engine, and these jobs run on this machine",
                "kind = \"ray\"",
            ],
        ),
        (
            LOCAL,
            "kind = \"ray\"\naddress = \"head:6379\"",
            "address",
            &["`head:6379` is no address of Ray's dashboard", "http://"],
        ),
        (
            LOCAL,
            "kind = \"ray\"\nmemory = \"much\"",
            "memory",
            &["`much` is no amount of memory", "16G"],
        ),
        (
            LOCAL,
            "kind = \"ray\"\nresources = { GPU = 1 }",
            "GPU",
            &["how much GPU each job has is said by gpus_per_job"],
        ),
        (
            LOCAL,
            "kind = \"ray\"\nresources = { a100 = 0 }",
            "a100",
            &["the amount of a100 must be above 0"],
        ),
        (
            LOCAL,
            "kind = \"ray\"\nruntime_env = { env_vars = { A = 1 } }",
            "env_vars",
            &["env_vars is a table of variables, whose values are texts"],
        ),
    ]);
}

/// Workers are of this machine; no engine starts any.
#[test]
fn a_worker_on_an_engine() {
    for kind in ["slurm", "ray", "ssh"] {
        let study = STUDY
            .replace("kind = \"local\"", &format!("kind = \"{kind}\""))
            .replace(
                "command = [\"sh\", \"score.sh\", \"{arm}\", \"{split}\", \"{seed}\"]",
                "",
            )
            + "\n[worker]\ncommand = [\"sh\", \"score.sh\"]\n";
        Bench::with_study(&study)
            .fiesta(&["run", "study.toml"])
            .says(
                code::USAGE,
                &[
                    "study.toml:25: workers run on this machine",
                    "instead of a [worker]",
                    &format!("leave {kind} out"),
                ],
            );
    }
}

/// What comes from whoever runs the study is not sent to Ray, and is not left out in silence.
#[test]
fn variables_of_the_caller_on_ray() {
    let study = Bench::with_study(&STUDY.replace("kind = \"local\"", "kind = \"ray\""));
    study.edit(
        "study.toml",
        "name = \"low\"",
        "name = \"low\"\nenv = { TOKEN = { from = \"MY_TOKEN\" } }",
    );
    study.fiesta(&["run", "study.toml"]).says(
        code::USAGE,
        &[
            "study.toml:29",
            "TOKEN",
            "the value that MY_TOKEN has where the study is run",
            "not sent to Ray",
            "export TOKEN=",
            "prologue under [executor]",
        ],
    );
}

#[test]
fn commands() {
    const COMMAND: &str = "command = [\"sh\", \"score.sh\", \"{arm}\", \"{split}\", \"{seed}\"]";
    refuse(&[
        (
            COMMAND,
            "command = [\"sh\", \"{arn}\"]",
            "command",
            &[
                "unknown placeholder {arn}",
                "did you mean {arm}?",
                "{{arn}}",
            ],
        ),
        (
            COMMAND,
            "command = [\"sh\", \"{modle}\"]",
            "command",
            &[
                "unknown placeholder {modle}",
                "known: {arm}, {split}, {seed}",
            ],
        ),
        (
            COMMAND,
            "command = []",
            "command",
            &["the command is empty", "first element is the program"],
        ),
        (
            COMMAND,
            "command = [\"\", \"x\"]",
            "command",
            &["the command is empty"],
        ),
        (
            COMMAND,
            "",
            "name = \"low\"",
            &["the arm `low` has no command", "for all arms at the top"],
        ),
        (
            COMMAND,
            "command = \"sh score.sh\"",
            "command",
            &[
                "a list of its words",
                "write command = [\"sh\", \"score.sh\"]",
            ],
        ),
        (
            "name = \"high\"",
            "name = \"high\"\ncommand = [\"{a}\"]",
            "{a}",
            &["unknown placeholder {a}"],
        ),
    ]);
}

#[test]
fn ties_and_shortfalls() {
    refuse(&[
        (
            "confidence = 0.95",
            "tie = 0.1",
            "tie",
            &["tie belongs to a confidence"],
        ),
        (
            "confidence = 0.95",
            "confidence = 0.95\ntolerance = 0.1\nstrict = true",
            "strict",
            &["with a tolerance", "leave strict or tolerance out"],
        ),
        (
            "confidence = 0.95",
            "confidence = 0.95\ntie = \"0.1 points\"",
            "tie",
            &["`0.1 points` is no distance"],
        ),
        (
            "confidence = 0.95",
            "shortfall = 0",
            "shortfall",
            &["an expected shortfall of 0 is never reached"],
        ),
    ]);
}

#[test]
fn goals() {
    refuse(&[
        (
            "confidence = 0.95",
            "confidence = 0.95\ntolerance = -0.1",
            "tolerance",
            &["`-0.1` is no distance", "0.25 sd"],
        ),
        (
            "confidence = 0.95",
            "tolerance = 0.1",
            "tolerance",
            &["tolerance belongs to a confidence"],
        ),
        (
            "confidence = 0.95",
            "confidence = 1",
            "confidence",
            &["confidence", "1 must lie strictly between 0.5 and 1"],
        ),
        (
            "confidence = 0.95",
            "confidence = 1.5",
            "confidence",
            &["1.5 must lie strictly between 0.5 and 1"],
        ),
        (
            "confidence = 0.95",
            "confidence = 0.4",
            "confidence",
            &["0.4 must lie strictly between 0.5 and 1"],
        ),
        (
            "evaluations = 40",
            "evaluations = 0",
            "budget",
            &["budget of 0 evaluations", "2 arms"],
        ),
        (
            "evaluations = 40",
            "evaluations = 1",
            "budget",
            &["budget of 1 evaluations", "2 arms"],
        ),
        (
            "evaluations = 40",
            "cost = 0",
            "budget",
            &["cost must be a number above zero"],
        ),
        (
            "evaluations = 40",
            "cost = \"4x\"",
            "budget",
            &["cost = \"4x\"", "x"],
        ),
        (
            "evaluations = 40",
            "wall = \"2x\"",
            "budget",
            &["wall = \"2x\" is no duration", "\"2h 30m\""],
        ),
        (
            "evaluations = 40",
            "wall = \"0s\"",
            "budget",
            &["wall = \"0s\"", "longer than zero"],
        ),
        (
            "evaluations = 40",
            "",
            "budget",
            &["the budget is empty", "evaluations", "wall"],
        ),
        // Sequential halving divides a budget.
        (
            "policy = \"ttts\"\nposterior = \"pooled\"\nstopping = \"posterior\"\nparallel = 2\nseed = 1\n\n[resources]\ntimeout = \"1m\"\n\n[executor]\nkind = \"local\"\n\n[[arm]]\nname = \"low\"",
            "policy = \"sequential-halving\"\n[[arm]]\nname = \"low\"\n[[arm]]\nname = \"3\"\n[[arm]]\nname = \"4\"\n[[arm]]\nname = \"5\"\n[[arm]]\nname = \"6\"\n[[arm]]\nname = \"7\"\n[[arm]]\nname = \"8\"\n[[arm]]\nname = \"9\"\n[[arm]]\nname = \"10\"\n[[arm]]\nname = \"11\"\n[[arm]]\nname = \"12\"",
            "policy",
            &["budget of 40 evaluations is too small", "at least 48"],
        ),
    ]);
    let halving = STUDY
        .replace("ttts", "sequential-halving")
        .replace("budget = { evaluations = 40 }", "");
    Bench::with_study(&halving)
        .fiesta(&["run", "study.toml"])
        .says(
            code::USAGE,
            &["study.toml:15: ", "sequential-halving needs a budget"],
        );
}

#[test]
fn durations() {
    refuse(&[
        (
            "timeout = \"1m\"",
            "timeout = \"2x\"",
            "timeout",
            &["timeout = \"2x\" is no duration", "\"90s\""],
        ),
        (
            "timeout = \"1m\"",
            "timeout = \"0s\"",
            "timeout",
            &["timeout = \"0s\"", "longer than zero"],
        ),
        (
            "timeout = \"1m\"",
            "silence = \"0s\"",
            "silence",
            &["silence = \"0s\"", "longer than zero"],
        ),
        (
            "timeout = \"1m\"",
            "silence = \"never\"",
            "silence",
            &["silence = \"never\" is no duration", "\"15m\""],
        ),
        (
            "timeout = \"1m\"",
            "grace = \"soon\"",
            "grace",
            &["grace = \"soon\" is no duration"],
        ),
    ]);
}

#[test]
fn numbers() {
    refuse(&[
        (
            "timeout = \"1m\"",
            "gpus_per_job = 1.5",
            "gpus_per_job",
            &["gpus_per_job = 1.5", "whole number", "below 1 to share"],
        ),
        (
            "timeout = \"1m\"",
            "gpus_per_job = -1",
            "gpus_per_job",
            &["gpus_per_job = -1"],
        ),
        (
            "parallel = 2",
            "parallel = 0",
            "parallel",
            &["parallel must be at least 1"],
        ),
        (
            "parallel = 2",
            "batch = 0",
            "batch",
            &["batch must be at least 1"],
        ),
        (
            "policy = \"ttts\"",
            "policy = \"bts\"",
            "policy",
            &["bts needs batch"],
        ),
        (
            "parallel = 2",
            "beta = 2.0",
            "beta",
            &["2", "between 0 and 1"],
        ),
        (
            "parallel = 2",
            "tie_break = \"fair\"",
            "tie_break",
            &["no tie-break `fair`", "coin, balanced or cost-aware"],
        ),
        (
            "policy = \"ttts\"",
            "policy = \"ts\"\ntie_break = \"coin\"",
            "tie_break",
            &["the policy ts takes no `tie_break`"],
        ),
        (
            "parallel = 2",
            "tie_break = \"balanced\"\nbeta = 0.4",
            "beta = 0.4",
            &["the tie-break coin", "leave beta out"],
        ),
        (
            "bounds = [0.0, 1.0]",
            "bounds = [1.0, 0.0]",
            "bounds",
            &["[1, 0]", "first must be below the second"],
        ),
        (
            "bounds = [0.0, 1.0]",
            "bounds = [0.0, inf]",
            "bounds",
            &["both finite"],
        ),
        (
            "name = \"accuracy\"",
            "name = \"\"",
            "name = \"\"",
            &["the metric has no name"],
        ),
    ]);
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
