//! Interruption of long computations for whose results nobody waits any more.

use std::{
    any::Any,
    cell::RefCell,
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

thread_local! {
    static CURRENT: RefCell<Option<Interrupt>> = const { RefCell::new(None) };
}

/// A request to end a computation, shared between who waits for it and the threads that carry it
/// out.
///
/// Computations that may take long (draws, simulated runs, steps of an integral) call
/// [`check`](Self::check) between their steps. Without a request it returns at once; after one it
/// unwinds the thread up to [`run`](Self::run), past functions that have no error of their own for
/// it, and drops what was half computed. A panic is something else: it goes on from
/// [`run`](Self::run) as it does without one.
///
/// # Example
/// ```
/// use fiesta_core::Interrupt;
/// let interrupt = Interrupt::default();
/// let count = interrupt.run(|| {
///     for step in 0.. {
///         if step == 1000 {
///             interrupt.request(); // what another thread does
///         }
///         Interrupt::check();
///     }
/// });
/// assert!(count.is_err());
/// ```
#[derive(Debug, Clone, Default)]
pub struct Interrupt(Arc<AtomicBool>);

/// A computation ended on [request](Interrupt::request).
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the computation was interrupted")]
pub struct Interrupted;

impl Interrupt {
    /// Asks the computation to end, at its next [`check`](Self::check).
    pub fn request(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Runs a computation that ends on request.
    ///
    /// # Errors
    /// [`Interrupted`] if it was asked to end before it had ended by itself.
    pub fn run<T>(&self, computation: impl FnOnce() -> T) -> Result<T, Interrupted> {
        let within = || Self::within(Some(self.clone()), computation);
        catch_unwind(AssertUnwindSafe(within)).map_err(|payload: Box<dyn Any + Send>| {
            match payload.downcast::<Interrupted>() {
                Ok(interrupted) => *interrupted,
                Err(panic) => resume_unwind(panic),
            }
        })
    }

    /// Unwinds if the computation that this thread carries out was asked to end; does nothing in a
    /// thread that carries out none.
    pub fn check() {
        let is_requested = CURRENT.with_borrow(|current| {
            let current = current.as_ref();
            current.is_some_and(|interrupt| interrupt.0.load(Ordering::Relaxed))
        });
        if is_requested {
            resume_unwind(Box::new(Interrupted));
        }
    }

    /// Runs a computation's part in a thread that it started, where `current` is what
    /// [`current`](Self::current) was in the thread that started it. The thread unwinds on request,
    /// and whoever joins it has to go on with that.
    pub fn within<T>(current: Option<Self>, part: impl FnOnce() -> T) -> T {
        /// Guard that restores, when it is dropped, the request that the thread looked at before.
        struct Restore(Option<Interrupt>);
        impl Drop for Restore {
            fn drop(&mut self) {
                CURRENT.set(self.0.take());
            }
        }
        let _restore = Restore(CURRENT.replace(current));
        part()
    }

    /// Returns the interruption request that this thread looks at. `None` if it looks at none.
    pub fn current() -> Option<Self> {
        CURRENT.with_borrow(Clone::clone)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{panic, thread, time::Duration};

    fn forever() {
        loop {
            Interrupt::check();
        }
    }

    #[test]
    fn threads_end_on_request() {
        let interrupt = Interrupt::default();
        let ended = thread::scope(|scope| {
            let computing = scope.spawn(|| {
                interrupt.run(|| {
                    let current = Interrupt::current();
                    let helper = scope.spawn(|| Interrupt::within(current, forever));
                    helper.join().unwrap_or_else(|panic| resume_unwind(panic));
                })
            });
            thread::sleep(Duration::from_millis(20));
            interrupt.request();
            computing.join().unwrap()
        });
        assert_eq!(ended, Err::<(), _>(Interrupted));
    }

    #[test]
    fn nothing_ends_without_a_request() {
        let (asked, other) = (Interrupt::default(), Interrupt::default());
        asked.request();
        assert_eq!(other.run(Interrupt::check), Ok(()));
        // Outside of a computation, and behind one, there is nothing to look at.
        assert_eq!(asked.run(|| ()), Ok(()));
        Interrupt::check();
        // That of the inner computation is not that of the outer one.
        let outer = other.run(|| {
            assert_eq!(asked.run(Interrupt::check), Err(Interrupted));
            Interrupt::check();
        });
        assert_eq!(outer, Ok(()));
    }

    #[test]
    fn a_panic_stays_a_panic() {
        let panicked = panic::catch_unwind(|| Interrupt::default().run(|| panic!("an error")));
        assert_eq!(panicked.unwrap_err().downcast_ref(), Some(&"an error"));
    }
}
