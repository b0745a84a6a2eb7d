//! Tests of the ends of studies: by budgets, confidences, ties, shortfalls, guarantees and exhausted splits.

use super::{Bench, STUDY, TWO, arm, code, logging};

/// Job that gives both arms equal scores, which depend on the seed alone.
const EQUAL: &str = "printf '{\"accuracy\": 0.%d}\\n' $((4 + $3 % 3))\n";

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
    for policy in ["ttts", "sequential-halving", "uniform"] {
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

/// Tests that the end of a run names the report, except with --quiet, and that `report` and `log`
/// without a file are about study.toml.
#[test]
fn the_end_tells_of_the_report_which_needs_no_name_of_the_study() {
    let rest = format!("[goal]\nbudget = {{ evaluations = 6 }}\n{TWO}");
    let bench = Bench::with_job(&logging(), &rest);
    let ran = bench.fiesta(&["run", "study.toml"]);
    ran.tells(code::DONE, &["next: fiesta report study.toml"]);
    let quiet = bench.fiesta(&["run", "study.toml", "--quiet"]);
    assert!(!quiet.stderr.contains("fiesta report"), "{quiet:?}");
    let log = bench.fiesta(&["log", "1"]);
    log.tells(code::DONE, &["evaluation 1: "]);
    let report = bench.fiesta(&["report", "--formats", "svg"]);
    report.tells(code::DONE, &["study.report/report.html"]);
    let elsewhere = Bench::new().fiesta(&["report"]);
    elsewhere.tells(code::USAGE, &["no study file is named"]);
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
            "under [goal] budget",
        ],
    );
    assert_eq!(ran.json()["evaluations"], 200);
}

/// Tests that a tolerance ends a study of equal arms without a budget.
#[test]
fn equal_arms_end_within_a_tolerance() {
    let rest = format!("[goal]\ntolerance = 0.2\n{TWO}");
    let bench = Bench::with_job(EQUAL, &rest);
    let ran = bench.fiesta(&["run", "study.toml"]);
    ran.says(code::DONE, &[]);
    let says = "posterior probability, high is within 0.2 of the best of 2 arms";
    let other = says.replace("high", "low");
    assert!(
        ran.stdout.contains(says) || ran.stdout.contains(&other),
        "{ran:?}"
    );
    let (code, result) = bench.json(&["run", "study.toml"]);
    assert_eq!(code, Some(code::DONE));
    assert!(result["evaluations"].as_u64().unwrap() < 60, "{result}");
    assert_eq!(
        result["conclusion"]["reason"]["tolerance"]["tolerance"],
        0.2
    );
}

/// Tests that with bounds failures count as the worst score, and that a rule for Gaussian scores
/// warns of them before the study.
#[test]
fn what_failures_are_to_an_anytime_valid_rule() {
    let with = |stopping: &str| {
        let to = format!("stopping = \"{stopping}\"");
        STUDY.replace("stopping = \"posterior\"", &to)
    };
    let note = "an evaluation that fails counts as 0, the worst bound";
    for (stopping, is_noted) in [("anytime", true), ("anytime-bounded", false)] {
        let bench = Bench::with_study(&with(stopping));
        let checked = bench.fiesta(&["run", "study.toml", "--check"]);
        checked.says(code::DONE, &[]);
        assert_eq!(checked.stderr.contains(note), is_noted, "{checked:?}");
    }
    let boundless = with("anytime-bounded").replace("bounds = [0.0, 1.0]\n", "");
    let bench = Bench::with_study(&boundless);
    let says = [
        "anytime-bounded and gate need to know",
        "give the metric bounds",
    ];
    bench
        .fiesta(&["run", "study.toml"])
        .says(code::USAGE, &says);
}

#[test]
fn a_guarantee_within_bounds() {
    let study = STUDY
        .replace("stopping = \"posterior\"", "stopping = \"anytime-bounded\"")
        .replace("policy = \"ttts\"", "policy = \"auto\"")
        .replace("evaluations = 40", "evaluations = 400");
    let bench = Bench::with_study(&study);
    let ran = bench.fiesta(&["run", "study.toml"]);
    ran.says(code::DONE, &[]);
    let says = "for scores within the bounds of the metric, the anytime-valid test";
    assert!(ran.stdout.contains(says), "{ran:?}");
    assert!(ran.stdout.contains("policy evidence"), "{ran:?}");
    let (_, result) = bench.json(&["status", "study.toml"]);
    let reason = &result["conclusion"]["reason"]["anytime-valid"];
    assert_eq!(reason["assumes"], "bounded");
}

/// Tests that rare failures are waited for, in a burn-in of ln 20/.1 = 30 turns of either arm.
#[test]
fn rare_failures_are_waited_for() {
    let study = STUDY
        .replace("stopping = \"posterior\"", "stopping = \"anytime\"")
        .replace(
            "confidence = 0.95",
            "confidence = 0.95\nrare_failures = 0.1",
        )
        .replace("evaluations = 40", "evaluations = 200");
    let bench = Bench::with_study(&study);
    bench.fiesta(&["run", "study.toml"]).says(code::DONE, &[]);
    let (_, result) = bench.json(&["status", "study.toml"]);
    assert!(result["evaluations"].as_u64().unwrap() >= 60, "{result}");
}

/// Tests that the anytime-valid rule needs more evaluations, and states its guarantee.
#[test]
fn an_anytime_valid_guarantee() {
    for (splits, policy) in [("shared", "evidence"), ("independent", "uniform")] {
        let study = STUDY
            .replace("stopping = \"posterior\"", "stopping = \"anytime\"")
            .replace("policy = \"ttts\"", &format!("policy = \"{policy}\""))
            .replace("splits = \"shared\"", &format!("splits = \"{splits}\""))
            .replace("evaluations = 40", "evaluations = 200");
        let bench = Bench::with_study(&study);
        let ran = bench.fiesta(&["run", "study.toml"]);
        ran.says(code::DONE, &[]);
        assert!(
            ran.stdout.contains("high is the best of 2 arms")
                && ran.stdout.contains("errs in at most 5.0 % of studies"),
            "{ran:?}"
        );
        let (code, result) = bench.json(&["status", "study.toml"]);
        assert_eq!(code, Some(code::DONE));
        let reason = &result["conclusion"]["reason"]["anytime-valid"];
        assert_eq!(
            (&reason["level"], &reason["tolerance"]),
            (&0.95.into(), &0.0.into())
        );
    }
}

#[test]
fn scores_that_never_differ() {
    let rest = format!("[goal]\nconfidence = 0.9\nbudget = {{ evaluations = 30 }}\n{TWO}");
    // Paired scores that the split explains to the last digit never differ either.
    let by_split = "printf '{\"accuracy\": 0.%d}\\n' $((1 + $2 % 3))\n";
    let constant = "echo '{\"accuracy\": 0.1}'\n";
    for (posterior, job) in [
        ("paired", by_split),
        ("paired", constant),
        ("pooled", constant),
        ("uniform", constant),
        ("jeffreys", constant),
    ] {
        let rest = format!("{rest}[design]\nposterior = \"{posterior}\"\n");
        let bench = Bench::with_job(job, &rest);
        let ran = bench.fiesta(&["run", "study.toml", "--format", "json"]);
        ran.says(code::SHORT, &[]);
        let result = ran.json();
        assert_eq!(result["evaluations"], 30, "{posterior}");
        let means = ["low", "high"].map(|name| arm(&result, name)["mean"].as_f64().unwrap());
        assert!((means[0] - means[1]).abs() < 1e-12, "{means:?}");
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
    // A script that is gone is told, and the result is there to be looked at.
    std::fs::remove_file(bench.path("job.sh")).unwrap();
    bench
        .fiesta(&["run", "study.toml"])
        .says(super::code::CHANGED, &["job.sh: removed"]);
    let (code, status) = bench.json(&["status", "study.toml"]);
    assert_eq!(code, Some(super::code::DONE));
    assert_eq!(status["conclusion"], first["conclusion"]);
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

/// Tests that the verdict names an arm that has failed, but too seldom to be retired.
#[test]
fn an_arm_without_a_score_is_named_in_the_verdict() {
    let job = format!("[ $1 = broken ] && exit 9\n{}", logging());
    let rest = format!(
        "[goal]\nbudget = {{ evaluations = 6 }}\n[design]\npolicy = \"uniform\"\n{TWO}[[arm]]\nname = \"broken\"\n"
    );
    let bench = Bench::with_job(&job, &rest);
    bench.fiesta(&["run", "study.toml"]);
    let (_, status) = bench.json(&["status", "study.toml"]);
    let sentence = status["conclusion"]["sentence"].as_str().unwrap();
    let told = "Not compared, for want of a score: broken.";
    assert!(
        sentence.contains("2 of 3 arms") && sentence.contains(told),
        "{sentence}"
    );
    let (_, page) = bench.report(&["study.toml"]);
    assert!(page.contains(told), "{page}");
}

#[test]
fn some_failures_are_forgiven_and_counted() {
    let job = format!("[ $(($2 % 4)) -eq 1 ] && exit 1\n{}", logging());
    let bench = Bench::with_job(
        &job,
        &format!("[goal]\nbudget = {{ evaluations = 12 }}\n[design]\npolicy = \"uniform\"\n{TWO}"),
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
        &["evaluation 1 of `low` is tried again", "killed by signal 9"],
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
            1,
            "{ran:#?}"
        );
        let again = "failed as evaluation";
        assert_eq!(ran.stderr.matches(again).count(), 1, "{ran:#?}");
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

/// Job whose scores have the same distribution for every arm: a hash of arm and split.
const ALIKE: &str = "echo \"{\\\"accuracy\\\": 0.6$(printf %s \"$1-$2\" | cksum | cut -c 1-3)}\"\n";

/// Tests that indistinguishable arms end a study before its cap, without an error.
#[test]
fn a_tie_ends_a_study() {
    let bench = Bench::with_job(ALIKE, "[[arm]]\nname = \"one\"\n[[arm]]\nname = \"two\"\n");
    let ran = bench.fiesta(&["run", "study.toml"]);
    ran.says(code::DONE, &[]);
    let says = "cannot be told apart: each of them is within 0.0";
    assert!(ran.stdout.contains(says), "{ran:#?}");
    assert!(
        ran.stdout
            .contains("More evaluations could tell these arms apart")
    );
    let (_, status) = bench.json(&["status", "study.toml"]);
    assert_eq!(status["conclusion"]["verdict"], "tied");
    let mut tied: Vec<&str> = status["tied"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|name| name.as_str())
        .collect();
    tied.sort_unstable();
    assert_eq!(tied, ["one", "two"]);
    let evaluations = status["evaluations"].as_u64().unwrap();
    assert!((16..200).contains(&evaluations), "{evaluations}");
    let shortfall = status["arms"][0]["expected_shortfall"].as_f64().unwrap();
    assert!(shortfall > 0.0 && shortfall < 0.02, "{shortfall}");
    let (stdout, _) = bench.report(&["study.toml"]);
    assert!(stdout.contains("cannot be told apart"), "{stdout}");
    // Whoever wants to know more asks for a narrower tie.
    bench.edit("study.toml", "[[arm]]\nname = \"one\"", "[goal]\nconfidence = 0.95\ntie = \"0.05 sd\"\nbudget = { evaluations = 100 }\n[[arm]]\nname = \"one\"");
    let ran = bench.fiesta(&["run", "--accept-changes", "study.toml"]);
    let (_, status) = bench.json(&["status", "study.toml"]);
    assert!(
        status["evaluations"].as_u64().unwrap() > evaluations,
        "{ran:#?}"
    );
}

/// Tests that a small expected loss ends a study, without any confidence.
#[test]
fn an_expected_shortfall_ends_a_study() {
    let goal = "[goal]\nshortfall = \"0.2 sd\"\n[[arm]]\nname = \"one\"\n[[arm]]\nname = \"two\"\n";
    let bench = Bench::with_job(ALIKE, goal);
    let ran = bench.fiesta(&["run", "study.toml"]);
    ran.says(code::DONE, &[]);
    assert!(
        ran.stdout.contains("this choice is expected to lose"),
        "{ran:#?}"
    );
    let (_, status) = bench.json(&["status", "study.toml"]);
    let reason = &status["conclusion"]["reason"]["shortfall"];
    assert!(
        reason["shortfall"].as_f64() <= reason["bound"].as_f64(),
        "{status}"
    );
    assert_eq!(status["conclusion"]["verdict"], "best");
}
