//! Tests of studies whose evaluations fail: they stop if all fail alike, arms come back once the
//! cause is mended, and a cause is told once.

use super::{Bench, TWO, arm, code, logging};
use crate::changes::replays;
use crate::support::until;

/// Job that fails like a faulty script until there is a file `mended`, and records each attempt.
fn mistaken() -> String {
    format!(
        "echo $1 >> tried\n[ -e mended ] || {{ echo \"parsing {}/train-$3.py, line $3: no such model $1\" >&2; exit 1; }}\n{}",
        "$PWD",
        logging()
    )
}

/// Returns tables of `count` arms, `arm0` and so on, and of the arm `high`.
fn arms(count: usize) -> String {
    let table = |name: &str| format!("[[arm]]\nname = \"{name}\"\n");
    let others = (0..count).map(|number| table(&format!("arm{number}")));
    others.chain([table("high")]).collect()
}

/// Job that writes down every attempt, and waits for a file `go` in the first attempt of `arm2`,
/// and in the second of other arms.
const WAITING: &str = r#"
echo $1 >> tried
[ $1 = arm2 ] || [ $(grep -c "^$1" tried) -ge 2 ] && until [ -e go ]; do sleep 0.02; done
"#;

fn tried(bench: &Bench) -> usize {
    bench.text("tried").lines().count()
}

/// Tests arms with the names "a" and "no", which also occur in the program's messages.
#[test]
fn arms_that_are_called_like_words_of_a_message_fail_alike_as_well() {
    let names = ["a", "no", "c"].map(|name| format!("[[arm]]\nname = \"{name}\"\n"));
    let bench = Bench::with_job("echo accuracy: $3\n", &names.concat());
    let ran = bench.fiesta(&["run", "study.toml"]);
    ran.says(code::ARM_FAILED, &["none succeeded, and all failed alike"]);
    let (_, status) = bench.json(&["status", "study.toml"]);
    assert_eq!(status["failures"].as_array().unwrap().len(), 1, "{status}");
}

#[test]
fn the_same_failure_of_the_first_arms_stops_the_study_and_the_same_command_goes_on() {
    let rest = |parallel: usize| {
        format!(
            "[goal]\nbudget = {{ evaluations = 60 }}\n[design]\nparallel = {parallel}\n{}",
            arms(18)
        )
    };
    for parallel in [1, 4] {
        let bench = Bench::with_job(&mistaken(), &rest(parallel));
        let ran = bench.fiesta(&["run", "study.toml"]);
        ran.says(
            code::ARM_FAILED,
            &[
                "none succeeded, and all failed alike",
                "no such model arm0",
                "its command was: sh job.sh arm0 0 ",
                "trial-0-a0",
                "the same command goes on",
            ],
        );
        let error = &ran.stderr[ran.stderr.find("error:").unwrap()..];
        assert_eq!(error.matches("no such model").count(), 1, "{error}");
        // One at a time, the first arm is tried until it is retired.
        assert!((2..4 + parallel).contains(&tried(&bench)), "{ran:#?}");
        let (_, status) = bench.json(&["status", "study.toml"]);
        assert_eq!(status["pending"], 0);
        assert_eq!(status["failures"].as_array().unwrap().len(), 1, "{status}");
        assert_eq!(status["failures"][0]["count"], tried(&bench));
        let text = bench.fiesta(&["status", "study.toml"]).stdout;
        assert!(
            text.contains("stopped, as every arm failed") && text.contains("goes on"),
            "{text}"
        );
        // Nothing was mended: two more tries of other arms, and it stops again.
        let before = tried(&bench);
        bench
            .fiesta(&["run", "study.toml"])
            .says(code::ARM_FAILED, &["all failed alike"]);
        let more: Vec<_> = bench.log("tried").split_off(before).concat();
        assert!((2..4 + parallel).contains(&more.len()), "{more:?}");
        assert!(!more.contains(&"arm0".to_owned()), "{more:?}");

        bench.file("mended", "");
        let ran = bench.fiesta(&["run", "study.toml"]);
        ran.says(code::DONE, &["not held against them: arm"]);
        let (_, status) = bench.json(&["status", "study.toml"]);
        for arm in status["arms"].as_array().unwrap() {
            assert_eq!(arm["retired"], false, "{arm}");
            assert!(arm["evaluations"].as_u64().unwrap() >= 1, "{arm}");
        }
        assert_eq!(status["failed"], before + more.len());
        assert_eq!(replays(&bench), 1);
    }
}

/// Tests that a running job's success, after others failed alike, lets the study continue.
#[test]
fn a_success_of_what_runs_lets_the_study_go_on() {
    let job = format!(
        "{WAITING}case $1 in arm0|arm1) exit 1 ;; esac\n{}",
        logging()
    );
    let rest = format!(
        "[goal]\nbudget = {{ evaluations = 20 }}\n[design]\nparallel = 3\n{}",
        arms(3)
    );
    let bench = Bench::with_job(&job, &rest);
    let running = bench.start(&["run", "study.toml"]);
    until("it waits for what runs", || {
        running.stderr().contains("no more are started, and")
    });
    bench.file("go", "");
    let ran = running.wait();
    // Nothing of `high` was begun before.
    assert_eq!(bench.log("log")[0][0], "arm2");
    ran.says(
        code::ARM_FAILED,
        &["more are started again", "--retry arm0"],
    );
    let (_, status) = bench.json(&["status", "study.toml"]);
    assert_eq!(status["conclusion"]["arm"], "high");
    for name in ["arm0", "arm1"] {
        let arm = arm(&status, name);
        assert!(arm["failed"].as_u64().unwrap() >= 3, "{arm}");
        assert_eq!(arm["retired"], true);
    }
    let advice = status["advice"].as_str().unwrap();
    assert!(advice.contains("--retry all"), "{advice}");
}

/// Tests that after two arms failed alike, the next run begins with the third arm.
#[test]
fn arms_that_cannot_be_mended_keep_nobody_from_the_others() {
    let job = format!("case $1 in arm0|arm1) exit 1 ;; esac\n{}", logging());
    let rest = format!("[goal]\nbudget = {{ evaluations = 20 }}\n{}", arms(3));
    let bench = Bench::with_job(&job, &rest);
    bench
        .fiesta(&["run", "study.toml"])
        .says(code::ARM_FAILED, &["all failed alike"]);
    bench
        .fiesta(&["run", "study.toml"])
        .says(code::ARM_FAILED, &[]);
    let (_, status) = bench.json(&["status", "study.toml"]);
    assert_eq!(status["conclusion"]["arm"], "high", "{status}");
    assert_eq!(arm(&status, "arm1")["retired"], true);
}

/// Tests that failures of different causes do not stop a study early.
#[test]
fn every_arm_for_a_cause_of_its_own() {
    let job = format!(
        "[ -e mended ] && {{ {}\nexit 0; }}\ncase $1 in low) echo no torch ;; *) echo no memory ;; esac >&2; exit 1\n",
        logging().trim()
    );
    let bench = Bench::with_job(
        &job,
        &format!("[goal]\nbudget = {{ evaluations = 12 }}\n{TWO}"),
    );
    let ran = bench.fiesta(&["run", "study.toml", "--quiet"]);
    ran.says(
        code::ARM_FAILED,
        &[
            "every one of them failed",
            "no torch",
            "no memory",
            "3 evaluations of low",
            "fiesta run study.toml --retry all",
        ],
    );
    assert!(!ran.stderr.contains("remove"), "{ran:#?}");
    // Without the flag it stays so, and says what helps.
    bench
        .fiesta(&["run", "study.toml"])
        .says(code::ARM_FAILED, &["--retry all"]);
    let text = bench.fiesta(&["status", "study.toml"]).stdout;
    assert!(text.contains("--retry all"), "{text}");
    bench.file("mended", "");
    bench
        .fiesta(&["run", "study.toml", "--retry", "all"])
        .says(code::DONE, &[]);
    let (_, status) = bench.json(&["status", "study.toml"]);
    assert_eq!(
        (&status["failed"], &status["evaluations"]),
        (&6.into(), &6.into())
    );
    assert_eq!(replays(&bench), 1);
}

/// Tests that a study which ended while an arm was retired continues with this arm, as an extended study would.
#[test]
fn an_arm_comes_back_also_after_the_end() {
    let job = format!("[ $1 = arm0 ] && [ ! -e mended ] && exit 9\n{}", logging());
    // The one left over won by default; a budget; a schedule in its last round.
    for (goal, count, reason) in [
        ("budget = { evaluations = 16 }", 1, "only-candidate"),
        ("budget = { evaluations = 12 }", 2, "limit"),
        (
            "budget = { evaluations = 16 }\n[design]\npolicy = \"sequential-halving\"",
            1,
            "only-candidate",
        ),
    ] {
        let bench = Bench::with_job(&job, &format!("[goal]\n{goal}\n{}", arms(count)));
        let ran = bench.fiesta(&["run", "study.toml"]);
        ran.says(
            code::ARM_FAILED,
            &[
                "`arm0` is retired after 3 failures in a row",
                "--retry arm0",
            ],
        );
        let (_, status) = bench.json(&["status", "study.toml"]);
        let found = &status["conclusion"]["reason"];
        assert!(found.to_string().contains(reason), "{found}");
        let evaluations = status["evaluations"].as_u64().unwrap();

        for (named, says) in [
            ("nobody", "no such arm"),
            (
                "high",
                "nothing of this arm can be made again; arms with failed evaluations that can be made again: arm0",
            ),
        ] {
            let refused = bench.fiesta(&["run", "study.toml", "--retry", named]);
            refused.says(code::USAGE, &[says]);
        }
        bench.file("mended", "");
        if reason == "limit" {
            bench.edit("study.toml", "evaluations = 12", "evaluations = 20");
        }
        let arguments = ["run", "study.toml", "--retry", "arm0", "--accept-changes"];
        bench
            .fiesta(&arguments)
            .says(code::DONE, &["not held against them: arm0"]);
        let (_, status) = bench.json(&["status", "study.toml"]);
        let back = arm(&status, "arm0");
        assert_eq!(
            (&back["failed"], &back["retired"]),
            (&3.into(), &false.into())
        );
        assert!(back["evaluations"].as_u64().unwrap() >= 2, "{back}");
        assert!(status["evaluations"].as_u64().unwrap() > evaluations);
        let sentence = status["conclusion"]["sentence"].as_str().unwrap();
        assert!(sentence.contains("Failures forgiven after"), "{sentence}");
        assert_eq!(replays(&bench), 2);
        // The failures were on the splits of its first evaluations, which count now.
        let exported = bench.fiesta(&["export", "study.toml", "-o", "all.csv"]);
        exported.says(code::DONE, &[]);
        bench.fiesta(&["export", "all.csv"]).says(code::DONE, &[]);
        bench
            .fiesta(&["run", "study.toml", "--retry", "arm0"])
            .says(
                code::USAGE,
                &["no arm of this study has failed evaluations"],
            );
        bench
            .fiesta(&["run", "study.toml", "--retry", "all"])
            .says(code::DONE, &["no arm of this study has failed evaluations"]);
    }
}

#[test]
fn a_schedule_that_went_on_without_an_arm_has_no_place_for_it() {
    let job = format!("[ $1 = arm0 ] && exit 9\n{}", logging());
    let rest = format!(
        "[goal]\nbudget = {{ evaluations = 32 }}\n[design]\npolicy = \"sequential-halving\"\n{}",
        arms(3)
    );
    let bench = Bench::with_job(&job, &rest);
    bench
        .fiesta(&["run", "study.toml"])
        .says(code::ARM_FAILED, &[]);
    let before = bench.text("log");
    bench
        .fiesta(&["run", "study.toml", "--retry", "arm0"])
        .says(code::USAGE, &["cannot come back", "a study of its own"]);
    assert_eq!(bench.text("log"), before);
}

/// Tests that a cause of failures is told in full only once.
#[test]
fn a_cause_is_told_once() {
    let job = format!(
        "[ $1 = low ] && {{ echo \"no such layer in $1\" >&2; exit 1; }}\n{}",
        logging()
    );
    let rest = format!("[goal]\nbudget = {{ evaluations = 12 }}\n{TWO}");
    let bench = Bench::with_job(&job, &rest);
    let ran = bench.fiesta(&["run", "study.toml"]);
    ran.says(code::ARM_FAILED, &["did (3 times so far)"]);
    assert_eq!(ran.stderr.matches("no such layer").count(), 1, "{ran:#?}");
    let text = bench.fiesta(&["status", "study.toml"]).stdout;
    assert_eq!(text.matches("no such layer").count(), 1, "{text}");
    assert!(text.contains("3 evaluations of low"), "{text}");

    let lost = format!("[ $1 = low ] && kill -9 $$\n{}", logging());
    let bench = Bench::with_job(&lost, &format!("{rest}[resources]\nretries = 3\n"));
    let ran = bench.fiesta(&["run", "study.toml"]);
    ran.says(code::ARM_FAILED, &["is tried again: as evaluation"]);
    let whole = ran.stderr.matches("is tried again: killed by signal 9");
    assert_eq!(whole.count(), 1, "{ran:#?}");
}

/// Tests that failures of a worker's answers count like other failures.
#[test]
fn workers_that_fail_alike() {
    let bench = Bench::new();
    bench.file(
        "worker.sh",
        "while read -r line; do\necho >> tried\nid=${line#*\\\"id\\\":\\\"}; id=${id%%\\\"*}\nif [ -e mended ]; then echo \"{\\\"id\\\": \\\"$id\\\", \\\"accuracy\\\": 0.5}\"; else echo \"{\\\"id\\\": \\\"$id\\\", \\\"error\\\": \\\"no key for $id\\\"}\"; fi\ndone\n",
    );
    bench.file(
        "study.toml",
        &format!(
            "name = \"trial\"\ngoal = {{ budget = {{ evaluations = 80 }} }}\n[metric]\nname = \"accuracy\"\n[worker]\ncommand = [\"sh\", \"worker.sh\"]\n{}",
            arms(18)
        ),
    );
    bench
        .fiesta(&["run", "study.toml"])
        .says(code::ARM_FAILED, &["all failed alike", "no key for"]);
    assert!((2..5).contains(&tried(&bench)));
    bench.file("mended", "");
    bench.fiesta(&["run", "study.toml"]).says(code::DONE, &[]);
}

/// Tests that after a kill during a wait for running jobs the next controller waits for them, too.
#[test]
fn a_killed_controller_starts_no_more_either() {
    let job = format!("{WAITING}exit 1\n");
    let rest = format!(
        "[goal]\nbudget = {{ evaluations = 20 }}\n[design]\nparallel = 3\n{}",
        arms(6)
    );
    let bench = Bench::with_job(&job, &rest);
    let running = bench.start(&["run", "study.toml"]);
    until("it waits for what runs", || {
        running.stderr().contains("no more are started, and")
    });
    running.signal(rustix::process::Signal::KILL);
    running.wait();
    let running = bench.start(&["run", "study.toml"]);
    until("the study is resumed", || {
        running.stderr().contains("resuming after")
    });
    bench.file("go", "");
    running
        .wait()
        .says(code::ARM_FAILED, &["of 3 of 7 arms (arm0, arm1, arm2)"]);
}

/// Tests that a check in which arms fail ends with advice on what to do.
#[test]
fn a_failed_check_ends_with_what_to_do() {
    let job = "[ $1 = good ] || { echo broken >&2; exit 3; }\nprintf '{\"accuracy\": 0.5}\\n'";
    for (arms, says) in [
        (
            ["good", "bad"],
            "check failed: 1 of 2 arms has no result, and `fiesta run` would not work so",
        ),
        (
            ["worse", "bad"],
            "check failed: none of the 2 arms has a result, and `fiesta run` would not work so",
        ),
    ] {
        let [one, other] = arms;
        let arms = format!("arm = [{{ name = \"{one}\" }}, {{ name = \"{other}\" }}]");
        let bench = Bench::with_job(job, &arms);
        let ran = bench.fiesta(&["run", "study.toml", "--check"]);
        assert_eq!(ran.code, Some(code::ARM_FAILED));
        let last = ran.stdout.lines().last().unwrap();
        assert!(last.starts_with(says), "{last}");
        assert!(
            last.contains("`fiesta run study.toml --check` again"),
            "{last}"
        );
        // What failed jobs took says nothing of a whole study.
        assert!(!ran.stdout.contains("evaluations would take"), "{ran:#?}");
    }
}
