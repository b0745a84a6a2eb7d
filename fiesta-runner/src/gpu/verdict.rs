//! Decision whether a GPU may be given to a run, from what its driver says of it.

use super::{Memory, Owner, Usage};

/// Least memory, in bytes, of a process that computes on a GPU. The service that lets programs
/// share a GPU has some 30 MB, and the smallest context of CUDA over 100.
const LEAST: u64 = 64 << 20;
/// Share of GPU memory (1/10) that no visible process accounts for; above it, an invisible process
/// is assumed.
const UNSEEN_PART: u64 = 10;
/// Share of GPU memory (1/20) by which the memory of no visible process may vary by itself.
const WAVERING_PART: u64 = 20;

/// Facts about a GPU that do not come from its driver.
pub(crate) struct Context<'a> {
    /// Returns whether the named run was given the GPU.
    pub(crate) is_here: &'a dyn Fn(&str) -> bool,
    /// Returns whether the named run still goes on, on this GPU or elsewhere.
    pub(crate) goes_on: &'a dyn Fn(&str) -> bool,
    /// Whether any run has the GPU.
    pub(crate) in_use: bool,
    /// Whether a run had the GPU since it was last seen free.
    pub(crate) after_run: bool,
    /// Memory without a process when the GPU was last seen free, in bytes.
    pub(crate) unclaimed: Option<u64>,
    /// Returns the owner of a process.
    pub(crate) owner: &'a dyn Fn(u32) -> Owner,
}

/// Decision about a GPU.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// The GPU can be used.
    Free {
        /// Memory without a process, in bytes. `None` if it is unknown, or a run has the GPU.
        unclaimed: Option<u64>,
    },
    /// An ended run still holds the GPU: who, in words.
    Held(String),
    /// Somebody else uses the GPU: who, in words.
    Foreign(String),
}

/// Decides whether a GPU may be given to a run.
pub(crate) fn judge(usage: &Usage, context: &Context<'_>) -> Verdict {
    let (mut held, mut foreign) = (Vec::new(), Vec::new());
    let computing = usage
        .processes
        .iter()
        .filter(|process| process.computes && process.memory.is_none_or(|memory| memory >= LEAST));
    for process in computing {
        let who = |what: &str| match process.memory {
            Some(memory) => format!("process {} ({what}) uses {}", process.pid, bytes(memory)),
            None => format!("process {} ({what}) uses it", process.pid),
        };
        match (context.owner)(process.pid) {
            Owner::Run(run) if (context.is_here)(&run) => {}
            Owner::Run(run) if (context.goes_on)(&run) => {
                foreign.push(who(&format!("of {run}, which was given another GPU")));
            }
            Owner::Run(run) => held.push(who(&format!("of {run}"))),
            Owner::Unseen if context.after_run => held.push(who("ended, or out of sight")),
            Owner::Unseen => foreign.push(who("ended, or out of sight")),
            Owner::Stranger(name) => foreign.push(who(&name)),
        }
    }
    if !held.is_empty() {
        return Verdict::Held(held.join(", "));
    }
    if !foreign.is_empty() {
        return Verdict::Foreign(foreign.join(", "));
    }
    // What a run of ours has is not always told apart by process.
    let unclaimed = usage
        .memory
        .filter(|_| !context.in_use)
        .and_then(|memory| Some((memory, unclaimed(usage, memory)?)));
    let Some((memory, amount)) = unclaimed else {
        return Verdict::Free { unclaimed: None };
    };
    let most = match context.unclaimed {
        Some(before) => before + memory.total / WAVERING_PART,
        None => memory.total / UNSEEN_PART,
    };
    if amount <= most {
        return Verdict::Free {
            unclaimed: Some(amount),
        };
    }
    let who = format!("processes out of sight use {}", bytes(amount));
    if context.after_run {
        Verdict::Held(who)
    } else {
        Verdict::Foreign(who)
    }
}

/// Returns the used memory that no visible process has. `None` if the share of one is unknown.
fn unclaimed(usage: &Usage, memory: Memory) -> Option<u64> {
    let claimed: Option<u64> = usage.processes.iter().map(|process| process.memory).sum();
    Some(memory.used.saturating_sub(claimed?))
}

fn bytes(bytes: u64) -> String {
    format!("{} MiB", bytes >> 20)
}

#[cfg(test)]
mod tests {
    use super::{super::Occupant, *};

    const MIB: u64 = 1 << 20;

    /// Returns the owner of a process in these tests: process 1 belongs to a run on the GPU, 2 to a
    /// run elsewhere, 3 to an ended run, and 4 cannot be seen.
    fn whose(pid: u32) -> Owner {
        match pid {
            1 => Owner::Run("here".to_owned()),
            2 => Owner::Run("elsewhere".to_owned()),
            3 => Owner::Run("ended".to_owned()),
            4 => Owner::Unseen,
            _ => Owner::Stranger("python3".to_owned()),
        }
    }

    fn context(in_use: bool, after_run: bool, unclaimed: Option<u64>) -> Context<'static> {
        Context {
            is_here: &|run| run == "here",
            goes_on: &|run| run != "ended",
            in_use,
            after_run,
            unclaimed,
            owner: &whose,
        }
    }

    fn usage(used: u64, processes: &[(u32, Option<u64>, bool)]) -> Usage {
        Usage {
            memory: Some(Memory {
                total: 10_000 * MIB,
                used: used * MIB,
            }),
            processes: processes
                .iter()
                .map(|&(pid, memory, computes)| Occupant {
                    pid,
                    memory: memory.map(|memory| memory * MIB),
                    computes,
                })
                .collect(),
        }
    }

    fn free(unclaimed: Option<u64>) -> Verdict {
        let unclaimed = unclaimed.map(|unclaimed| unclaimed * MIB);
        Verdict::Free { unclaimed }
    }

    #[test]
    fn our_own_run_beside_another_is_no_stranger() {
        let ours = usage(900, &[(1, Some(900), true)]);
        assert_eq!(judge(&ours, &context(true, false, None)), free(None));
        let with_ended = usage(900, &[(1, Some(500), true), (3, Some(400), true)]);
        assert_eq!(
            judge(&with_ended, &context(true, true, None)),
            Verdict::Held("process 3 (of ended) uses 400 MiB".to_owned())
        );
    }

    #[test]
    fn strangers_that_compute_are_named() {
        let python = usage(700, &[(9, Some(700), true)]);
        assert_eq!(
            judge(&python, &context(false, true, None)),
            Verdict::Foreign("process 9 (python3) uses 700 MiB".to_owned())
        );
        let unmeasured = usage(700, &[(9, None, true)]);
        assert_eq!(
            judge(&unmeasured, &context(true, false, None)),
            Verdict::Foreign("process 9 (python3) uses it".to_owned())
        );
        let astray = usage(700, &[(2, Some(700), true)]);
        assert_eq!(
            judge(&astray, &context(false, false, None)),
            Verdict::Foreign(
                "process 2 (of elsewhere, which was given another GPU) uses 700 MiB".to_owned()
            )
        );
    }

    #[test]
    fn displays_and_services_are_no_strangers() {
        let display = usage(2030, &[(9, Some(2000), false), (8, Some(30), true)]);
        assert_eq!(judge(&display, &context(false, false, None)), free(Some(0)));
    }

    #[test]
    fn memory_of_a_process_that_is_gone_is_held() {
        let gone = usage(5000, &[(4, Some(5000), true)]);
        let verdict = judge(&gone, &context(false, true, Some(0)));
        assert_eq!(
            verdict,
            Verdict::Held("process 4 (ended, or out of sight) uses 5000 MiB".to_owned())
        );
        assert!(matches!(
            judge(&gone, &context(false, false, Some(0))),
            Verdict::Foreign(_)
        ));
    }

    #[test]
    fn memory_that_nobody_has_is_compared_with_what_was_before() {
        let nobody = |used| usage(used, &[]);
        let held = |used| judge(&nobody(used), &context(false, true, Some(300 * MIB)));
        assert_eq!(held(800), free(Some(800)));
        assert_eq!(
            held(801),
            Verdict::Held("processes out of sight use 801 MiB".to_owned())
        );
        // Seen for the first time.
        let first = |used| judge(&nobody(used), &context(false, false, None));
        assert_eq!(first(1000), free(Some(1000)));
        assert!(matches!(first(1001), Verdict::Foreign(_)));
        // A run of ours is there, and may have it.
        assert_eq!(
            judge(&nobody(9000), &context(true, true, Some(0))),
            free(None)
        );
        let mut without_memory = usage(0, &[]);
        without_memory.memory = None;
        assert_eq!(
            judge(&without_memory, &context(false, true, None)),
            free(None)
        );
    }
}
