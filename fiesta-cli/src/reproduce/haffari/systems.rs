//! The systems that compete: drawn at random, until the best leads as far as is asked for.

use super::{Arguments, Failure};
use fiesta::core::{FBeta, Streams};
use rand::{Rng, RngExt};

/// How far a lead that is to be the margin exactly may be from it, relative to it.
const EXACTLY: f64 = 0.1;
/// So many draws without the lead that is asked for, and none is looked for any more.
const ATTEMPTS: u32 = 1_000_000;

/// Some systems: θ of TP, FP, TN, FN of each.
#[derive(Debug, Clone)]
pub(super) struct Systems {
    pub(super) theta: Vec<[f64; 4]>,
    /// F₁ of each.
    pub(super) f: Vec<f64>,
    /// The number of this draw, from 0.
    pub(super) number: u64,
}

impl Systems {
    /// The systems' places by F, the best first.
    pub(super) fn ranked(&self) -> Vec<usize> {
        let mut places: Vec<usize> = (0..self.f.len()).collect();
        places.sort_by(|&a, &b| self.f[b].total_cmp(&self.f[a]));
        places
    }
}

/// The `number`-th draw, which depends on the seed alone: it is the same in every cell.
pub(super) fn draw(arguments: &Arguments, number: u64) -> Result<Systems, Failure> {
    let mut rng = Streams::new(arguments.seed).draws(number);
    let margin = arguments.margin;
    for _ in 0..ATTEMPTS {
        let theta: Vec<[f64; 4]> = (0..arguments.systems).map(|_| uniform(&mut rng)).collect();
        let f: Vec<f64> = theta.iter().map(|&theta| FBeta::F1.of(theta)).collect();
        let systems = Systems { theta, f, number };
        let ranked = systems.ranked();
        let lead = systems.f[ranked[0]] - systems.f[ranked[1]];
        let fits = if arguments.lead.at_least {
            lead >= margin
        } else {
            (lead - margin).abs() <= EXACTLY * margin
        };
        if fits {
            return Ok(systems);
        }
    }
    Err(Failure::Usage(format!(
        "among {ATTEMPTS} draws of {} systems there are none of which the best leads by {margin}: ask for fewer systems or a smaller margin",
        arguments.systems
    )))
}

/// A point of the simplex, all of which are equally probable: shares of four exponential variables.
fn uniform(rng: &mut impl Rng) -> [f64; 4] {
    let amounts = [(); 4].map(|()| -(1.0 - rng.random::<f64>()).ln());
    let total: f64 = amounts.iter().sum();
    amounts.map(|amount| amount / total)
}

#[cfg(test)]
mod tests {
    use super::{super::Lead, *};
    use rand::{SeedableRng, rngs::ChaCha8Rng};

    fn arguments(systems: usize, margin: f64, at_least: bool) -> Arguments {
        Arguments {
            systems,
            margin,
            lead: Lead {
                exact: !at_least,
                at_least,
            },
            ..Arguments::standard()
        }
    }

    #[test]
    fn the_best_leads_as_asked() {
        let mut above = 0;
        for number in 0..50 {
            let lead = |at_least| {
                let systems = draw(&arguments(5, 0.05, at_least), number).unwrap();
                let mut f = systems.f.clone();
                f.sort_by(f64::total_cmp);
                let ranked: Vec<f64> = systems
                    .ranked()
                    .iter()
                    .rev()
                    .map(|&k| systems.f[k])
                    .collect();
                assert_eq!(f, ranked);
                assert!(
                    systems
                        .theta
                        .iter()
                        .all(|t| (t.iter().sum::<f64>() - 1.0).abs() < 1e-12)
                );
                f[4] - f[3]
            };
            let exact = lead(false);
            assert!((0.045..=0.055).contains(&exact), "{exact}");
            let far = lead(true);
            assert!(far >= 0.05, "{far}");
            above += u32::from(far > 0.055);
        }
        assert!(above > 25, "{above} of 50 lead by more");
    }

    #[test]
    fn a_draw_depends_on_seed_and_number_alone() {
        let of = |seed, number| {
            let arguments = Arguments {
                seed,
                ..arguments(4, 0.1, true)
            };
            draw(&arguments, number).unwrap().theta
        };
        assert_eq!(of(3, 7), of(3, 7));
        assert_ne!(of(3, 7), of(3, 8));
        assert_ne!(of(3, 7), of(4, 7));
    }

    /// Each share of a uniform point of the simplex is Beta(1, 3): mean ¼, variance 3/80.
    #[test]
    fn points_are_uniform() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let n = 40_000;
        let (mut sum, mut squares) = ([0.0; 4], [0.0; 4]);
        for _ in 0..n {
            for (place, share) in uniform(&mut rng).into_iter().enumerate() {
                sum[place] += share / f64::from(n);
                squares[place] += share * share / f64::from(n);
            }
        }
        for (mean, square) in sum.into_iter().zip(squares) {
            assert!(
                (mean - 0.25).abs() < 4.5 * (3.0_f64 / 80.0 / f64::from(n)).sqrt(),
                "{mean}"
            );
            assert!((square - 0.1).abs() < 0.004, "{square}");
        }
    }

    #[test]
    fn what_cannot_be_drawn_is_said() {
        let words = draw(&arguments(40, 0.9, true), 0).unwrap_err().to_string();
        assert!(
            words.contains("40 systems") && words.contains("0.9"),
            "{words}"
        );
    }
}
