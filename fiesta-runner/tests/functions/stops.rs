//! Requests to stop while functions run, and what the next controller finds.

use super::{
    bench::{Bench, LIMITED, endings, requests, score},
    support::eventually,
};
use fiesta_core::Outcome;
use fiesta_runner::{
    RunError,
    executor::{Call, Functions},
    ledger::{Entry, LedgerError},
};
use std::{
    sync::{Arc, Mutex, mpsc},
    thread,
    time::{Duration, Instant},
};

/// Functions that report when they begin, and wait for a word before they return.
struct Gate {
    functions: Functions,
    begun: mpsc::Receiver<String>,
    go: Arc<Mutex<mpsc::Receiver<()>>>,
    open: Option<mpsc::Sender<()>>,
}

fn gate(bench: &Bench) -> Gate {
    let (begin, begun) = mpsc::channel();
    let (open, go) = mpsc::channel();
    let go = Arc::new(Mutex::new(go));
    let wait = Arc::clone(&go);
    let functions = Functions::new(&bench.study(), move |call: &Call| {
        begin.send(call.run().to_string()).unwrap();
        // Either a word or that nobody has any.
        let _ = wait.lock().unwrap().recv();
        Ok(score(call.arm(), call.seed()))
    })
    .unwrap();
    let open = Some(open);
    Gate {
        functions,
        begun,
        go,
        open,
    }
}

#[test]
fn a_first_request_waits_for_the_calls_that_run() {
    let bench = Bench::new(&format!("{LIMITED}\ndesign.parallel = 2"));
    let mut gate = gate(&bench);
    let (mut signals, stopper) = requests();
    let open = gate.open.take();
    let asked = thread::spawn(move || {
        for _ in 0..2 {
            gate.begun.recv().unwrap();
        }
        stopper.stop();
        thread::sleep(Duration::from_millis(300));
        drop(open);
        gate.begun
    });
    let (stopped, told) = bench.run_until(&mut gate.functions, &mut signals);
    assert!(
        matches!(stopped, Err(RunError::Interrupted { left_running: 0 })),
        "{stopped:?}"
    );
    assert!(
        told.join("\n").contains("waiting for 2 running calls"),
        "{told:?}"
    );
    let begun = asked.join().unwrap();
    assert!(begun.try_recv().is_err());
    assert_eq!(endings(&bench.history()).len(), 2);
    // And then goes on, with the same executor.
    bench.run(&mut gate.functions).0.unwrap();
    assert_eq!(endings(&bench.history()).len(), 30);
}

#[test]
fn a_second_request_waits_no_longer_than_the_grace_and_a_late_end_counts_once() {
    let bench = Bench::new(
        "goal.budget.evaluations = 10\ndesign.parallel = 2\nresources.grace = \"300ms\"",
    );
    let mut gate = gate(&bench);
    let (mut signals, stopper) = requests();
    let asked = thread::spawn(move || {
        let runs: Vec<String> = gate.begun.iter().take(2).collect();
        stopper.stop();
        thread::sleep(Duration::from_millis(200));
        stopper.stop();
        (runs, gate.begun)
    });
    let began = Instant::now();
    let (stopped, _) = bench.run_until(&mut gate.functions, &mut signals);
    assert!(
        matches!(stopped, Err(RunError::Interrupted { left_running: 0 })),
        "{stopped:?}"
    );
    assert!(began.elapsed() < Duration::from_secs(20));
    let (runs, _begun) = asked.join().unwrap();
    assert_eq!(endings(&bench.history()).len(), 0);
    assert_eq!(bench.history().pending().count(), 2);
    // One of them returns while nobody waits, the other under the next controller.
    let open = gate.open.take().unwrap();
    open.send(()).unwrap();
    let study = bench.study();
    let published = |run: &String| study.runs_directory().join(run).join("end.json").exists();
    eventually("an end is published", || runs.iter().any(published));
    // An executor of its own: that of before holds nothing that it needs.
    drop(gate.functions);
    let mut others =
        Functions::new(&study, |call: &Call| Ok(score(call.arm(), call.seed()))).unwrap();
    let opening = thread::spawn(move || {
        thread::sleep(Duration::from_millis(200));
        drop(open);
    });
    let (finished, told) = bench.run(&mut others);
    finished.unwrap();
    opening.join().unwrap();
    drop(gate.go);
    let history = bench.history();
    let endings = endings(&history);
    assert_eq!(endings.len(), 10);
    assert!(
        endings
            .iter()
            .all(|ending| matches!(ending.outcome, Outcome::Observed(_)))
    );
    // Neither was made twice.
    let again = bench
        .entries()
        .into_iter()
        .filter(|entry| matches!(entry, Entry::Retried { .. }));
    assert_eq!(again.count(), 0, "{told:?}");
    assert!(history.records.values().all(|record| record.attempt == 0));
}

#[test]
fn calls_learn_that_they_are_cancelled() {
    let bench = Bench::new(&format!("{LIMITED}\nresources.grace = \"1m\""));
    let (begin, begun) = mpsc::channel();
    let mut functions = Functions::new(&bench.study(), move |call: &Call| {
        begin.send(()).unwrap();
        while !call.is_cancelled() {
            thread::sleep(Duration::from_millis(1));
        }
        Err::<f64, _>("stopped before it was done".to_owned())
    })
    .unwrap();
    let (mut signals, stopper) = requests();
    let asked = thread::spawn(move || {
        begun.recv().unwrap();
        stopper.stop();
        thread::sleep(Duration::from_millis(200));
        stopper.stop();
    });
    let began = Instant::now();
    let (stopped, _) = bench.run_until(&mut functions, &mut signals);
    assert!(
        matches!(stopped, Err(RunError::Interrupted { .. })),
        "{stopped:?}"
    );
    assert!(began.elapsed() < Duration::from_secs(30));
    asked.join().unwrap();
}

#[test]
fn a_second_controller_is_refused() {
    let bench = Bench::new(LIMITED);
    let mut gate = gate(&bench);
    let (mut signals, stopper) = requests();
    thread::scope(|scope| {
        let bench = &bench;
        let (functions, signals) = (&mut gate.functions, &mut signals);
        let first = scope.spawn(move || bench.run_until(functions, signals).0);
        gate.begun.recv().unwrap();
        let mut second = Functions::new(&bench.study(), |_: &Call| Ok(0.5)).unwrap();
        let refused = bench.run(&mut second).0.unwrap_err();
        assert!(
            matches!(refused, RunError::Ledger(LedgerError::Lock(_))),
            "{refused:?}"
        );
        assert!(
            refused
                .to_string()
                .contains(&std::process::id().to_string()),
            "{refused}"
        );
        stopper.stop();
        drop(gate.open.take());
        assert!(matches!(
            first.join().unwrap(),
            Err(RunError::Interrupted { .. })
        ));
    });
}
