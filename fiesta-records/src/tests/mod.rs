//! Tests of files of scores and counts: what is read, what is refused, and what holds for all
//! bytes.

mod arms_tables;
mod cautions;
mod certain;
mod count_properties;
mod counts;
mod direction;
mod gold;
mod json;
mod layouts;
mod properties;
mod roles;
mod scores;
mod summaries;
mod systems_tables;
