//! A program that runs the study of a file (`fiesta-recorded calls|commands STUDY VFS`), stops it
//! half-way, and runs it to its end. It says what its user is told, in the record of what it writes.

use fiesta_core::Evaluation;
use fiesta_runner::{
    Options, RunError, Study,
    executor::{Executor, Functions, Local},
    history::Ending,
    observer::Observer,
    run,
    signal::{Signals, Stopper},
    supervisor,
};
use fiesta_simulation::power::{
    default_vfs,
    record::say,
    study::{self, Pace},
};
use std::{env, path::Path};

/// Observer that says which evaluations have ended, and asks to stop after some of them.
struct Saying {
    stopper: Stopper,
    stop_after: usize,
    ended: usize,
}

impl Observer for Saying {
    fn ended(&mut self, _: &Study, evaluation: &Evaluation, ending: &Ending) {
        say(study::said(evaluation, ending.seconds));
        self.ended += 1;
        if self.ended == self.stop_after {
            self.stopper.stop();
        }
    }
}

fn main() {
    supervisor::take_over();
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [kind, path, vfs] = arguments.as_slice() else {
        panic!("fiesta-recorded calls|commands STUDY VFS");
    };
    let study = Study::read(Path::new(path)).expect("a study that can be read");
    default_vfs(vfs);
    for stop_after in [study::EVALUATIONS / 2, usize::MAX] {
        let mut executor: Box<dyn Executor> = if kind == "calls" {
            let (functions, calls) = Functions::queued(&study).expect("descriptors");
            study::answer(&calls, Pace::AsTheyAre, |_| {});
            Box::new(functions)
        } else {
            Box::new(Local::new().expect("it called take_over"))
        };
        let (mut signals, stopper) = Signals::on_request().expect("sockets");
        let mut saying = Saying {
            stopper,
            stop_after,
            ended: 0,
        };
        let options = Options::default();
        match run(&study, &mut *executor, &mut signals, &mut saying, &options) {
            Ok(_) => say(study::RETURNED),
            Err(RunError::Interrupted { .. }) => {}
            Err(error) => panic!("the study cannot be run: {error}"),
        }
    }
}
