//! Memory and processor time of processes, as the kernel counts them.

use std::{fs, time::Duration};

/// Returns the peak memory of a process, in bytes. `None` if the process has ended.
pub(crate) fn peak_memory(pid: u32) -> Option<u64> {
    of_status(pid, "VmHWM:")
}

/// Returns the memory of a process for mapped files, in bytes: above all its program, which is
/// larger in a development build. `None` if the process has ended.
#[allow(dead_code, reason = "some tests look at all of the memory")]
pub(crate) fn memory_of_files(pid: u32) -> Option<u64> {
    of_status(pid, "RssFile:")
}

fn of_status(pid: u32, name: &str) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(name))?;
    Some(line.trim().strip_suffix(" kB")?.parse::<u64>().ok()? * 1024)
}

/// Returns the processor time of a process, in its own code and in the kernel.
pub(crate) fn processor_time(pid: u32) -> Duration {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
    let fields: Vec<&str> = stat.rsplit(") ").next().unwrap().split(' ').collect();
    // utime and stime, in ticks of the 100 per second that every Linux tells programs.
    let ticks: u64 = fields[11].parse::<u64>().unwrap() + fields[12].parse::<u64>().unwrap();
    Duration::from_millis(10 * ticks)
}

/// Returns the ids of a process's children.
#[allow(dead_code, reason = "some tests look at one process alone")]
pub(crate) fn children(pid: u32) -> Vec<u32> {
    let children = fs::read_to_string(format!("/proc/{pid}/task/{pid}/children")).unwrap();
    children
        .split_whitespace()
        .map(|pid| pid.parse().unwrap())
        .collect()
}
