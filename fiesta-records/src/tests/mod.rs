//! Tests of files of scores and counts: what is read, what is refused, and what holds for all
//! bytes.

mod arms_tables;
mod certain;
mod count_properties;
mod counts;
mod json;
mod layouts;
mod properties;
mod scores;
