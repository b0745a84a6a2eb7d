//! Tests of studies with a limited number of splits, which end when the splits are used up.

use super::{Bench, TWO, arm, code};
use crate::changes::{accepted, replays};

/// Returns a job of equally good arms, which fails on split `count` and beyond.
fn job(count: usize) -> String {
    format!(
        "[ $2 -ge {count} ] && exit 8\necho $1 $2 $3 >> log\nprintf '{{\"accuracy\": 0.%d}}\\n' $((4 + $3 % 3))\n"
    )
}

const SURE: &str = "[goal]\nconfidence = 0.9999999\n";

#[test]
fn all_of_them_used_is_the_end_and_no_failure() {
    for policy in ["\"ttps\"", "\"uniform\"", "\"ttts\"", "\"bts\"\nbatch = 3"] {
        let rest = format!("{SURE}[design]\nsplits = 4\nparallel = 3\npolicy = {policy}\n{TWO}");
        let bench = Bench::with_job(&job(4), &rest);
        let ran = bench.fiesta(&["run", "study.toml"]);
        ran.says(code::SHORT, &["every split was used", "--accept-changes"]);
        assert!(
            ran.stdout
                .contains("With every split used by the arms that may be the best, "),
            "{ran:#?}"
        );
        let (_, status) = bench.json(&["status", "study.toml"]);
        assert_eq!(
            (&status["failed"], &status["splits"]),
            (&0.into(), &4.into())
        );
        assert_eq!(status["conclusion"]["reason"], "exhausted");
        for name in ["low", "high"] {
            let arm = arm(&status, name);
            assert_eq!(arm["evaluations"], 4, "{policy}");
            assert_eq!(
                (&arm["exhausted"], &arm["retired"]),
                (&true.into(), &false.into())
            );
        }
        let text = bench.fiesta(&["status", "study.toml"]).stdout;
        assert!(
            text.contains("all of the 4 splits used: low, high"),
            "{text}"
        );
        assert_eq!(replays(&bench), 1);
    }
}

#[test]
fn each_for_one_evaluation() {
    let rest = format!(
        "{SURE}[design]\nsplits = {{ kind = \"independent\", count = 7 }}\nparallel = 2\n{TWO}"
    );
    let bench = Bench::with_job(&job(7), &rest);
    bench
        .fiesta(&["run", "study.toml"])
        .says(code::SHORT, &["every split was used"]);
    let mut splits: Vec<_> = bench
        .log("log")
        .iter()
        .map(|line| line[1].clone())
        .collect();
    splits.sort();
    assert_eq!(splits, ["0", "1", "2", "3", "4", "5", "6"]);
    let report = bench.fiesta(&["report", "study.toml", "--formats", "svg"]);
    assert_eq!(report.code, Some(code::DONE), "{report:#?}");
}

#[test]
fn the_anytime_rule() {
    for splits in ["4", "{ kind = \"independent\", count = 8 }"] {
        let rest = format!("{SURE}[design]\nsplits = {splits}\nstopping = \"anytime\"\n{TWO}");
        let bench = Bench::with_job(&job(8), &rest);
        bench.fiesta(&["run", "study.toml"]).says(code::SHORT, &[]);
        assert_eq!(bench.log("log").len(), 8, "{splits}");
    }
}

#[test]
fn more_of_them_extend_a_study_and_fewer_than_were_used_are_refused() {
    // A policy that does not look at how long evaluations took.
    let design = "[design]\npolicy = \"uniform\"\nsplits = 4\n";
    let bench = Bench::with_job(&job(9), &format!("{SURE}{design}{TWO}"));
    bench.fiesta(&["run", "study.toml"]).says(code::SHORT, &[]);
    bench.edit("study.toml", "splits = 4", "splits = 6");
    accepted(&bench, &["design.splits.count: 4 → 6 (extends the study)"])
        .says(code::SHORT, &["every split was used"]);
    assert_eq!(bench.log("log").len(), 12);
    // A study that knew no end may learn of it.
    bench.edit("study.toml", "splits = 6", "splits = \"shared\"\nseed = 0");
    bench.edit(
        "study.toml",
        "[goal]\n",
        "[goal]\nbudget = { evaluations = 14 }\n",
    );
    accepted(&bench, &["design.splits: ", "(extends the study)"]).says(code::SHORT, &[]);
    bench.edit(
        "study.toml",
        "splits = \"shared\"",
        "splits = { kind = \"shared\", count = 8 }",
    );
    accepted(
        &bench,
        &["design.splits: \"shared\" → ", "(may end the study sooner)"],
    )
    .says(code::SHORT, &[]);

    let log = bench.text("log");
    bench.edit("study.toml", "count = 8", "count = 5");
    let fewer = ["design.splits.count: 8 → 5 (may end the study sooner)"];
    bench
        .fiesta(&["run", "study.toml"])
        .says(code::CHANGED, &fewer);
    for arguments in [
        &["run", "study.toml", "--accept-changes"][..],
        &["status", "study.toml"],
    ] {
        bench
            .fiesta(arguments)
            .says(code::CHANGED, &["split 6 was used already", "at least 7"]);
    }
    bench.edit(
        "study.toml",
        "kind = \"shared\", count = 5",
        "kind = \"independent\", count = 50",
    );
    bench
        .fiesta(&["run", "study.toml", "--accept-changes"])
        .says(code::CHANGED, &["design.splits.kind", "(another study)"]);
    assert_eq!(bench.text("log"), log);
}

#[test]
fn recorded_scores_are_on_splits_that_there_are() {
    let rest = |splits: &str| {
        format!("{SURE}[design]\nsplits = {splits}\n[[recorded]]\nfile = \"before.csv\"\n{TWO}")
    };
    let bench = Bench::with_job(&job(4), &rest("4"));
    bench.file(
        "before.csv",
        "arm,split,seed,score\nhigh,3,1,0.71\nlow,4,2,0.6\n",
    );
    bench.fiesta(&["run", "study.toml"]).says(
        code::USAGE,
        &[
            "study.toml:8: before.csv:3: the row is on split 4",
            "0 to 3",
        ],
    );
    bench.file(
        "before.csv",
        "arm,split,seed,score\nhigh,3,1,0.71\nlow,2,2,0.6\n",
    );
    bench.fiesta(&["run", "study.toml"]).says(code::SHORT, &[]);
    let (_, status) = bench.json(&["status", "study.toml"]);
    for name in ["low", "high"] {
        assert_eq!(arm(&status, name)["evaluations"], 4);
    }
    // Where each is for one evaluation, it must be known which are used.
    let bench = Bench::with_job(&job(4), &rest("{ kind = \"independent\", count = 4 }"));
    bench.file("before.csv", "arm,score\nhigh,0.71\n");
    bench
        .fiesta(&["run", "study.toml"])
        .says(code::USAGE, &["before.csv:2: the row names no split"]);
}

#[test]
fn a_check_and_a_random_search_know_of_them() {
    let bench = Bench::with_job(&job(4), &format!("{SURE}[design]\nsplits = 4\n{TWO}"));
    let (code, trials) = bench.json(&["run", "study.toml", "--check"]);
    assert_eq!(
        (code, &trials["most_evaluations"]),
        (Some(code::DONE), &8.into())
    );

    let rest = format!("[goal]\ntrials = 9\n[design]\nsplits = 4\n{TWO}");
    let bench = Bench::with_job(&job(4), &rest);
    let ran = bench.fiesta(&["run", "study.toml"]);
    ran.says(
        code::SHORT,
        &["every split was used before every arm had its trials"],
    );
    assert!(
        ran.stdout
            .contains("With every split that there is used, before"),
        "{ran:#?}"
    );
    assert_eq!(bench.log("log").len(), 8);
    bench.edit("study.toml", "splits = 4", "splits = 9");
    bench.edit("job.sh", "-ge 4", "-ge 9");
    bench
        .fiesta(&["run", "study.toml", "--accept-changes"])
        .says(code::DONE, &[]);
    assert_eq!(bench.log("log").len(), 18);
}

/// Tests that the check names what ends the study first: its splits, or the cap.
#[test]
fn a_check_says_what_ends_first() {
    let score = "printf '{\"accuracy\": 0.5}\\n'";
    let check = |rest: &str| {
        let bench = Bench::with_job(score, rest);
        bench.fiesta(&["run", "study.toml", "--check"]).stdout
    };
    let arms = "arm = [{ name = \"a\" }, { name = \"b\" }]\n";
    let few = check(&format!("{arms}design.splits = 5\n"));
    assert!(
        few.contains("; 10 evaluations, when all splits are used up"),
        "{few}"
    );
    assert!(!few.contains("cap") && !few.contains("200"), "{few}");
    let many = check(&format!("{arms}design.splits = 500\n"));
    assert!(
        many.contains("; 200 evaluations (the default cap"),
        "{many}"
    );
    assert!(!many.contains("used up"), "{many}");
    let budget = check(&format!(
        "{arms}design.splits = 5\ngoal.budget.evaluations = 8\n"
    ));
    assert!(
        budget.contains("8 evaluations") && !budget.contains("used up"),
        "{budget}"
    );
    let each = check(&format!(
        "{arms}design.splits = {{ kind = \"independent\", count = 7 }}\n"
    ));
    assert!(each.contains("; 7 evaluations, when all splits"), "{each}");
}

/// Tests that arms that cannot be the best are evaluated no more, once the best two have used up
/// their splits. Other seeds on the same splits let the study go on, and the verdict then says that
/// it is about these splits.
#[test]
fn arms_that_cannot_be_the_best_are_let_alone_and_splits_are_used_again() {
    // a and b are equal, c is far away.
    let job = "echo $1 $2 $3 >> log\ncase $1 in a | b) s=800 ;; *) s=300 ;; esac\nprintf '{\"accuracy\": 0.%03d}\\n' $((s + $2 * 7 % 13 + $3 % 29))\n";
    let arms = "[[arm]]\nname = \"a\"\n[[arm]]\nname = \"b\"\n[[arm]]\nname = \"c\"\n";
    let rest =
        format!("[goal]\nconfidence = 0.95\ntie = 0\n[design]\nsplits = 10\nseed = 1\n{arms}");
    let bench = Bench::with_job(job, &rest);
    let ran = bench.fiesta(&["run", "study.toml"]);
    ran.says(code::SHORT, &["every split was used", "repeats = true"]);
    let of = |name: &str| {
        bench
            .log("log")
            .iter()
            .filter(|line| line[0] == name)
            .count()
    };
    assert_eq!((of("a"), of("b")), (10, 10));
    assert!(of("c") < 5, "{}", of("c"));
    assert!(ran.stdout.contains("they share training data"), "{ran:#?}");
    assert!(
        !ran.stdout.contains("nothing more can be learnt"),
        "{ran:#?}"
    );
    let (_, page) = bench.report(&["study.toml"]);
    assert!(page.contains("they share training data"));

    bench.edit("study.toml", "splits = 10", "splits = 10\nrepeats = true");
    bench.edit(
        "study.toml",
        "tie = 0",
        "budget = { evaluations = 60 }\ntie = 0",
    );
    bench
        .fiesta(&["run", "study.toml"])
        .says(code::CHANGED, &["extends the study"]);
    let (exit, status) = bench.json(&["run", "study.toml", "--accept-changes"]);
    assert!(
        exit == Some(code::DONE) || exit == Some(code::SHORT),
        "{status}"
    );
    let log = bench.log("log");
    let seeds = |name: &str, split: &str| {
        let made = log
            .iter()
            .filter(|line| line[0] == name && line[1] == split);
        made.map(|line| line[2].clone()).collect::<Vec<_>>()
    };
    assert!(log.len() > 25 && log.iter().all(|line| line[1].parse::<u32>().unwrap() < 10));
    let again = seeds("a", "0");
    assert!(again.len() >= 2 && again[0] != again[1], "{again:?}");
    let sentence = status["conclusion"]["sentence"].as_str().unwrap();
    assert!(
        sentence.contains("on 10 shared splits") && sentence.contains("of these 10 splits"),
        "{sentence}"
    );
    let exported = bench.fiesta(&["export", "study.toml"]).stdout;
    let splits: std::collections::BTreeSet<&str> = exported
        .lines()
        .skip(1)
        .map(|line| line.split(',').nth(2).unwrap())
        .collect();
    assert_eq!(splits.len(), 10);
    // Which split an evaluation was on follows from their number.
    bench.edit("study.toml", "splits = 10", "splits = 20");
    bench
        .fiesta(&["run", "study.toml", "--accept-changes"])
        .says(code::CHANGED, &["another study"]);
    assert_eq!(replays(&bench), 2);
}
