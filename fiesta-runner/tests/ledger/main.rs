//! Tests of ledgers whose files were torn, overwritten, taken from an earlier version, or shared.

mod bench;
mod formats;
mod large;
mod locks;
mod torn;
