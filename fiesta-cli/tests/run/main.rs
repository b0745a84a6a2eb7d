//! Tests of studies through the program, with real jobs: what is run, what is counted, how a study
//! ends, and how it is resumed.

#[path = "../support/mod.rs"]
mod support;
#[path = "../support/usage.rs"]
mod usage;

use support::{Bench, SCORE, STUDY, arm, code, python};

/// Two arms of a study file, `low` and `high`.
const TWO: &str = "[[arm]]\nname = \"low\"\n[[arm]]\nname = \"high\"\n";

/// A job that writes down arm, split and seed before it scores.
fn logging() -> String {
    format!("echo $1 $2 $3 >> log\n{SCORE}")
}

mod answers;
mod arm_identity;
mod arms;
mod asked_again;
mod benchmarks;
mod changes;
mod cheapest;
mod checkpoints;
mod choosing;
mod decisive;
mod designs;
mod documents;
mod dry_run;
mod edges;
mod ending;
mod extensions;
mod failing;
mod files_of_a_study;
mod flood;
mod full_disk;
mod functions;
mod gate;
mod idle;
mod in_time;
mod init;
mod init_asked;
mod init_data;
mod init_reader;
mod init_scripts;
mod items;
mod items_gone;
mod jobs;
mod kept;
mod late;
mod left_trials;
mod looking;
mod measures;
mod memory;
mod moved;
mod nested;
mod one_number;
mod open_files;
mod others_data;
mod outlived;
mod packing;
mod parallel;
mod pattern;
mod policy;
mod prices;
mod readable;
mod recorded;
mod repeats;
mod scales;
mod secrets;
mod shortage;
mod signals;
mod silence;
mod slots;
mod spent;
mod splits;
mod strangers;
mod ties;
mod time;
mod top;
mod unused_inputs;
mod worker;
