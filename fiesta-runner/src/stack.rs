//! The stack of the first thread, which `ulimit -s` may make too small to read nested data.

use rustix::process::{Resource, getrlimit};
use std::thread::Builder;

/// The stack that programs have unless a limit says otherwise: 8 MiB.
const FULL: u64 = 8 << 20;

/// Runs `work` with a stack of the usual size, whatever the limit: on another thread if the first
/// one has less.
pub fn on_a_full_stack<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    let limit = getrlimit(Resource::Stack).current;
    if limit.is_none_or(|limit| limit >= FULL) {
        return work();
    }
    let (mut work, mut done) = (Some(work), None);
    std::thread::scope(|scope| {
        let on_it = || done = work.take().map(|work| work());
        let size = usize::try_from(FULL).unwrap_or(usize::MAX);
        // Without a thread to be had, the work is done on this one below.
        let _ = Builder::new().stack_size(size).spawn_scoped(scope, on_it);
    });
    match (done, work) {
        (Some(done), _) => done,
        (None, Some(work)) => work(),
        // The scope passes a panic of its thread on.
        (None, None) => unreachable!("work that was taken is done"),
    }
}
