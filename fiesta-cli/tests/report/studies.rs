//! Tests of reports on studies that have ended, and on studies that have not.

use crate::support::{Bench, STUDY, code};

#[test]
fn a_study_says_how_it_ended() {
    let bench = Bench::with_study(STUDY);
    let ran = bench.fiesta(&["run", "--quiet", "study.toml"]);
    assert_eq!(ran.code, Some(code::DONE), "{ran:?}");
    let quote = ran
        .stdout
        .lines()
        .rfind(|line| line.contains("posterior probability"))
        .unwrap()
        .to_owned();
    let (stdout, page) = bench.report(&["study.toml"]);
    assert!(stdout.contains(&quote), "{stdout} lacks {quote}");
    assert!(page.contains("The probability is a degree of belief"));
    assert!(page.contains("<dt>Seed</dt><dd>1</dd>"));
    let checklist = bench.text("out/checklist.md");
    assert!(
        checklist.contains("- [x] **2** How long each approach runs on average: low: "),
        "{checklist}"
    );
    assert!(
        checklist.contains("- [ ] **3** How many parameters each model has: *missing*"),
        "{checklist}"
    );
}

#[test]
fn a_limit_is_no_confidence() {
    let bench = Bench::with_study(STUDY);
    bench.edit("study.toml", "confidence = 0.95", "confidence = 0.9999999");
    bench.edit("study.toml", "evaluations = 40", "evaluations = 9");
    let ran = bench.fiesta(&["run", "--quiet", "study.toml"]);
    assert_eq!(ran.code, Some(code::SHORT), "{ran:?}");
    let (stdout, page) = bench.report(&["study.toml"]);
    assert!(stdout.contains("a limit ended the study"), "{stdout}");
    assert!(page.contains("no level was promised"));
    assert!(page.contains("How the belief came about"));
    assert!(bench.path("out/figures/belief.svg").exists());
}

/// Tests that a study which has not ended names no best arm.
#[test]
fn a_study_that_has_not_ended_names_nobody() {
    let bench = Bench::with_study(STUDY);
    let ran = bench.fiesta(&["report", "study.toml"]);
    assert_eq!(ran.code, Some(code::USAGE), "{ran:?}");
    assert!(ran.stderr.contains("never run"), "{ran:?}");
    bench.edit(
        "study.toml",
        "budget = { evaluations = 40 }",
        "budget = { evaluations = 2 }",
    );
    bench.edit("study.toml", "confidence = 0.95\n", "");
    let _ = bench.fiesta(&["run", "--quiet", "study.toml"]);
    let (stdout, page) = bench.report(&["study.toml"]);
    assert!(
        stdout.contains("too little is known for a probability")
            || stdout.contains("before a probability"),
        "{stdout}"
    );
    assert!(page.contains("There is no P(best)"));
}

#[test]
fn documents_are_compared_by_their_counts() {
    let job = r#"
case $1 in good) fn=1 ;; *) fn=4 ;; esac
printf '{"tp": 6, "fp": %d, "tn": 20, "fn": %d}\n' $(($2 % 3)) $fn
"#;
    let bench = Bench::new();
    bench.file("job.sh", job);
    let documents = [0, 1, 2, 3, 4, 5]
        .map(|i| format!("{{\"id\": \"d{i}\"}}\n"))
        .concat();
    bench.file("docs.jsonl", &documents);
    bench.file(
        "study.toml",
        "name = \"trial\"\ncommand = [\"sh\", \"job.sh\", \"{arm}\", \"{seed}\", \"{document}\"]\n[design]\ndocuments = \"docs.jsonl\"\n[[arm]]\nname = \"good\"\n[[arm]]\nname = \"bad\"\n",
    );
    let ran = bench.fiesta(&["run", "--quiet", "study.toml"]);
    assert!(
        matches!(ran.code, Some(code::DONE | code::SHORT)),
        "{ran:?}"
    );
    let (stdout, page) = bench.report(&["study.toml"]);
    assert!(stdout.starts_with("good "), "{stdout}");
    assert!(page.contains("pooled F") && page.contains("documents"));
}
