//! Thread that speaks to an engine, so that a slow engine does not delay the controller.

use super::{Batch, Engine, SubmissionError};
use fiesta_runner::executor::{Task, TaskState};
use std::{
    collections::{BTreeMap, BTreeSet},
    io::{self, PipeReader, PipeWriter, Read, Write},
    os::fd::{AsFd, BorrowedFd},
    sync::mpsc::{Receiver, Sender, channel},
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

/// Longest wait, when the program ends, until requests to the engine have been sent.
const FAREWELL: Duration = Duration::from_secs(10);

/// Request to an engine.
#[derive(Debug)]
enum Order {
    Submit(Batch),
    List(BTreeSet<String>),
    Cancel(Vec<Task>),
    Discard(Vec<Task>),
}

/// Answer of an engine to a request.
#[derive(Debug)]
pub(super) enum News {
    Submitted {
        batch: String,
        result: Result<(), SubmissionError>,
    },
    Listed(Result<BTreeMap<Task, TaskState>, String>),
    Cancelled {
        tasks: Vec<Task>,
        result: Result<(), String>,
    },
}

/// Connection to the thread of an engine, which takes requests and returns answers.
#[derive(Debug)]
pub(super) struct Desk {
    /// Channel for requests to the engine's thread. `None` once no more are sent.
    orders: Option<Sender<Order>>,
    thread: Option<JoinHandle<()>>,
    news: Receiver<News>,
    /// Pipe that is readable when the engine may have answered.
    bell: PipeReader,
}

impl Desk {
    pub(super) fn open(mut engine: impl Engine) -> io::Result<Self> {
        let (bell, mut ring) = io::pipe()?;
        rustix::io::ioctl_fionbio(&bell, true)?;
        rustix::io::ioctl_fionbio(&ring, true)?;
        let (orders, taken) = channel::<Order>();
        let (told, news) = channel();
        let thread = thread::Builder::new()
            .name("fiesta-engine".to_owned())
            .spawn(move || {
                // Until whoever asks is gone.
                for order in taken {
                    let Some(answer) = answer(&mut engine, order) else {
                        continue;
                    };
                    if told.send(answer).is_err() {
                        return;
                    }
                    sound(&mut ring);
                }
            })?;
        Ok(Self {
            orders: Some(orders),
            thread: Some(thread),
            news,
            bell,
        })
    }

    pub(super) fn submit(&self, batch: Batch) {
        self.order(Order::Submit(batch));
    }

    pub(super) fn list(&self, batches: BTreeSet<String>) {
        self.order(Order::List(batches));
    }

    pub(super) fn cancel(&self, tasks: Vec<Task>) {
        self.order(Order::Cancel(tasks));
    }

    pub(super) fn discard(&self, tasks: Vec<Task>) {
        self.order(Order::Discard(tasks));
    }

    fn order(&self, order: Order) {
        // The thread is there as long as the desk is, unless it panicked: then nothing is answered,
        // and runs are known by their directories.
        if let Some(orders) = &self.orders {
            let _ = orders.send(order);
        }
    }

    pub(super) fn bell(&self) -> BorrowedFd<'_> {
        self.bell.as_fd()
    }

    pub(super) fn news(&mut self) -> Vec<News> {
        let mut heard = [0; 64];
        while matches!(self.bell.read(&mut heard), Ok(1..)) {}
        self.news.try_iter().collect()
    }
}

/// Waits, when the connection is dropped, until requests to stop tasks have been sent.
impl Drop for Desk {
    fn drop(&mut self) {
        self.orders = None;
        let Some(thread) = self.thread.take() else {
            return;
        };
        let deadline = Instant::now() + FAREWELL;
        while !thread.is_finished() && Instant::now() < deadline {
            thread::sleep(Duration::from_millis(5));
        }
    }
}

/// Makes the pipe readable. It may be readable already.
fn sound(ring: &mut PipeWriter) {
    let _ = ring.write(&[1]);
}

fn answer(engine: &mut impl Engine, order: Order) -> Option<News> {
    Some(match order {
        Order::Submit(batch) => News::Submitted {
            result: engine.submit(&batch),
            batch: batch.name,
        },
        Order::List(batches) => News::Listed(engine.list(&batches)),
        Order::Cancel(tasks) => News::Cancelled {
            result: engine.cancel(&tasks),
            tasks,
        },
        Order::Discard(tasks) => {
            engine.discard(&tasks);
            return None;
        }
    })
}
