//! Numerical methods: Student's t distribution in tables, and the Gauss–Kronrod rule.

pub(crate) mod gauss_kronrod;
pub mod student;
