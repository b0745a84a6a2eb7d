//! Calls of functions: what each call is told, and how it ends.

use super::{Output, calls::Shared, running::Running};
use crate::{
    run::JobVariable,
    run::{Carried, End, RunId, RunSpec},
};
use serde_json::{Map, Value};
use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    path::Path,
    sync::{Arc, LazyLock},
};

/// One evaluation that a function is to make.
///
/// Its end is published in the run's directory before [`finish`](Self::finish) returns: it counts
/// once, also if the process is killed right afterwards. A call that is dropped without an end is
/// lost, and made again as far as the study's `retries` go.
#[derive(Debug)]
pub struct Call {
    spec: RunSpec,
    pub(super) running: Arc<Running>,
    shared: Arc<Shared>,
    has_ended: bool,
}

impl Call {
    pub(super) fn new(spec: RunSpec, running: Arc<Running>, shared: Arc<Shared>) -> Self {
        Self {
            spec,
            running,
            shared,
            has_ended: false,
        }
    }

    /// Returns the name of the run.
    pub fn run(&self) -> &RunId {
        &self.spec.id
    }

    /// Returns what the function is told: `arm`, `seed`, and `split`, `item` with `item_id`, or
    /// `document` (a path) with `document_id`; in a random search also `setting`.
    pub fn request(&self) -> &Map<String, Value> {
        static NOTHING: LazyLock<Map<String, Value>> = LazyLock::new(Map::new);
        self.spec.request.as_ref().unwrap_or(&NOTHING)
    }

    /// Returns the request as a line of JSON that begins with the keys `first`, with all digits
    /// that the item has in its file.
    pub fn asked(&self, first: &[(&str, &str)]) -> String {
        self.spec.asked(first).unwrap_or_else(|| "{}".to_owned())
    }

    fn number(&self, key: &str) -> Option<u64> {
        self.request().get(key)?.as_u64()
    }

    fn text(&self, key: &str) -> Option<&str> {
        self.request().get(key)?.as_str()
    }

    /// Returns the name of the arm.
    pub fn arm(&self) -> &str {
        self.text("arm").unwrap_or_default()
    }

    /// Returns the number of the split. `None` in a study of items.
    pub fn split(&self) -> Option<u64> {
        self.number("split")
    }

    /// The seed of the evaluation's random choices.
    pub fn seed(&self) -> u64 {
        self.number("seed").unwrap_or_default()
    }

    /// Returns the item of the pool: its JSON, or the path of its file. `None` in a study of
    /// splits.
    pub fn item(&self) -> Option<&Value> {
        let request = self.request();
        request.get("item").or_else(|| request.get("document"))
    }

    /// The identity of the item.
    pub fn item_id(&self) -> Option<&str> {
        self.text("item_id").or_else(|| self.text("document_id"))
    }

    /// The hyperparameters, by their names, in a random search.
    pub fn setting(&self) -> Option<&Map<String, Value>> {
        self.request().get("setting")?.as_object()
    }

    /// The run's own directory, which is kept with the study. What is written there to
    /// [`stderr`](crate::run::RunDirectory::stderr) is shown by `fiesta log`.
    pub fn directory(&self) -> &Path {
        &self.spec.directory
    }

    /// The directory in which an evaluation finds what an earlier attempt at it has saved.
    pub fn checkpoint(&self) -> Option<&Path> {
        self.spec
            .variable(JobVariable::Checkpoint.name())
            .map(Path::new)
    }

    /// Whether the call is to end: the study has its conclusion, or somebody asked twice to stop.
    /// After the grace nobody waits for it any more.
    pub fn is_cancelled(&self) -> bool {
        self.running.is_cancelled()
    }

    /// Ends the call with the function's output, or with the text of its failure. The user is shown
    /// the first 300 characters of the failure on one line.
    pub fn finish(mut self, result: Result<Output, String>) {
        let result = match result {
            Ok(output) => output.text(&self.shared.metric),
            Err(words) => return self.fail(&words, Map::new()),
        };
        self.publish(result);
    }

    /// Ends the call as failed, with the text of the failure and further keys. With `status` and
    /// `retry_after` in `said`, a failed request to a service may be made again.
    pub fn fail(mut self, words: &str, said: Map<String, Value>) {
        let words = match words.trim() {
            "" => "it failed without a word",
            _ => words,
        };
        let mut result = said;
        result.insert("error".to_owned(), words.into());
        self.publish(Value::Object(result).to_string());
    }

    fn publish(&mut self, result: String) {
        let carried = Carried {
            result: Some(result),
            ..Carried::default()
        };
        self.end(End::Exited(0), Some(carried));
    }

    /// Ends the call as lost through no fault of the arm, as the program that makes it broke down.
    /// The call is made again, as far as the study's `retries` allow.
    pub fn lose(mut self, reason: impl Into<String>) {
        let reason = reason.into();
        self.end(End::Lost { reason }, None);
    }

    /// Ends the call with the output of `function`. If the function panics, the call has failed.
    pub fn answer<R: Into<Output>>(self, function: impl FnOnce(&Self) -> Result<R, String>) {
        let result = caught(|| function(&self));
        self.finish(result.map(Into::into));
    }

    fn end(&mut self, end: End, carried: Option<Carried>) {
        self.has_ended = true;
        self.shared.end(&self.running, end, carried);
    }
}

impl Drop for Call {
    fn drop(&mut self) {
        if !self.has_ended {
            let reason = "it was given up without a result".to_owned();
            self.end(End::Lost { reason }, None);
        }
    }
}

/// Calls a function, and turns a panic into an error with the panic's message.
fn caught<T>(function: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(function)).unwrap_or_else(|panic| {
        let words = panic
            .downcast_ref::<&str>()
            .map(|text| (*text).to_owned())
            .or_else(|| panic.downcast_ref::<String>().cloned());
        Err(format!("panicked: {}", words.unwrap_or_default()))
    })
}
