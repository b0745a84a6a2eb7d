//! Work that is the same for many, on all processors.

use super::Failure;
use std::{
    num::NonZero,
    sync::atomic::{AtomicUsize, Ordering},
    thread,
};

/// What the work makes of every one of them, in their order; the first failure in that order if there is one.
pub(super) fn in_parallel<A: Sync, B: Send>(
    all: &[A],
    work: impl Fn(&A) -> Result<B, Failure> + Sync,
) -> Result<Vec<B>, Failure> {
    let next = AtomicUsize::new(0);
    let some = || {
        let mut done = Vec::new();
        loop {
            let place = next.fetch_add(1, Ordering::Relaxed);
            let Some(one) = all.get(place) else {
                return done;
            };
            let result = work(one);
            let failed = result.is_err();
            done.push((place, result));
            if failed {
                // The others end with what they have begun.
                next.store(all.len(), Ordering::Relaxed);
                return done;
            }
        }
    };
    let mut results = thread::scope(|scope| {
        let threads = thread::available_parallelism().map_or(1, NonZero::get);
        let threads: Vec<_> = (0..threads).map(|_| scope.spawn(some)).collect();
        let joined = threads.into_iter().flat_map(|thread| {
            thread
                .join()
                .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        });
        joined.collect::<Vec<_>>()
    });
    results.sort_by_key(|&(place, _)| place);
    results.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn in_order_and_none_is_lost() {
        let all: Vec<u64> = (0..100).collect();
        let squares = in_parallel(&all, |&n| Ok(n * n)).unwrap();
        assert_eq!(squares, all.iter().map(|n| n * n).collect::<Vec<_>>());
    }

    #[test]
    fn a_failure_is_told() {
        let failed = in_parallel(&[1, 2, 3], |&n| match n {
            2 => Err(Failure::Usage("two".to_owned())),
            n => Ok(n),
        });
        assert_eq!(failed.unwrap_err().to_string(), "two");
    }
}
