//! Tests of failures behind which bad scores may be hidden: whatever a study is of and whatever ended
//! it, an arm whose bad runs fail is not named with exit code 0.

use super::{Bench, changes::replays, code};
use std::fmt::Write;

/// Job whose scores go up and down around .60 for `wild`, and around .62 for `steady`; those of `wild`
/// that are below .62 fail.
const JOB: &str = r#"
case $1 in wild) at=600 far=80 ;; *) at=620 far=8 ;; esac
score=$((at + far * ($2 * 7 % 11 - 5) / 5))
[ $1 = wild ] && [ $score -lt 620 ] && [ ! -e mended ] && { echo "out of memory" >&2; exit 1; }
echo "{\"accuracy\": 0.$score}"
"#;

const ARMS: &str = "[[arm]]\nname = \"steady\"\n[[arm]]\nname = \"wild\"\n";

/// Advice of every study whose failures may decide.
const ADVICE: &str = "`fiesta run study.toml --retry wild` makes again what failed of wild";

/// Tests that an arm whose bad runs fail is not named with exit code 0, and that its failures are
/// made again once the cause is mended: with their scores another arm is the best.
#[test]
fn an_arm_whose_bad_runs_fail_is_no_winner() {
    let bench = Bench::with_job(JOB, ARMS);
    let ran = bench.fiesta(&["run", "study.toml"]);
    ran.says(code::SHORT, &[ADVICE]);
    for part in [
        "wild leads 2 arms by accuracy among the evaluations that did not fail",
        "had they scored below 0.5953 on average, steady would be ahead",
        "no level is promised",
    ] {
        assert!(ran.stdout.contains(part), "{ran:#?}");
    }
    let (_, status) = bench.json(&["status", "study.toml"]);
    assert_eq!(status["conclusion"]["verdict"], "open", "{status}");
    assert!(status["advice"].as_str().unwrap().contains(ADVICE));
    bench
        .fiesta(&["run", "study.toml", "--retry", "steady"])
        .says(
            code::USAGE,
            &["nothing of this arm can be made again; arms with failed evaluations that can be made again: wild"],
        );
    bench.file("mended", "");
    let ran = bench.fiesta(&["run", "study.toml", "--retry", "wild"]);
    ran.says(
        code::DONE,
        &["earlier failures not held against them: wild"],
    );
    assert!(!ran.stdout.contains("failed and count"), "{ran:#?}");
    let (_, status) = bench.json(&["status", "study.toml"]);
    let conclusion = &status["conclusion"];
    assert_eq!(conclusion["verdict"], "best", "{status}");
    assert_eq!(conclusion["arm"], "steady", "{status}");
    assert_eq!(status["arms"][1]["evaluations"], 21, "{status}");
    assert_eq!(replays(&bench), 2);
}

/// Tests that a budget, a schedule or a tie ends no study with exit code 0 either.
#[test]
fn whatever_ends_the_study() {
    let of_policy = |name: &str| {
        let goal = "goal = { budget = { evaluations = 60 } }";
        let design = format!("design = {{ policy = \"{name}\" }}\n");
        (
            JOB.to_owned(),
            format!("{goal}\n{design}"),
            "steady would be ahead.",
        )
    };
    let near = JOB
        .replace("at=600", "at=560")
        .replace("-lt 620", "-lt 570")
        .replace("at=620 far=8 ", "at=605 far=20 ");
    let tie = "goal = { tie = 0.05 }\n".to_owned();
    for (job, goal, words) in [
        of_policy("ttps"),
        of_policy("uniform"),
        of_policy("sequential-halving"),
        of_policy("successive-rejects"),
        (near, tie, "steady would be ahead by more than 0.05."),
    ] {
        let bench = Bench::with_job(&job, &format!("{goal}{ARMS}"));
        let ran = bench.fiesta(&["run", "study.toml"]);
        ran.says(
            code::SHORT,
            &["what failed of wild may decide otherwise", ADVICE],
        );
        for part in ["evaluations of wild failed and count for nothing", words] {
            assert!(ran.stdout.contains(part), "{goal}: {ran:#?}");
        }
        let text = bench.fiesta(&["status", "study.toml"]).stdout;
        assert!(text.contains(ADVICE), "{text}");
        let (stdout, _) = bench.report(&["study.toml"]);
        assert!(stdout.contains(words), "{stdout}");
    }
}

/// Tests that failures are not forgotten by a retry that has no budget to make them again.
#[test]
fn a_retry_needs_a_budget() {
    let goal = "goal = { budget = { evaluations = 40 } }\n";
    let bench = Bench::with_job(JOB, &format!("{goal}{ARMS}"));
    let advice = "makes again what failed of wild, with a larger budget under [goal]";
    bench
        .fiesta(&["run", "study.toml"])
        .says(code::SHORT, &[advice]);
    bench.file("mended", "");
    let retry = ["run", "study.toml", "--retry", "wild"];
    bench
        .fiesta(&retry)
        .says(code::USAGE, &["the budget under [goal] is spent"]);
    // One evaluation more is made again, and the others still count as failed.
    for (most, exit) in [("41", code::SHORT), ("80", code::DONE)] {
        let text = bench.text("study.toml");
        let (before, rest) = text.split_once("evaluations = ").unwrap();
        let rest = rest.split_once(' ').unwrap().1;
        bench.file(
            "study.toml",
            &format!("{before}evaluations = {most} {rest}"),
        );
        let ran = bench.fiesta(&["run", "study.toml", "--retry", "all", "--accept-changes"]);
        assert_eq!(ran.code, Some(exit), "{ran:#?}");
    }
    let (_, status) = bench.json(&["status", "study.toml"]);
    assert_eq!(status["leader"], "steady", "{status}");
}

/// Tests that failures that were made before the study count as those of the study.
#[test]
fn failures_in_recorded_files() {
    let mut rows = "arm,split,score,status\n".to_owned();
    for split in 0..16 {
        let far = (split * 7) % 11 - 5;
        let (steady, wild) = (620 + 8 * far / 5, 600 + 16 * far);
        writeln!(rows, "steady,{split},0.{steady},ok").unwrap();
        match wild {
            620.. => writeln!(rows, "wild,{split},0.{wild},ok"),
            _ => writeln!(rows, "wild,{split},,failed"),
        }
        .unwrap();
    }
    let recorded = "[[recorded]]\nfile = \"earlier.csv\"\n";
    let bench = Bench::with_job(
        "exit 9",
        &format!("design = {{ stopping = \"posterior-at-once\" }}\n{recorded}{ARMS}"),
    );
    bench.file("earlier.csv", &rows);
    let words = "10 of the 16 evaluations of wild failed and count for nothing: had they scored below 0.5985 on average, steady would be ahead.";
    let ran = bench.fiesta(&["run", "study.toml"]);
    ran.says(code::SHORT, &["write it into the file of [[recorded]]"]);
    assert!(ran.stdout.contains(words), "{ran:#?}");
    // The study cannot make them again.
    assert!(!ran.stderr.contains("--retry"), "{ran:#?}");
    bench
        .fiesta(&["run", "study.toml", "--retry", "wild"])
        .says(
            code::USAGE,
            &["has failed evaluations that can be made again"],
        );
    // Files that are read by themselves say it, too, where failures are left out.
    for verb in ["belief", "compare"] {
        let flags = ["earlier.csv", "--direction", "maximize", "--failed", "drop"];
        let ran = bench.fiesta(&[&[verb], &flags[..]].concat());
        ran.says(code::DONE, &["they are left out. ", words]);
    }
    let (stdout, _) = bench.report(&["earlier.csv", "--direction", "maximize"]);
    assert!(stdout.contains(words), "{stdout}");
}

/// Tests that documents that fail where an arm finds little may decide which F-measure is the highest,
/// that of all counts or the mean of the documents'.
#[test]
fn failures_of_documents() {
    let job = r#"
n=$(sed 's/.*"n": //; s/}//' "$2")
far=$((${3#d} * 7 % 11))
case $1 in wild) missed=$((n * far / 16)) ;; *) missed=$(((n + 2) / 4)) ;; esac
[ $1 = wild ] && [ $far -gt 5 ] && { echo "too long" >&2; exit 1; }
echo "{\"tp\": $((n - missed)), \"fp\": $missed, \"fn\": $missed}"
"#;
    for (posterior, words) in [
        ("f-measure", " all together, steady"),
        ("paired", " on average, steady"),
    ] {
        let bench = Bench::new();
        bench.file("count.sh", job);
        let line = |number: usize| format!("{{\"id\": \"d{number}\", \"n\": 1{}}}\n", number % 10);
        bench.file("docs.jsonl", &(0..60).map(line).collect::<String>());
        bench.file(
            "study.toml",
            &format!(
                "name = \"trial\"\ncommand = [\"sh\", \"count.sh\", \"{{arm}}\", \"{{document}}\", \"{{document_id}}\"]\n[design]\ndocuments = \"docs.jsonl\"\nseed = 3\nposterior = \"{posterior}\"\n{ARMS}"
            ),
        );
        let ran = bench.fiesta(&["run", "study.toml"]);
        ran.says(code::SHORT, &[ADVICE]);
        assert!(ran.stdout.contains(words), "{ran:#?}");
    }
}

/// Tests that answers that fail on one benchmark may decide which weighted mean is the highest.
#[test]
fn failures_on_a_benchmark() {
    let bench = Bench::new();
    bench.file(
        "answer.sh",
        r#"
n=$(sed 's/.*"n": *"*//; s/[^0-9].*//' "$FIESTA_ITEM")
case $1/$2 in
  wild/large/*) right=$((n % 5 < 3)) ;;
  wild/*) right=$((n % 5 < 2)) ;;
  *) right=$(((n / 5 + n) % 5 < 3)) ;;
esac
case $1/$right/$2 in wild/0/small/*) [ $((n % 4)) = 0 ] || { echo "timed out" >&2; exit 1; } ;; esac
echo "{\"accuracy\": $right}"
"#,
    );
    for (name, count) in [("large", 300), ("small", 120)] {
        let line = |number: usize| format!("{{\"id\": \"q{number}\", \"n\": {number}}}\n");
        bench.file(
            &format!("{name}.jsonl"),
            &(0..count).map(line).collect::<String>(),
        );
    }
    let benchmark = |name: &str, weight: u32| {
        format!("[[benchmark]]\nname = \"{name}\"\nitems = \"{name}.jsonl\"\nweight = {weight}\n")
    };
    bench.file(
        "study.toml",
        &format!(
            "name = \"trial\"\ncommand = [\"sh\", \"answer.sh\", \"{{arm}}\", \"{{item}}\"]\n[metric]\nname = \"accuracy\"\n{}{}{ARMS}",
            benchmark("large", 1),
            benchmark("small", 3)
        ),
    );
    let ran = bench.fiesta(&["run", "study.toml"]);
    ran.says(code::SHORT, &[ADVICE]);
    let words = "evaluations of wild on small failed and count for nothing: had they scored below ";
    assert!(ran.stdout.contains(words), "{ran:#?}");
}

/// Tests that a gate does not let an arm pass whose bad runs fail: they count as the worst score.
#[test]
fn failures_in_a_gate() {
    let rest = format!("goal = {{ baseline = \"steady\", margin = 0.1 }}\n{ARMS}");
    let bench = Bench::with_job(JOB, &rest);
    bench.edit(
        "study.toml",
        "name = \"accuracy\"",
        "name = \"accuracy\"\nbounds = [0, 1]",
    );
    bench
        .fiesta(&["gate", "study.toml"])
        .says(code::BLOCKED, &[]);
}
