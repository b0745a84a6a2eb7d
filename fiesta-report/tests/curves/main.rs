//! Tuning curves, their bands and what follows from them, against independent values.

mod accuracy;
mod properties;
mod reference;
