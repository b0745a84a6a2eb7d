//! The ended runs that stay as plain directories instead of being packed.

use std::collections::VecDeque;

/// Number of runs, those that ended last, that stay as directories.
pub(super) const LAST: usize = 100;
/// Number of runs of failed evaluations that stay, of the first ones and of the last ones each.
const FAILURES: usize = 100;

/// The runs that stay as directories.
#[derive(Debug, Default)]
pub(super) struct Kept {
    last: VecDeque<String>,
    first_failures: usize,
    last_failures: VecDeque<String>,
}

impl Kept {
    /// Adds the run that ended next. Returns a run that need no longer stay, if there is one.
    pub(super) fn add(&mut self, run: String, failed: bool) -> Option<String> {
        if failed && self.first_failures < FAILURES {
            self.first_failures += 1;
            return None;
        }
        let (among, most) = if failed {
            (&mut self.last_failures, FAILURES)
        } else {
            (&mut self.last, LAST)
        };
        among.push_back(run);
        (among.len() > most).then(|| among.pop_front()).flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_runs_and_the_first_and_last_failures_stay() {
        let mut kept = Kept::default();
        // Every other evaluation fails.
        let packed: Vec<usize> = (0..1000)
            .filter_map(|n| kept.add(n.to_string(), n % 2 == 1))
            .map(|run| run.parse().unwrap())
            .collect();
        let stays = |n: usize| match n % 2 {
            0 => n >= 2 * (500 - LAST),
            _ => !(2 * FAILURES..2 * (500 - FAILURES)).contains(&n),
        };
        let expected: Vec<usize> = (0..1000).filter(|&n| !stays(n)).collect();
        let mut sorted = packed.clone();
        sorted.sort_unstable();
        assert_eq!(sorted, expected);
    }

    #[test]
    fn what_stayed_stays_in_the_next_session() {
        let mut first = Kept::default();
        let mut there: Vec<(usize, bool)> = (0..1000).map(|n| (n, n % 3 == 0)).collect();
        for (n, failed) in there.clone() {
            if let Some(packed) = first.add(n.to_string(), failed) {
                there.retain(|(n, _)| n.to_string() != packed);
            }
        }
        let mut second = Kept::default();
        for (n, failed) in there {
            assert_eq!(second.add(n.to_string(), failed), None);
        }
    }
}
