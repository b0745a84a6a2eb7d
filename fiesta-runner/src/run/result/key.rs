//! The optional keys of any result, beside those of the score or the counts.

use crate::named::named;

named! {
    /// An optional key of a result.
    pub(crate) enum ResultKey {
        /// What the evaluation cost, in the study's unit; else that is what the study file says,
        /// or seconds times GPUs.
        Cost = "cost",
        /// Tokens by kind, such as `{"in": 812, "out": 40}`, which `prices` make a cost of. Also
        /// `prompt_tokens` and `completion_tokens`, or `input_tokens` and `output_tokens`, as keys
        /// of the result or below `usage`, as services answer.
        Tokens = "tokens",
        /// What went wrong, a text in place of the score: a failure of the arm.
        Error = "error",
        /// Beside `error`, the status with which a service refused a request, or `"timeout"`:
        /// requests of a pool that failed with 408, 409, 425, 429, 5xx or a time-out are made again
        /// at the end of the study. Without it, the status that `error` names counts.
        Status = "status",
        /// Beside `error`, how long the service asked to wait: seconds, or a date of HTTP.
        RetryAfter = "retry_after",
    }
}
