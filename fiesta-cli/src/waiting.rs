//! Message that shows how long a computation has been running.

use super::{output::width_beside, say};
use indicatif::{ProgressBar, ProgressStyle};
use std::{
    sync::mpsc::{self, RecvTimeoutError, Sender},
    thread::{self, JoinHandle},
    time::Duration,
};

/// Time until a terminal shows the message, and interval at which the message is redrawn.
const TICK: Duration = Duration::from_millis(250);
/// Time after which a line is printed once if standard error is no terminal.
const LONG: Duration = Duration::from_secs(2);

/// Message on standard error about a long computation, shown until this value is dropped: a redrawn
/// line on a terminal, elsewhere one line after some time.
pub(super) struct Waiting {
    done: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Waiting {
    pub(super) fn new(what: &'static str) -> Self {
        let (done, wait) = mpsc::channel::<()>();
        let is_terminal = console::Term::stderr().is_term();
        let first = if is_terminal { TICK } else { LONG };
        let told = move || {
            if wait.recv_timeout(first) != Err(RecvTimeoutError::Timeout) {
                return;
            }
            if !is_terminal {
                say(what);
                return;
            }
            let template = "{elapsed_precise} {msg}";
            let style = ProgressStyle::with_template(template).expect("the template is right");
            let bar = ProgressBar::new_spinner().with_style(style);
            bar.set_elapsed(TICK);
            let most = width_beside().saturating_sub("00:00:00 ".len());
            bar.set_message(what.chars().take(most).collect::<String>());
            while wait.recv_timeout(TICK) == Err(RecvTimeoutError::Timeout) {
                bar.tick();
            }
            bar.finish_and_clear();
        };
        Self {
            done: Some(done),
            thread: Some(thread::spawn(told)),
        }
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        drop(self.done.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
