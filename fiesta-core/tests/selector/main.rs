//! Tests of the selector: what it decides is a function of its seed and of the sequence of asks and
//! tells, and its bookkeeping is right whatever happens in whatever order.

mod any_sequence;
mod asked_again;
mod awaiting;
mod cases;
mod failing;
#[path = "../fakes/mod.rs"]
mod fakes;
mod items;
mod policies_that_misbehave;
mod recorded;
mod reinstating;
mod replaying;
mod stopping;
mod telling;
mod warming_up;
