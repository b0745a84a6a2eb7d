//! Which family has the highest expected best, up to which budget.

use super::families::Family;

/// A range of budgets in which one family leads.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Leader {
    /// Which family.
    pub(super) family: usize,
    /// The first and the last budget, in trials or in seconds.
    pub(super) from: f64,
    pub(super) until: f64,
    /// Which families would by then need more trials than they had.
    pub(super) beyond: Vec<usize>,
}

/// By the number of trials, as far as every family had so many.
pub(super) fn by_trials(families: &[Family]) -> Vec<Leader> {
    let up_to = families.iter().map(Family::count).min().unwrap_or(0);
    let budgets = (1..=up_to as u64).map(|n| (n as f64, vec![n; families.len()]));
    leaders(families, budgets)
}

/// By time, from the first trial of the fastest family to the last of the slowest, counting whole trials; empty if any duration is not known.
pub(super) fn by_time(families: &[Family]) -> Vec<Leader> {
    let mut ends = Vec::new();
    for family in families {
        for n in 1..=family.count() {
            match family.trials.time_of(n as f64) {
                Some(time) if time > 0.0 => ends.push(time),
                _ => return Vec::new(),
            }
        }
    }
    ends.sort_by(f64::total_cmp);
    let budgets = ends.into_iter().map(|time| {
        let trials = families.iter().map(|family| family.trials_within(time));
        (time, trials.map(|n| n.unwrap_or(0)).collect())
    });
    leaders(families, budgets)
}

/// For ascending budgets with the number of trials that they hold of each family.
fn leaders(families: &[Family], budgets: impl Iterator<Item = (f64, Vec<u64>)>) -> Vec<Leader> {
    let mut found: Vec<Leader> = Vec::new();
    let mut known: Vec<(u64, f64)> = vec![(0, f64::NEG_INFINITY); families.len()];
    for (budget, trials) in budgets {
        for ((known, &n), family) in known.iter_mut().zip(&trials).zip(families) {
            if n != known.0 {
                *known = (n, family.direction().orient(family.expected(n)));
            }
        }
        let mut first = 0;
        for (place, (_, value)) in known.iter().enumerate() {
            if *value > known[first].1 {
                first = place;
            }
        }
        let beyond = (0..families.len())
            .filter(|&place| trials[place] > families[place].count() as u64)
            .collect();
        match found.last_mut() {
            Some(leader) if leader.family == first => {
                leader.until = budget;
                leader.beyond = beyond;
            }
            last => {
                // Until the next budget that changes anything.
                if let Some(leader) = last {
                    leader.until = budget;
                }
                found.push(Leader {
                    family: first,
                    from: budget,
                    until: budget,
                    beyond,
                });
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::super::families::tests::family;
    use super::*;

    /// Always .5, and a coin that shows .4 or .6: of n the best is .5 and .6 − .2/2ⁿ.
    fn steady_and_coin() -> [Family; 2] {
        [
            family("steady", &[0.5; 4], Some(1.0)),
            family("coin", &[0.4, 0.6, 0.4, 0.6], Some(10.0)),
        ]
    }

    #[test]
    fn the_first_of_equals_leads_until_it_is_overtaken() {
        let found = by_trials(&steady_and_coin());
        let leads: Vec<_> = found.iter().map(|l| (l.family, l.from, l.until)).collect();
        assert_eq!(leads, [(0, 1.0, 2.0), (1, 2.0, 4.0)]);
    }

    #[test]
    fn time_counts_whole_trials() {
        let found = by_time(&steady_and_coin());
        let leads: Vec<_> = found.iter().map(|l| (l.family, l.from, l.until)).collect();
        assert_eq!(leads, [(0, 1.0, 20.0), (1, 20.0, 40.0)]);
        // In 20 seconds, 20 steady trials; there were four.
        assert_eq!(found[1].beyond, [0]);
        let unknown = [family("a", &[0.1], None)];
        assert_eq!(by_time(&unknown), []);
    }
}
