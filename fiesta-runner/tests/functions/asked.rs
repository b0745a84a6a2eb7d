//! A policy that is a command: asked, killed with its controller, and started again.

use super::{
    bench::Bench,
    own::{decided, run_it, started},
    support::eventually,
};
use std::{fs, path::Path, time::Duration};

const ASKED: &str = r#"
goal.budget.evaluations = 60
design.policy = { command = ["python3", "policy.py"], timeout = "20s" }"#;

/// Policy in Python that logs each question and its own pid, and chooses by the seed.
const POLICY: &str = r#"
import json, os, sys
with open("pid", "w") as pid:
    pid.write(str(os.getpid()))
for number, line in enumerate(sys.stdin):
    with open("questions", "a") as questions:
        questions.write(line)
    question = json.loads(line)
    arms = [arm for arm in question["arms"] if arm["candidate"]]
    answer = {"arm": arms[question["seed"] % len(arms)]["name"]}
    BEFORE
    print(json.dumps(answer), flush=True)
"#;

fn bench(before: &str) -> Bench {
    let bench = Bench::new(ASKED);
    let policy = POLICY.replace("BEFORE", before);
    fs::write(bench.path("policy.py"), policy).unwrap();
    bench
}

fn lines(path: &Path) -> usize {
    fs::read_to_string(path).map_or(0, |text| text.lines().count())
}

fn is_gone(pid: &str) -> bool {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat"));
    stat.map_or(true, |stat| stat.contains(" Z "))
}

#[test]
fn a_study_that_is_killed_goes_on_by_the_policy_that_is_asked() {
    let whole = bench("pass");
    let undisturbed = run_it(&whole.study()).0.unwrap();
    let by_itself = decided(&undisturbed.history);
    assert_eq!(by_itself.len(), 60);
    let questions = lines(&whole.path("questions"));
    assert!((40..60).contains(&questions), "{questions}");
    let pid = fs::read_to_string(whole.path("pid")).unwrap();
    assert!(is_gone(&pid), "the policy outlived its session");

    let bench = bench("pass");
    let mut program = started(&bench);
    let path = bench.path("calls");
    eventually("half of the calls are made", || lines(&path) >= 25);
    program.kill().unwrap();
    program.wait().unwrap();
    let pid = fs::read_to_string(bench.path("pid")).unwrap();
    eventually("the policy ends with its controller", || is_gone(&pid));

    let path = bench.path("policy.py");
    let policy = fs::read_to_string(&path).unwrap();
    fs::write(&path, policy.replace("% len", "// 7 % len")).unwrap();
    let refused = run_it(&bench.study()).0.unwrap_err().to_string();
    assert!(
        refused.contains("design.policy.files.policy.py: ") && refused.contains("another study"),
        "{refused}"
    );
    fs::write(&path, policy).unwrap();

    let finished = run_it(&bench.study()).0.unwrap();
    assert_eq!(decided(&finished.history), by_itself);
    // One more at most: a choice that was not recorded yet.
    let asked = lines(&bench.path("questions"));
    assert!((questions..=questions + 1).contains(&asked), "{asked}");
}

#[test]
fn a_policy_that_ends_is_started_again_and_asked_the_same() {
    let whole = run_it(&bench("pass").study()).0.unwrap();
    let ending = bench("if number == 6: sys.exit(1)");
    let finished = run_it(&ending.study()).0.unwrap();
    assert_eq!(decided(&finished.history), decided(&whole.history));

    let dying = bench("raise ValueError('no idea')");
    let refused = run_it(&dying.study()).0.unwrap_err().to_string();
    let words =
        "the policy `python3 policy.py` ended 3 times before it had answered: ValueError: no idea";
    assert!(refused.contains(words), "{refused}");
    // Mended, another policy it is: what was evaluated belongs to the first.
    assert_eq!(lines(&dying.path("questions")), 3);
}

#[test]
fn answers_that_are_none_are_told_with_the_line() {
    for (before, words) in [
        (
            "answer = {'arm': 'best'}",
            "answered {\"arm\": \"best\"}: `best` is no arm to choose now; these are: poor, fair, good",
        ),
        (
            "answer = {'arm': 'good', 'item': 'x'}",
            "there is no item `x`",
        ),
        (
            "answer = {'wait': True}",
            "nothing runs that it could wait for",
        ),
        ("answer = {'stop': 'enough'}", "write {\"arm\": NAME}"),
        ("answer = {}", "one of `arm` and `wait` is needed"),
        ("print('hello')", "answered hello: "),
    ] {
        let refused = run_it(&bench(before).study()).0.unwrap_err().to_string();
        assert!(refused.contains(words), "{refused}");
    }
    let slow = Bench::new(&ASKED.replace("20s", "300ms"));
    let policy = POLICY.replace("BEFORE", "import time; time.sleep(60)");
    fs::write(slow.path("policy.py"), policy).unwrap();
    let began = std::time::Instant::now();
    let refused = run_it(&slow.study()).0.unwrap_err().to_string();
    assert!(
        refused.contains("took longer than 0.3 s for an answer"),
        "{refused}"
    );
    assert!(began.elapsed() < Duration::from_secs(50));
}
