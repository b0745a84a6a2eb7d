//! Description of this machine for reports: processors, memory, operating system, GPUs.

use crate::gpu;
use std::{collections::BTreeMap, fs, thread};

/// Describes this machine in words, from `/proc`, `/etc/os-release` and, if asked, the driver of
/// its GPUs. Empty parts are left out.
///
/// For instance `AMD EPYC 9554, 64 processors, 512 GB of memory, 4 × NVIDIA H100, Debian GNU/Linux 12,
/// Linux 6.1.0`.
pub(crate) fn describe(with_gpus: bool) -> String {
    let read = |path: &str| fs::read_to_string(path).unwrap_or_default();
    let processors = thread::available_parallelism().map_or(0, std::num::NonZero::get);
    let gpus = if with_gpus { gpus() } else { Vec::new() };
    let parts = [
        model(&read("/proc/cpuinfo")),
        counted(processors, "processor"),
        memory(&read("/proc/meminfo")),
    ];
    let system = [
        system(&read("/etc/os-release")),
        kernel(&read("/proc/sys/kernel/osrelease")),
    ];
    let parts = parts
        .into_iter()
        .flatten()
        .chain(gpus)
        .chain(system.into_iter().flatten());
    parts.collect::<Vec<_>>().join(", ")
}

/// The processor's name, the first of `/proc/cpuinfo`.
fn model(cpuinfo: &str) -> Option<String> {
    let mut lines = cpuinfo.lines();
    let (_, name) = lines
        .find(|line| line.starts_with("model name"))?
        .split_once(':')?;
    let words: Vec<&str> = name.split_whitespace().collect();
    (!words.is_empty()).then(|| words.join(" "))
}

fn counted(count: usize, noun: &str) -> Option<String> {
    let plural = if count == 1 { "" } else { "s" };
    (count > 0).then(|| format!("{count} {noun}{plural}"))
}

/// The memory of `/proc/meminfo`, in binary gigabytes.
fn memory(meminfo: &str) -> Option<String> {
    let mut lines = meminfo.lines();
    let total = lines.find_map(|line| line.strip_prefix("MemTotal:"))?;
    let kibibytes: f64 = total.trim().trim_end_matches("kB").trim().parse().ok()?;
    Some(format!("{:.0} GiB of memory", kibibytes / 1_048_576.0))
}

/// The distribution of `/etc/os-release`.
fn system(release: &str) -> Option<String> {
    let mut lines = release.lines();
    let name = lines.find_map(|line| line.strip_prefix("PRETTY_NAME="))?;
    let name = name.trim().trim_matches(['"', '\'']);
    (!name.is_empty()).then(|| name.to_owned())
}

fn kernel(release: &str) -> Option<String> {
    let release = release.trim();
    (!release.is_empty()).then(|| format!("Linux {release}"))
}

/// Returns each kind of GPU with its number; empty if no driver answers.
fn gpus() -> Vec<String> {
    let devices = gpu::shown();
    let mut kinds: BTreeMap<String, usize> = BTreeMap::new();
    for device in devices.unwrap_or_default() {
        *kinds.entry(device.name).or_default() += 1;
    }
    let kinds = kinds.into_iter();
    kinds
        .map(|(name, count)| format!("{count} × {name}"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_linux_are_read() {
        let cpuinfo = "processor\t: 0\nmodel name\t: AMD EPYC  9554 64-Core\nprocessor\t: 1\n";
        assert_eq!(model(cpuinfo).as_deref(), Some("AMD EPYC 9554 64-Core"));
        assert_eq!(model("Processor : rev 3"), None);
        let meminfo = "MemTotal:       24689764 kB\nMemFree: 1 kB\n";
        assert_eq!(memory(meminfo).as_deref(), Some("24 GiB of memory"));
        let release = "NAME=\"Debian\"\nPRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\n";
        assert_eq!(
            system(release).as_deref(),
            Some("Debian GNU/Linux 12 (bookworm)")
        );
        assert_eq!((memory(""), system(""), kernel(" ")), (None, None, None));
    }

    #[test]
    fn this_machine_has_processors_and_memory() {
        let words = describe(false);
        assert!(
            words.contains("processor") && words.contains("GiB of memory"),
            "{words}"
        );
    }
}
