//! Numbered computations in threads of their own.

use crate::Interrupt;
use std::{
    panic::resume_unwind,
    sync::atomic::{AtomicU64, Ordering},
    thread,
};

/// Makes `count` results, numbered from 0, in this number of threads, and returns them in the order of
/// their numbers. Each thread has a state of its own, which is made in the calling thread. An
/// [`Interrupt`] of the calling thread ends all of them.
///
/// # Errors
/// The error of a result that cannot be made.
///
/// # Example
/// ```
/// let squares = fiesta_core::in_parallel(4, 2, || (), |(), n| Ok::<_, ()>(n * n));
/// assert_eq!(squares, Ok(vec![0, 1, 4, 9]));
/// ```
pub fn in_parallel<S: Send, R: Send, E: Send>(
    count: u64,
    threads: usize,
    state: impl Fn() -> S,
    one: impl Fn(&S, u64) -> Result<R, E> + Sync,
) -> Result<Vec<R>, E> {
    let next = AtomicU64::new(0);
    let work = |state: S| -> Result<Vec<(u64, R)>, E> {
        let mut done = Vec::new();
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= count {
                return Ok(done);
            }
            done.push((number, one(&state, number)?));
        }
    };
    let mut all = thread::scope(|scope| -> Result<_, E> {
        let threads: Vec<_> = (0..threads)
            .map(|_| {
                let (work, state, current) = (&work, state(), Interrupt::current());
                scope.spawn(move || Interrupt::within(current, || work(state)))
            })
            .collect();
        let mut all = Vec::new();
        for thread in threads {
            let done = thread.join();
            all.extend(done.unwrap_or_else(|panic| resume_unwind(panic))?);
        }
        Ok(all)
    })?;
    all.sort_unstable_by_key(|&(number, _)| number);
    Ok(all.into_iter().map(|(_, made)| made).collect())
}
