//! The program on a host: it starts, stops and looks at supervisors there, as one message asks.
//!
//! It is started by `ssh` for one message and goes when that is answered. The supervisors that it
//! started have sessions of their own and stay.

use super::message::{Hello, Order, Reply, Request, Sight, line, parse};
use crate::{
    executor::{
        Found, Handle,
        find::{complaint, find},
    },
    private,
    process::{self, Identity, numbers},
    run::{RunDirectory, RunId},
    supervisor,
};
use rustix::{
    process::Signal,
    time::{ClockId, clock_gettime},
};
use std::{
    fs,
    io::{self, BufRead, Write},
    os::unix::process::CommandExt,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

/// The first argument that turns a program into the one on a host.
pub(crate) const ARGUMENT: &str = "__fiesta-remote";

/// How long a supervisor that was started has until it begins, and a directory until it is seen.
const BEGINNING: Duration = Duration::from_secs(10);
/// How long after the greeting an order is an order: a machine that slept meanwhile may wake when
/// the run is made elsewhere.
const FRESH: i64 = 60;

/// Answers one message; returns the exit code.
pub(crate) fn serve(place: &Path) -> i32 {
    // No signal of whatever terminal there is.
    let _ = rustix::process::setsid();
    let hello = Hello {
        host: process::host().unwrap_or_default(),
        sees: place.is_dir(),
    };
    let greeted = clock_gettime(ClockId::Boottime).tv_sec;
    if say(&line(&hello)).is_err() {
        return 1;
    }
    let mut text = String::new();
    // Whoever only asks whether the host is there says nothing.
    if !matches!(io::stdin().lock().read_line(&mut text), Ok(1..)) {
        return 0;
    }
    let Some(request) = parse::<Request>(&text) else {
        eprintln!("fiesta: the message from the study's machine is torn");
        return 1;
    };
    if clock_gettime(ClockId::Boottime).tv_sec - greeted > FRESH {
        eprintln!("fiesta: the message came too late");
        return 1;
    }
    // That the connection is gone changes nothing: what was started is seen by the next look.
    let _ = say(&line(&carry_out(&request)));
    0
}

fn say(text: &str) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    stdout.write_all(text.as_bytes())?;
    stdout.flush()
}

fn carry_out(request: &Request) -> Reply {
    for run in &request.stop {
        stop(run);
    }
    let mut runs = start(&request.start);
    let looks = request.look.iter().chain(&request.stop);
    runs.extend(looks.map(|run| (run.clone(), look(run))));
    Reply { runs }
}

/// What became of a run, as this machine tells.
fn look(run: &Path) -> Sight {
    let directory = RunDirectory::new(run);
    // A directory that is opened is asked for anew, where its content is kept for a while.
    let _ = fs::read_dir(run);
    if !run.is_dir() {
        return Sight::Missing;
    }
    // Only what a supervisor left is looked for by this name.
    let id = directory.read_spec().map(|spec| spec.id);
    let id = id.or_else(|_| "unknown".parse::<RunId>());
    let Ok(id) = id else {
        return Sight::Missing;
    };
    let boot = directory.read_meta().ok().flatten();
    match find(&id, &directory) {
        Ok(Found::Absent) => Sight::Absent,
        Ok(Found::Alive(_)) => Sight::Alive,
        Ok(Found::Ended(mut ended)) => {
            ended.survivors.retain(Identity::is_alive);
            let survivors = numbers(&ended.survivors);
            Sight::Ended { survivors }
        }
        Ok(Found::Vanished { survivors, .. }) => Sight::Vanished {
            rebooted: boot.is_some_and(|meta| {
                let is_other =
                    |own: io::Result<String>, then: &str| own.is_ok_and(|own| own != then);
                is_other(process::boot_id(), &meta.supervisor.boot_id)
                    || is_other(process::namespace(), &meta.namespace)
            }),
            survivors: numbers(&survivors),
        },
        Ok(Found::Elsewhere { .. }) | Err(_) => Sight::Unseen,
    }
}

/// Asks the supervisor of a run to stop, if it runs on this machine.
fn stop(run: &Path) {
    let directory = RunDirectory::new(run);
    let Ok(id) = directory.read_spec().map(|spec| spec.id) else {
        return;
    };
    if let Ok(Found::Alive(Handle::Process(supervisor))) = find(&id, &directory) {
        // It may just have ended.
        let _ = supervisor.signal(Signal::TERM);
    }
}

/// Starts supervisors, and waits until each has begun.
fn start(orders: &[Order]) -> Vec<(PathBuf, Sight)> {
    let deadline = Instant::now() + BEGINNING;
    let started: Vec<(&Order, Result<Option<Child>, Sight>)> = orders
        .iter()
        .map(|order| (order, begin(order, deadline)))
        .collect();
    started
        .into_iter()
        .map(|(order, started)| {
            let sight = match started {
                Ok(Some(child)) => begun(order, child, deadline),
                Ok(None) => look(&order.run),
                Err(sight) => sight,
            };
            (order.run.clone(), sight)
        })
        .collect()
}

/// Starts a supervisor; none if the run has one, or ended.
fn begin(order: &Order, deadline: Instant) -> Result<Option<Child>, Sight> {
    let directory = RunDirectory::new(&order.run);
    // A shared directory may show late what another machine wrote.
    while directory.read_spec().is_err() && Instant::now() < deadline {
        thread::sleep(Duration::from_millis(50));
        let _ = fs::read_dir(&order.run);
    }
    match look(&order.run) {
        Sight::Absent => {}
        _ => return Ok(None),
    }
    let output = || {
        let mut options = private::options();
        let log = options.create(true).append(true).open(&order.log);
        log.map_or_else(|_| Stdio::null(), Stdio::from)
    };
    // Its own file, whatever is installed meanwhile.
    let child = Command::new("/proc/self/exe")
        .arg0("fiesta-supervisor")
        .arg(supervisor::ARGUMENT)
        .arg(&order.run)
        .envs(order.environment.iter().map(|(name, value)| (name, value)))
        .current_dir("/")
        .stdin(Stdio::null())
        .stdout(output())
        .stderr(output())
        .spawn();
    child.map(Some).map_err(|error| Sight::Failed {
        words: format!("cannot start a supervisor: {error}"),
    })
}

/// Waits until a supervisor has begun.
fn begun(order: &Order, mut child: Child, deadline: Instant) -> Sight {
    let directory = RunDirectory::new(&order.run);
    loop {
        let ended = child.try_wait().ok().flatten();
        if directory.meta().exists() {
            return look(&order.run);
        }
        if let Some(status) = ended {
            let words = complaint(&directory);
            return Sight::Failed {
                words: format!("the supervisor ended before it began ({status}){words}"),
            };
        }
        if Instant::now() >= deadline {
            // It may begin later, and then it is seen.
            return Sight::Absent;
        }
        thread::sleep(Duration::from_millis(5));
    }
}
