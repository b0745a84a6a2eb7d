//! Tests of tuning curves, their bands and what follows from them, against independent values.

mod accuracy;
mod bands;
mod coverage;
mod crossings;
mod curve_bands;
mod properties;
mod reference;
