//! The keys that any result may have, beside that of the score or those of counts.

use crate::named::named;

named! {
    /// An optional key of a result.
    pub(crate) enum ResultKey {
        /// What the evaluation cost, in the study's unit; else that is what the study file says,
        /// or seconds times GPUs.
        Cost = "cost",
        /// Tokens by kind, such as `{"in": 812, "out": 40}`, which `prices` make a cost of.
        Tokens = "tokens",
        /// What went wrong, a text in place of the score: a failure of the arm.
        Error = "error",
    }
}
