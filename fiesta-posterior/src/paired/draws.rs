//! Draws of the means that a fit leaves, and probabilities over them.

use super::{
    cells::{Cells, Member},
    controlled::{BATCHES, Controlled},
    normal::{Equations, effect_variance},
    sampler::Length,
};
use crate::numeric::student::table;
use fiesta_core::ArmId;
use nalgebra::DVector;
use std::collections::BTreeMap;

/// Values of one arm that a draw keeps.
pub(super) struct Kept {
    /// The mean of the arm.
    pub(super) mean: f64,
    /// Expected mean of the arm given all the other means and all variances.
    pub(super) conditional_mean: f64,
}

/// Values of one arm in one sweep, from which several draws of the means may come.
pub(super) struct Swept {
    /// Standard deviation of the arm's mean given all the other means and all variances.
    pub(super) conditional_deviation: f64,
    /// Variance of the arm's scores given the split.
    pub(super) variance: f64,
    /// Scale of the arm's lead over the reference.
    pub(super) lead_scale: f64,
}

/// Values of all that the model of [`Paired`](super::Paired) does not know, from which scores follow.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct PairedModel {
    /// Mean μ of each arm.
    pub means: Vec<f64>,
    /// Variance v of one evaluation of each arm, given its split.
    pub variances: Vec<f64>,
    /// Variance τ² of the splits' effects.
    pub split_variance: f64,
    /// Share ρ of the variance that all seeds of an arm on a split have in common, from 0 to 1.
    pub interaction: f64,
}

impl PairedModel {
    /// Returns the variance, given the split, of the mean of `seeds` scores of an arm on it:
    /// v·(ρ + (1 − ρ)/`seeds`).
    ///
    /// # Panics
    /// If there is no such arm.
    pub fn variance_of_mean(&self, arm: ArmId, seeds: u32) -> f64 {
        self.variances[arm.index()] * of_seeds(seeds, 1.0 - self.interaction)
    }
}

/// Draws of means, variances and leads from the posterior of one fit.
#[derive(Debug, Clone)]
pub(super) struct Draws {
    pub(super) arms: usize,
    origins: Vec<f64>,
    /// Number of draws of the means that are kept of each sweep.
    per_sweep: usize,
    /// Drawn means of the arms, draw by draw and arm by arm.
    means: Vec<f64>,
    conditional_means: Vec<f64>,
    /// Conditional standard deviations of the arms' means, sweep by sweep and arm by arm.
    conditional_deviations: Vec<f64>,
    /// Arm over which leads are kept.
    reference: usize,
    /// Each arm's lead over the reference given the ratios of the variances alone: location and
    /// scale of Student's t with `freedom` degrees of freedom.
    leads: Vec<(f64, f64)>,
    freedom: f64,
    pub(super) variances: Vec<f64>,
    /// Draws of τ² and 1 − ρ, one per sweep.
    pub(super) common: Vec<(f64, f64)>,
    /// Sums over the sweeps, of the expected means and of 1/v.
    expected: Vec<f64>,
    precisions: Vec<f64>,
}

/// P(best) and the expected shortfall of each arm, and the largest standard error of P(best).
pub(super) struct Best {
    pub(super) probability: Vec<f64>,
    pub(super) shortfall: Vec<f64>,
    pub(super) absolute_error: f64,
}

impl Draws {
    /// Returns an empty set of draws with room for those of a fit of this length, which has
    /// `freedom` = N − K degrees of freedom and leads over `reference`.
    pub(super) fn new(cells: &Cells, freedom: f64, reference: usize, length: Length) -> Self {
        let of_sweeps = cells.arms.len() * length.sweeps;
        let of_draws = of_sweeps * length.per_sweep;
        Self {
            per_sweep: length.per_sweep,
            reference,
            leads: Vec::with_capacity(of_sweeps),
            freedom,
            arms: cells.arms.len(),
            origins: cells.arms.iter().map(|arm| arm.origin).collect(),
            means: Vec::with_capacity(of_draws),
            conditional_means: Vec::with_capacity(of_draws),
            conditional_deviations: Vec::with_capacity(of_sweeps),
            variances: Vec::with_capacity(of_sweeps),
            common: Vec::with_capacity(length.sweeps),
            expected: vec![0.0; cells.arms.len()],
            precisions: vec![0.0; cells.arms.len()],
        }
    }

    /// Keeps the variances and leads of a sweep; [`keep`](Self::keep) then keeps its draws of the means.
    pub(super) fn keep_sweep(
        &mut self,
        arms: impl Iterator<Item = Swept>,
        expected: &DVector<f64>,
        split_variance: f64,
        of_one_seed: f64,
    ) {
        let mean = |arm: usize| self.origins[arm] + expected[arm];
        for (index, arm) in arms.enumerate() {
            let lead = mean(index) - mean(self.reference);
            self.leads.push((lead, arm.lead_scale));
            self.conditional_deviations.push(arm.conditional_deviation);
            self.variances.push(arm.variance);
            self.expected[index] += expected[index];
            self.precisions[index] += 1.0 / arm.variance;
        }
        self.common.push((split_variance, of_one_seed));
    }

    /// Keeps one draw of the means in the last sweep.
    pub(super) fn keep(&mut self, arms: impl Iterator<Item = Kept>) {
        for (arm, origin) in arms.zip(&self.origins) {
            self.means.push(origin + arm.mean);
            self.conditional_means.push(origin + arm.conditional_mean);
        }
    }

    /// Returns the arm over which leads are kept.
    pub(super) fn reference(&self) -> usize {
        self.reference
    }

    /// Returns how many draws are kept of each sweep.
    pub(super) fn per_sweep(&self) -> usize {
        self.per_sweep
    }

    /// Returns how many draws were kept.
    pub(super) fn len(&self) -> usize {
        self.sweeps() * self.per_sweep
    }

    /// Returns how many sweeps were kept.
    pub(super) fn sweeps(&self) -> usize {
        self.common.len()
    }

    /// Returns the means of one draw.
    pub(super) fn draw(&self, number: usize) -> &[f64] {
        &self.means[number * self.arms..][..self.arms]
    }

    /// Returns one draw of all that the model does not know.
    pub(super) fn model(&self, number: usize) -> Option<PairedModel> {
        let sweep = number.checked_div(self.per_sweep)?;
        let &(split_variance, of_one_seed) = self.common.get(sweep)?;
        Some(PairedModel {
            means: self.draw(number).to_vec(),
            variances: self.variances[sweep * self.arms..][..self.arms].to_vec(),
            split_variance,
            interaction: 1.0 - of_one_seed,
        })
    }

    /// Returns the posterior mean of an arm's mean.
    pub(super) fn location(&self, arm: ArmId) -> f64 {
        self.origins[arm.index()] + self.expected[arm.index()] / self.sweeps() as f64
    }

    /// The variance of one evaluation of an arm, the effect of its split left out where that
    /// `is_shared`: its posterior harmonic mean, which exists however few scores there are.
    pub(super) fn of_one_evaluation(&self, arm: usize, is_shared: bool) -> f64 {
        let n = self.sweeps() as f64;
        if is_shared {
            return n / self.precisions[arm];
        }
        let of_draw =
            |(variances, (split, _)): (&[f64], &(f64, f64))| 1.0 / (variances[arm] + split);
        let draws = self.variances.chunks(self.arms).zip(&self.common);
        n / draws.map(of_draw).sum::<f64>()
    }

    /// Returns P(among the `top` best) and the expected shortfall of each candidate, if each mean were
    /// larger by its bonus.
    ///
    /// In each draw an arm is among them with the probability that it exceeds the `top`-th highest
    /// mean R of the others, given them: a smooth function of the draw (Rao and Blackwell), which counts draws in
    /// which an arm could have been best as well as those in which it was. With c and s the mean
    /// and standard deviation of its mean given the others', and z = (R − c)/s, that is 1 − Φ(z),
    /// and it falls short by s·(φ(z) + z·Φ(z)) on average.
    ///
    /// Two [control variates](Controlled) of mean 0 leave less of what varies from draw to draw:
    /// what these probabilities sum to beyond `top`, and for the arm beside the one reference the
    /// probability that it exceeds the reference, which is known in closed form (Student's t, given
    /// the ratios of the variances alone), less 1 − Φ of the reference's mean.
    pub(super) fn best(
        &self,
        top: usize,
        candidates: &[ArmId],
        bonus: impl Fn(ArmId) -> f64,
    ) -> Best {
        let bonuses: Vec<f64> = candidates.iter().map(|&arm| bonus(arm)).collect();
        let mut probabilities = vec![0.0; self.arms];
        let mut shortfall = vec![0.0; self.arms];
        if candidates.is_empty() {
            return Best {
                probability: probabilities,
                shortfall,
                absolute_error: 0.0,
            };
        }
        let share = 1.0 / self.len() as f64;
        let (normal, student) = (table(f64::INFINITY), table(self.freedom));
        let reference = candidates.iter().position(|a| a.index() == self.reference);
        let mut controlled = vec![Controlled::default(); candidates.len()];
        let mut of_draw = vec![[0.0; 2]; candidates.len()];
        let mut highest = vec![(f64::NEG_INFINITY, usize::MAX); top + 1];
        for draw in 0..self.len() {
            let start = draw * self.arms;
            let of_sweep = draw / self.per_sweep * self.arms;
            // The highest means, one more than are sought, each with its arm.
            highest.fill((f64::NEG_INFINITY, usize::MAX));
            for (arm, bonus) in candidates.iter().zip(&bonuses) {
                let mean = self.means[start + arm.index()] + bonus;
                if let Some(place) = highest.iter().position(|other| mean > other.0) {
                    highest[place..].rotate_right(1);
                    highest[place] = (mean, arm.index());
                }
            }
            let mut excess = -(top as f64);
            let mut of_others = 0.0;
            for (place, (arm, bonus)) in candidates.iter().zip(&bonuses).enumerate() {
                let arm = arm.index();
                let is_inside = highest[..top].iter().any(|inside| inside.1 == arm);
                let (rival, _) = highest[if is_inside { top } else { top - 1 }];
                let conditional = self.conditional_means[start + arm] + bonus;
                let deviation = self.conditional_deviations[of_sweep + arm];
                let behind = rival - conditional;
                let best = normal.at(behind / deviation);
                let control = match reference {
                    Some(reference) if reference != place => {
                        let (lead, scale) = self.leads[of_sweep + arm];
                        let of_reference = self.means[start + self.reference] + bonuses[reference];
                        student
                            .at((bonuses[reference] - bonus - lead) / scale)
                            .above
                            - normal.at((of_reference - conditional) / deviation).above
                    }
                    _ => 0.0,
                };
                of_draw[place] = [best.above, control];
                excess += best.above;
                of_others += control;
                // Where no rival is, R is −∞ and nothing can be lost.
                if behind > f64::NEG_INFINITY {
                    let short = deviation * best.density + behind * best.below;
                    shortfall[arm] += share * short.max(0.0);
                }
            }
            // The reference is best where no other exceeds it.
            if let Some(reference) = reference {
                of_draw[reference][1] = -of_others;
            }
            let batch = draw * BATCHES / self.len();
            for (controlled, [p, control]) in controlled.iter_mut().zip(&of_draw) {
                controlled.add(batch, [*p, *control, excess]);
            }
        }
        // In each batch, and over all of them, probabilities sum to the number that is sought.
        let sought = top.min(candidates.len()) as f64;
        let by_batch: Vec<[f64; BATCHES]> = controlled.iter().map(Controlled::batches).collect();
        let mut totals = [0.0; BATCHES];
        for of_arm in &by_batch {
            for (total, p) in totals.iter_mut().zip(of_arm) {
                *total += p;
            }
        }
        let all: f64 = totals.iter().sum();
        let mut largest = 0.0_f64;
        for (arm, of_arm) in candidates.iter().zip(&by_batch) {
            let p = of_arm.iter().sum::<f64>() / all;
            let of_batch = of_arm.iter().zip(&totals).map(|(sum, total)| sum / total);
            let squares: f64 = of_batch.map(|of_batch| (of_batch - p).powi(2)).sum();
            largest = largest.max(sought * (squares / ((BATCHES - 1) * BATCHES) as f64).sqrt());
            probabilities[arm.index()] = p.max(0.0);
        }
        let total: f64 = probabilities.iter().sum();
        for p in &mut probabilities {
            *p = (*p / total * sought).clamp(0.0, 1.0);
        }
        Best {
            probability: probabilities,
            shortfall,
            absolute_error: largest,
        }
    }

    /// Returns the variance of mean(a) − mean(`from`) for every arm a, foreseen for when the cases
    /// of `extra` were observed as well, with variances at their posterior (harmonic) means.
    pub(super) fn look_ahead(
        &self,
        cells: &Cells,
        from: ArmId,
        extra: &[(ArmId, u64)],
    ) -> Option<Vec<f64>> {
        let n = self.sweeps() as f64;
        let weights: Vec<f64> = self.precisions.iter().map(|sum| sum / n).collect();
        let split_variance = self
            .common
            .iter()
            .map(|(variance, _)| variance)
            .sum::<f64>()
            / n;
        let of_one_seed = self.common.iter().map(|(_, share)| share).sum::<f64>() / n;
        let mut equations = Equations::new(self.arms);
        let mut add = |splits: f64, members: &[Member]| {
            let weights: Vec<f64> = members
                .iter()
                .map(|member| weights[member.index()] / of_seeds(member.seeds, of_one_seed))
                .collect();
            let t = effect_variance(split_variance, weights.iter().sum());
            equations.add(splits, members, &weights, t);
        };
        for (members, group) in cells.groups()?.iter() {
            add(group.splits as f64, members);
        }
        let mut changed: BTreeMap<u64, Vec<Member>> = BTreeMap::new();
        for &(arm, split) in extra {
            let members = changed
                .entry(split)
                .or_insert_with(|| cells.members(split).to_vec());
            #[expect(clippy::cast_possible_truncation, reason = "arms are few here")]
            let arm = arm.index() as u32;
            match members.binary_search_by_key(&arm, |member| member.arm) {
                Ok(place) => members[place].seeds += 1,
                Err(place) => members.insert(place, Member { arm, seeds: 1 }),
            }
        }
        for (&split, members) in &changed {
            if !cells.members(split).is_empty() {
                add(-1.0, cells.members(split));
            }
            add(1.0, members);
        }
        let factor = Equations::factor(equations.precision);
        // Var(μ_a − μ_from) = |L⁻¹(e_a − e_from)|²
        let variance = |arm: usize| {
            if arm == from.index() {
                return 0.0;
            }
            let mut difference = DVector::zeros(self.arms);
            difference[arm] = 1.0;
            difference[from.index()] = -1.0;
            factor.l_dirty().solve_lower_triangular_mut(&mut difference);
            // Scores 1e300 apart may leave an arm as good as unknown.
            difference.norm_squared().min(f64::MAX)
        };
        Some((0..self.arms).map(variance).collect())
    }
}

/// Returns f, the variance of an arm's mean over `seeds` seeds on a split, in units of one evaluation's variance, of which
/// the seeds' share is `of_one_seed` = 1 − ρ.
pub(super) fn of_seeds(seeds: u32, of_one_seed: f64) -> f64 {
    if seeds == 1 {
        return 1.0;
    }
    1.0 - of_one_seed + of_one_seed / f64::from(seeds)
}
