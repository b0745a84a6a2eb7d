//! Calls that may take long: without the interpreter's lock, ended by Ctrl-C.

use fiesta_core::{Interrupt, Interrupted};
use pyo3::{exceptions::PyRuntimeError, prelude::*};
use std::{
    any::Any,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::mpsc::{RecvTimeoutError, channel},
    thread,
    time::Duration,
};

/// Time between two looks at the signals that Python received.
const GLANCE: Duration = Duration::from_millis(50);

/// Stack of a computation's thread in bytes, as large as a main thread's.
const STACK: usize = 8 << 20;

/// Returns the result of a computation in a thread of its own, while this thread looks at signals.
///
/// Python handles signals in its main thread alone, and only where that runs Python or asks for
/// them. What a handler raises, after Ctrl-C a `KeyboardInterrupt`, is raised from here: the
/// computation is asked to end, and has ended before this returns, so that it may borrow what Python
/// holds. A panic becomes a `RuntimeError`.
///
/// # Errors
/// What a handler of signals raises, and what the computation itself gives.
pub(crate) fn interruptible<T: Send>(
    py: Python<'_>,
    computation: impl FnOnce() -> PyResult<T> + Send,
) -> PyResult<T> {
    let interrupt = Interrupt::default();
    let interrupt = &interrupt;
    let (tell, told) = channel();
    let within = move || {
        let result = catch_unwind(AssertUnwindSafe(|| interrupt.run(computation)));
        // Whoever waits has not gone before.
        let _ = tell.send(result);
    };
    let (result, raised) = py.detach(move || {
        thread::scope(move |scope| {
            let made = thread::Builder::new()
                .name("fiesta".to_owned())
                .stack_size(STACK)
                .spawn_scoped(scope, within);
            made.map_err(|error| {
                PyRuntimeError::new_err(format!("no thread can be had: {error}"))
            })?;
            let mut raised = None;
            loop {
                match told.recv_timeout(GLANCE) {
                    Ok(result) => return Ok::<_, PyErr>((result, raised)),
                    // The sender ends with its message.
                    Err(RecvTimeoutError::Disconnected) => {
                        return Ok((Ok(Err(Interrupted)), raised));
                    }
                    Err(RecvTimeoutError::Timeout) => {
                        let looked = Python::attach(|py| {
                            py.check_signals()?;
                            Ok(())
                        });
                        if let Err(error) = looked {
                            interrupt.request();
                            raised = Some(error);
                        }
                    }
                }
            }
        })
    })?;
    if let Some(raised) = raised {
        return Err(raised);
    }
    match result {
        Ok(Ok(result)) => result,
        Ok(Err(interrupted)) => Err(PyRuntimeError::new_err(interrupted.to_string())),
        Err(panic) => Err(PyRuntimeError::new_err(format!(
            "this is a fault of FIESTA, please report it: {}",
            words(&*panic)
        ))),
    }
}

/// Returns the message of a panic.
fn words(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("a panic without a word")
}
