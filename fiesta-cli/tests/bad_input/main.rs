//! Tests of bad input through the program: the exit code, what is wrong, where, and what to do.

mod counts_files;
mod documents;
mod lenient;
mod lock;
mod machine;
mod scores;
mod scores_files;
mod study_file;
#[path = "../support/mod.rs"]
mod support;
mod worker;
