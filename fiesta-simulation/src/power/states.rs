//! The states that a power cut can leave: all of them where few things are under way, and otherwise
//! those at the corners and some that chance draws.

use super::disk::{Disk, Fate, Item};
use rand::{Rng, RngExt};

/// Sizes of sectors, in bytes.
const SECTORS: [usize; 2] = [512, 4096];

/// Returns the fates that `items` may have together, at most about `most` of them: every choice of
/// lost and kept if there are no more, then each write torn, in turn.
pub fn fates(disk: &Disk, items: &[Item], most: usize, rng: &mut impl Rng) -> Vec<Vec<Fate>> {
    let count = items.len();
    let every = |fate| vec![fate; count];
    let mut states = Vec::new();
    let is_few = u32::try_from(count)
        .ok()
        .and_then(|count| 1_usize.checked_shl(count))
        .is_some_and(|states| states <= most);
    if is_few {
        for number in 0..1_usize << count {
            let fate = |place| match number >> place & 1 {
                0 => Fate::Lost,
                _ => Fate::Kept,
            };
            states.push((0..count).map(fate).collect());
        }
    } else {
        states.extend([every(Fate::Lost), every(Fate::Kept)]);
        // Each alone is lost, or is there: as many of these as fit, from the last, which is the newest.
        for place in (0..count).rev().take(most / 4) {
            for (fate, others) in [(Fate::Lost, Fate::Kept), (Fate::Kept, Fate::Lost)] {
                let mut state = every(others);
                state[place] = fate;
                states.push(state);
            }
        }
        while states.len() < most {
            let share = rng.random_range(0.0..1.0);
            let fate = |item| {
                if !rng.random_bool(share) {
                    Fate::Lost
                } else if rng.random_bool(0.25) {
                    torn(disk, item, rng)
                } else {
                    Fate::Kept
                }
            };
            states.push(items.iter().map(fate).collect());
        }
        states.truncate(most.max(2));
    }
    if is_few {
        for (place, item) in items.iter().enumerate() {
            for others in [Fate::Kept, Fate::Lost] {
                let fate = torn(disk, item, rng);
                if matches!(fate, Fate::Torn { .. }) {
                    let mut state = every(others);
                    state[place] = fate;
                    states.push(state);
                }
            }
        }
    }
    states
}

/// Returns a fate in which a write is torn. What is no write, or shorter than a sector, is kept.
fn torn(disk: &Disk, item: &Item, rng: &mut impl Rng) -> Fate {
    let sector = SECTORS[rng.random_range(0..SECTORS.len())];
    match disk.write_length(item) {
        // Within one sector nothing is torn; two that it touches are.
        Some(length) if length > SECTORS[0] => Fate::Torn {
            sector,
            kept: match rng.random_range(0..4) {
                // A beginning, or an end, of a page.
                0 => 0x0f0f_0f0f_0f0f_0f0f,
                1 => 0xf0f0_f0f0_f0f0_f0f0,
                _ => rng.random(),
            },
        },
        _ => Fate::Kept,
    }
}
