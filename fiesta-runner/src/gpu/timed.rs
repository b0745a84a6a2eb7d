//! A monitor with a time limit: a driver whose GPU has fallen off the bus can keep its callers for
//! minutes.

use super::{Device, Monitor, MonitorError, Usage};
use std::{
    sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel},
    thread,
    time::Duration,
};

/// How long a question may take.
const PATIENCE: Duration = Duration::from_secs(5);
/// How long the first ones may: a driver that was not in use yet wakes up its GPUs.
const WAKING: Duration = Duration::from_mins(1);

/// Asks another monitor in a thread of its own, and goes on without an answer if that takes too
/// long. Until the late answer has come, nothing more is asked.
#[derive(Debug)]
pub struct TimedMonitor {
    questions: Sender<Question>,
    answers: Receiver<Answer>,
    is_late: bool,
}

#[derive(Debug)]
enum Question {
    Devices,
    Usage(String),
}

#[derive(Debug)]
enum Answer {
    Devices(Result<Vec<Device>, MonitorError>),
    Usage(Result<Usage, MonitorError>),
}

impl TimedMonitor {
    /// Asks the monitor that `find` finds, if it does.
    ///
    /// # Errors
    /// [`MonitorError`] if `find` says so, or does not come back.
    pub fn of<F>(find: F) -> Result<Option<Self>, MonitorError>
    where
        F: FnOnce() -> Result<Option<Box<dyn Monitor>>, MonitorError> + Send + 'static,
    {
        Self::found_within(WAKING, find)
    }

    fn found_within<F>(timeout: Duration, find: F) -> Result<Option<Self>, MonitorError>
    where
        F: FnOnce() -> Result<Option<Box<dyn Monitor>>, MonitorError> + Send + 'static,
    {
        let (questions, asked) = channel();
        let (answer, answers) = channel();
        let (tell, found) = channel();
        // It ends with this value; and it may hang, so nobody waits for it.
        let asking = thread::Builder::new().spawn(move || {
            let mut monitor = match find() {
                Ok(Some(monitor)) => monitor,
                other => {
                    let _ = tell.send(other.map(|_| false));
                    return;
                }
            };
            // Nobody hears it who has given up; then nothing is asked either.
            let _ = tell.send(Ok(true));
            for question in asked {
                let said = match question {
                    Question::Devices => Answer::Devices(monitor.devices()),
                    Question::Usage(uuid) => Answer::Usage(monitor.usage(&uuid)),
                };
                if answer.send(said).is_err() {
                    break;
                }
            }
        });
        asking.map_err(|error| MonitorError(format!("it cannot be asked: {error}")))?;
        let is_there = found.recv_timeout(timeout).map_err(|_| silent())??;
        Ok(is_there.then_some(Self {
            questions,
            answers,
            is_late: false,
        }))
    }

    fn ask(&mut self, question: Question, timeout: Duration) -> Result<Answer, MonitorError> {
        let gone = |_| MonitorError("it cannot be asked any more".to_owned());
        if self.is_late {
            // The answer to an earlier question is of no use now.
            self.answers.try_recv().map_err(|_| silent())?;
            self.is_late = false;
        }
        self.questions
            .send(question)
            .map_err(|_| gone(RecvTimeoutError::Disconnected))?;
        self.answers
            .recv_timeout(timeout)
            .map_err(|error| match error {
                RecvTimeoutError::Timeout => {
                    self.is_late = true;
                    silent()
                }
                RecvTimeoutError::Disconnected => gone(error),
            })
    }
}

fn silent() -> MonitorError {
    MonitorError("it does not answer".to_owned())
}

impl Monitor for TimedMonitor {
    fn devices(&mut self) -> Result<Vec<Device>, MonitorError> {
        match self.ask(Question::Devices, WAKING)? {
            Answer::Devices(devices) => devices,
            Answer::Usage(_) => Err(MonitorError("it answers another question".to_owned())),
        }
    }

    fn usage(&mut self, uuid: &str) -> Result<Usage, MonitorError> {
        match self.ask(Question::Usage(uuid.to_owned()), PATIENCE)? {
            Answer::Usage(usage) => usage,
            Answer::Devices(_) => Err(MonitorError("it answers another question".to_owned())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::{Receiver, sync_channel};

    #[derive(Debug)]
    struct Hanging(Receiver<()>);

    impl Monitor for Hanging {
        fn devices(&mut self) -> Result<Vec<Device>, MonitorError> {
            Ok(Vec::new())
        }

        fn usage(&mut self, uuid: &str) -> Result<Usage, MonitorError> {
            if uuid == "hangs" {
                let _ = self.0.recv();
            }
            Err(MonitorError(uuid.to_owned()))
        }
    }

    #[test]
    fn a_driver_that_hangs_keeps_nobody_and_is_asked_again_when_it_has_come_round() {
        let (free, hang) = sync_channel(0);
        let mut monitor = TimedMonitor::of(|| Ok(Some(Box::new(Hanging(hang)))))
            .unwrap()
            .unwrap();
        assert_eq!(monitor.devices(), Ok(Vec::new()));
        let said = |answer: Result<Answer, MonitorError>| match answer {
            Ok(Answer::Usage(Err(error))) | Err(error) => error.0,
            answer => panic!("{answer:?}"),
        };
        let soon = Duration::from_millis(20);
        let late = monitor.ask(Question::Usage("hangs".to_owned()), soon);
        assert_eq!(said(late), "it does not answer");
        // Not even a moment is spent on the next question.
        let next = monitor.ask(Question::Usage("other".to_owned()), Duration::MAX);
        assert_eq!(said(next), "it does not answer");
        free.send(()).unwrap();
        let answer = std::iter::repeat_with(|| {
            thread::sleep(soon);
            said(monitor.ask(Question::Usage("other".to_owned()), Duration::from_secs(20)))
        });
        assert!(answer.take(1000).any(|answer| answer == "other"));
    }

    #[test]
    fn a_driver_that_hangs_when_it_is_loaded_is_an_error() {
        let (_free, hang) = sync_channel::<()>(0);
        let found = TimedMonitor::found_within(Duration::from_millis(20), move || {
            let _ = hang.recv();
            Ok(None)
        });
        assert_eq!(found.unwrap_err().0, "it does not answer");
        assert!(TimedMonitor::of(|| Ok(None)).unwrap().is_none());
        let found = TimedMonitor::of(|| Err(MonitorError("broken".to_owned())));
        assert_eq!(found.unwrap_err().0, "broken");
    }
}
