//! Ledgers whose files were torn, overwritten, taken from an earlier version, or fought over.

mod bench;
mod formats;
mod large;
mod locks;
mod torn;
