//! The supervisor: the small process around every run, which outlives the controller.
//!
//! It is a mode of the program itself, and carries out one run after another, as its controller
//! orders them. The supervisor has a session of its own, so that no Ctrl-C and no closed terminal
//! reaches it; it adopts every orphan that the command leaves, so that nothing the command started
//! can hide; and it publishes how the run ended in the run's directory, once, whether or not
//! anybody still waits for it. When the command ends, what it left running is killed: a GPU must be
//! free for the next run. When the controller is gone, the supervisor finishes its run and goes as
//! well.
//!
//! A program that uses [`crate::executor::Local`] calls [`take_over`] before anything else:
//!
//! ```no_run
//! fiesta_runner::supervisor::take_over();
//! // Here the program begins.
//! ```

mod channel;
mod lifecycle;
mod output;
mod publish;
mod stream;
mod tree;
pub(crate) mod worker;

pub(crate) use channel::{Channel, Received};
pub(crate) use lifecycle::SHORT;
#[doc(hidden)]
pub use lifecycle::{PARENT, RESTARTS, SIGN};
pub(crate) use publish::Reserve;

use crate::{open_files, signal};
use std::ffi::OsStr;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

/// First argument of a program that is to be a supervisor. A directory after it is the run to carry
/// out; without one, a controller orders runs over standard input.
#[doc(hidden)]
pub const ARGUMENT: &str = "__fiesta-supervisor";

/// The first argument that turns a program into the host of a worker.
pub(crate) const WORKER_ARGUMENT: &str = "__fiesta-worker";

static AT_TOP_OF_MAIN: AtomicBool = AtomicBool::new(false);

/// Becomes a supervisor and never returns, if the program was started as one. Otherwise returns at
/// once.
///
/// Call it at the top of `main`, before any thread is started and any argument is parsed.
pub fn take_over() {
    let mut arguments = std::env::args_os().skip(1).peekable();
    let role = arguments.next();
    let is = |argument: &str| role.as_deref() == Some(OsStr::new(argument));
    if is(WORKER_ARGUMENT) || is(ARGUMENT) {
        signal::ignore_alone();
        arguments.next_if(|argument| open_files::heed(argument));
    }
    // Not a run's supervisor, but that of a whole worker.
    if is(WORKER_ARGUMENT) {
        let Some(directory) = arguments.next() else {
            eprintln!(
                "usage: {WORKER_ARGUMENT} DIRECTORY (the directory of a worker, with its spec.json)"
            );
            std::process::exit(2);
        };
        std::process::exit(worker::in_directory(Path::new(&directory)));
    }
    if is(ARGUMENT) {
        std::process::exit(match arguments.next() {
            Some(directory) => lifecycle::in_directory(Path::new(&directory)),
            None => lifecycle::one_after_another(),
        });
    }
    AT_TOP_OF_MAIN.store(true, Ordering::Relaxed);
}

/// Whether this program called [`take_over`], so that it can be started as a supervisor.
pub(crate) fn can_take_over() -> bool {
    AT_TOP_OF_MAIN.load(Ordering::Relaxed)
}
