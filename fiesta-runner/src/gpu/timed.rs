//! A monitor with a time limit: a driver that lost its GPU can block a caller for minutes.

use super::{Device, Monitor, MonitorError, Usage};
use std::{
    sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel},
    thread,
    time::Duration,
};

/// Longest wait for an answer of the monitor.
pub(super) const PATIENCE: Duration = Duration::from_secs(5);
/// Longest wait for the list of devices: a driver that was not in use first wakes its GPUs.
pub(crate) const WAKING: Duration = Duration::from_mins(1);

/// Monitor that asks another one in a thread, and goes on without a late answer. It asks nothing
/// more until the late answer has come.
#[derive(Debug)]
pub struct TimedMonitor {
    questions: Sender<String>,
    answers: Receiver<Result<Usage, MonitorError>>,
    is_late: bool,
    found: Found,
}

/// List of the inner monitor's devices. `None` if there is no such monitor.
type Devices = Result<Option<Vec<Device>>, MonitorError>;

#[derive(Debug)]
enum Found {
    Awaited(Receiver<Devices>),
    Known(Devices),
}

impl TimedMonitor {
    /// Makes a monitor around the one that `find` finds, without waiting for `find`.
    ///
    /// # Errors
    /// [`MonitorError`] if no thread can be started.
    pub fn of<F>(find: F) -> Result<Self, MonitorError>
    where
        F: FnOnce() -> Result<Option<Box<dyn Monitor>>, MonitorError> + Send + 'static,
    {
        let (questions, asked) = channel::<String>();
        let (answer, answers) = channel();
        let (tell, found) = channel();
        // It ends with this value; and it may hang, so nobody waits for it.
        let asking = thread::Builder::new().spawn(move || {
            let mut monitor = match find() {
                Ok(Some(monitor)) => monitor,
                other => {
                    let _ = tell.send(other.map(|_| None));
                    return;
                }
            };
            // Nobody hears it who has given up; then nothing is asked either.
            let _ = tell.send(monitor.devices().map(Some));
            for uuid in asked {
                if answer.send(monitor.usage(&uuid)).is_err() {
                    break;
                }
            }
        });
        asking.map_err(|error| MonitorError(format!("it cannot be asked: {error}")))?;
        Ok(Self {
            questions,
            answers,
            is_late: false,
            found: Found::Awaited(found),
        })
    }

    /// Returns the devices. `None` if they are not known within `patience`.
    fn found(&mut self, patience: Duration) -> Option<&Devices> {
        if let Found::Awaited(found) = &self.found {
            let found = match found.recv_timeout(patience) {
                Ok(found) => found,
                Err(RecvTimeoutError::Timeout) => return None,
                Err(RecvTimeoutError::Disconnected) => Err(gone()),
            };
            self.found = Found::Known(found);
        }
        match &self.found {
            Found::Known(found) => Some(found),
            Found::Awaited(_) => None,
        }
    }

    fn ask(&mut self, uuid: &str, timeout: Duration) -> Result<Usage, MonitorError> {
        if self.is_late {
            // The answer to an earlier question is of no use now.
            let _ = self.answers.try_recv().map_err(|_| silent())?;
            self.is_late = false;
        }
        self.questions.send(uuid.to_owned()).map_err(|_| gone())?;
        self.answers
            .recv_timeout(timeout)
            .map_err(|error| match error {
                RecvTimeoutError::Timeout => {
                    self.is_late = true;
                    silent()
                }
                RecvTimeoutError::Disconnected => gone(),
            })?
    }
}

fn gone() -> MonitorError {
    MonitorError("it cannot be asked any more".to_owned())
}

pub(crate) fn silent() -> MonitorError {
    MonitorError("it does not answer".to_owned())
}

impl Monitor for TimedMonitor {
    fn is_there(&mut self, patience: Duration) -> Result<Option<bool>, MonitorError> {
        let found = self.found(patience).cloned().transpose()?;
        Ok(found.map(|devices| devices.is_some()))
    }

    fn devices(&mut self) -> Result<Vec<Device>, MonitorError> {
        let found = self.found(WAKING).cloned().ok_or_else(silent)??;
        Ok(found.unwrap_or_default())
    }

    fn usage(&mut self, uuid: &str) -> Result<Usage, MonitorError> {
        self.ask(uuid, PATIENCE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::{Receiver, sync_channel};

    const SOON: Duration = Duration::from_millis(20);

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
        let mut monitor = TimedMonitor::of(|| Ok(Some(Box::new(Hanging(hang))))).unwrap();
        assert_eq!(monitor.is_there(WAKING), Ok(Some(true)));
        assert_eq!(monitor.devices(), Ok(Vec::new()));
        let mut said = |uuid, timeout| monitor.ask(uuid, timeout).unwrap_err().0;
        assert_eq!(said("hangs", SOON), "it does not answer");
        // Not even a moment is spent on the next question.
        assert_eq!(said("other", Duration::MAX), "it does not answer");
        free.send(()).unwrap();
        let answer = std::iter::repeat_with(|| {
            thread::sleep(SOON);
            said("other", Duration::from_secs(20))
        });
        assert!(answer.take(1000).any(|answer| answer == "other"));
    }

    #[test]
    fn a_driver_that_is_being_loaded_is_waited_for_as_long_as_the_caller_wants() {
        let (free, hang) = sync_channel::<()>(0);
        let mut loading = TimedMonitor::of(move || {
            let _ = hang.recv();
            Ok(None)
        })
        .unwrap();
        assert_eq!(loading.is_there(SOON), Ok(None));
        free.send(()).unwrap();
        assert_eq!(loading.is_there(WAKING), Ok(Some(false)));
        assert_eq!(loading.devices(), Ok(Vec::new()));
        let mut broken = TimedMonitor::of(|| Err(MonitorError("broken".to_owned()))).unwrap();
        assert_eq!(broken.devices().unwrap_err().0, "broken");
    }
}
