//! Tests of the live page of studies that have not begun, run, end, change or are moved.

use super::{
    code,
    page::Page,
    support::{Bench, STUDY, until},
};
use rustix::process::Signal;
use std::{fs, time::Duration};

const SOON: Duration = Duration::from_secs(20);

/// Makes a study whose jobs print, and then wait for a file.
fn waiting() -> Bench {
    let job = "echo begun $1; echo oops >&2; until [ -e go ]; do sleep 0.05; done\n\
               case $1 in high) b=7 ;; *) b=6 ;; esac; printf '{\"accuracy\": 0.%d%02d}\\n' $b $(($3 % 97))\n";
    let rest = "[goal]\nconfidence = 0.95\nbudget = { evaluations = 60 }\n[design]\nparallel = 2\nseed = 1\n\
                [resources]\ntimeout = \"1m\"\n[[arm]]\nname = \"low\"\n[[arm]]\nname = \"high\"\n";
    Bench::with_job(job, rest)
}

#[test]
fn a_study_is_followed_from_before_its_beginning_to_its_end() {
    let bench = waiting();
    let page = Page::of(&bench, &["study.toml"]);
    let first = page.get("");
    assert!(first.body.contains("not begun"), "{}", first.body);
    assert!(
        first.body.contains("`fiesta run study.toml` begins it"),
        "{}",
        first.body
    );
    let mut events = page.events();
    assert!(events.next_with("not begun", SOON).is_some());
    let run = bench.start(&["run", "--quiet", "study.toml"]);
    let event = events
        .next_with("trial-0-a0", SOON)
        .expect("what runs is shown");
    assert!(event.contains("2 jobs at a time"), "{event}");
    // What a job prints, while it runs.
    until("the output of what runs is shown", || {
        let body = page.get("").body;
        body.contains("begun low\n") && body.contains("oops\n") && body.contains("running")
    });
    bench.file("go", "");
    let event = events.next_with("is the best of 2 arms", SOON);
    assert!(event.is_some(), "the end is shown");
    let body = page.get("").body;
    for words in ["Belief over", "<svg", "The sentence to quote"] {
        assert!(body.contains(words), "{words}: {body}");
    }
    until("the study is said to have finished", || {
        page.get("").body.contains("finished")
    });
    let ran = run.wait();
    assert_eq!(ran.code, Some(code::DONE), "{ran:?}");
    // The words and numbers are those of the status.
    let status = bench.fiesta(&["status", "study.toml"]).stdout;
    let sentence = status
        .lines()
        .find(|line| line.starts_with("With "))
        .unwrap();
    let shown = page.get("").body;
    let escaped = sentence.replace('<', "&lt;").replace('>', "&gt;");
    assert!(shown.contains(&escaped), "{sentence} in {shown}");
    page.end();
}

#[test]
fn several_studies_are_on_one_page_with_their_states() {
    let bench = Bench::with_study(STUDY);
    bench.file("later.toml", &STUDY.replace("trial", "later"));
    let failing = STUDY
        .replace("trial", "failing")
        .replace("\"sh\", \"score.sh\"", "\"sh\", \"missing.sh\"");
    bench.file("failing.toml", &failing);
    assert_eq!(
        bench.fiesta(&["run", "--quiet", "study.toml"]).code,
        Some(code::DONE)
    );
    assert_eq!(
        bench.fiesta(&["run", "--quiet", "failing.toml"]).code,
        Some(code::ARM_FAILED)
    );
    let page = Page::of(&bench, &["study.toml", "later.toml", "failing.toml"]);
    let body = page.get("").body;
    assert!(body.contains("3 studies"), "{body}");
    for (part, words) in [
        ("s0", "finished"),
        ("s1", "not begun"),
        ("s2", "stopped, as every arm failed"),
    ] {
        let head = format!("id=\"{part}-head\"");
        let at = body
            .find(&head)
            .unwrap_or_else(|| panic!("{head} in {body}"));
        assert!(
            body[at..at + 1_000].contains(words),
            "{words}: {}",
            &body[at..at + 1_000]
        );
    }
    // Why it failed, and what to do.
    assert!(body.contains("missing.sh"), "{body}");
    assert!(body.contains("once the cause is mended"), "{body}");
    page.end();
}

#[test]
fn names_of_arms_and_outputs_are_text() {
    let evil = "<img src=x onerror=alert(1)>";
    let study = STUDY.replace("name = \"low\"", &format!("name = '{evil}'"));
    let bench = Bench::with_study(&study);
    bench.file(
        "score.sh",
        "echo '</pre><script>alert(2)</script>'; printf '{\"accuracy\": 0.%02d}\\n' $(($3 % 97))\n",
    );
    bench.fiesta(&["run", "--quiet", "study.toml"]);
    let page = Page::of(&bench, &["study.toml"]);
    let body = page.get("").body;
    assert!(body.contains("&lt;img src=x"), "{body}");
    assert!(body.contains("&lt;script&gt;alert(2)"), "{body}");
    assert!(
        !body.contains("<img") && !body.contains("<script>"),
        "{body}"
    );
    page.end();
}

#[test]
fn a_study_that_is_moved_begun_anew_or_edited_is_said_to_be() {
    let bench = Bench::with_study(STUDY);
    assert_eq!(
        bench.fiesta(&["run", "--quiet", "study.toml"]).code,
        Some(code::DONE)
    );
    let page = Page::of(&bench, &["study.toml"]);
    let mut events = page.events();
    assert!(events.next_with("is the best of 2 arms", SOON).is_some());

    fs::rename(bench.path("study.fiesta"), bench.path("away")).unwrap();
    let event = events.next_with("s0-head", SOON).expect("it is said");
    assert!(event.contains("was moved or removed"), "{event}");
    // What it came to can still be seen.
    assert!(page.get("").body.contains("is the best of 2 arms"));

    // Another study in its place, with another seed.
    bench.edit("study.toml", "seed = 1", "seed = 2");
    bench.edit("study.toml", "evaluations = 40", "evaluations = 4");
    assert_eq!(
        bench.fiesta(&["run", "--quiet", "study.toml"]).code,
        Some(code::SHORT)
    );
    let event = events
        .next_with("s0-answer", SOON)
        .expect("the new one is shown");
    assert!(!event.contains("was moved"), "{event}");
    until("four evaluations are shown", || {
        page.get("").body.contains("of at most 4")
    });

    bench.edit("study.toml", "name = \"trial\"", "name = ");
    let event = events.next_with("s0-head", SOON).expect("it is said");
    assert!(
        event.contains("cannot be read, so that this goes by what it was"),
        "{event}"
    );
    fs::rename(bench.path("study.toml"), bench.path("elsewhere.toml")).unwrap();
    let event = events.next_with("s0-head", SOON).expect("it is said");
    assert!(event.contains("cannot be read any more"), "{event}");
    page.end();
}

#[test]
fn slips_are_refused_at_once() {
    let bench = Bench::with_study(STUDY);
    bench
        .fiesta(&["watch", "missing.toml"])
        .says(code::USAGE, &["missing.toml"]);
    let elsewhere = Bench::new();
    let unnamed = elsewhere.fiesta(&["watch"]);
    unnamed.says(code::USAGE, &["there is no study.toml"]);
    let page = Page::of(&bench, &["study.toml"]);
    let port = page.port.to_string();
    bench
        .fiesta(&["watch", "study.toml", "--port", &port])
        .says(code::USAGE, &[&port, "is taken"]);
    // Also with two pages of one study, Ctrl-C ends one.
    let other = Page::of(&bench, &["study.toml"]);
    assert_ne!(other.token, page.token);
    assert!(
        page.running
            .stderr()
            .contains(&format!("ssh -N -L {port}:127.0.0.1:{port} "))
    );
    other.running.signal(Signal::TERM);
    assert_eq!(other.running.wait().code, Some(0));
    page.end();
}
