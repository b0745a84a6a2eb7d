//! The publication of an end, which a full disk may delay and does not prevent.

use super::directory::{RunDirectory, worth_keeping};
use super::output::Output;
use super::tree::Tree;
use crate::executor::Ended;
use std::io;
use std::time::Duration;

/// How long to wait for room on the disk, before the first time and at most.
const PAUSE: Duration = Duration::from_millis(50);
const LONGEST_PAUSE: Duration = Duration::from_secs(2);

/// Publishes how a run ended, after all that its command printed; what the disk does not take of it goes along with the end.
pub(super) fn publish(
    directory: &RunDirectory,
    mut ended: Ended,
    mut printed: Option<Output>,
    tree: &mut Tree,
) -> io::Result<()> {
    insist(tree, || {
        let Some(output) = &mut printed else {
            return directory.publish(&ended, None);
        };
        ended.rescued = match output.complete(worth_keeping(&ended)) {
            Ok(()) => None,
            Err(error) => match output.rescue(&error) {
                None if is_full(&error) => return Err(error),
                rescued => rescued,
            },
        };
        directory.publish(&ended, output.reserve())
    })?;
    Ok(())
}

/// Tries until the disk has room, or somebody wants the run to stop.
pub(super) fn insist<T>(tree: &mut Tree, mut act: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    let mut pause = PAUSE;
    loop {
        match act() {
            Err(error) if is_full(&error) && !tree.take_stop_request() => tree.pause(pause)?,
            result => return result,
        }
        pause = (pause * 2).min(LONGEST_PAUSE);
    }
}

/// Whether an error says that there is no room on the disk.
pub(crate) fn is_full(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded
    )
}
