//! Bad input through the program: the exit code, what is wrong, where, and what to do.

mod support;

/// Study files that are refused before anything is run.
mod study_file {
    use super::support::{Bench, STUDY, code};

    /// A text of the good study, what it becomes, a text on the line that must be named, and the message.
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
                "stopping = \"posterior\"",
                "stopping = \"luck\"",
                "stopping",
                &["no stopping rule `luck`", "posterior"],
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
    fn commands() {
        const COMMAND: &str =
            "command = [\"sh\", \"score.sh\", \"{arm}\", \"{split}\", \"{seed}\"]";
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
                &["invalid type", "sequence"],
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
    fn goals() {
        refuse(&[
            (
                "confidence = 0.95",
                "confidence = 1",
                "confidence",
                &["confidence", "1 must lie between 0.5 and 1"],
            ),
            (
                "confidence = 0.95",
                "confidence = 1.5",
                "confidence",
                &["1.5 must lie between 0.5 and 1"],
            ),
            (
                "confidence = 0.95",
                "confidence = 0.4",
                "confidence",
                &["0.4 must lie between 0.5 and 1"],
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
    fn numbers_and_durations() {
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
                "grace = \"soon\"",
                "grace",
                &["grace = \"soon\" is no duration"],
            ),
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
                "parallel = 2",
                "beta = 2.0",
                "beta",
                &["2", "between 0 and 1"],
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
}

/// Studies that are good but for what the machine has.
mod machine {
    use super::support::{Bench, STUDY, code};
    use std::{fs, os::unix::fs::PermissionsExt};

    #[test]
    fn a_gpu_where_there_is_none() {
        let study = STUDY.replace("timeout = \"1m\"", "gpus_per_job = 1");
        let bench = Bench::with_study(&study);
        bench.fiesta(&["run", "study.toml"]).says(
            code::USAGE,
            &[
                "each job needs 1 GPU, but there is none",
                "lower gpus_per_job",
            ],
        );
        // Nothing has begun, so that the file can be put right.
        bench.edit("study.toml", "gpus_per_job = 1", "gpus_per_job = 0");
        bench.fiesta(&["run", "study.toml"]).says(code::DONE, &[]);
    }

    #[test]
    fn gpus_that_cannot_be() {
        let with = |gpus: &str| {
            let kind = format!("kind = \"local\"\ngpus = {gpus}");
            Bench::with_study(&STUDY.replace("kind = \"local\"", &kind))
                .fiesta(&["run", "study.toml"])
        };
        with("[0, 0]").says(code::USAGE, &["the GPU `0` is listed twice"]);
        with("[\"a b\"]").says(code::USAGE, &["`a b` cannot be a GPU", "nvidia-smi -L"]);
    }

    /// The first arm's job would show that something was run.
    const FIRST_WORKS: &str = "echo ran >> ran\necho '{\"accuracy\": 0.5}'\n";

    fn unusable(command: &str, says: &[&str]) {
        let bench = Bench::with_job(
            FIRST_WORKS,
            &format!("[[arm]]\nname = \"works\"\n[[arm]]\nname = \"broken\"\ncommand = {command}"),
        );
        bench.file("plain.py", "print(1)\n");
        bench.file("foreign", "\0\0\0\0");
        fs::set_permissions(bench.path("foreign"), fs::Permissions::from_mode(0o755)).unwrap();
        let ran = bench.fiesta(&["run", "study.toml"]);
        ran.says(
            code::USAGE,
            &[&["the arm `broken` cannot be evaluated"], says].concat(),
        );
        assert_eq!(bench.text("ran"), "", "{command}");
        // Nothing has begun, so that the file can be put right.
        let put_right = "[\"sh\", \"job.sh\"]\n[goal]\nbudget = { evaluations = 4 }";
        bench.edit("study.toml", command, put_right);
        bench.fiesta(&["run", "study.toml"]).says(code::DONE, &[]);
    }

    #[test]
    fn a_command_that_cannot_be_started_is_noticed_before_anything_is_run() {
        unusable(
            "[\"no-such-program-anywhere\"]",
            &["`no-such-program-anywhere` was not found", "full path"],
        );
        unusable("[\"./missing.sh\"]", &["missing.sh` does not exist"]);
        unusable(
            "[\"./plain.py\"]",
            &["plain.py` is not executable", "chmod +x"],
        );
    }

    #[test]
    fn a_check_shows_which_command_cannot_be_started() {
        let bench = Bench::with_job(
            FIRST_WORKS,
            "[[arm]]\nname = \"works\"\n[[arm]]\nname = \"broken\"\ncommand = [\"no-such-program-anywhere\"]",
        );
        let ran = bench.fiesta(&["run", "study.toml", "--check"]);
        ran.says(
            code::ARM_FAILED,
            &["broken: the command `no-such-program-anywhere` was not found"],
        );
        let row = |name: &str| {
            ran.stdout
                .lines()
                .find(|line| line.starts_with(name))
                .unwrap()
        };
        assert!(
            row("works").contains("0.5") && row("broken").contains("failed"),
            "{ran:?}"
        );
    }

    #[test]
    fn an_arm_s_own_path_is_where_its_program_is_sought() {
        let bench = Bench::with_job(
            FIRST_WORKS,
            "[goal]\nbudget = { evaluations = 4 }\n[[arm]]\nname = \"works\"\n[[arm]]\nname = \"own\"\ncommand = [\"own-program\"]\nenv = { PATH = \"bin:/usr/bin:/bin\" }",
        );
        fs::create_dir(bench.path("bin")).unwrap();
        let program = bench.file("bin/own-program", "#!/bin/sh\necho '{\"accuracy\": 0.4}'\n");
        let ran = bench.fiesta(&["run", "study.toml"]);
        ran.says(code::USAGE, &["`own-program` is not executable"]);
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
        bench.fiesta(&["run", "study.toml"]).says(code::DONE, &[]);
    }

    #[test]
    fn a_command_that_is_found_wanting_when_it_is_started_is_not_tried_again() {
        let bench = Bench::with_study(STUDY);
        bench.file("foreign", "\0\0\0\0");
        fs::set_permissions(bench.path("foreign"), fs::Permissions::from_mode(0o755)).unwrap();
        bench.edit(
            "study.toml",
            "command = [\"sh\", \"score.sh\",",
            "command = [\"./foreign\",",
        );
        let ran = bench.fiesta(&["run", "study.toml"]);
        ran.says(
            code::USAGE,
            &[
                "foreign` is no program for this machine",
                "#!/usr/bin/env python3",
            ],
        );
        assert!(!ran.stderr.contains("tried again"), "{ran:?}");
        // The same with a program that depends on the arm.
        let bench = Bench::with_study(STUDY);
        bench.edit(
            "study.toml",
            "command = [\"sh\", \"score.sh\",",
            "command = [\"./{arm}.sh\",",
        );
        bench.edit("study.toml", "parallel = 2", "parallel = 1");
        let ran = bench.fiesta(&["run", "study.toml"]);
        ran.says(
            code::USAGE,
            &[
                "the arm `low` cannot be evaluated",
                "low.sh` does not exist",
            ],
        );
    }
}

/// Jobs that report no score, or one that cannot count.
mod scores {
    use super::support::{Bench, arm, code, is_alive, until};

    /// A study of a good arm and a bad one, whose job ends like this; the good one is named, the bad one marked.
    fn bad_arm(job: &str, says: &[&str]) {
        let script = format!(
            "if [ $1 = good ]; then echo '{{\"accuracy\": 0.'$((500 + $2 % 7))'}}'; exit 0; fi\n{job}\n"
        );
        let bench = Bench::with_job(
            &script,
            "[design]\nparallel = 1\n[resources]\ntimeout = \"1s\"\ngrace = \"1s\"\n[goal]\nbudget = { evaluations = 8 }\n[[arm]]\nname = \"good\"\n[[arm]]\nname = \"bad\"",
        );
        bench.edit(
            "study.toml",
            "name = \"accuracy\"",
            "name = \"accuracy\"\nbounds = [0, 1]",
        );
        let ran = bench.fiesta(&["run", "study.toml", "--format", "json"]);
        ran.says(code::ARM_FAILED, says);
        let result = ran.json();
        assert_eq!(result["conclusion"]["arm"], "good", "{job}");
        assert_eq!(result["failed"], 3, "{job}");
        let bad = arm(&result, "bad");
        assert_eq!(bad["retired"], true, "{job}");
        assert_eq!(
            (&bad["failed"], &bad["evaluations"]),
            (&3.into(), &0.into()),
            "{job}"
        );
        assert_eq!(arm(&result, "good")["retired"], false);
        let again = bench.fiesta(&["run", "study.toml"]);
        again.says(
            code::ARM_FAILED,
            &["the study is finished; nothing was run"],
        );
        let row = again
            .stdout
            .lines()
            .find(|line| line.contains("bad"))
            .unwrap();
        assert!(row.contains("retired"), "{again:?}");
    }

    #[test]
    fn none_at_all() {
        bad_arm(
            "echo done",
            &[
                "no result: print a line like {\"accuracy\": 0.5}",
                "$FIESTA_RESULT",
                "done",
            ],
        );
        bad_arm("true", &["no result", "(nothing)"]);
        bad_arm(
            "echo '{\"acuracy\": 0.5}'",
            &["without the key \"accuracy\"", "did you mean \"acuracy\"?"],
        );
    }

    #[test]
    fn not_finite() {
        bad_arm(
            "echo '{\"accuracy\": NaN}'",
            &["\"accuracy\" = NaN", "not a finite number"],
        );
        bad_arm(
            "echo '{\"accuracy\": -Infinity}'",
            &["-Infinity", "not a finite number"],
        );
        bad_arm("echo '{\"accuracy\": 1e400}'", &["1e400", "too large"]);
    }

    #[test]
    fn out_of_bounds() {
        bad_arm(
            "echo '{\"accuracy\": 71.5}'",
            &[
                "the score 71.5 is outside the bounds [0, 1] of accuracy",
                "{\"accuracy\": 71.5}",
            ],
        );
    }

    #[test]
    fn no_number() {
        bad_arm(
            "echo '{\"accuracy\": \"0.5\"}'",
            &["as the text \"0.5\"", "without quotes"],
        );
        bad_arm(
            "echo '{\"accuracy\": 0,71}'",
            &["decimal comma, 0,71", "LC_NUMERIC=C"],
        );
        bad_arm(
            "echo \"{'accuracy': 0.5}\"",
            &["single quotes", "json.dumps"],
        );
    }

    #[test]
    fn exit_code_with_a_score() {
        bad_arm(
            "echo '{\"accuracy\": 0.9}'; echo 'disk full' >&2; exit 3",
            &["exit code 3", "disk full"],
        );
    }

    #[test]
    fn over_its_time_with_a_tree_that_does_not_listen() {
        let tree = "trap '' TERM\n(trap '' TERM; sleep 77) &\necho $! >> pids; echo $$ >> pids\nwait; sleep 77";
        let script =
            format!("[ $1 = good ] && {{ echo '{{\"accuracy\": 0.5}}'; exit 0; }}\n{tree}\n");
        let bench = Bench::with_job(
            &script,
            "[design]\nparallel = 4\n[resources]\ntimeout = \"1s\"\ngrace = \"1s\"\n[goal]\nbudget = { evaluations = 5 }\n[[arm]]\nname = \"good\"\n[[arm]]\nname = \"bad\"",
        );
        let ran = bench.fiesta(&["run", "study.toml"]);
        assert!(ran.stderr.contains("stopped at its time limit"), "{ran:?}");
        let pids = bench.log("pids");
        assert!(pids.len() >= 4, "{pids:?}");
        for pid in pids.concat() {
            until("the tree is gone", || !is_alive(&pid));
        }
    }

    #[test]
    fn every_arm_fails() {
        let bench = Bench::with_job(
            "echo \"no module named torch in $1\" >&2; exit 1",
            "[[arm]]\nname = \"a\"\n[[arm]]\nname = \"b\"",
        );
        // The reasons are in the last message, whatever is shown before it.
        let ran = bench.fiesta(&["run", "study.toml", "--quiet"]);
        ran.says(
            code::ARM_FAILED,
            &[
                "every one of them failed",
                "exit code 1",
                "no module named torch in a",
                "no module named torch in b",
                "study.fiesta",
            ],
        );
        let (code, document) = bench.json(&["run", "study.toml"]);
        assert_eq!(code, Some(code::ARM_FAILED));
        assert_eq!(document["failed"], 6);
        assert_eq!(document["conclusion"], serde_json::Value::Null);
        assert_eq!(arm(&document, "a")["retired"], true);
    }

    #[test]
    fn time_runs_out_before_anything_is_known() {
        let bench = Bench::with_job(
            "echo $$ >> pids; sleep 77",
            "[goal]\nbudget = { wall = \"300ms\" }\n[design]\nparallel = 2\n[resources]\ngrace = \"1s\"\n[[arm]]\nname = \"a\"\n[[arm]]\nname = \"b\"",
        );
        let ran = bench.fiesta(&["run", "study.toml", "--format", "json"]);
        ran.says(code::SHORT, &["limit", "before any evaluation"]);
        assert_eq!(ran.json()["evaluations"], 0);
        for pid in bench.log("pids").concat() {
            until("the jobs are stopped", || !is_alive(&pid));
        }
    }
}

/// Scores files.
mod scores_files {
    use super::support::{Bench, code};

    const GOOD: &str = "arm,split,score\na,0,0.5\na,1,0.6\na,2,0.55\nb,0,0.4\nb,1,0.45\nb,2,0.43\n";

    #[test]
    fn what_is_wrong_is_named_with_its_line() {
        // File, contents, further arguments, and the message.
        let cases: [(&str, &str, &[&str], &[&str]); 14] = [
            (
                "bad.csv",
                "arm,score\na,0.5\na,0.x\nb,0.4\n",
                &[],
                &["bad.csv:3: ", "score `0.x` is not a number"],
            ),
            (
                "comma.csv",
                "arm;score\na;0,5\n",
                &[],
                &["comma.csv:1: ", "separated by"],
            ),
            (
                "short.csv",
                "arm,score\na,0.5\nb\n",
                &[],
                &["short.csv:3: ", "1 fields and the header 2"],
            ),
            (
                "nan.csv",
                "arm,score\na,0.5\na,nan\nb,inf\n",
                &[],
                &["nan.csv:3: ", "not finite", "1 further problem"],
            ),
            (
                "empty.csv",
                "",
                &[],
                &["empty.csv", "no scores in this file"],
            ),
            (
                "header.csv",
                "arm,score\n",
                &[],
                &["header.csv", "no row of scores below it"],
            ),
            (
                "column.csv",
                "arm,f1,split\na,0.5,0\n",
                &[],
                &[
                    "column.csv:1: ",
                    "no column `score`",
                    "`arm`, `f1`, `split`",
                    "--metric",
                ],
            ),
            (
                "good.csv",
                GOOD,
                &["--metric", "acc"],
                &["good.csv:1: ", "no column `acc`", "`score`"],
            ),
            (
                "good.csv",
                GOOD,
                &["--arms", "a,c"],
                &["no arm `c`", "a, b"],
            ),
            (
                "good.csv",
                GOOD,
                &["--arms", "a,a"],
                &["`a` is used by two arms"],
            ),
            ("good.csv", GOOD, &["--arms", "a"], &["only one arm, `a`"]),
            (
                "good.csv",
                GOOD,
                &["--bounds", "0,0.5"],
                &["good.csv:3: ", "0.6 is outside the bounds"],
            ),
            (
                "broken.json",
                "{\"a\": [0.5, ]}",
                &[],
                &["broken.json:1: ", "not JSON"],
            ),
            (
                "twice.csv",
                "arm,split,seed,score\na,0,1,0.5\nb,0,1,0.4\na,0,1,0.6\n",
                &[],
                &["twice.csv:4: ", "on line 2 already"],
            ),
        ];
        for (name, text, arguments, says) in cases {
            let bench = Bench::new();
            bench.file(name, text);
            for verb in [&["belief"][..], &["simulate", "--splits", "independent"]] {
                let ran = bench.fiesta(&[verb, &[name], arguments].concat());
                ran.says(code::USAGE, says);
                assert_eq!(ran.stdout, "", "{name}");
            }
        }
    }

    #[test]
    fn what_belief_cannot_use() {
        let cases: [(&str, &[&str], &[&str]); 9] = [
            (
                "arm,score\na,0.5\nb,0.4\nb,0.5\n",
                &[],
                &["`a` has 1 scores", "at least 2"],
            ),
            (
                "arm,score\na,0.5\na,0.5\nb,0.4\nb,0.4\n",
                &[],
                &["scores of `a` are all equal", "no arm's scores differ"],
            ),
            (
                "arm,score\na,0.5\na,0.6\nb,1\nb,0.4\n",
                &["--logit"],
                &["scores.csv:4: ", "the score 1", "logit is infinite"],
            ),
            (
                "arm,score\na,0.5\na,0.6\nb,1.5\nb,0.4\n",
                &["--logit"],
                &["scores.csv:4: ", "between 0 and 1"],
            ),
            (
                "arm,score\na,0.5\na,0.6\nb,1e200\nb,0.4\n",
                &[],
                &["scores.csv:4: ", "take their logarithm"],
            ),
            (
                GOOD,
                &["--posterior", "flat"],
                &["no posterior `flat`", "pooled"],
            ),
            (
                GOOD,
                &["--logit=7"],
                &["smallest step of the score", "between 0 and 1"],
            ),
            (
                GOOD,
                &["--method", "monte-carlo", "--draws", "0"],
                &["--draws"],
            ),
            (
                GOOD,
                &["--arm", "a"],
                &["unexpected argument '--arm'", "--arms"],
            ),
        ];
        for (text, arguments, says) in cases {
            let bench = Bench::new();
            bench.file("scores.csv", text);
            let ran = bench.fiesta(&[&["belief", "scores.csv"], arguments].concat());
            ran.says(code::USAGE, says);
            assert_eq!(ran.stdout, "");
        }
    }

    #[test]
    fn what_simulate_cannot_use() {
        let cases: [(&[&str], &[&str]); 19] = [
            (
                &["good.csv", "--confidence", "1"],
                &["confidence 1 must lie between 0.5 and 1"],
            ),
            (&["good.csv", "--confidence", "0.9,2"], &["confidence 2"]),
            (
                &["good.csv", "--policy", "best"],
                &["no policy `best`", "ttts"],
            ),
            (
                &["good.csv", "--posterior", "best"],
                &["no posterior `best`", "jeffreys"],
            ),
            (
                &["good.csv", "--stopping", "now"],
                &["no stopping rule `now`", "posterior"],
            ),
            (
                &["good.csv", "--splits", "some"],
                &["`some`", "shared, independent"],
            ),
            (
                &["good.csv", "--splits", "fixed"],
                &["fixed", "shared", "independent"],
            ),
            (
                &[
                    "good.csv",
                    "--policy",
                    "sequential-halving",
                    "--budget",
                    "1",
                ],
                &["too small for sequential halving", "at least 2"],
            ),
            (
                &["good.csv", "--policy", "sequential-halving"],
                &["needs a budget", "--budget"],
            ),
            (&["good.csv", "--budget", "0"], &["budget"]),
            (&["good.csv", "--parallel", "0"], &["parallel"]),
            (&["good.csv", "--batch", "0"], &["batch"]),
            (&["good.csv", "--cap", "0"], &["cap"]),
            (&["good.csv", "--beta", "2"], &["2", "between 0 and 1"]),
            (
                &["good.csv", "--gaussian", "1:1,2:1"],
                &["cannot be used with"],
            ),
            (
                &["--gaussian", "1:1,2"],
                &["a mean and a standard deviation"],
            ),
            (&["--gaussian", "1:-1,2:1"], &["arm 1", "at least 0"]),
            (
                &["no-split.csv"],
                &["needs a `split` for every score", "--splits independent"],
            ),
            (
                &["hole.csv"],
                &["`b` has none on split 1", "--splits independent"],
            ),
        ];
        let bench = Bench::new();
        bench.file("good.csv", GOOD);
        bench.file("no-split.csv", "arm,score\na,0.5\na,0.6\nb,0.4\nb,0.5\n");
        bench.file("hole.csv", "arm,split,score\na,0,0.5\na,1,0.6\nb,0,0.4\n");
        for (arguments, says) in cases {
            let ran = bench.fiesta(&[&["simulate", "--runs", "10"], arguments].concat());
            ran.says(code::USAGE, says);
            assert_eq!(ran.stdout, "", "{arguments:?}");
        }
    }

    #[test]
    fn usage() {
        let bench = Bench::new();
        let cases: [(&[&str], &str); 5] = [
            (&[], "Usage: fiesta"),
            (&["fly"], "unrecognized subcommand 'fly'"),
            (&["run"], "<STUDY>"),
            (
                &["run", "study.toml", "--fast"],
                "unexpected argument '--fast'",
            ),
            (
                &["status", "study.toml", "--format", "xml"],
                "possible values: text, json",
            ),
        ];
        for (arguments, says) in cases {
            bench.fiesta(arguments).says(code::USAGE, &[says]);
        }
        let help = bench.fiesta(&["--help"]);
        help.says(code::DONE, &[]);
        for verb in ["run", "status", "belief", "simulate"] {
            assert!(help.stdout.contains(verb), "{help:?}");
            let help = bench.fiesta(&[verb, "--help"]);
            help.says(code::DONE, &[]);
            assert!(
                help.stdout.contains(&format!("fiesta {verb}")),
                "no example: {help:?}"
            );
        }
    }
}

/// Two controllers on one study.
mod lock {
    use super::support::{Bench, STUDY, code, until};
    use serde_json::json;
    use std::{
        fs::{self, File},
        process::Command,
        thread,
        time::Duration,
    };

    #[test]
    fn the_second_is_told_who_the_first_is() {
        let bench = Bench::with_job(
            "n=0; until [ -e go ] || [ $((n += 1)) -gt 1500 ]; do sleep 0.02; done; echo '{\"accuracy\": 0.'$((500 + $3 % 99))'}'",
            "[goal]\nbudget = { evaluations = 6 }\n[[arm]]\nname = \"a\"\n[[arm]]\nname = \"b\"",
        );
        let first = bench.start(&["run", "study.toml"]);
        until("the first has begun", || {
            bench.path("study.fiesta/runs").exists()
        });
        let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap();
        let holder = format!("process {} on {}", first.pid(), host.trim());
        let second = bench.fiesta(&["run", "study.toml"]);
        second.says(
            code::LOCKED,
            &[
                "the study is being run by",
                &holder,
                "wait for it, or stop it",
            ],
        );
        assert_eq!(second.stdout, "");
        bench.file("go", "");
        let first = first.wait();
        first.says(code::DONE, &[]);
        let (_, status) = bench.json(&["status", "study.toml"]);
        assert_eq!(status["evaluations"], 6);
    }

    /// A process that the holder was just starting when it was killed has the lock a little longer.
    #[test]
    fn a_dead_holder_is_waited_for_briefly() {
        let bench = Bench::with_study(STUDY);
        let mut dead = Command::new("true").spawn().unwrap();
        dead.wait().unwrap();
        let host = fs::read_to_string("/proc/sys/kernel/hostname").unwrap();
        fs::create_dir(bench.path("study.fiesta")).unwrap();
        let holder = json!({ "pid": dead.id(), "host": host.trim(), "since": 0 });
        let lock = bench.file("study.fiesta/lock", &holder.to_string());
        let lock = File::options().read(true).write(true).open(lock).unwrap();
        lock.lock().unwrap();
        let running = bench.start(&["run", "study.toml"]);
        thread::sleep(Duration::from_millis(200));
        assert!(!bench.path("study.fiesta/ledger.db").exists());
        lock.unlock().unwrap();
        running.wait().says(code::DONE, &[]);
        // Not for ever.
        lock.lock().unwrap();
        fs::write(bench.path("study.fiesta/lock"), holder.to_string()).unwrap();
        bench
            .fiesta(&["run", "study.toml"])
            .says(code::LOCKED, &[&dead.id().to_string()]);
    }
}
