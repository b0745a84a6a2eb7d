//! Decisions about functions, against those about commands with the same scores.

use super::bench::{Bench, score};
use fiesta_runner::{
    History, Options, Study,
    executor::{Functions, Local},
    observer::Blind,
    run,
    signal::Signals,
};
use std::fs;

/// Shell script that prints the same scores as [`score`].
const JOB: &str = r#"
case $1 in poor) base=6000 ;; fair) base=8000 ;; good) base=10000 ;; esac
printf '{"accuracy": 0.%05d}\n' $(((base + $2 % 1000 * 10) / 2 * 10))
"#;

fn decided(history: &History) -> Vec<String> {
    let record = |record: &fiesta_runner::history::Record| {
        let ending = record.ending.as_ref().unwrap();
        format!(
            "{:?} {:?} {}",
            record.evaluation, ending.outcome, ending.cost
        )
    };
    history.records.values().map(record).collect()
}

#[test]
fn the_same_is_decided_as_of_commands() {
    for (seed, goal) in [
        (1, "goal.confidence = 0.95"),
        (2, "goal.confidence = 0.9\ndesign.splits = 12"),
        (3, "goal.budget.evaluations = 25\ndesign.policy = \"ttts\""),
    ] {
        let bench = Bench::new(&format!("design.seed = {seed}\n{goal}"));
        let mut functions = Functions::new(&bench.study(), |call| {
            let score = score(call.arm(), call.seed());
            Ok(fiesta_runner::executor::Output::from(score).cost(1.0))
        })
        .unwrap();
        let finished = bench.run(&mut functions).0.unwrap();

        fs::write(bench.path("job.sh"), JOB).unwrap();
        let text = fs::read_to_string(bench.path("study.toml")).unwrap();
        let text = text.replace("executor.kind = \"functions\"", "executor.kind = \"local\"");
        let text = text.replace("name = \"good\"\n", "name = \"good\"\ncost = 1\n");
        let text = text.replace("name = \"fair\"\n", "name = \"fair\"\ncost = 1\n");
        let text = text.replace("name = \"poor\"\n", "name = \"poor\"\ncost = 1\n");
        let command = "command = [\"sh\", \"job.sh\", \"{arm}\", \"{seed}\"]\n";
        let path = bench.path("commands.toml");
        fs::write(&path, format!("{command}{text}")).unwrap();
        let study = Study::read(&path).unwrap();
        let mut local = Local::with_supervisor(env!("CARGO_BIN_EXE_fiesta-supervisor"));
        let (mut signals, _stopper) = Signals::on_request().unwrap();
        let of_commands = run(
            &study,
            &mut local,
            &mut signals,
            &mut Blind,
            &Options::default(),
        )
        .unwrap();

        assert_eq!(decided(&finished.history), decided(&of_commands.history));
        assert_eq!(finished.conclusion.arm, of_commands.conclusion.arm);
        assert_eq!(
            finished.conclusion.probability,
            of_commands.conclusion.probability
        );
        assert!(decided(&finished.history).len() >= 6);
    }
}
