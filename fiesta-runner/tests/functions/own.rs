//! A policy, a posterior and a stopping rule of the program's own: killed and started again, refused
//! when they change, and shown by programs that do not have them.

use super::{
    bench::{Bench, Told, score},
    support::eventually,
};
use fiesta_core::{FBeta, Next, Observation, Policy, Reason, StoppingRule, Verdict, View};
use fiesta_posterior::AsScores;
use fiesta_runner::{
    Finished, History, Options, RunError, Study,
    executor::{Call, Functions},
    history::Check,
    run,
    signal::Signals,
    study::{OwnParts, Part},
};
use rand::{Rng, RngExt};
use std::{
    env,
    fs::{self, OpenOptions},
    io::Write,
    path::Path,
    process::{Child, Command, Stdio},
    thread,
    time::Duration,
};

/// Variable with the path of the program's study.
const PLACE: &str = "FIESTA_TEST_OWN";

const OWN: &str = r#"
design.policy = { own = "lots", parameters = { favourite = 1 } }
design.posterior = { own = "flat" }
design.stopping = { own = "enough", parameters = { evaluations = 60 } }"#;

/// Policy that chooses its favourite arm every third time, and any arm otherwise.
struct Lots {
    favourite: usize,
}

impl Policy for Lots {
    fn next(&mut self, view: &View<'_>, rng: &mut dyn Rng) -> Next {
        let arms = view.candidates();
        let drawn = rng.random_range(0..arms.len());
        let is_favoured = view.total_ended().is_multiple_of(3);
        Next::Evaluate(arms[if is_favoured { self.favourite } else { drawn }])
    }
}

/// Stopping rule that stops after this number of evaluations.
struct Enough(u64);

impl StoppingRule<Observation> for Enough {
    fn check(&self, view: &View<'_>) -> Verdict {
        match view.empirical_best() {
            Some(best) if view.total_ended() >= self.0 => Verdict::Stop(best, Reason::Schedule),
            _ => Verdict::Continue,
        }
    }
}

fn parts(study: &Study, arms: usize) -> OwnParts {
    let number = |part, key: &str| study.own_parameters(part)[key].as_u64().unwrap();
    let favourite = usize::try_from(number(Part::Policy, "favourite")).unwrap();
    OwnParts {
        policy: Some(Box::new(Lots { favourite })),
        posterior: Some(Box::new(AsScores {
            posterior: fiesta_posterior::posterior_by_name("pooled", arms).unwrap(),
            f_beta: FBeta::default(),
        })),
        stopping: Some(Box::new(Enough(number(Part::Stopping, "evaluations")))),
    }
}

fn functions(study: &Study) -> Functions {
    let calls = study.directory.join("calls");
    Functions::new(study, move |call: &Call| {
        let mut file = OpenOptions::new();
        let mut file = file.create(true).append(true).open(&calls).unwrap();
        file.write_all(format!("{}\n", call.run()).as_bytes())
            .unwrap();
        thread::sleep(Duration::from_millis(10));
        Ok(score(call.arm(), call.seed()))
    })
    .unwrap()
}

pub(crate) fn run_it(study: &Study) -> (Result<Finished, RunError>, Vec<String>) {
    let (mut signals, _stopper) = Signals::on_request().unwrap();
    let (mut functions, mut told) = (functions(study), Told::default());
    let options = Options::default();
    let finished = run(study, &mut functions, &mut signals, &mut told, &options);
    (finished, told.0)
}

/// Program that tests start and kill. Does nothing unless [`PLACE`] names a study.
#[test]
fn program() {
    let Some(path) = env::var_os(PLACE) else {
        return;
    };
    let study = Study::read(Path::new(&path)).unwrap();
    let study = if study.policy() == "lots" {
        study.with_parts(parts).unwrap()
    } else {
        study
    };
    run_it(&study).0.unwrap();
}

/// Writes the study, and starts the program.
pub(crate) fn started(bench: &Bench) -> Child {
    bench.study();
    Command::new(env::current_exe().unwrap())
        .args(["--exact", "own::program", "--test-threads", "1"])
        .env(PLACE, bench.path("study.toml"))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .spawn()
        .unwrap()
}

pub(crate) fn decided(history: &History) -> Vec<String> {
    let records = history.records.values();
    records
        .map(|record| format!("{:?}", record.evaluation))
        .collect()
}

#[test]
fn a_program_that_is_killed_goes_on_by_its_own_policy() {
    let whole = Bench::new(OWN);
    let undisturbed = run_it(&whole.study().with_parts(parts).unwrap()).0.unwrap();
    let by_itself = decided(&undisturbed.history);
    assert_eq!(by_itself.len(), 60);
    assert_eq!(undisturbed.conclusion.reason, Reason::Schedule);

    let bench = Bench::new(OWN);
    let study = bench.study().with_parts(parts).unwrap();
    let mut program = started(&bench);
    let calls = || fs::read_to_string(bench.path("calls")).map_or(0, |calls| calls.lines().count());
    eventually("half of the calls are made", || calls() >= 25);
    program.kill().unwrap();
    program.wait().unwrap();
    let so_far = History::read(&study, Check::Decisions).unwrap();
    assert!((25..60).contains(&so_far.records.len()));
    assert_eq!(so_far.differences, Vec::<String>::new());

    // Another policy, other parameters, or a built-in one go on with nothing.
    let path = bench.path("study.toml");
    for (other, change) in [
        (
            OWN.replace("favourite = 1", "favourite = 2"),
            "design.policy.parameters.favourite: 1 → 2 (another study)",
        ),
        (
            OWN.replace("\"lots\"", "\"few\""),
            "design.policy.own: \"lots\" → \"few\" (another study)",
        ),
        (
            OWN.replace("\"flat\"", "\"round\""),
            "design.posterior.own: \"flat\" → \"round\" (another study)",
        ),
        (
            OWN.replace("= 60", "= 70"),
            "design.stopping.parameters.evaluations: 60 → 70 (another study)",
        ),
    ] {
        let text = fs::read_to_string(&path).unwrap();
        fs::write(&path, text.replace(OWN, &other)).unwrap();
        let another = Study::read(&path).unwrap().with_parts(parts).unwrap();
        let refused = run_it(&another).0.unwrap_err().to_string();
        assert!(refused.contains(change), "{refused}");
        fs::write(&path, text).unwrap();
    }

    let (finished, told) = run_it(&study);
    assert!(told.iter().all(|line| !line.contains("another one now")));
    let finished = finished.unwrap();
    assert_eq!(decided(&finished.history), by_itself);
    assert_eq!(finished.conclusion, undisturbed.conclusion);
}

#[test]
fn a_program_without_the_parts_reads_the_ledger_and_does_not_run_it() {
    let bench = Bench::new(OWN);
    let own = run_it(&bench.study().with_parts(parts).unwrap()).0.unwrap();
    let study = Study::read(&bench.path("study.toml")).unwrap();
    let (refused, _) = run_it(&study);
    let refused = refused.unwrap_err().to_string();
    assert!(
        refused.contains("the policy lots of ") && refused.contains("run that program"),
        "{refused}"
    );
    let history = History::read(&study, Check::Nothing).unwrap();
    assert_eq!(decided(&history), decided(&own.history));
    assert_eq!(history.selector.conclusion(), Some(&own.conclusion));
    let names = [study.policy(), study.posterior(), study.stopping()];
    assert_eq!(names, ["lots", "paired", "enough"]);
    #[cfg(feature = "report")]
    {
        let notes = fiesta_runner::status::facts(&study, &history).notes;
        let note = "The posterior flat, by which this study decides";
        assert!(notes.iter().any(|own| own.starts_with(note)), "{notes:?}");
        let with_parts = bench.study().with_parts(parts).unwrap();
        let notes = fiesta_runner::status::facts(&with_parts, &own.history).notes;
        assert!(!notes.iter().any(|own| own.starts_with(note)), "{notes:?}");
    }
}

#[test]
fn what_the_file_names_and_what_the_program_gives_are_the_same_parts() {
    let only_policy = |study: &Study, arms: usize| OwnParts {
        policy: parts(study, arms).policy,
        ..OwnParts::default()
    };
    let refused = Bench::new(OWN).study().with_parts(only_policy);
    let refused = refused.unwrap_err().to_string();
    assert!(refused.contains("the study names flat as the program's own posterior"));
    let refused = Bench::new("").study().with_parts(|_, _| OwnParts {
        stopping: Some(Box::new(Enough(3))),
        ..OwnParts::default()
    });
    let refused = refused.unwrap_err().to_string();
    assert!(
        refused.contains("write stopping = { own = \"NAME\" }"),
        "{refused}"
    );
    for (text, message) in [
        (
            "policy = { own = \"ttts\" }",
            "ttts is a policy that is built in",
        ),
        (
            "stopping = { own = \" \" }",
            "needs a name that can be shown",
        ),
        (
            "posterior = { name = \"x\" }",
            "expected a name, or a table such as",
        ),
        ("policy = [\"x\"]", "write a name, or { own = \"NAME\" }"),
    ] {
        let text = format!(
            "name = \"x\"\nmetric.name = \"accuracy\"\nexecutor.kind = \"functions\"\ndesign.{text}\narm = [{{ name = \"a\" }}, {{ name = \"b\" }}]"
        );
        let refused = Study::in_memory(&text, ".".as_ref())
            .unwrap_err()
            .to_string();
        assert!(refused.contains(message), "{refused}");
    }
}
