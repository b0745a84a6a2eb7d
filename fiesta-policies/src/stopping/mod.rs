//! Stopping rules. (What may be spent is a limit of the selector: [`fiesta_core::Limits`].)

mod posterior;

pub use posterior::{LevelError, PosteriorThreshold};

use fiesta_core::{StoppingRule, Verdict, View};

/// Never stops: the study ends with its budget or with the policy's own schedule.
#[derive(Debug, Clone, Copy, Default)]
pub struct Never;

impl<O> StoppingRule<O> for Never {
    fn check(&self, _view: &View<'_>) -> Verdict {
        Verdict::Continue
    }
}
