//! Studies of functions of Python: the controller in a thread of its own, and the calls that
//! Python's threads or processes make.

use crate::{
    error::refused,
    keywords::in_python,
    report::{Report, Shown},
    study::toml_of,
};
use fiesta_core::ArmId;
use fiesta_report::analysis::study::StudyFindings;
use fiesta_runner::{
    History, Options, RunError, Study,
    executor::{Call as CoreCall, Calls, Functions, NoCall, Output},
    history::Ending,
    observer::{Observer, Progress},
    run,
    signal::{Signals, Stopper},
    status::{State, Status, facts, failures},
};
use pyo3::{
    create_exception,
    exceptions::{PyRuntimeError, PyStopIteration},
    prelude::*,
    types::PyDict,
};
use std::{
    fs,
    path::PathBuf,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        mpsc::{Receiver, RecvTimeoutError, channel},
    },
    thread,
    time::Duration,
};

create_exception!(
    fiesta_select,
    StudyError,
    PyRuntimeError,
    "A study that cannot go on: its message says why, and what to do."
);

/// Status of a study, with the text that the program prints of it at its end.
#[derive(Clone)]
pub(crate) struct StudyStatus {
    status: Status,
    text: String,
}

impl StudyStatus {
    /// Returns the status of a study that has this history.
    pub(crate) fn new(study: &Study, history: &History, state: State) -> Self {
        let facts = facts(study, history);
        Self {
            text: StudyFindings::new(&facts).text(),
            status: Status::new(study, history, state),
        }
    }
}

impl Shown for StudyStatus {
    fn json(&self) -> serde_json::Result<String> {
        serde_json::to_string(&self.status)
    }

    fn value(&self) -> serde_json::Result<serde_json::Value> {
        serde_json::to_value(&self.status)
    }

    fn text(&self) -> String {
        self.text.clone()
    }

    fn kind(&self) -> &'static str {
        "Status"
    }
}

/// Result of a session of a study.
#[derive(Clone)]
enum End {
    Finished(Box<StudyStatus>),
    /// The session was asked to stop, and left this many calls running.
    Interrupted(usize),
    Failed(String),
}

/// Progress of a session, for displays.
#[derive(Default)]
struct Standing {
    ended: u64,
    running: usize,
    pending: u64,
    cost: f64,
    leader: Option<String>,
    probability: Option<f64>,
    notices: Vec<String>,
}

/// Observer of a session, which records its progress for displays.
struct Watch(Arc<Mutex<Standing>>);

impl Watch {
    fn standing(&self) -> MutexGuard<'_, Standing> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Observer for Watch {
    fn progress(&mut self, progress: &Progress<'_>) {
        let view = progress.selector.view();
        let belief = view.belief().map(|belief| {
            let arms = belief.leaders(view.top());
            (belief.leader().0, belief.of_all(&arms))
        });
        let name = |arm: ArmId| progress.study.arms().name(arm).to_owned();
        let mut standing = self.standing();
        standing.ended = view.total_ended();
        standing.running = progress.running;
        standing.pending = view.total_pending();
        standing.cost = view.total_cost();
        standing.leader = belief
            .map(|(arm, _)| arm)
            .or_else(|| view.empirical_best())
            .map(name);
        standing.probability = belief.map(|(_, probability)| probability);
    }

    fn ended(&mut self, study: &Study, evaluation: &fiesta_core::Evaluation, ending: &Ending) {
        if let Some(message) = &ending.message {
            let number = evaluation.id.0 + 1;
            let arm = study.arms().name(evaluation.arm);
            let on = study.describe(evaluation);
            let notice = format!("evaluation {number}, {arm} on {on}: {message}");
            self.standing().notices.push(notice);
        }
    }

    fn notice(&mut self, message: &str) {
        self.standing().notices.push(in_python(message));
    }
}

/// A running study of functions of Python. Its calls are taken with `next`, until it has ended.
#[pyclass(frozen, module = "fiesta_select._native")]
pub(crate) struct FunctionRun {
    calls: Calls,
    stopper: Stopper,
    standing: Arc<Mutex<Standing>>,
    /// Result of the session, kept after the first `wait`, as a caller that was interrupted asks
    /// again.
    ended: Mutex<(Receiver<End>, Option<End>)>,
    /// Confidence of the study, if that is its goal.
    #[pyo3(get)]
    confidence: Option<f64>,
    /// Greatest number of evaluations that the study may make, if that is known.
    #[pyo3(get)]
    most_evaluations: Option<u64>,
    /// Number of calls that run at once.
    #[pyo3(get)]
    parallel: usize,
}

#[pymethods]
impl FunctionRun {
    /// Writes a study document in JSON to a study file, and starts or continues the study.
    #[new]
    fn new(
        py: Python<'_>,
        document: &str,
        path: PathBuf,
        accept_changes: bool,
        retry: Vec<String>,
        again: Vec<String>,
    ) -> PyResult<Self> {
        let text = toml_of(document)?;
        py.detach(|| {
            let study = Study::write(&text, &path).map_err(refused)?;
            let (mut functions, calls) = Functions::queued(&study).map_err(refused)?;
            let (mut signals, stopper) = Signals::on_request().map_err(refused)?;
            let standing = Arc::<Mutex<Standing>>::default();
            let (tell, ended) = channel();
            let run_of = Self {
                calls,
                stopper,
                standing: Arc::clone(&standing),
                ended: Mutex::new((ended, None)),
                confidence: study.confidence(),
                most_evaluations: study.most_evaluations(),
                parallel: study.parallel,
            };
            let session = move || {
                let mut watch = Watch(standing);
                let options = Options {
                    accept_changes,
                    retry,
                    again,
                };
                let result = run(&study, &mut functions, &mut signals, &mut watch, &options);
                let end = match result {
                    Ok(finished) => {
                        let status = StudyStatus::new(&study, &finished.history, State::Finished);
                        End::Finished(Box::new(status))
                    }
                    Err(RunError::Interrupted { left_running }) => End::Interrupted(left_running),
                    Err(error) => End::Failed(explained(&study, &error)),
                };
                // Nobody may look any more.
                let _ = tell.send(end);
                drop(functions);
            };
            thread::Builder::new()
                .name("fiesta".to_owned())
                .spawn(session)
                .map_err(refused)?;
            Ok(run_of)
        })
    }

    /// Returns the next call. `None` if none comes within this many seconds; `StopIteration` when
    /// no more will come.
    fn next(&self, py: Python<'_>, seconds: f64) -> PyResult<Option<Call>> {
        let timeout = Duration::try_from_secs_f64(seconds).map_err(refused)?;
        match py.detach(|| self.calls.next_within(timeout)) {
            Ok(call) => Ok(Some(Call(Mutex::new(Some(call))))),
            Err(NoCall::Yet) => Ok(None),
            Err(NoCall::Any) => Err(PyStopIteration::new_err(())),
        }
    }

    /// Stops the study as Ctrl-C does in the program: after the first call it starts nothing more,
    /// after a second one it leaves running calls behind.
    fn stop(&self) {
        self.stopper.stop();
    }

    /// Waits up to `seconds` seconds for the study's end, and returns its status. `None` if it has
    /// not ended. `InterruptedError` if it was asked to stop; `StudyError` if it cannot go on.
    fn wait(&self, py: Python<'_>, seconds: f64) -> PyResult<Option<Report>> {
        let timeout = Duration::try_from_secs_f64(seconds).map_err(refused)?;
        let ended = py.detach(|| {
            let mut ended = self.ended.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(end) = &ended.1 {
                return Ok(end.clone());
            }
            let end = ended.0.recv_timeout(timeout)?;
            Ok(ended.1.insert(end).clone())
        });
        match ended {
            Ok(End::Finished(status)) => Ok(Some(Report::new(*status))),
            Ok(End::Interrupted(left)) => Err(pyo3::exceptions::PyInterruptedError::new_err(left)),
            Ok(End::Failed(message)) => Err(StudyError::new_err(message)),
            Err(RecvTimeoutError::Timeout) => Ok(None),
            Err(RecvTimeoutError::Disconnected) => Err(StudyError::new_err(
                "the session ended without a word: this is a fault of FIESTA",
            )),
        }
    }

    /// Returns where the session stands: `ended`, `running`, `pending`, `cost`, `leader`,
    /// `probability`, and the `notices` since the last call.
    fn progress<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        let mut standing = self.standing.lock().unwrap_or_else(PoisonError::into_inner);
        dict.set_item("ended", standing.ended)?;
        dict.set_item("running", standing.running)?;
        dict.set_item("pending", standing.pending)?;
        dict.set_item("cost", standing.cost)?;
        dict.set_item("leader", standing.leader.clone())?;
        dict.set_item("probability", standing.probability)?;
        dict.set_item("notices", std::mem::take(&mut standing.notices))?;
        Ok(dict)
    }
}

/// One call of a function of Python: its inputs, and the ways to end it.
#[pyclass(frozen, module = "fiesta_select._native")]
pub(crate) struct Call(Mutex<Option<CoreCall>>);

#[pymethods]
impl Call {
    /// Returns the function's inputs as JSON: `arm`, `split`, `seed`, `item`, `item_id`, `setting`,
    /// `directory`, `checkpoint`.
    fn request(&self) -> PyResult<String> {
        let call = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let call = call.as_ref().ok_or_else(over)?;
        let directory = call.directory().to_string_lossy();
        let checkpoint = call.checkpoint().map(|path| path.to_string_lossy());
        let mut keys = vec![("directory", &*directory)];
        keys.extend(checkpoint.as_ref().map(|path| ("checkpoint", &**path)));
        Ok(call.asked(&keys))
    }

    /// Tells whether the study no longer waits for the call.
    fn is_cancelled(&self) -> bool {
        let call = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        call.as_ref().is_none_or(CoreCall::is_cancelled)
    }

    /// Ends the call with this score.
    fn finish(&self, py: Python<'_>, score: f64) -> PyResult<()> {
        let call = self.take()?;
        py.detach(|| call.finish(Ok(Output::from(score))));
        Ok(())
    }

    /// Ends the call with this result, a JSON object as a command prints it.
    fn finish_with(&self, py: Python<'_>, result: &str) -> PyResult<()> {
        let keys: serde_json::Map<String, serde_json::Value> =
            serde_json::from_str(result).map_err(refused)?;
        let call = self.take()?;
        py.detach(|| call.finish(Ok(Output::from(keys))));
        Ok(())
    }

    /// Ends the call as failed. The details are kept where a command's standard error is. `said` is
    /// a JSON object of what else is known: of a request that failed its `status` and
    /// `retry_after`.
    fn fail(&self, py: Python<'_>, message: &str, details: &str, said: &str) -> PyResult<()> {
        let said: serde_json::Map<String, serde_json::Value> =
            serde_json::from_str(said).map_err(refused)?;
        let call = self.take()?;
        py.detach(|| {
            // The message says what happened also where the details cannot be written.
            let _ = fs::write(call.directory().join("stderr"), details);
            call.fail(message, said);
        });
        Ok(())
    }

    /// Ends the call as lost through no fault of the arm. It is made again as far as `retries` go.
    fn lose(&self, py: Python<'_>, reason: String) -> PyResult<()> {
        let call = self.take()?;
        py.detach(|| call.lose(reason));
        Ok(())
    }
}

impl Call {
    fn take(&self) -> PyResult<CoreCall> {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take()
            .ok_or_else(over)
    }
}

fn over() -> PyErr {
    PyRuntimeError::new_err("this call has ended already")
}

/// Returns an error's message, with the causes of the study's failures if there are any.
fn explained(study: &Study, error: &RunError) -> String {
    let history = fiesta_runner::status::current(study).ok();
    let groups = history
        .map(|history| failures(study, &history))
        .unwrap_or_default();
    let causes = groups.iter().take(5).map(|group| {
        format!(
            "\nevaluation {}, {} on {}: {}",
            group.evaluation, group.arm, group.description, group.message
        )
    });
    format!(
        "{}{}",
        in_python(&error.to_string()),
        causes.collect::<String>()
    )
}
