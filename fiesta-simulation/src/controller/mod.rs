//! Whole studies, simulated from a seed: the runner's own controller, selector, history and ledger run on
//! simulated jobs and a simulated clock, while faults strike.
//!
//! [`simulate`] draws a study from a seed (`plan`), and runs it by [`fiesta_runner::run()`] with an
//! executor (`executor`) whose jobs exist in this process alone (`world`). At each call of the executor and of the observer a
//! fault may strike: the controller is killed, jobs cannot be started, followed or found, attendants die, the machine starts
//! anew, somebody asks to stop. At each file call below the study's directory, of SQLite as well as of the runner, one may
//! strike too (`files`): the call is refused, a write is cut short, or the controller is killed there. Nothing that a killed
//! controller asks for is done, so that the files are as the kill left them. It is followed by another one, which reads the
//! study file and the ledger again. In every second study others do something to it, too (`others`). What [reliability.md](../../docs/reliability.md) promises is checked while it runs and at its
//! end (`promises`).
//!
//! Time passes where the controller waits, and takes none. Not simulated are supervisors, workers, engines and GPUs,
//! and power cuts.

mod executor;
mod files;
mod job;
mod others;
mod plan;
mod promises;
mod shrink;
mod world;

pub use shrink::shortened;

use crate::faults::{self, Fate};
use executor::{Simulated, Watcher};
use fiesta_runner::{
    History, Options, RunError, Study, history::Check, observer::Observer, run, signal::Signals,
};
use others::Expected;
use plan::Plan;
use std::{
    cell::RefCell,
    collections::{BTreeMap, BTreeSet},
    panic::{AssertUnwindSafe, catch_unwind},
    path::Path,
    rc::Rc,
};
use world::{Killed, World};

/// Most controllers that a study may need, one after the other.
const MOST_LIVES: usize = 400;

/// Outcome of a simulated study.
#[derive(Debug, Clone, PartialEq)]
pub struct Simulation {
    /// Events of the study, a line each.
    pub story: Vec<String>,
    /// Number of faults that struck.
    pub faults: usize,
    /// Number of faults that struck, of each kind.
    pub kinds: BTreeMap<String, usize>,
    /// Number of evaluations that the study made.
    pub evaluations: usize,
    /// The promise that was broken, in words. `None` if every one was kept.
    pub broken: Option<String>,
}

/// Simulates the study of a seed in an empty directory. Faults whose numbers are in `without`, counted from
/// 0, do not strike.
///
/// A seed gives one simulation, to the letter, if the same faults are left out. The clock of this thread is a
/// simulated one from then on.
///
/// # Panics
/// If the directory cannot be written.
pub fn simulate(seed: u64, without: &BTreeSet<usize>, directory: &Path) -> Simulation {
    let plan = Plan::draw(seed);
    let directory = std::fs::canonicalize(directory).expect("the directory is there");
    let path = directory.join("study.toml");
    std::fs::write(&path, &plan.text).expect("the study file can be written");
    let world = World::new(seed, &plan, without.clone(), &directory);
    let world = Rc::new(RefCell::new(world));
    let of_calls = Rc::clone(&world);
    faults::judge(&directory, move |asked, path| {
        let world = of_calls.try_borrow_mut();
        world.map_or(Fate::Done, |mut world| world.file_call(asked, path))
    });
    let mut ended = None;
    let mut extends = plan.extends;
    for life in 0..MOST_LIVES {
        match live(&world, &plan, &path, life) {
            Life::Ended if extends => {
                extends = false;
                let mut world = world.borrow_mut();
                world.others.text = plan.extended(&world.others.text);
                std::fs::write(&path, &world.others.text).expect("the study file can be written");
                world.tell(|| "the budget grows".to_owned());
            }
            Life::Ended => {
                ended = Some(Study::read(&path));
                break;
            }
            Life::Over => {
                let mut world = world.borrow_mut();
                world.rest();
                world.meddle();
            }
            Life::Broken(why) => {
                world.borrow_mut().break_promise(why);
                break;
            }
        }
        if world.borrow().broken.is_some() {
            break;
        }
    }
    faults::judge_nothing();
    let mut world = world.borrow_mut();
    let evaluations = match &ended {
        Some(Ok(study)) => promises::check(study, &plan, &mut world),
        Some(Err(error)) => {
            world.break_promise(format!("the study cannot be read again: {error}"));
            0
        }
        None => {
            world.break_promise(format!(
                "the study has not ended after {MOST_LIVES} controllers"
            ));
            0
        }
    };
    Simulation {
        story: std::mem::take(&mut world.story),
        faults: world.faults,
        kinds: std::mem::take(&mut world.kinds),
        evaluations,
        broken: world.broken.take(),
    }
}

/// Result of one controller, from its start to its end.
enum Life {
    /// The study has its conclusion.
    Ended,
    /// A fault or a request to stop ended the controller.
    Over,
    /// The controller broke a promise, described in words.
    Broken(String),
}

fn live(world: &Rc<RefCell<World>>, plan: &Plan, path: &Path, life: usize) -> Life {
    world.borrow_mut().begin_life(life);
    let before = world.borrow().trouble();
    let (mut signals, stopper) = Signals::on_request().expect("sockets");
    world.borrow_mut().stopper = Some(stopper);
    let mut executor = Simulated::new(Rc::clone(world));
    let mut watcher = Watcher::new(Rc::clone(world));
    let options = Options {
        accept_changes: world.borrow().others.accepts,
        retry: plan.retry(life),
        again: plan.again(life),
    };
    let observer: &mut dyn Observer = &mut watcher;
    let ended = catch_unwind(AssertUnwindSafe(|| {
        let study = Study::read(path).map_err(|error| (error.to_string(), false))?;
        let finished = run(&study, &mut executor, &mut signals, observer, &options);
        let finished = finished.map_err(|error| {
            let is_asked = match error {
                RunError::Interrupted { .. } | RunError::FailedAlike(_) => true,
                // A study that has ended makes nothing again.
                RunError::Refused(_) => !options.retry.is_empty(),
                _ => false,
            };
            (error.to_string(), is_asked)
        })?;
        Ok((study, finished.conclusion))
    }));
    let mut world = world.borrow_mut();
    let is_killed = world.files.end();
    let expected = world.others.undo();
    if let Some((Expected { words, .. }, false)) = &expected {
        return Life::Broken(format!(
            "the ledger has changed, of which a controller should say \"{words}\""
        ));
    }
    match ended {
        Err(payload) if !payload.is::<Killed>() => {
            Life::Broken("the controller panicked".to_owned())
        }
        _ if is_killed => Life::Over,
        Ok(Ok(_))
            if expected
                .as_ref()
                .is_some_and(|(expected, _)| expected.is_refused) =>
        {
            Life::Broken(format!("the study ends, and {expected:?} is not told"))
        }
        Ok(Ok((study, conclusion))) => {
            let recorded = History::read(&study, Check::Nothing);
            let recorded = recorded.map(|history| history.selector.conclusion().cloned());
            if recorded.is_ok_and(|recorded| recorded == Some(conclusion)) {
                if world.files.unsynced_since().is_some() {
                    world.break_promise("the conclusion is not on the disk".to_owned());
                }
                Life::Ended
            } else {
                Life::Broken("the conclusion is not the one of the ledger".to_owned())
            }
        }
        Ok(Err((error, is_asked))) => {
            world.tell(|| format!("the controller ends: {error}"));
            let (steps, calls) = world.trouble();
            let (is_struck, is_refused) = (steps > before.0, calls > before.1);
            let directory = path.parent().unwrap_or(path).to_string_lossy();
            if expected.is_some_and(|(expected, _)| error.contains(expected.words)) {
                return Life::Over;
            }
            // SQLite does not always tell damage from a read that failed, and the message says so.
            if error.contains("is damaged") && !error.contains("failed to read it") {
                Life::Broken(format!("damage is told where nothing is damaged: {error}"))
            } else if error.starts_with("the ledger ") && !error.contains("; ") {
                Life::Broken(format!("an error does not say what to do: {error}"))
            } else if is_refused && !is_struck && !is_asked && !error.contains(&*directory) {
                Life::Broken(format!("an error does not say which file: {error}"))
            } else if is_asked || is_struck || is_refused {
                Life::Over
            } else {
                Life::Broken(format!("an error without any fault: {error}"))
            }
        }
        Err(_) => Life::Over,
    }
}
