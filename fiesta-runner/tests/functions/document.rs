//! Texts of studies of functions: which keys are refused, and which selectors the texts make.

use fiesta_core::{Ask, Event, Observation, Outcome, Selector};
use fiesta_runner::Study;
use std::{fs, path::Path};
use tempfile::TempDir;

const HEAD: &str = "name = \"x\"\nexecutor.kind = \"functions\"\n";
const ARMS: &str = "[[arm]]\nname = \"a\"\n[[arm]]\nname = \"b\"\n[[arm]]\nname = \"c\"\n";

fn refusal(text: &str) -> String {
    Study::in_memory(text, Path::new("/"))
        .unwrap_err()
        .to_string()
}

#[test]
fn keys_of_processes_are_refused_by_their_names() {
    for (text, key) in [
        ("command = [\"true\"]", "command"),
        ("worker.command = [\"true\"]", "worker"),
        ("resources.gpus_per_job = 1", "resources.gpus_per_job"),
        ("resources.timeout = \"1h\"", "resources.timeout"),
        ("resources.silence = \"1h\"", "resources.silence"),
        ("metric.exit_codes = [1]", "metric.exit_codes"),
        ("executor.gpus = [0]", "executor.gpus"),
    ] {
        let error = refusal(&format!("{HEAD}metric.name = \"accuracy\"\n{text}\n{ARMS}"));
        assert!(error.starts_with(&format!("{key}: ")), "{error}");
        assert!(error.contains("functions"), "{error}");
        assert!(error.contains("leave it out"), "{error}");
    }
    for (text, key) in [
        ("command = [\"true\"]", "command"),
        ("env = { A = \"1\" }", "env"),
        ("gpus_per_job = 1", "gpus_per_job"),
    ] {
        let error = refusal(&format!("{HEAD}metric.name = \"accuracy\"\n{ARMS}{text}\n"));
        assert!(error.starts_with(&format!("arm.2.{key}: ")), "{error}");
    }
}

#[test]
fn what_is_wrong_in_memory_is_named_by_its_key() {
    let metric = "metric.name = \"accuracy\"\n";
    for (text, beginning) in [
        (
            format!("{HEAD}{metric}design.parallel = 0\n{ARMS}"),
            "design.parallel: ",
        ),
        (
            format!("{HEAD}{metric}design.parallel = \"two\"\n{ARMS}"),
            "design.parallel: ",
        ),
        (
            format!("{HEAD}{metric}[design]\nparalel = 2\n{ARMS}"),
            "design.paralel: ",
        ),
        (
            format!("{HEAD}{metric}goal.confidence = 2\n{ARMS}"),
            "goal.confidence: ",
        ),
        (
            format!("{HEAD}{metric}design.items = [[1]]\ndesign.splits = 3\n{ARMS}"),
            "design.splits: ",
        ),
        (
            format!("{HEAD}{metric}design.items = []\n{ARMS}"),
            "design.items: ",
        ),
        (
            format!("{HEAD}{metric}design.items = 3\n{ARMS}"),
            "design.items: ",
        ),
        (format!("{HEAD}{metric}{ARMS}cost = -1\n"), "arm.2.cost: "),
        (format!("{HEAD}{metric}{ARMS}cost = true\n"), "arm.2.cost: "),
        (format!("{HEAD}{ARMS}"), "the table [metric] is missing"),
        ("name = ".to_owned(), ""),
    ] {
        let error = refusal(&text);
        assert!(error.starts_with(beginning), "{text}: {error}");
    }
    let twice = format!("{HEAD}{metric}design.items = [{{ id = 1 }}, {{ id = 1 }}]\n{ARMS}");
    assert!(refusal(&twice).contains("id `1`, number 1 and number 2"));
}

/// Returns the decisions of a selector for scores that follow a formula.
fn decisions(study: &Study) -> Vec<String> {
    let mut selector: Selector<Observation> = study.selector().unwrap();
    let mut decisions = Vec::new();
    loop {
        let ask = selector.ask().unwrap();
        decisions.push(format!("{ask:?}"));
        match ask {
            Ask::Evaluate(e) => {
                let noise = ((e.case.seed % 97) as f64 + e.case.split as f64).sin();
                let score = 0.5 + 0.05 * e.arm.index() as f64 + 0.05 * noise;
                let outcome = Outcome::Observed(Observation::Score(score));
                let cost = 1.0;
                selector
                    .tell(Event::Ended {
                        id: e.id,
                        outcome,
                        cost,
                    })
                    .unwrap();
            }
            Ask::Finished(_) => return decisions,
            Ask::Wait => panic!("nothing is pending"),
        }
    }
}

#[test]
fn in_memory_and_in_a_file_of_commands_the_same_is_decided() {
    let place = TempDir::new().unwrap();
    let items: Vec<String> = (0..60).map(|n| format!("{{\"id\": \"q{n}\"}}")).collect();
    fs::write(place.path().join("items.jsonl"), items.join("\n")).unwrap();
    let listed: Vec<String> = (0..60).map(|n| format!("{{ id = \"q{n}\" }}")).collect();
    let listed = format!("design.items = [{}]", listed.join(", "));
    for (seed, design, of_file) in [
        (1, "goal.confidence = 0.95", None),
        (2, "design.splits = 30\ngoal.confidence = 0.99", None),
        (
            3,
            "goal.budget.evaluations = 40\ndesign.policy = \"ttts\"",
            None,
        ),
        (4, &listed, Some("design.items = \"items.jsonl\"")),
    ] {
        let head = format!("name = \"x\"\nmetric.name = \"accuracy\"\ndesign.seed = {seed}\n");
        let functions = format!("{head}{design}\nexecutor.kind = \"functions\"\n{ARMS}");
        let in_memory = Study::in_memory(&functions, place.path()).unwrap();
        assert!(in_memory.is_of_functions());
        let design = of_file.unwrap_or(design);
        let commands = format!("command = [\"true\", \"{{seed}}\"]\n{head}{design}\n{ARMS}");
        let path = place.path().join("study.toml");
        fs::write(&path, commands).unwrap();
        let study = Study::read(&path).unwrap();
        assert!(!study.is_of_functions());
        let decided = decisions(&in_memory);
        assert!(decided.len() > 9, "{decided:?}");
        assert_eq!(decided, decisions(&study));
    }
    assert_eq!(fs::read_dir(place.path()).unwrap().count(), 2);
}

#[test]
fn listed_items_have_identities_groups_and_a_digest() {
    let study = |items: &str| {
        let text = format!(
            "{HEAD}metric.name = \"accuracy\"\ndesign.strata = \"kind\"\ndesign.items = [{items}]\n{ARMS}"
        );
        Study::in_memory(&text, Path::new("/")).unwrap()
    };
    let more = "{ kind = \"river\" }, { kind = \"city\" }, { id = 7, kind = \"river\" }";
    let first = study(&format!("{{ id = \"rome\", kind = \"city\" }}, {more}"));
    let items = first.items().unwrap();
    let ids: Vec<&str> = (0..4).map(|number| items.id(number)).collect();
    assert_eq!((items.len(), ids), (4, vec!["rome", "2", "3", "7"]));
    let recorded = &first.fingerprint["design"];
    assert_eq!(recorded["items"], "listed");
    assert_eq!(recorded["collection"]["count"], 4);
    let other = study(&format!("{{ id = \"rome\", kind = \"river\" }}, {more}"));
    assert_ne!(
        other.fingerprint["design"]["collection"],
        recorded["collection"]
    );
}

#[test]
fn a_study_is_written_and_a_file_of_something_else_is_left_alone() {
    let place = TempDir::new().unwrap();
    let path = place.path().join("own.toml");
    let text = |seed| format!("{HEAD}metric.name = \"accuracy\"\ndesign.seed = {seed}\n{ARMS}");
    let study = Study::write(&text(1), &path).unwrap();
    assert_eq!(
        study.state_directory(),
        place.path().canonicalize().unwrap().join("own.fiesta")
    );
    assert_eq!(Study::read(&path).unwrap().fingerprint, study.fingerprint);
    Study::write(&text(2), &path).unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), text(2));
    let wrong = Study::write(&format!("{}design.parallel = 0", text(3)), &path).unwrap_err();
    assert!(wrong.to_string().contains("own.toml:"), "{wrong}");
    assert_eq!(fs::read_to_string(&path).unwrap(), text(2));
    for other in ["command = [\"true\"]", "not TOML at all"] {
        fs::write(&path, other).unwrap();
        let error = Study::write(&text(4), &path).unwrap_err().to_string();
        assert!(error.contains("another name"), "{error}");
        assert_eq!(fs::read_to_string(&path).unwrap(), other);
    }
}
