use super::{
    look::NOW_AND_THEN,
    state::{PASSING, PATIENCE},
    *,
};
use crate::{
    gpu::{Device, Memory, MonitorError, Occupant, Usage},
    run::End,
};
use std::{
    process::{Child, Command},
    sync::{Arc, Mutex},
    time::Instant,
};

/// Stand-in for the driver, whose GPUs are as a test wants them.
#[derive(Debug, Clone, Default)]
struct Told(Arc<Mutex<BTreeMap<String, Result<Usage, MonitorError>>>>);

impl Told {
    fn set(&self, uuid: &str, processes: &[(u32, u64)]) {
        let processes = processes.iter().map(|&(pid, mib)| Occupant {
            pid,
            memory: Some(mib << 20),
            computes: true,
        });
        let memory = Memory {
            total: 10_000 << 20,
            used: 0,
        };
        let usage = Usage {
            memory: Some(memory),
            processes: processes.collect(),
        };
        self.0.lock().unwrap().insert(uuid.to_owned(), Ok(usage));
    }

    fn silence(&self, uuid: &str) {
        let error = MonitorError("lost".to_owned());
        self.0.lock().unwrap().insert(uuid.to_owned(), Err(error));
    }
}

impl Monitor for Told {
    fn devices(&mut self) -> Result<Vec<Device>, MonitorError> {
        Ok(Vec::new())
    }

    fn usage(&mut self, uuid: &str) -> Result<Usage, MonitorError> {
        let told = self.0.lock().unwrap();
        told.get(uuid)
            .cloned()
            .unwrap_or_else(|| Ok(Usage::default()))
    }
}

const ONE: GpusPerJob = GpusPerJob::Whole(1);
/// Process id that no process has.
const GONE: u32 = u32::MAX >> 1;

fn watched(uuids: &[&str]) -> (Slots, Told) {
    let told = Told::default();
    let pool = GpuPool::new(uuids.iter().copied()).unwrap();
    let known = (0..).zip(uuids).map(|(index, uuid)| {
        Some(Known {
            uuid: (*uuid).to_owned(),
            index,
            name: "Card".to_owned(),
        })
    });
    let monitor = Box::new(told.clone());
    let slots = Slots::new(
        pool,
        known.collect(),
        Some(monitor),
        PathBuf::from("/nowhere"),
    );
    (slots, told)
}

fn unwatched(ids: &[&str]) -> Slots {
    let pool = GpuPool::new(ids.iter().copied()).unwrap();
    Slots::new(pool, vec![None; ids.len()], None, PathBuf::from("/nowhere"))
}

fn run(number: u64) -> RunId {
    RunId::new("trial", number, 0).unwrap()
}

fn ended(number: u64, survivors: &[Identity]) -> Ended {
    let mut ended = Ended::unmeasured(run(number), End::Exited(0));
    ended.survivors = survivors.to_vec();
    ended
}

/// A process that ends with the test.
struct Sleeper(Child);

impl Sleeper {
    fn new() -> Self {
        Self(Command::new("sleep").arg("600").spawn().unwrap())
    }
}

impl Drop for Sleeper {
    fn drop(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

#[test]
fn memory_is_waited_for_then_the_gpu_is_in_quarantine_then_it_is_used_again() {
    let (mut slots, told) = watched(&["GPU-a", "GPU-b"]);
    let lease = slots.take(ONE, &run(0)).unwrap();
    assert_eq!(slots.timeout(), None);
    told.set("GPU-a", &[(GONE, 500)]);
    slots.give_back(lease, &ended(0, &[]));
    assert!(matches!(slots.places[0].state, State::Waiting { .. }));
    assert!(slots.timeout().is_some_and(|timeout| timeout <= SOON));
    // The other GPU is not concerned.
    assert_eq!(slots.take(ONE, &run(1)).unwrap().ids(), ["GPU-b"]);
    assert!(slots.take(ONE, &run(2)).is_none());
    slots.stalled().unwrap();
    assert_eq!(slots.notices(), [""; 0]);

    let State::Waiting { since } = slots.places[0].state else {
        panic!("{:?}", slots.places[0]);
    };
    slots.look_at(0, since + PATIENCE / 2);
    assert!(matches!(slots.places[0].state, State::Waiting { .. }));
    let over = since + PATIENCE;
    slots.look_at(0, over);
    assert!(matches!(slots.places[0].state, State::Quarantined { .. }));
    let notices = slots.notices();
    let expected = format!("process {GONE} (ended, or out of sight) uses 500 MiB, 30 s after");
    assert!(
        notices.len() == 1 && notices[0].contains("GPU 0 (Card, GPU-a) is put aside"),
        "{notices:?}"
    );
    assert!(notices[0].contains(&expected), "{notices:?}");
    // Looked at again and again, it is mentioned once.
    slots.look_at(0, over);
    assert_eq!(slots.notices(), [""; 0]);
    assert_eq!(slots.capacity_now(ONE), Some(1));
    slots.stalled().unwrap();
    slots.stalled().unwrap();
    assert_eq!(slots.notices().len(), 1);

    told.set("GPU-a", &[]);
    slots.look_at(0, over);
    assert_eq!(slots.notices(), ["GPU 0 (Card, GPU-a) is free again"]);
    assert_eq!(slots.take(ONE, &run(2)).unwrap().ids(), ["GPU-a"]);
}

#[test]
fn looks_become_rarer_and_never_stop() {
    let (mut slots, told) = watched(&["GPU-a"]);
    let lease = slots.take(ONE, &run(0)).unwrap();
    told.set("GPU-a", &[(GONE, 500)]);
    slots.give_back(lease, &ended(0, &[]));
    let (mut now, mut looks) = (Instant::now(), 0);
    let over = now + 4 * PATIENCE;
    while now < over {
        let due = slots.places[0].due;
        assert!(due > now && due <= now + NOW_AND_THEN);
        now = due;
        slots.look_at(0, now);
        looks += 1;
    }
    assert!((100..150).contains(&looks), "{looks}");
}

#[test]
fn strangers_are_named_once_and_looked_for_again() {
    let (mut slots, told) = watched(&["GPU-a", "GPU-b"]);
    let stranger = Sleeper::new();
    told.set("GPU-a", &[(stranger.0.id(), 500)]);
    assert_eq!(slots.take(ONE, &run(0)).unwrap().ids(), ["GPU-b"]);
    // Who is there for a moment only is not mentioned.
    let State::Doubtful { since } = slots.places[0].state else {
        panic!("{:?}", slots.places[0]);
    };
    slots.look_at(0, since + PASSING / 2);
    assert_eq!(slots.notices(), [""; 0]);
    slots.look_at(0, since + PASSING);
    let notices = slots.notices();
    assert!(
        notices.len() == 1 && notices[0].contains("(sleep) uses 500 MiB"),
        "{notices:?}"
    );
    assert!(slots.take(GpusPerJob::Whole(2), &run(1)).is_none());
    assert_eq!(slots.notices(), [""; 0]);
    assert_eq!(slots.troubles().len(), 1);
    told.set("GPU-a", &[]);
    // It is not time yet.
    slots.places[0].due = Instant::now() + PATIENCE;
    slots.look();
    assert!(slots.take(ONE, &run(1)).is_none());
    slots.places[0].due = Instant::now();
    slots.look();
    assert_eq!(slots.take(ONE, &run(1)).unwrap().ids(), ["GPU-a"]);
}

#[test]
fn a_gpu_whose_driver_is_silent_is_put_aside() {
    let (mut slots, told) = watched(&["GPU-a"]);
    told.silence("GPU-a");
    assert!(slots.take(ONE, &run(0)).is_none());
    let notices = slots.notices();
    assert!(
        notices[0].contains("the GPU driver does not say: lost"),
        "{notices:?}"
    );
    slots.stalled().unwrap();
}

#[test]
fn without_a_driver_a_gpu_is_free_at_once() {
    let mut slots = unwatched(&["0"]);
    let lease = slots.take(ONE, &run(0)).unwrap();
    slots.give_back(lease, &ended(0, &[]));
    assert!(slots.take(ONE, &run(1)).is_some());
}

#[test]
fn without_a_driver_what_cannot_be_killed_keeps_its_gpu_while_it_lives() {
    let mut slots = unwatched(&["0"]);
    let lease = slots.take(ONE, &run(0)).unwrap();
    let survivor = Sleeper::new();
    let pid = survivor.0.id();
    let identity = Identity::of(pid.cast_signed()).unwrap();
    slots.give_back(lease, &ended(0, &[identity]));
    let notices = slots.notices();
    let said = format!("GPU 0 is put aside: processes [{pid}] of trial-0-a0 could not be killed");
    assert!(
        notices.len() == 1 && notices[0].starts_with(&said),
        "{notices:?}"
    );
    assert!(slots.take(ONE, &run(1)).is_none());
    let error = slots.stalled().unwrap_err().to_string();
    assert!(
        error.starts_with("no job can be started any more"),
        "{error}"
    );
    slots.places[0].due = Instant::now();
    slots.look();
    assert!(slots.take(ONE, &run(1)).is_none());
    drop(survivor);
    slots.places[0].due = Instant::now();
    slots.look();
    assert!(slots.take(ONE, &run(1)).is_some());
}

#[test]
fn who_has_the_number_of_what_could_not_be_killed_keeps_no_gpu() {
    let mut slots = unwatched(&["0"]);
    let stranger = Sleeper::new();
    let identity = Identity::of(stranger.0.id().cast_signed()).unwrap();
    let used_again = Identity {
        start_time: identity.start_time - 1,
        ..identity.clone()
    };
    let rebooted = Identity {
        boot_id: "another".to_owned(),
        ..identity
    };
    for gone in [used_again, rebooted] {
        let lease = slots.take(ONE, &run(0)).unwrap();
        slots.give_back(lease, &ended(0, &[gone]));
        assert_eq!(slots.notices(), [""; 0]);
        assert_eq!(slots.capacity_now(ONE), Some(1));
    }
}

#[test]
fn a_share_whose_neighbour_left_memory_is_not_given_away() {
    let (mut slots, told) = watched(&["GPU-a"]);
    let half = GpusPerJob::Share { jobs: 2 };
    let first = slots.take(half, &run(0)).unwrap();
    let second = slots.take(half, &run(1)).unwrap();
    told.set("GPU-a", &[(GONE, 500)]);
    slots.give_back(first, &ended(0, &[]));
    assert!(slots.take(half, &run(2)).is_none());
    told.set("GPU-a", &[]);
    slots.give_back(second, &ended(1, &[]));
    // The second's end showed that the GPU is free: also for who wants it whole.
    assert!(slots.take(ONE, &run(2)).is_some());
}
