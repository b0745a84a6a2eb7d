//! Which family has the highest expected best, up to which budget.

use super::families::Family;

/// A range of budgets in which one family leads.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Leader {
    /// Which family.
    pub(super) family: usize,
    /// The first and the last budget: in whole trials, or in seconds, where the one's end is the next one's beginning.
    pub(super) from: f64,
    pub(super) until: f64,
    /// Which families would by then need more trials than they had.
    pub(super) beyond: Vec<usize>,
}

/// By the number of trials, as far as every family had so many.
pub(super) fn by_trials(families: &[Family]) -> Vec<Leader> {
    let up_to = families.iter().map(Family::count).min().unwrap_or(0);
    let mut found: Vec<Leader> = Vec::new();
    for n in 1..=up_to {
        let (family, _) = first(&values(families, |_| Some(n as f64)));
        match found.last_mut() {
            Some(leader) if leader.family == family => leader.until = n as f64,
            _ => found.push(Leader {
                family,
                from: n as f64,
                until: n as f64,
                beyond: Vec::new(),
            }),
        }
    }
    found
}

/// By time, from one trial of the fastest family to the last of the slowest; empty if any duration is not known. A family takes part from its
/// first trial on.
pub(super) fn by_time(families: &[Family]) -> Vec<Leader> {
    let mut times = Vec::new();
    for family in families {
        for n in 1..=family.count() {
            match family.trials.time_of(n as f64) {
                Some(time) if time > 0.0 => times.push(time),
                _ => return Vec::new(),
            }
        }
    }
    times.sort_by(f64::total_cmp);
    times.dedup();
    let at = |time: f64| values(families, |family| family.trials_within(time));
    let mut found: Vec<Leader> = Vec::new();
    let mut before: Option<(f64, Vec<f64>)> = None;
    for time in times {
        let here = at(time);
        let (family, _) = first(&here);
        let beyond = (0..families.len()).filter(|&place| {
            let n = families[place].trials_within(time);
            n.is_some_and(|n| n > families[place].count() as f64)
        });
        let beyond: Vec<usize> = beyond.collect();
        match found.last_mut() {
            Some(leader) if leader.family == family => {
                leader.until = time;
                leader.beyond = beyond;
            }
            last => {
                let mut from = time;
                if let (Some(leader), Some(before)) = (last, &before) {
                    from = meeting(before, (time, &here), leader.family, family);
                    leader.until = from;
                }
                found.push(Leader {
                    family,
                    from,
                    until: time,
                    beyond,
                });
            }
        }
        before = Some((time, here));
    }
    found
}

/// The expected best of every family, larger being better; −∞ before its first trial.
fn values(families: &[Family], trials: impl Fn(&Family) -> Option<f64>) -> Vec<f64> {
    let value = |family: &Family| match trials(family) {
        Some(n) if n >= 1.0 => family.direction().orient(family.expected_at(n)),
        _ => f64::NEG_INFINITY,
    };
    families.iter().map(value).collect()
}

/// The largest, the first of equals.
fn first(values: &[f64]) -> (usize, f64) {
    let pairs = values.iter().copied().enumerate();
    pairs
        .reduce(|best, next| if next.1 > best.1 { next } else { best })
        .unwrap_or((0, f64::NEG_INFINITY))
}

/// When one family overtakes another between two times; the later time if it had no trial before.
fn meeting(before: &(f64, Vec<f64>), after: (f64, &[f64]), old: usize, new: usize) -> f64 {
    let lead = |values: &[f64]| values[old] - values[new];
    let share = lead(&before.1) / (lead(&before.1) - lead(after.1));
    if share.is_finite() {
        before.0 + share * (after.0 - before.0)
    } else {
        after.0
    }
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
        assert_eq!(leads, [(0, 1.0, 1.0), (1, 2.0, 4.0)]);
    }

    #[test]
    fn by_time_the_dearer_one_leads_later() {
        let found = by_time(&steady_and_coin());
        // Equal with one trial of the coin, after 10 seconds.
        let leads: Vec<_> = found.iter().map(|l| (l.family, l.from, l.until)).collect();
        assert_eq!(leads, [(0, 1.0, 10.0), (1, 10.0, 40.0)]);
        // By then ten steady trials would have to have been made; there were four.
        assert_eq!(found[0].beyond, [0]);
        let unknown = [family("a", &[0.1], None)];
        assert_eq!(by_time(&unknown), []);
    }

    #[test]
    fn where_curves_meet_between_trials() {
        let families = [
            family("steady", &[0.45; 2], Some(30.0)),
            family("coin", &[0.2, 0.6], Some(10.0)),
        ];
        // .4 at 10 s, .5 at 20 s, .55 at 30 s: steady begins at 30 s, below it.
        let leads: Vec<_> = by_time(&families).iter().map(|l| l.family).collect();
        assert_eq!(leads, [1]);
        let families = [
            family("steady", &[0.45; 4], Some(10.0)),
            family("coin", &[0.2, 0.6], Some(10.0)),
        ];
        let found = by_time(&families);
        assert!((found[0].until - 15.0).abs() < 1e-9, "{found:?}");
        assert!((found[1].from - 15.0).abs() < 1e-9, "{found:?}");
    }
}
