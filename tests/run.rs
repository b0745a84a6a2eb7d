//! Studies through the program, with real jobs: what is run, what is counted, how it ends, how it goes on.

mod support;

use support::{Bench, SCORE, STUDY, arm, code, python};

/// Two arms.
const TWO: &str = "[[arm]]\nname = \"low\"\n[[arm]]\nname = \"high\"\n";

/// A job that writes down arm, split and seed before it scores.
fn logging() -> String {
    format!("echo $1 $2 $3 >> log\n{SCORE}")
}

mod choosing {
    use super::{Bench, STUDY, TWO, arm, code, logging, python};
    use std::collections::{BTreeMap, BTreeSet};

    /// Knows nothing of this program; depends on a seed as training scripts do.
    const FOREIGN: &str = r#"
import json, random, sys
options = dict(zip(sys.argv[1::2], sys.argv[2::2]))
draw = random.Random(int(options["--seed"]))
skill = {"lstm": 0.62, "gru": 0.66, "transformer": 0.74}[options["--model"]]
print("epoch 1", flush=True)
print(json.dumps({"macro_f1": draw.gauss(skill, 0.02), "epochs": 3}))
"#;

    #[test]
    fn a_foreign_script_and_the_keys_of_the_result() {
        let Some(python) = python() else { return };
        let bench = Bench::new();
        bench.file("train.py", FOREIGN);
        bench.file(
            "study.toml",
            &format!(
                "name = \"rnns\"\ncommand = [\"{python}\", \"train.py\", \"--model\", \"{{arm}}\", \"--split\", \"{{split}}\", \"--seed\", \"{{seed}}\"]
[metric]\nname = \"macro_f1\"\n[design]\nseed = 3\nparallel = 2\n[[arm]]\nname = \"lstm\"\n[[arm]]\nname = \"gru\"\n[[arm]]\nname = \"transformer\"\n"
            ),
        );
        let (code, result) = bench.json(&["run", "study.toml"]);
        assert_eq!(code, Some(code::DONE));
        assert_eq!(result["conclusion"]["arm"], "transformer");
        assert_eq!(result["leader"], "transformer");
        assert_eq!(result["state"], "finished");
        assert!(result["confidence"].as_f64().unwrap() >= 0.95);
        let made = result["evaluations"].as_u64().unwrap();
        assert!((6..100).contains(&made), "{made}");
        assert_eq!(
            (&result["pending"], &result["failed"]),
            (&0.into(), &0.into())
        );
        assert!(result["cost"].as_f64().unwrap() > 0.0);
        assert_eq!(result["arms"].as_array().unwrap().len(), 3);
        let best = arm(&result, "transformer");
        let mean = best["mean"].as_f64().unwrap();
        assert!((mean - 0.74).abs() < 0.05, "{mean}");
        let per_arm = |of: &str| -> u64 {
            let arms = result["arms"].as_array().unwrap();
            arms.iter().map(|arm| arm[of].as_u64().unwrap()).sum()
        };
        assert_eq!(per_arm("evaluations"), made);
        assert_eq!(per_arm("failed"), 0);
        // The status says the same afterwards, from the ledger alone.
        let (code, status) = bench.json(&["status", "study.toml"]);
        assert_eq!(code, Some(code::DONE));
        assert_eq!(status, result);
        let sentence = result["conclusion"]["sentence"].as_str().unwrap();
        assert!(
            sentence.contains("transformer is the best of 3 arms by macro_f1"),
            "{sentence}"
        );
        // For people, with the sentence to quote.
        let text = bench.fiesta(&["run", "study.toml"]);
        text.says(code::DONE, &["nothing was run"]);
        assert!(
            text.stdout.contains(sentence) && text.stdout.contains("P(best)"),
            "{text:?}"
        );
    }

    #[test]
    fn the_lowest_where_less_is_better() {
        let bench = Bench::with_study(&STUDY.replace("maximize", "minimize"));
        let (code, result) = bench.json(&["run", "study.toml"]);
        assert_eq!(code, Some(code::DONE));
        assert_eq!(result["conclusion"]["arm"], "low");
        // Scores are shown as they were reported.
        let mean = arm(&result, "low")["mean"].as_f64().unwrap();
        assert!((0.6..0.64).contains(&mean), "{mean}");
    }

    /// What the job of a study with these splits logged: per arm, its splits and its seeds.
    fn cases(splits: &str) -> BTreeMap<String, (Vec<u64>, Vec<u64>)> {
        let rest = format!(
            "[goal]\nbudget = {{ evaluations = 12 }}\n[design]\npolicy = \"uniform\"\nsplits = \"{splits}\"\n{TWO}"
        );
        let bench = Bench::with_job(&logging(), &rest);
        bench.fiesta(&["run", "study.toml"]).says(code::DONE, &[]);
        let mut cases: BTreeMap<String, (Vec<u64>, Vec<u64>)> = BTreeMap::new();
        for line in bench.log("log") {
            let (splits, seeds) = cases.entry(line[0].clone()).or_default();
            splits.push(line[1].parse().unwrap());
            seeds.push(line[2].parse().unwrap());
        }
        assert_eq!(
            cases
                .values()
                .map(|(splits, _)| splits.len())
                .sum::<usize>(),
            12
        );
        let seeds: BTreeSet<u64> = cases
            .values()
            .flat_map(|(_, seeds)| seeds.clone())
            .collect();
        assert_eq!(seeds.len(), 12, "seeds repeat: {cases:?}");
        cases
    }

    #[test]
    fn splits_are_shared_by_default() {
        let bench = Bench::with_job(
            &logging(),
            &format!("[goal]\nbudget = {{ evaluations = 4 }}\n{TWO}"),
        );
        bench.fiesta(&["run", "study.toml"]).says(code::DONE, &[]);
        let splits: Vec<String> = bench
            .log("log")
            .into_iter()
            .map(|line| line[1].clone())
            .collect();
        assert_eq!(
            splits.iter().filter(|split| *split == "0").count(),
            2,
            "{splits:?}"
        );
        for (splits, _) in cases("shared").values() {
            assert_eq!(*splits, [0, 1, 2, 3, 4, 5]);
        }
    }

    #[test]
    fn independent_splits_are_never_used_twice() {
        let mut all: Vec<u64> = cases("independent")
            .into_values()
            .flat_map(|(splits, _)| splits)
            .collect();
        all.sort_unstable();
        assert_eq!(all, (0..12).collect::<Vec<u64>>());
    }

    #[test]
    fn fixed_splits_vary_the_seed_only() {
        for (splits, _) in cases("fixed").values() {
            assert_eq!(*splits, [0; 6]);
        }
    }

    #[test]
    fn the_seed_of_the_study_decides() {
        let logs = ["1", "1", "2"].map(|seed| {
            let rest =
                format!("[goal]\nbudget = {{ evaluations = 10 }}\n[design]\nseed = {seed}\n{TWO}");
            let bench = Bench::with_job(&logging(), &rest);
            bench.fiesta(&["run", "study.toml"]).says(code::DONE, &[]);
            bench.text("log")
        });
        assert_eq!(logs[0], logs[1]);
        assert_ne!(logs[0], logs[2]);
    }
}

mod jobs {
    use super::{Bench, SCORE, STUDY, TWO, arm, code};

    /// Two evaluations of this job; what it logged.
    fn logged(job: &str, more: &str) -> (Bench, Vec<Vec<String>>) {
        let rest = format!("[goal]\nbudget = {{ evaluations = 2 }}\n{more}{TWO}");
        let bench = Bench::with_job(job, &rest);
        bench.fiesta(&["run", "study.toml"]).says(code::DONE, &[]);
        let log = bench.log("log");
        (bench, log)
    }

    #[test]
    fn are_told_arm_split_and_seed_twice() {
        let job = "echo $1 $2 $3 $FIESTA_ARM $FIESTA_SPLIT $FIESTA_SEED >> log\necho '{\"accuracy\": 0.5}'\n";
        let (_bench, log) = logged(job, "");
        assert_eq!(log.len(), 2);
        for line in log {
            assert_eq!(line[..3], line[3..], "{line:?}");
        }
    }

    #[test]
    fn placeholders_stand_anywhere_and_braces_can_be_written() {
        let bench = Bench::with_study(STUDY);
        bench.file(
            "show.sh",
            "printf '%s\\n' \"$@\" >> log; echo '{\"accuracy\": 0.5}'\n",
        );
        bench.edit(
            "study.toml",
            "command = [\"sh\", \"score.sh\", \"{arm}\", \"{split}\", \"{seed}\"]",
            "command = [\"sh\", \"show.sh\", \"--model={arm}/{split}\", \"{{arm}}\", '{\"lr\": 1}', \"a b\", \"$HOME\"]",
        );
        let checked = bench.fiesta(&["run", "study.toml", "--check"]);
        checked.says(code::DONE, &[]);
        let lines: Vec<String> = bench.text("log").lines().map(ToOwned::to_owned).collect();
        // No shell looks at them.
        let rest = ["{arm}", "{\"lr\": 1}", "a b", "$HOME"];
        let mut calls: Vec<&[String]> = lines.chunks(5).collect();
        calls.sort();
        assert_eq!(calls[0], [&["--model=high/0"], &rest[..]].concat());
        assert_eq!(calls[1], [&["--model=low/0"], &rest[..]].concat());
    }

    #[test]
    fn a_result_file_counts_before_what_is_printed() {
        let job = "echo '{\"accuracy\": 0.25}' > \"$FIESTA_RESULT\"\necho '{\"accuracy\": 0.75}'\n";
        let (bench, _) = logged(job, "");
        let (_, status) = bench.json(&["status", "study.toml"]);
        assert_eq!(arm(&status, "low")["mean"], 0.25);
    }

    #[test]
    fn the_last_result_counts_with_a_warning() {
        let job =
            "echo '{\"accuracy\": 0.25}'\necho noise\necho '{\"accuracy\": 0.75, \"loss\": 2}'\n";
        let bench = Bench::with_job(job, TWO);
        let ran = bench.fiesta(&["run", "study.toml", "--check"]);
        ran.says(
            code::DONE,
            &[
                "several results with different scores",
                "0.75, counts",
                "0.25",
            ],
        );
    }

    #[test]
    fn an_arm_has_its_own_command_environment_and_cost() {
        let bench = Bench::new();
        bench.file(
            "job.sh",
            &format!("echo $1 $FLAVOUR $FIESTA_ARM >> log\n{SCORE}"),
        );
        bench.file(
            "other.sh",
            "echo other $FLAVOUR $FIESTA_ARM >> log\necho '{\"accuracy\": 0.3, \"cost\": 0.5}'\n",
        );
        bench.file(
            "study.toml",
            "name = \"own\"\ncommand = [\"sh\", \"job.sh\", \"{arm}\", \"{split}\", \"{seed}\"]
[metric]\nname = \"accuracy\"\n[goal]\nbudget = { evaluations = 9 }\n[design]\npolicy = \"uniform\"
[[arm]]\nname = \"low\"\ncost = 2.5\nenv = { FLAVOUR = \"sweet\" }
[[arm]]\nname = \"own\"\ncost = 7\ncommand = [\"sh\", \"other.sh\"]\nenv = { FLAVOUR = \"sour\", FIESTA_ARM = \"liar\" }
[[arm]]\nname = \"high\"\n",
        );
        let (code, result) = bench.json(&["run", "study.toml"]);
        assert_eq!(code, Some(code::DONE));
        // The arm's, the result's before the arm's, and else the seconds.
        assert_eq!(arm(&result, "low")["cost"], 7.5);
        assert_eq!(arm(&result, "own")["cost"], 1.5);
        let seconds = arm(&result, "high")["cost"].as_f64().unwrap();
        assert!(seconds > 0.0 && seconds < 7.0, "{seconds}");
        let log = bench.log("log");
        for line in [["low", "sweet", "low"], ["other", "sour", "own"]] {
            assert_eq!(
                log.iter().filter(|logged| **logged == line).count(),
                3,
                "{log:?}"
            );
        }
    }

    #[test]
    fn a_study_is_run_from_its_own_directory_wherever_one_is() {
        let bench = Bench::new();
        std::fs::create_dir(bench.path("inner")).unwrap();
        bench.file("inner/score.sh", SCORE);
        bench.file("inner/study.toml", STUDY);
        bench
            .fiesta(&["run", "inner/study.toml"])
            .says(code::DONE, &[]);
        assert!(bench.path("inner/study.fiesta/ledger.db").exists());
    }

    #[test]
    fn what_else_a_result_holds_stays_in_the_ledger() {
        let job = "echo \"{\\\"accuracy\\\": 0.5, \\\"epochs\\\": 31337, \\\"note\\\": \\\"kept-$1\\\"}\"\n";
        let (bench, _) = logged(job, "");
        // As text within the database, whatever else is there; the log beside it holds what was written last.
        let bytes: Vec<u8> = ["study.fiesta/ledger.db", "study.fiesta/ledger.db-wal"]
            .iter()
            .flat_map(|name| std::fs::read(bench.path(name)).unwrap_or_default())
            .collect();
        for word in [
            "\"epochs\":31337",
            "\"note\":\"kept-low\"",
            "\"note\":\"kept-high\"",
        ] {
            assert!(
                bytes
                    .windows(word.len())
                    .any(|window| window == word.as_bytes()),
                "{word}"
            );
        }
    }
}

/// Several jobs at once, and their GPUs.
mod parallel {
    use super::{Bench, TWO, code};

    /// Logs its start and its end, each with the devices it sees.
    const TIMED: &str = r#"
echo start $$ "gpu:$CUDA_VISIBLE_DEVICES" >> log
sleep 0.1
echo end $$ "gpu:$CUDA_VISIBLE_DEVICES" >> log
printf '{"accuracy": 0.%03d}\n' $(($3 % 1000))
"#;

    /// The most jobs that ran at once, and the most that shared a device.
    fn overlap(log: &[Vec<String>]) -> (usize, usize) {
        let (mut most, mut most_on_one) = (0, 0);
        let mut running: Vec<&[String]> = Vec::new();
        for line in log {
            if line[0] == "start" {
                running.push(&line[1..]);
            } else {
                running.retain(|other| *other != &line[1..]);
            }
            most = most.max(running.len());
            let on = |gpu: &str| running.iter().filter(|other| other[1] == gpu).count();
            most_on_one =
                most_on_one.max(running.iter().map(|other| on(&other[1])).max().unwrap_or(0));
        }
        assert!(running.is_empty(), "{log:?}");
        (most, most_on_one)
    }

    fn run(parallel: usize, more: &str) -> Vec<Vec<String>> {
        let rest = format!(
            "[goal]\nbudget = {{ evaluations = 16 }}\n[design]\npolicy = \"uniform\"\nparallel = {parallel}\n{more}\n{TWO}"
        );
        let bench = Bench::with_job(TIMED, &rest);
        bench.fiesta(&["run", "study.toml"]).says(code::DONE, &[]);
        let log = bench.log("log");
        assert_eq!(log.len(), 32, "{log:?}");
        log
    }

    #[test]
    fn jobs_overlap_as_far_as_they_may() {
        assert_eq!(overlap(&run(3, "")).0, 3);
        assert_eq!(overlap(&run(1, "")).0, 1);
    }

    fn devices(log: &[Vec<String>]) -> Vec<&str> {
        let mut devices: Vec<&str> = log.iter().map(|line| line[2].as_str()).collect();
        devices.sort_unstable();
        devices.dedup();
        devices
    }

    #[test]
    fn a_gpu_each() {
        let log = run(
            4,
            "[resources]\ngpus_per_job = 1\n[executor]\ngpus = [0, \"GPU-5ee\"]",
        );
        assert_eq!(overlap(&log), (2, 1));
        assert_eq!(devices(&log), ["gpu:0", "gpu:GPU-5ee"]);
    }

    #[test]
    fn half_a_gpu_each() {
        let log = run(
            8,
            "[resources]\ngpus_per_job = 0.5\n[executor]\ngpus = [0, 1]",
        );
        assert_eq!(overlap(&log), (4, 2));
        assert_eq!(devices(&log), ["gpu:0", "gpu:1"]);
    }

    #[test]
    fn two_gpus_each() {
        let log = run(
            4,
            "[resources]\ngpus_per_job = 2\n[executor]\ngpus = [4, 5, 6]",
        );
        assert_eq!(overlap(&log).0, 1);
        assert_eq!(devices(&log), ["gpu:4,5"]);
    }

    #[test]
    fn no_gpu_hides_all_of_them() {
        let rest =
            format!("[goal]\nbudget = {{ evaluations = 2 }}\n[resources]\ngpus_per_job = 0\n{TWO}");
        let bench = Bench::with_job(TIMED, &rest);
        let mut command = bench.command(&["run", "study.toml"]);
        command.env("CUDA_VISIBLE_DEVICES", "0,1");
        super::support::Running::start(command)
            .wait()
            .says(code::DONE, &[]);
        assert_eq!(devices(&bench.log("log")), ["gpu:"]);
    }

    #[test]
    fn gpus_of_the_environment() {
        let rest = format!(
            "[goal]\nbudget = {{ evaluations = 8 }}\n[design]\nparallel = 4\n[resources]\ngpus_per_job = 1\n{TWO}"
        );
        let bench = Bench::with_job(TIMED, &rest);
        let mut command = bench.command(&["run", "study.toml"]);
        command.env("CUDA_VISIBLE_DEVICES", "MIG-7,3");
        super::support::Running::start(command)
            .wait()
            .says(code::DONE, &[]);
        let log = bench.log("log");
        assert_eq!(devices(&log), ["gpu:3", "gpu:MIG-7"]);
        assert_eq!(overlap(&log), (2, 1));
    }
}

/// How studies end by themselves.
mod ending {
    use super::{Bench, STUDY, TWO, arm, code, logging};

    /// The same score for both arms, which depends on the split alone.
    const EQUAL: &str = "printf '{\"accuracy\": 0.%d}\\n' $((4 + $2 % 3))\n";

    #[test]
    fn a_budget_that_is_all_that_was_asked_for() {
        let halving = format!(
            "[goal]\nbudget = {{ evaluations = 12 }}\n[design]\npolicy = \"sequential-halving\"\n[[arm]]\nname = \"mid\"\n[[arm]]\nname = \"other\"\n{TWO}"
        );
        let bench = Bench::with_job(&logging(), &halving);
        let (code, result) = bench.json(&["run", "study.toml"]);
        assert_eq!(
            (code, &result["conclusion"]["arm"]),
            (Some(code::DONE), &"high".into())
        );
        assert_eq!(result["conclusion"]["reason"], "schedule");
        // 12 in 2 rounds: 1 for each of 4 arms, then 3 for each of 2.
        assert_eq!(result["evaluations"], 10);
        assert_eq!(arm(&result, "high")["evaluations"], 4);

        let bench = Bench::with_job(
            &logging(),
            &format!("[goal]\nbudget = {{ evaluations = 6 }}\n{TWO}"),
        );
        let (code, result) = bench.json(&["run", "study.toml"]);
        assert_eq!(
            (code, &result["evaluations"]),
            (Some(code::DONE), &6.into())
        );
    }

    #[test]
    fn a_budget_before_the_confidence() {
        // Of 9, sequential halving leaves one over and ends by its own schedule.
        let limit = "[goal]\nconfidence = 0.999\nbudget = { evaluations = 9 }";
        for policy in ["ttts", "sequential-halving", "uniform", "bts"] {
            let rest = format!("{limit}\n[design]\npolicy = \"{policy}\"\n{TWO}");
            let bench = Bench::with_job(EQUAL, &rest);
            let (code, result) = bench.json(&["run", "study.toml"]);
            assert_eq!(code, Some(code::SHORT), "{policy}");
            assert_eq!(result["state"], "finished");
            assert!(result["confidence"].as_f64().unwrap() < 0.999, "{policy}");
            assert!(result["evaluations"].as_u64().unwrap() <= 9, "{policy}");
            // For people, the result is printed with its confidence all the same.
            let text = bench.fiesta(&["run", "study.toml"]);
            text.says(code::SHORT, &[]);
            assert!(text.stdout.contains("posterior probability"), "{text:?}");
        }
    }

    #[test]
    fn a_budget_of_cost_or_time() {
        let rest = "[goal]\nconfidence = 0.999\nbudget = { cost = 10 }\n[[arm]]\nname = \"a\"\ncost = 2\n[[arm]]\nname = \"b\"\ncost = 3";
        let (code, result) = Bench::with_job(EQUAL, rest).json(&["run", "study.toml"]);
        assert_eq!(code, Some(code::SHORT));
        let cost = result["cost"].as_f64().unwrap();
        assert!(cost > 7.0 && cost <= 10.0, "{cost}");
        // Time runs out while both slots are busy; what has ended counts, what runs is given up.
        let job = format!("[ $2 -ge 3 ] && sleep 77\n{EQUAL}");
        let rest = format!(
            "[goal]\nbudget = {{ wall = \"2s\" }}\n[design]\nparallel = 2\n[resources]\ngrace = \"1s\"\n{TWO}"
        );
        let bench = Bench::with_job(&job, &rest);
        let (code, result) = bench.json(&["run", "study.toml"]);
        assert_eq!(code, Some(code::DONE));
        assert_eq!(result["conclusion"]["reason"]["limit"]["wall"], 2.0);
        let made = result["evaluations"].as_u64().unwrap();
        assert!((2..=6).contains(&made), "{result}");
        assert_eq!(result["pending"], 0);
    }

    #[test]
    fn equal_arms_end_at_the_default_cap() {
        let rest = format!("[goal]\nconfidence = 0.999\n[design]\nparallel = 2\n{TWO}");
        let bench = Bench::with_job(EQUAL, &rest);
        let ran = bench.fiesta(&["run", "study.toml", "--format", "json"]);
        ran.says(
            code::SHORT,
            &[
                "default cap of 200 evaluations",
                "may be equal",
                "[goal] budget",
            ],
        );
        assert_eq!(ran.json()["evaluations"], 200);
    }

    #[test]
    fn scores_that_never_differ() {
        let rest = format!("[goal]\nconfidence = 0.9\nbudget = {{ evaluations = 30 }}\n{TWO}");
        for posterior in ["pooled", "uniform", "jeffreys"] {
            let rest = format!("{rest}[design]\nposterior = \"{posterior}\"\n");
            let bench = Bench::with_job("echo '{\"accuracy\": 0.1}'\n", &rest);
            let ran = bench.fiesta(&["run", "study.toml", "--format", "json"]);
            ran.says(code::SHORT, &[]);
            let result = ran.json();
            assert_eq!(result["evaluations"], 30, "{posterior}");
            assert_eq!(arm(&result, "high")["mean"], 0.1);
            let text = bench.fiesta(&["status", "study.toml"]);
            text.says(code::DONE, &[]);
            assert!(
                text.stdout.contains("too little is known"),
                "{posterior}: {text:?}"
            );
        }
    }

    #[test]
    fn a_finished_study_is_not_run_again() {
        let bench = Bench::with_job(
            &logging(),
            &format!("[goal]\nbudget = {{ evaluations = 6 }}\n{TWO}"),
        );
        let (_, first) = bench.json(&["run", "study.toml"]);
        let log = bench.text("log");
        let (code, again) = bench.json(&["run", "study.toml"]);
        assert_eq!(code, Some(code::DONE));
        assert_eq!(first, again);
        assert_eq!(bench.text("log"), log);
        // Not even if its script is gone.
        std::fs::remove_file(bench.path("job.sh")).unwrap();
        bench
            .fiesta(&["run", "study.toml"])
            .says(code::DONE, &["nothing was run"]);
    }

    #[test]
    fn an_arm_that_fails_for_good_leaves_the_others_to_go_on() {
        let job = format!(
            "[ $1 = broken ] && {{ echo oops >&2; exit 9; }}\n{}",
            logging()
        );
        let rest = format!("[design]\nparallel = 2\n{TWO}[[arm]]\nname = \"broken\"\n");
        let bench = Bench::with_job(&job, &rest);
        let ran = bench.fiesta(&["run", "study.toml"]);
        ran.says(code::ARM_FAILED, &["broken", "exit code 9", "oops"]);
        assert!(ran.stdout.contains("high is the best"), "{ran:?}");
        let row = ran
            .stdout
            .lines()
            .find(|line| line.starts_with("broken"))
            .unwrap();
        assert!(row.contains("retired"), "{ran:?}");
        // What is quoted does not hide it.
        let (_, status) = bench.json(&["status", "study.toml"]);
        let sentence = status["conclusion"]["sentence"].as_str().unwrap();
        assert!(
            sentence.contains("broken") && sentence.contains("fail"),
            "{sentence}"
        );
    }

    #[test]
    fn some_failures_are_forgiven_and_counted() {
        let job = format!("[ $(($2 % 4)) -eq 1 ] && exit 1\n{}", logging());
        let bench = Bench::with_job(
            &job,
            &format!(
                "[goal]\nbudget = {{ evaluations = 12 }}\n[design]\npolicy = \"uniform\"\n{TWO}"
            ),
        );
        let (code, result) = bench.json(&["run", "study.toml"]);
        assert_eq!(code, Some(code::DONE));
        // Splits 1 and 5 of 0 to 5.
        assert_eq!(
            (&result["evaluations"], &result["failed"]),
            (&8.into(), &4.into())
        );
        assert_eq!(arm(&result, "high")["retired"], false);
    }

    #[test]
    fn a_lost_run_is_made_again_and_a_doomed_one_given_up() {
        // The kernel kills like this for want of memory.
        let first = format!(
            "[ -e once ] || {{ touch once; kill -9 $$; }}\n{}",
            logging()
        );
        let rest = format!("[goal]\nbudget = {{ evaluations = 4 }}\n{TWO}");
        let bench = Bench::with_job(&first, &rest);
        let ran = bench.fiesta(&["run", "study.toml", "--format", "json"]);
        ran.says(
            code::DONE,
            &["evaluation 0 of `low` is tried again", "killed by signal 9"],
        );
        let result = ran.json();
        assert_eq!(
            (&result["evaluations"], &result["failed"]),
            (&4.into(), &0.into())
        );
        let mut cases = bench.log("log");
        cases.sort();
        cases.dedup();
        assert_eq!(cases.len(), 4, "{cases:?}");

        let always = format!(
            "echo $1 >> tried; [ $1 = low ] && kill -9 $$\n{}",
            logging()
        );
        let bench = Bench::with_job(&always, &format!("{rest}[resources]\nretries = 2\n"));
        bench.edit("study.toml", "evaluations = 4", "evaluations = 6");
        let ran = bench.fiesta(&["run", "study.toml"]);
        ran.says(code::ARM_FAILED, &["killed by signal 9", "want of memory"]);
        // Three failures retire the arm, each after three attempts.
        assert_eq!(bench.text("tried").matches("low").count(), 9);
    }

    #[test]
    fn every_evaluation_has_its_line() {
        for parallel in [1, 3] {
            let job = format!("[ $2 = 1 ] && exit 6\n{}", logging());
            let rest = format!(
                "[goal]\nbudget = {{ evaluations = 8 }}\n[design]\npolicy = \"uniform\"\nparallel = {parallel}\n{TWO}"
            );
            let ran = Bench::with_job(&job, &rest).fiesta(&["run", "study.toml"]);
            ran.says(code::DONE, &[]);
            assert_eq!(ran.stderr.matches("accuracy 0.").count(), 6, "{ran:#?}");
            assert_eq!(
                ran.stderr.matches("failed: exit code 6").count(),
                2,
                "{ran:#?}"
            );
        }
    }

    #[test]
    fn quiet_says_nothing_but_the_result() {
        let studies = [
            (STUDY.to_owned(), code::DONE),
            (
                STUDY.replace("0.95", "0.99999").replace("40", "4"),
                code::SHORT,
            ),
        ];
        for (study, code) in studies {
            let bench = Bench::with_study(&study);
            for _ in 0..2 {
                let ran = bench.fiesta(&["run", "study.toml", "--quiet"]);
                ran.says(code, &[]);
                assert_eq!(ran.stderr, "");
                assert!(ran.stdout.contains("high"), "{ran:?}");
            }
        }
        let loud = Bench::with_study(STUDY).fiesta(&["run", "study.toml", "--verbose"]);
        loud.says(
            code::DONE,
            &["started low on split 0 in ", "trial-0-a0", "accuracy 0."],
        );
    }
}

/// Study files that change while a study is under way.
mod changes {
    use super::{Bench, TWO, code, logging, support::until};
    use rustix::process::Signal;

    /// A study that was interrupted after some evaluations.
    fn interrupted() -> Bench {
        let job = format!("[ -e quick ] || sleep 0.1\n{}", logging());
        let rest = format!(
            "[goal]\nbudget = {{ evaluations = 10 }}\n[design]\nparallel = 1\nseed = 5\n{TWO}"
        );
        let bench = Bench::with_job(&job, &rest);
        let running = bench.start(&["run", "study.toml"]);
        until("the first job has begun", || !bench.text("log").is_empty());
        running.signal(Signal::INT);
        running.wait().says(code::INTERRUPTED, &[]);
        bench.file("quick", "");
        bench
    }

    #[test]
    fn are_listed_and_refused() {
        let bench = interrupted();
        bench.edit("study.toml", "seed = 5", "seed = 6");
        bench.edit("study.toml", "evaluations = 10", "evaluations = 8");
        let before = bench.text("log");
        for arguments in [
            &["run", "study.toml"][..],
            &["run", "study.toml", "--accept-changes"],
        ] {
            let ran = bench.fiesta(arguments);
            ran.says(
                code::CHANGED,
                &[
                    "design.seed: 5 → 6",
                    "goal.budget.evaluations: 10 → 8",
                    "undo them",
                ],
            );
            assert_eq!(ran.stdout, "");
        }
        assert_eq!(bench.text("log"), before);
        // Undone, the study goes on.
        bench.edit("study.toml", "seed = 6", "seed = 5");
        bench.edit("study.toml", "evaluations = 8", "evaluations = 10");
        bench
            .fiesta(&["run", "study.toml"])
            .says(code::DONE, &["resuming after"]);
    }

    #[test]
    fn are_taken_over_if_they_are_harmless() {
        let bench = interrupted();
        bench.edit("study.toml", "parallel = 1", "parallel = 2");
        let refused = bench.fiesta(&["run", "study.toml"]);
        refused.says(
            code::CHANGED,
            &["design.parallel: 1 → 2 (harmless)", "--accept-changes"],
        );
        bench
            .fiesta(&["run", "study.toml", "--accept-changes"])
            .says(code::DONE, &[]);
        assert_eq!(bench.log("log").len(), 10);
        // From now on, it is the study.
        bench
            .fiesta(&["run", "study.toml"])
            .says(code::DONE, &["nothing was run"]);
    }

    #[test]
    fn do_not_confuse_the_status() {
        let bench = interrupted();
        bench.edit(
            "study.toml",
            "[[arm]]\nname = \"low\"\n",
            "[[arm]]\nname = \"new\"\n",
        );
        let ran = bench.fiesta(&["status", "study.toml"]);
        ran.says(code::CHANGED, &["the study file has changed", "arm: "]);
        bench.edit("study.toml", "[[arm]]\nname = \"new\"\n", "");
        bench.edit(
            "study.toml",
            "[[arm]]\n",
            "[[arm]]\nname = \"x\"\ncommand = [\"true\"]\n[[arm]]\n",
        );
        bench
            .fiesta(&["status", "study.toml"])
            .says(code::CHANGED, &["the study file has changed"]);
    }
}

/// Signals to the running program.
mod signals {
    use super::{
        Bench, TWO, arm, code,
        support::{Running, is_alive, until},
    };
    use rustix::process::Signal;
    use std::{collections::BTreeSet, time::Instant};

    /// Begins, waits for `go`, and ends; with a child that does not hear of anything.
    const WAITING: &str = r#"
echo $1 $2 $3 >> begun
sleep 77 &
echo $! >> children
n=0
until [ -e go ] || [ $((n += 1)) -gt 1500 ]; do sleep 0.02; done
kill $!
echo $1 $2 $3 >> ended
printf '{"accuracy": 0.%03d}\n' $((500 + $3 % 99))
"#;

    fn study() -> Bench {
        let rest = format!(
            "[goal]\nbudget = {{ evaluations = 8 }}\n[design]\nparallel = 3\n[resources]\ngrace = \"1s\"\n{TWO}"
        );
        Bench::with_job(WAITING, &rest)
    }

    fn begun(bench: &Bench) -> Running {
        let running = bench.start(&["run", "study.toml"]);
        until("three jobs run", || bench.log("children").len() == 3);
        running
    }

    /// Resumes and checks that every evaluation was made, and ended once.
    fn resumes(bench: &Bench) {
        let (code, result) = bench.json(&["run", "study.toml"]);
        assert_eq!(code, Some(code::DONE));
        assert_eq!(
            (&result["evaluations"], &result["failed"]),
            (&8.into(), &0.into())
        );
        let ended = bench.log("ended");
        let distinct: BTreeSet<&Vec<String>> = ended.iter().collect();
        assert_eq!((ended.len(), distinct.len()), (8, 8), "{ended:?}");
        for name in ["low", "high"] {
            let made = ended.iter().filter(|line| line[0] == name).count();
            assert_eq!(arm(&result, name)["evaluations"], made);
        }
    }

    #[test]
    fn once_lets_the_jobs_finish() {
        for signal in [Signal::INT, Signal::TERM] {
            let bench = study();
            let running = begun(&bench);
            running.signal(signal);
            until("it says so", || {
                running.stderr().contains("waiting for 3 running jobs")
            });
            bench.file("go", "");
            let ran = running.wait();
            ran.says(
                code::INTERRUPTED,
                &["`fiesta run study.toml` goes on from here"],
            );
            assert_eq!(ran.stdout, "");
            // What ran has counted, and nothing else was started.
            assert_eq!(bench.log("begun").len(), 3);
            let (code, status) = bench.json(&["status", "study.toml"]);
            assert_eq!(code, Some(code::DONE));
            assert_eq!(status["state"], "stopped");
            assert_eq!(
                (&status["evaluations"], &status["pending"]),
                (&3.into(), &0.into())
            );
            resumes(&bench);
            assert_eq!(bench.log("begun").len(), 8);
        }
    }

    #[test]
    fn an_interrupted_study_becomes_what_it_would_have_been() {
        let rest = format!(
            "[goal]\nbudget = {{ evaluations = 12 }}\n[design]\npolicy = \"ts\"\nseed = 9\n{TWO}"
        );
        let whole = Bench::with_job(&super::logging(), &rest);
        whole.fiesta(&["run", "study.toml"]).says(code::DONE, &[]);
        let slow = format!("sleep 0.1\n{}", super::logging());
        let bench = Bench::with_job(&slow, &rest);
        for made in [2, 5] {
            let running = bench.start(&["run", "study.toml", "--format", "json", "--quiet"]);
            until("some are made", || bench.log("log").len() >= made);
            running.signal(Signal::INT);
            let ran = running.wait();
            ran.says(code::INTERRUPTED, &[]);
            assert_eq!(ran.stderr, "");
            let status = ran.json();
            assert_eq!(status["state"], "stopped");
            assert_eq!(status["evaluations"], bench.log("log").len());
        }
        bench
            .fiesta(&["run", "study.toml"])
            .says(code::DONE, &["resuming after"]);
        assert_eq!(bench.text("log"), whole.text("log"));
    }

    #[test]
    fn a_check_is_stopped_and_leaves_nothing() {
        let bench = study();
        let running = bench.start(&["run", "study.toml", "--check"]);
        until("two jobs run", || bench.log("children").len() == 2);
        running.signal(Signal::INT);
        running
            .wait()
            .says(code::INTERRUPTED, &["nothing was recorded"]);
        for child in bench.log("children").concat() {
            assert!(!is_alive(&child), "{child}");
        }
        assert!(!bench.path("study.fiesta").exists());
    }

    #[test]
    fn twice_kills_the_jobs_and_what_they_started() {
        let bench = study();
        let running = begun(&bench);
        running.signal(Signal::INT);
        until("it drains", || running.stderr().contains("waiting for 3"));
        // Signals that are closer together count as one.
        std::thread::sleep(std::time::Duration::from_millis(150));
        running.signal(Signal::INT);
        let ran = running.wait();
        ran.says(code::INTERRUPTED, &["stopping the running jobs"]);
        for child in bench.log("children").concat() {
            assert!(!is_alive(&child), "{child}");
        }
        assert_eq!(bench.text("ended"), "");
        let (_, status) = bench.json(&["status", "study.toml"]);
        assert_eq!(
            (&status["evaluations"], &status["pending"]),
            (&0.into(), &3.into())
        );
        bench.file("go", "");
        resumes(&bench);
    }

    #[test]
    fn a_hangup_leaves_the_jobs_running_to_be_found_again() {
        let bench = study();
        let running = begun(&bench);
        running.signal(Signal::HUP);
        let ran = running.wait();
        ran.says(code::INTERRUPTED, &["3 jobs", "finds them again"]);
        for child in bench.log("children").concat() {
            assert!(is_alive(&child), "{child}");
        }
        // One ends while nobody looks, the others are followed again.
        let second = bench.start(&["run", "study.toml"]);
        until("it has resumed", || {
            second.stderr().contains("resuming after 0 evaluations")
        });
        bench.file("go", "");
        second.wait().says(code::DONE, &[]);
        resumes(&bench);
        assert_eq!(bench.log("begun").len(), 8, "a job was started twice");
    }

    #[test]
    fn jobs_that_ended_while_nobody_looked_count() {
        let bench = study();
        let running = begun(&bench);
        running.signal(Signal::HUP);
        running.wait().says(code::INTERRUPTED, &[]);
        bench.file("go", "");
        until("all have ended", || bench.log("ended").len() == 3);
        for child in bench.log("children").concat() {
            until("the child is gone", || !is_alive(&child));
        }
        resumes(&bench);
        assert_eq!(bench.log("begun").len(), 8, "a job was started twice");
    }

    #[test]
    fn a_closed_terminal_stops_nothing() {
        let rest = format!("[goal]\nbudget = {{ evaluations = 8 }}\n{TWO}");
        let bench = Bench::with_job("echo ran >> log; echo '{\"accuracy\": 0.5}'\n", &rest);
        // A pipe whose reader is gone.
        let mut command = bench.command(&["run", "study.toml"]);
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let mut child = command
            .stdout(writer.try_clone().unwrap())
            .stderr(writer)
            .spawn()
            .unwrap();
        drop(command);
        let began = Instant::now();
        assert_eq!(child.wait().unwrap().code(), Some(code::DONE));
        assert!(began.elapsed().as_secs() < 30);
        assert_eq!(bench.log("log").len(), 8);
    }
}

/// `status` and `run --check`.
mod looking {
    use super::{Bench, TWO, arm, code, logging, support::until};

    #[test]
    fn status_before_while_and_after() {
        let job = format!(
            "n=0; until [ -e go ] || [ $((n += 1)) -gt 1500 ]; do sleep 0.02; done\n{}",
            logging()
        );
        let bench = Bench::with_job(
            &job,
            &format!("[goal]\nbudget = {{ evaluations = 6 }}\n[design]\nparallel = 2\n{TWO}"),
        );
        let ran = bench.fiesta(&["status", "study.toml"]);
        ran.says(code::USAGE, &["study.fiesta", "never run", "fiesta run"]);
        assert!(!bench.path("study.fiesta").exists());

        let running = bench.start(&["run", "study.toml"]);
        until("two jobs are pending", || {
            bench.path("study.fiesta/ledger.db").exists()
                && bench
                    .fiesta(&["status", "study.toml", "--format", "json"])
                    .stdout
                    .contains("\"pending\":2")
        });
        let (code, status) = bench.json(&["status", "study.toml"]);
        assert_eq!(code, Some(code::DONE));
        assert_eq!(
            (&status["state"], &status["evaluations"]),
            (&"running".into(), &0.into())
        );
        assert_eq!(status["confidence"], serde_json::Value::Null);
        assert_eq!(arm(&status, "low")["pending"], 1);
        let text = bench.fiesta(&["status", "study.toml"]);
        assert!(
            text.stdout
                .contains(&format!("run by process {}", running.pid())),
            "{text:?}"
        );
        bench.file("go", "");
        running.wait().says(code::DONE, &[]);

        let (_, status) = bench.json(&["status", "study.toml"]);
        assert_eq!(
            (&status["state"], &status["evaluations"]),
            (&"finished".into(), &6.into())
        );
        let text = bench.fiesta(&["status", "study.toml"]);
        assert!(
            text.stdout.contains("trial: finished") && text.stdout.contains("P(best)"),
            "{text:?}"
        );
        // Nothing to watch any more.
        bench
            .fiesta(&["status", "study.toml", "--watch"])
            .says(code::DONE, &[]);
    }

    #[test]
    fn check_shows_every_arm_and_records_nothing() {
        let rest = format!("[goal]\nbudget = {{ evaluations = 50 }}\n{TWO}");
        let bench = Bench::with_job(&logging(), &rest);
        let ran = bench.fiesta(&["run", "study.toml", "--check"]);
        ran.says(code::DONE, &[]);
        for name in ["low", "high"] {
            let row = ran
                .stdout
                .lines()
                .find(|line| line.starts_with(name))
                .unwrap();
            assert!(
                row.contains("0.") && row.contains(&format!("sh job.sh {name} 0 0")),
                "{ran:?}"
            );
        }
        assert!(ran.stdout.contains("at most 50 evaluations"), "{ran:?}");
        let (code, document) = bench.json(&["run", "study.toml", "--check"]);
        assert_eq!(code, Some(code::DONE));
        let trials = document["trials"].as_array().unwrap();
        assert_eq!(trials.len(), 2);
        assert_eq!(
            (&trials[0]["arm"], &trials[0]["score"]),
            (&"low".into(), &0.6.into())
        );
        assert_eq!(trials[1]["error"], serde_json::Value::Null);
        assert!(!bench.path("study.fiesta").exists());
        bench
            .fiesta(&["status", "study.toml"])
            .says(code::USAGE, &["never run"]);
    }

    #[test]
    fn check_reports_an_arm_that_fails() {
        let job = format!(
            "[ $1 = low ] && {{ echo 'no such layer' >&2; exit 4; }}\n{}",
            logging()
        );
        let bench = Bench::with_job(&job, TWO);
        let ran = bench.fiesta(&["run", "study.toml", "--check"]);
        ran.says(code::ARM_FAILED, &["low: exit code 4", "no such layer"]);
        let row = ran
            .stdout
            .lines()
            .find(|line| line.starts_with("low"))
            .unwrap();
        assert!(row.contains("failed"), "{ran:?}");
        let (code, document) = bench.json(&["run", "study.toml", "--check"]);
        assert_eq!(code, Some(code::ARM_FAILED));
        assert_eq!(document["trials"][0]["score"], serde_json::Value::Null);
        assert!(
            document["trials"][0]["error"]
                .as_str()
                .unwrap()
                .contains("exit code 4")
        );
        assert!(!bench.path("study.fiesta").exists());
    }

    #[test]
    fn check_beside_a_study_leaves_it_alone() {
        let bench = Bench::with_job(
            &logging(),
            &format!("[goal]\nbudget = {{ evaluations = 4 }}\n{TWO}"),
        );
        let (_, first) = bench.json(&["run", "study.toml"]);
        bench
            .fiesta(&["run", "study.toml", "--check"])
            .says(code::DONE, &[]);
        let (_, status) = bench.json(&["status", "study.toml"]);
        assert_eq!(status, first);
    }
}
