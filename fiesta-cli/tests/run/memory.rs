//! Tests of jobs that the kernel kills for lack of memory.

use super::{Bench, code, logging};
use std::{
    fs,
    path::{Path, PathBuf},
    thread,
    time::Duration,
};

/// Group of processes with a limit of memory; removed at the end.
struct Group {
    path: PathBuf,
}

impl Group {
    /// Makes a group of processes with this limit of memory. `None`, with a message, if that is not
    /// possible on this machine.
    fn of_megabytes(count: u64) -> Option<Self> {
        let versions = [
            ("/sys/fs/cgroup/memory", "memory.limit_in_bytes"),
            ("/sys/fs/cgroup", "memory.max"),
        ];
        for (root, limit) in versions {
            let path = Path::new(root).join(format!("fiesta-test-{}", std::process::id()));
            if fs::create_dir(&path).is_err() {
                continue;
            }
            let group = Self { path };
            // Without this, memory that is swapped out would not count.
            let _ = fs::write(group.path.join("memory.swap.max"), "0");
            if fs::write(group.path.join(limit), (count << 20).to_string()).is_ok() {
                return Some(group);
            }
        }
        crate::support::skipped_on_this_machine(
            "nothing can be short of memory here, as no control group can be made",
        );
        None
    }

    /// Returns the number of processes that the kernel killed in the group.
    fn kills(&self) -> u64 {
        let counted = ["memory.oom_control", "memory.events"].map(|name| {
            let text = fs::read_to_string(self.path.join(name)).unwrap_or_default();
            let count = text.lines().find_map(|line| line.strip_prefix("oom_kill "));
            count.map_or(0, |count| count.parse().unwrap())
        });
        counted.into_iter().sum()
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        // What was killed may take a moment to leave.
        for _ in 0..200 {
            if fs::remove_dir(&self.path).is_ok() {
                return;
            }
            thread::sleep(Duration::from_millis(10));
        }
    }
}

/// Command that takes all memory: it reads zeros, and keeps everything up to the first line break.
const GREEDY: &str = "echo $$ > $GROUP/cgroup.procs && exec tail /dev/zero";

fn study(group: &Group, condition: &str, retries: u32) -> Bench {
    let job = format!(
        "GROUP={}\necho $1 >> tried\n{condition} && {{ touch once; {GREEDY}; }}\n{}",
        group.path.display(),
        logging()
    );
    let rest = format!(
        "[goal]\nbudget = {{ evaluations = 4 }}\n[resources]\nretries = {retries}\n{}",
        super::TWO
    );
    Bench::with_job(&job, &rest)
}

#[test]
fn a_job_that_the_kernel_killed_is_tried_again_a_few_times() {
    let Some(group) = Group::of_megabytes(32) else {
        return;
    };
    let bench = study(&group, "[ ! -e once ]", 1);
    let ran = bench.fiesta(&["run", "study.toml", "--format", "json"]);
    let says = [
        "is tried again",
        "killed by signal 9, often for want of memory",
    ];
    ran.says(code::DONE, &says);
    assert_eq!(group.kills(), 1);
    let result = ran.json();
    assert_eq!(
        (&result["evaluations"], &result["failed"]),
        (&4.into(), &0.into())
    );
    assert_eq!(bench.log("tried").len(), 5);

    // One that never has enough: each of three failures after two attempts.
    let bench = study(&group, "[ $1 = low ]", 1);
    bench.edit("study.toml", "evaluations = 4", "evaluations = 6");
    let ran = bench.fiesta(&["run", "study.toml"]);
    ran.says(code::ARM_FAILED, &["want of memory"]);
    assert_eq!(bench.text("tried").matches("low").count(), 6);
    assert_eq!(group.kills(), 7);
}
