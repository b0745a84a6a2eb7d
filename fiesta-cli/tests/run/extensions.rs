//! Tests of studies that are extended: larger budgets, other confidences, and arms that are added
//! or stay retired.

use super::{
    Bench, TWO, arm,
    changes::{NOISY, accepted, each_once, finished, refused, replays},
    code,
    support::until,
};
use rustix::process::Signal;

/// Tests that raising the budget later leads to the same study as the larger budget at once.
#[test]
fn a_larger_budget_goes_on_with_what_is_known() {
    // Not the default policy, which looks at costs, and those are never the same twice.
    let rest =
        |budget: &str| format!("[goal]\nbudget = {{ {budget} }}\n[design]\npolicy = \"eb-tci\"");
    let whole = finished(&rest("evaluations = 14"));
    let bench = finished(&rest("evaluations = 6"));
    assert_eq!(bench.log("log").len(), 6);
    bench.edit("study.toml", "evaluations = 6", "evaluations = 14");
    let ran = accepted(
        &bench,
        &["goal.budget.evaluations: 6 → 14 (extends the study)"],
    );
    ran.says(
        code::DONE,
        &["resuming after 6 evaluations under other terms"],
    );
    assert!(
        ran.stdout
            .contains("changed after 6 evaluations, when it had ended once."),
        "{ran:#?}"
    );
    assert_eq!(bench.log("log"), whole.log("log"));
    // The earlier conclusion stands where it stood.
    assert_eq!(replays(&bench), 2);
    bench
        .fiesta(&["run", "study.toml"])
        .says(code::DONE, &["nothing was run"]);
    let (_, status) = bench.json(&["status", "study.toml"]);
    assert_eq!(
        (
            &status["state"],
            &status["conclusion"]["reason"]["limit"]["evaluations"]
        ),
        (&"finished".into(), &14.into())
    );
    // And once more, by cost, and by time as a limit that was not there.
    bench.edit(
        "study.toml",
        "evaluations = 14",
        "evaluations = 16, wall = \"1h\"",
    );
    accepted(&bench, &["goal.budget.wall: null → \"1h\""]).says(code::DONE, &[]);
    assert_eq!(each_once(&bench).len(), 16);
    assert_eq!(replays(&bench), 3);
}

#[test]
fn a_higher_confidence_takes_up_where_a_lower_one_ended() {
    let goal = |level: &str| {
        format!(
            "[goal]\nconfidence = {level}\nbudget = {{ evaluations = 400 }}\n[design]\npolicy = \"eb-tci\"\nstopping = \"posterior-at-once\""
        )
    };
    let bench = finished(&goal("0.8"));
    let first = bench.log("log").len();
    bench.edit("study.toml", "0.8", "0.99");
    let (_, status) = bench.json(&["status", "study.toml"]);
    assert_eq!(
        (&status["state"], &status["conclusion"]),
        (&"stopped".into(), &serde_json::Value::Null)
    );
    let ran = accepted(&bench, &["goal.confidence: 0.8 → 0.99 (extends the study)"]);
    ran.says(code::DONE, &[]);
    let log = each_once(&bench);
    assert!(log.len() > first, "{first} sufficed for 0.99 as well");
    let (_, status) = bench.json(&["status", "study.toml"]);
    assert!(status["confidence"].as_f64().unwrap() >= 0.99, "{status}");
    assert_eq!(replays(&bench), 2);
    // Those are the evaluations of a study that wanted as much from the beginning.
    assert_eq!(log, finished(&goal("0.99")).log("log"));
}

#[test]
fn lower_goals_end_a_study_at_once() {
    let bench = finished("[goal]\nconfidence = 0.99\nbudget = { evaluations = 400 }");
    let log = bench.text("log");
    bench.edit("study.toml", "0.99", "0.9");
    let ran = accepted(
        &bench,
        &["goal.confidence: 0.99 → 0.9 (may end the study sooner)"],
    );
    ran.says(code::DONE, &[]);
    assert_eq!(bench.text("log"), log);
    let (_, status) = bench.json(&["status", "study.toml"]);
    let reason = &status["conclusion"]["reason"]["posterior-probability"];
    assert_eq!(reason["level"], 0.9);
    assert_eq!(replays(&bench), 2);
}

#[test]
fn a_schedule_cannot_be_given_more() {
    let rest = "[goal]\nbudget = { evaluations = 12 }\n[design]\npolicy = \"sequential-halving\"";
    let bench = finished(rest);
    bench.edit("study.toml", "evaluations = 12", "evaluations = 24");
    refused(
        &bench,
        &["12 → 24 (another study: the policy has divided the budget"],
    );
    bench.edit("study.toml", "evaluations = 24", "evaluations = 12");
    bench.edit(
        "study.toml",
        TWO,
        &format!("[[arm]]\nname = \"new\"\n{TWO}"),
    );
    refused(
        &bench,
        &["arm.new: added (another study: the policy has divided"],
    );
}

/// Tests that a schedule ended early by its confidence continues for a higher confidence.
#[test]
fn a_schedule_goes_on_where_it_was() {
    let goal = |level: &str| {
        format!(
            "[goal]\nconfidence = {level}\nbudget = {{ evaluations = 32 }}\n[design]\npolicy = \"sequential-halving\"\nstopping = \"posterior-at-once\"\n[[arm]]\nname = \"other\"\n[[arm]]\nname = \"mid\""
        )
    };
    let bench = Bench::with_job(NOISY, &format!("{}\n{TWO}", goal("0.55")));
    bench.fiesta(&["run", "study.toml"]).says(code::DONE, &[]);
    let first = bench.log("log");
    bench.edit("study.toml", "0.55", "0.999");
    accepted(&bench, &["goal.confidence: 0.55 → 0.999"]).says(code::DONE, &[]);
    let whole = Bench::with_job(NOISY, &format!("{}\n{TWO}", goal("0.999")));
    // Known with the last evaluation that the budget permits.
    whole.fiesta(&["run", "study.toml"]).says(code::DONE, &[]);
    assert!(
        first.len() < whole.log("log").len(),
        "the schedule was complete"
    );
    assert_eq!(each_once(&bench), whole.log("log"));
    assert_eq!(replays(&bench), 2);
}

#[test]
fn an_arm_is_added_to_a_finished_study() {
    let bench = finished("[goal]\nconfidence = 0.9\nbudget = { evaluations = 400 }");
    let before = bench.log("log");
    let (_, status) = bench.json(&["status", "study.toml"]);
    let of_high = arm(&status, "high")["evaluations"].clone();
    // Before the others: the ledger knows arms by their names.
    bench.edit(
        "study.toml",
        TWO,
        &format!("[[arm]]\nname = \"new\"\n{TWO}"),
    );
    let (_, status) = bench.json(&["status", "study.toml"]);
    assert_eq!(status["state"], "stopped");
    assert_eq!(arm(&status, "new")["evaluations"], 0);
    assert_eq!(arm(&status, "high")["evaluations"], of_high);
    bench.fiesta(&["curve", "study.toml"]).says(code::DONE, &[]);
    let ran = accepted(&bench, &["arm.new: added (extends the study)"]);
    ran.says(code::DONE, &[]);
    let said = format!(
        "Added: new after {} evaluations, when it had ended once.",
        before.len()
    );
    assert!(ran.stdout.contains("new is the best of 3 arms"), "{ran:#?}");
    assert!(ran.stdout.contains(&said), "{ran:#?}");
    // Nothing again, and the new arm on the splits of the others, from the first.
    let log = each_once(&bench);
    assert_eq!(log[..before.len()], before);
    let splits = |name: &str| -> Vec<u64> {
        let of = log.iter().filter(|line| line[0] == name);
        of.map(|line| line[1].parse().unwrap()).collect()
    };
    for name in ["new", "low", "high"] {
        let splits = splits(name);
        let expected: Vec<u64> = (0..splits.len() as u64).collect();
        assert_eq!(splits, expected, "{name}");
    }
    assert!(log.len() < before.len() + 30, "{} evaluations", log.len());
    let (_, status) = bench.json(&["status", "study.toml"]);
    let new = arm(&status, "new");
    assert_eq!(new["evaluations"], splits("new").len());
    assert!(new["probability_best"].as_f64().unwrap() > 0.9);
    assert_eq!(replays(&bench), 2);
    // The order of the file says nothing.
    let again = "[[arm]]\nname = \"new\"\n";
    bench.edit("study.toml", again, "");
    bench.edit("study.toml", TWO, &format!("{TWO}{again}"));
    let ran = bench.fiesta(&["run", "study.toml"]);
    ran.says(code::DONE, &["nothing was run"]);
    let rows = bench.fiesta(&["export", "study.toml"]).stdout;
    assert_eq!(rows.lines().count(), log.len() + 1);
    let row = format!(",new,0,{}", log[before.len()][2]);
    assert!(rows.contains(&row), "{row} in {rows}");
    bench
        .fiesta(&["report", "study.toml", "--formats", "svg"])
        .says(code::DONE, &[]);
}

/// Tests that an added arm queries the other arms' documents in the same order.
#[test]
fn an_arm_is_added_to_a_study_of_documents() {
    let bench = Bench::new();
    let job = "echo $1 $2 >> log\necho '{\"tp\": 7, \"fp\": 2, \"fn\": 3}'\n";
    bench.file("job.sh", job);
    let line = |number: usize| format!("{{\"id\": \"d{number}\"}}\n");
    bench.file("docs.jsonl", &(0..40).map(line).collect::<String>());
    let study = format!(
        "name = \"trial\"\ncommand = [\"sh\", \"job.sh\", \"{{arm}}\", \"{{document_id}}\"]\n[goal]\nbudget = {{ evaluations = 8 }}\n[design]\ndocuments = \"docs.jsonl\"\npolicy = \"uniform\"\n{TWO}"
    );
    bench.file("study.toml", &study);
    bench.fiesta(&["run", "study.toml"]).says(code::DONE, &[]);
    bench.edit(
        "study.toml",
        TWO,
        &format!("[[arm]]\nname = \"new\"\n{TWO}"),
    );
    bench.edit("study.toml", "evaluations = 8", "evaluations = 12");
    bench
        .fiesta(&["run", "study.toml", "--accept-changes"])
        .says(code::DONE, &[]);
    let log = each_once(&bench);
    let of = |name: &str| -> Vec<&str> {
        let of = log.iter().filter(|line| line[0] == name);
        of.map(|line| line[1].as_str()).collect()
    };
    assert_eq!(of("new"), of("low"));
    assert_eq!(of("high"), of("low"));
    assert_eq!(of("new").len(), 4);
    assert_eq!(replays(&bench), 2);
}

/// Tests that arms are added twice to a study whose controller was killed with jobs running.
#[test]
fn arms_are_added_to_a_study_that_was_killed() {
    let job = format!("{NOISY}\n[ -e quick ] || sleep 0.15\n");
    let rest = format!("[goal]\nbudget = {{ evaluations = 24 }}\n[design]\nparallel = 3\n{TWO}");
    let bench = Bench::with_job(&job, &rest);
    let mut log = 0;
    for number in 0..2 {
        let running = bench.start(&["run", "study.toml", "--accept-changes"]);
        until("jobs are in flight", || bench.log("log").len() > log + 4);
        running.signal(Signal::KILL);
        running.wait();
        log = bench.log("log").len();
        let text = bench.text("study.toml");
        let more = format!("[[arm]]\nname = \"new{number}\"\n[[arm]]\nname = \"low\"\n");
        bench.file(
            "study.toml",
            &text.replace("[[arm]]\nname = \"low\"\n", &more),
        );
    }
    bench.file("quick", "");
    let ran = bench.fiesta(&["run", "study.toml", "--accept-changes"]);
    ran.says(code::DONE, &["resuming after"]);
    assert_eq!(each_once(&bench).len(), 24);
    assert_eq!(replays(&bench), 1);
    let (_, status) = bench.json(&["status", "study.toml"]);
    for name in ["low", "high", "new0", "new1"] {
        let made = bench.log("log");
        let made = made.iter().filter(|line| line[0] == name).count();
        assert_eq!(arm(&status, name)["evaluations"], made, "{name}");
    }
}

#[test]
fn what_anytime_promised_is_kept() {
    let rest = "[goal]\nconfidence = 0.9\nbudget = { evaluations = 400 }\n[design]\nstopping = \"anytime\"";
    let bench = finished(rest);
    bench.edit(
        "study.toml",
        TWO,
        &format!("{TWO}[[arm]]\nname = \"new\"\n"),
    );
    refused(
        &bench,
        &["arm.new: added (another study: the rate of errors"],
    );
    bench.edit(
        "study.toml",
        &format!("{TWO}[[arm]]\nname = \"new\"\n"),
        TWO,
    );
    bench.edit("study.toml", "0.9\n", "0.8\n");
    refused(
        &bench,
        &["goal.confidence: 0.9 → 0.8 (another study: the rate of errors"],
    );
    bench.edit("study.toml", "0.8\n", "0.95\n");
    accepted(&bench, &["goal.confidence: 0.9 → 0.95 (extends the study)"]).says(code::DONE, &[]);
    assert_eq!(replays(&bench), 2);
}

/// Tests that neither resuming nor extending a study brings a retired arm back; only `--retry`
/// does.
#[test]
fn a_retired_arm_stays_retired() {
    let job = format!("echo $1 >> tried\n[ $1 = broken ] && exit 9\n{NOISY}");
    let rest =
        format!("[goal]\nbudget = {{ evaluations = 10 }}\n{TWO}[[arm]]\nname = \"broken\"\n");
    let bench = Bench::with_job(&job, &rest);
    bench
        .fiesta(&["run", "study.toml"])
        .says(code::ARM_FAILED, &["broken", "exit code 9"]);
    bench.edit("study.toml", "evaluations = 10", "evaluations = 20");
    accepted(&bench, &["10 → 20 (extends the study)"]).says(code::ARM_FAILED, &[]);
    bench.edit(
        "study.toml",
        TWO,
        &format!("[[arm]]\nname = \"new\"\n{TWO}"),
    );
    bench.edit("study.toml", "evaluations = 20", "evaluations = 24");
    accepted(&bench, &["arm.new: added"]).says(code::ARM_FAILED, &[]);
    assert_eq!(bench.text("tried").matches("broken").count(), 3);
    assert_eq!(bench.text("tried").lines().count(), 24);
    let (_, status) = bench.json(&["status", "study.toml"]);
    assert_eq!(arm(&status, "broken")["retired"], true);
    assert_eq!(replays(&bench), 3);
}
