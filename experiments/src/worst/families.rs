//! Problems of the default stop and of `anytime`: arms at stated distances, and their noise.

use super::Claim;
use crate::{
    Failure,
    battery::{error, own_name, policy, rule},
    makers,
    output::Estimate,
};
use fiesta_core::{Design, whole};
use fiesta_policies::simulate::{
    Durations, Noise, Resolution, Shape, Synthetic, SyntheticArm,
    battery::{Family, MUST_HOLD},
};
use fiesta_posterior as posterior;
use std::fmt;

/// Arms of which the best is sought, and how they are evaluated.
pub(super) struct Race {
    family: Family,
    stopping: &'static str,
    workers: usize,
    durations: Durations,
}

/// Largest number of arms.
const ARMS: usize = 12;

/// Returns a number between two positive ones, by its logarithm.
pub(super) fn between(gene: f64, low: f64, high: f64) -> f64 {
    low * (high / low).powf(gene)
}

/// Returns one of several.
pub(super) fn choice<T: Copy>(gene: f64, of: &[T]) -> T {
    of[whole(gene * of.len() as f64).min(of.len() - 1)]
}

impl Race {
    /// Returns the arms that these numbers stand for. `None` if there are none.
    pub(super) fn of(claim: Claim, genes: &[f64]) -> Option<Self> {
        let [own, sds, steps] = [0, 12, 24].map(|from| &genes[from..from + 12]);
        let (is_anytime, is_odd) = (claim == Claim::Anytime, claim == Claim::OddScores);
        let design = choice(own[2], &[Design::Shared, Design::Independent]);
        let noise = Noise {
            split: choice(own[3], &[0.0, 0.005, 0.02, 0.1]),
            interaction: choice(own[8], &[0.0, 0.0, 0.01]),
            shape: choice(own[7], &[Shape::Normal, Shape::StudentT3]),
            resolution: choice(
                own[9],
                &[
                    Resolution::Exact,
                    Resolution::Step(0.01),
                    Resolution::Items(50),
                ],
            ),
        };
        let noise = if is_odd {
            noise
        } else {
            Noise {
                shape: Shape::Normal,
                resolution: Resolution::Exact,
                ..noise
            }
        };
        let arms = choice(own[0], &[2, 2, 3, 4, 6, 8, ARMS]);
        let diverging = choice(own[10], &[0.0, 0.0, 0.02, 0.05]);
        let who = choice(
            own[11],
            &[0..1, 1..ARMS, 0..ARMS].map(|of| (of.start, of.end)),
        );
        let arm = |place: usize| {
            let arm = SyntheticArm::new(0.65, between(sds[place], 0.005, 0.06));
            if is_odd && diverging > 0.0 && (who.0..who.1).contains(&place) {
                arm.diverging(diverging, 0.2)
            } else {
                arm
            }
        };
        let mut gap = if is_anytime {
            choice(own[1], &[0.0, 0.0, 0.05, 0.1, 0.2, 0.3])
        } else {
            between(own[1], MUST_HOLD, 0.6)
        };
        let best = arm(0);
        let mut members = vec![best];
        for (place, step) in (1..arms).zip(steps) {
            members.push(arm(place).behind(&best, gap, &noise, design));
            gap += (step - 0.3).max(0.0);
        }
        members.rotate_right(choice(own[5], &[0, 1]) * (arms / 2));
        let family = Family {
            name: "worst".to_owned(),
            about: "found by a search",
            problem: Synthetic::new(members, noise).ok()?,
            design,
        };
        let kinds = [
            (1, Durations::Constant),
            (1, Durations::Constant),
            (8, Durations::Exponential),
            (8, Durations::HighLate),
            (8, Durations::HighEarly),
        ];
        let kinds = match claim {
            Claim::Durations => &kinds[3..],
            Claim::Anytime => &kinds[..],
            _ => &kinds[..3],
        };
        let (workers, durations) = choice(own[6], kinds);
        (is_anytime || family.must_hold()).then_some(Self {
            family,
            stopping: if is_anytime { "anytime" } else { "posterior" },
            workers,
            durations,
        })
    }

    /// Returns the share of runs whose verdict is wrong.
    pub(super) fn wrong(&self, level: f64, runs: u64, seed: u64) -> Result<Estimate, Failure> {
        let (arms, stopping) = (self.family.problem.members().len(), self.stopping);
        // The guarantee does not depend on the posterior, and this one takes the least time.
        let posterior = if stopping == "anytime" {
            "pooled"
        } else {
            posterior::DEFAULT
        };
        let name = own_name("auto", stopping);
        let at_once = u32::try_from(self.workers)?;
        policy(&name, arms, at_once)?;
        rule(stopping, level, arms)?;
        let simulation = self.family.simulation(runs).seed(seed);
        let summaries = simulation
            .workers(self.workers, self.durations)
            .confidence(
                |arms| makers::posterior(posterior, arms).expect("it is known"),
                || policy(&name, arms, at_once).expect("it was made before"),
                &[|| rule(stopping, level, arms).expect("it was made before")],
            )?;
        Ok(error(&self.family, &summaries[0]))
    }
}

impl fmt::Display for Race {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (problem, noise) = (&self.family.problem, self.family.problem.noise());
        let sds = problem.members().iter().map(|arm| format!("{:.3}", arm.sd));
        let places = problem
            .members()
            .iter()
            .map(|arm| format!("{:.4}", arm.true_mean()));
        let [sds, places] = [sds.collect::<Vec<_>>(), places.collect()].map(|of| of.join(" "));
        let gap = self.family.gap_in_sds();
        write!(
            f,
            "{} arms, gap {gap:.2} sd, means {places}, sds {sds}, splits {:?} (effects {}, {}), {} at once ({:?})",
            problem.members().len(),
            self.family.design,
            noise.split,
            noise.interaction,
            self.workers,
            self.durations
        )?;
        if noise.shape != Shape::Normal || noise.resolution != Resolution::Exact {
            write!(f, ", {:?}, {:?}", noise.shape, noise.resolution)?;
        }
        let diverge = problem.members().iter().filter_map(|arm| arm.divergence);
        match diverge.clone().next() {
            Some(first) => write!(
                f,
                ", {} arms diverge in {}",
                diverge.count(),
                first.probability
            ),
            None => Ok(()),
        }
    }
}
