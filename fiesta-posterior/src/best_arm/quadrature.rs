//! P(best) and expected shortfall of independent arms by adaptive quadrature.
//!
//! π_a = ∫ f_a(x) Π_{j≠a} F_j(x) dx for all arms at once, over panels that begin and end where some
//! arm's distribution changes; the two outer panels reach to infinity. The integrands of all arms
//! add up to the derivative of G = Π F_j, the distribution of the maximum, so that every panel
//! knows what its arms must add up to: G at its end less G at its beginning. A panel is halved
//! until Gauss and Kronrod agree *and* the sum is right, which no feature between the nodes
//! escapes; and what lies left of x contributes G(x), right of it 1 − G(x), which tells which
//! panels can be left out. The same nodes give E[max] = ∫ x dG(x).

use super::{BestArmError, TOLERANCE, check};
use crate::numeric::{
    gauss_kronrod::{NODES, Node, nodes},
    student::{StudentT, table},
};
use fiesta_core::{Belief, Interrupt, Marginal, Method};
use std::rc::Rc;

/// Places of an arm's panel edges, in scales from its location.
const EDGES: [f64; 5] = [-8.0, -2.5, 0.0, 2.5, 8.0];
/// Distance, in scales of its arm, up to which an edge is left out beside the edge before it.
const CLOSE: f64 = 2.0;
/// Share of the tolerance that the error of one panel may have.
const SHARE: f64 = 1.0 / 16.0;
/// Share of the tolerance that may be left out beyond the panels, on either side.
const NEGLECT: f64 = 1.0 / 256.0;
/// Number of halvings of a panel before its error is accepted and reported.
const DEPTH: u32 = 50;
/// Number of halvings of all panels together before their errors are accepted and reported. Arms whose
/// scales are many orders of magnitude apart can leave every half without the accuracy asked for.
const HALVINGS: u32 = 20_000;

/// Returns P(best) of arms with independent means, to within `tolerance` (see [`TOLERANCE`]).
///
/// π_a = ∫ f_a(x) Π_{j≠a} F_j(x) dx, where f and F are density and distribution function of the
/// marginals. The [expected shortfall](Belief::shortfall) of an arm is E(max_j μ_j) − c_a with its
/// location c_a, ∞ for all if some ν ≤ 1. The reported [`Belief::absolute_error`] is the sum of the
/// error estimates of all panels and of what was left out, and at least |Σπ − 1|.
///
/// # Errors
/// [`BestArmError`] if there is no arm, a marginal is no distribution or the tolerance is out of
/// range.
///
/// # Example
/// Two arms: P(first is best) is the probability that a difference is positive.
/// ```
/// use fiesta_core::Marginal;
/// use fiesta_posterior::best_arm::{TOLERANCE, quadrature};
/// let normal = |location| Marginal { location, scale: 1.0, degrees_of_freedom: f64::INFINITY };
/// let belief = quadrature(&[normal(1.0), normal(0.0)], TOLERANCE)?;
/// // Φ(1/√2)
/// assert!((belief.probability[0] - 0.760_249_938_906_523_4).abs() < 1e-10);
/// # Ok::<(), fiesta_posterior::best_arm::BestArmError>(())
/// ```
pub fn quadrature(marginals: &[Marginal], tolerance: f64) -> Result<Belief, BestArmError> {
    check(marginals)?;
    if !(1e-12..=0.1).contains(&tolerance) {
        return Err(BestArmError::Tolerance(tolerance));
    }
    let mut integral = Integral::new(marginals, tolerance);
    integral.compute();
    let total: f64 = integral.probability.iter().sum();
    let shortfall = marginals.iter().map(|m| {
        let mean_of_maximum = integral.origin + integral.maximum;
        (mean_of_maximum - m.location).max(0.0)
    });
    let shortfall = shortfall.collect();
    for p in &mut integral.probability {
        *p = p.min(1.0);
    }
    Ok(Belief {
        absolute_error: integral.error.max((total - 1.0).abs()),
        probability: integral.probability,
        shortfall,
        method: Method::Quadrature,
    })
}

/// Returns P(best) as [`quadrature`] gives it at the default tolerance, for marginals known to be
/// distributions.
pub(crate) fn of_proper(marginals: &[Marginal]) -> Belief {
    quadrature(marginals, TOLERANCE).expect("a posterior's marginals are distributions")
}

struct Arm {
    index: usize,
    location: f64,
    scale: f64,
    student: Rc<StudentT>,
}

/// Panel of the integral: a stretch of the integration variable t, and how it maps to x.
#[derive(Clone, Copy)]
struct Panel {
    from: f64,
    to: f64,
    /// Sum over all arms between `from` and `to`.
    mass: f64,
    map: Map,
    depth: u32,
}

#[derive(Clone, Copy)]
enum Map {
    /// The map x = t of an inner panel.
    Identity,
    /// The map of an outer panel: x = `edge` + `reach` (1 − t)/t for t in (0, 1]: to +∞ with a
    /// positive reach, to −∞ with a negative.
    Outward { edge: f64, reach: f64 },
}

impl Map {
    /// Returns the map's value x and its derivative |dx/dt| at t.
    fn apply(self, t: f64) -> (f64, f64) {
        match self {
            Self::Identity => (t, 1.0),
            Self::Outward { edge, reach } => (edge + reach * (1.0 - t) / t, reach.abs() / (t * t)),
        }
    }
}

struct Integral {
    arms: Vec<Arm>,
    tolerance: f64,
    /// Place from which all locations are counted.
    origin: f64,
    probability: Vec<f64>,
    /// Expected greatest mean E[max], counted from the origin.
    maximum: f64,
    error: f64,
    nodes: [Node; NODES],
    // Scratch space of a panel: per arm and node, and per arm.
    density: Vec<[f64; NODES]>,
    below: Vec<[f64; NODES]>,
    kronrod: Vec<f64>,
    gauss: Vec<f64>,
    /// The panel's part of the expected greatest mean E[max].
    moment: f64,
}

impl Integral {
    fn new(marginals: &[Marginal], tolerance: f64) -> Self {
        // Measured from the narrowest arm, so that x keeps its digits where they matter most.
        let narrowest = marginals.iter().min_by(|a, b| a.scale.total_cmp(&b.scale));
        let origin = narrowest.map_or(0.0, |m| m.location);
        let is_finite = marginals.iter().all(|m| m.degrees_of_freedom > 1.0);
        let arms: Vec<Arm> = marginals
            .iter()
            .enumerate()
            .map(|(index, m)| Arm {
                index,
                location: m.location - origin,
                scale: m.scale,
                student: table(m.degrees_of_freedom),
            })
            .collect();
        let count = arms.len();
        Self {
            arms,
            tolerance,
            origin,
            probability: vec![0.0; count],
            maximum: if is_finite { 0.0 } else { f64::INFINITY },
            error: 0.0,
            nodes: nodes(),
            density: vec![[0.0; NODES]; count],
            below: vec![[0.0; NODES]; count],
            kronrod: vec![0.0; count],
            gauss: vec![0.0; count],
            moment: 0.0,
        }
    }

    fn compute(&mut self) {
        let mut panels = self.panels();
        let mut halvings = 0;
        while let Some(panel) = panels.pop() {
            Interrupt::check();
            let error = self.panel(&panel);
            if error > self.tolerance * SHARE && panel.depth < DEPTH && halvings < HALVINGS {
                halvings += 1;
                panels.extend(self.halves(&panel));
                continue;
            }
            self.error += error;
            self.maximum += self.moment;
            for (arm, value) in self.arms.iter().zip(&self.kronrod) {
                self.probability[arm.index] += value;
            }
        }
    }

    /// Returns the panels to begin with: those between neighbouring edges and the two outer ones,
    /// without those that hardly contribute. Arms that are below all remaining panels are dropped
    /// on the way.
    fn panels(&mut self) -> Vec<Panel> {
        let edges = self.edges();
        let neglected = self.tolerance * NEGLECT;
        let first = edges.partition_point(|&x| self.maximum_below(x) < neglected);
        let last = edges.partition_point(|&x| self.maximum_above(x) > neglected);
        let (leftmost, rightmost) = (edges[0], edges[edges.len() - 1]);
        let reach = rightmost - leftmost;
        let mut panels = Vec::with_capacity(last.saturating_sub(first) + 3);
        let mut outer = |edge, reach, mass| {
            let map = Map::Outward { edge, reach };
            panels.push(Panel {
                from: 0.0,
                to: 1.0,
                mass,
                map,
                depth: 0,
            });
        };
        if first == 0 {
            outer(leftmost, -reach, self.maximum_below(leftmost));
        }
        if last == edges.len() {
            outer(rightmost, reach, 1.0 - self.maximum_below(rightmost));
        } else {
            self.error += self.maximum_above(edges[last]);
        }
        if first > 0 {
            let cut = edges[first - 1];
            self.error += self.maximum_below(cut) + neglected;
            let negligible = neglected / self.arms.len() as f64;
            self.arms
                .retain(|arm| arm.student.at((cut - arm.location) / arm.scale).above > negligible);
        }
        let inner = &edges[first.saturating_sub(1)..edges.len().min(last + 1)];
        let mut below = self.maximum_below(inner[0]);
        for pair in inner.windows(2) {
            let next = self.maximum_below(pair[1]);
            panels.push(Panel {
                from: pair[0],
                to: pair[1],
                mass: next - below,
                map: Map::Identity,
                depth: 0,
            });
            below = next;
        }
        panels
    }

    fn halves(&self, panel: &Panel) -> [Panel; 2] {
        let middle = f64::midpoint(panel.from, panel.to);
        let depth = panel.depth + 1;
        // The half that does not end at infinity can be measured at both its ends.
        let at = |t: f64| self.maximum_below(panel.map.apply(t).0);
        let mass = (at(panel.to) - at(middle)).abs();
        [
            Panel {
                to: middle,
                mass: panel.mass - mass,
                depth,
                ..*panel
            },
            Panel {
                from: middle,
                mass,
                depth,
                ..*panel
            },
        ]
    }

    /// Returns where the arms' distributions change, in order; an edge is left out where others
    /// already lie closer than its arm can tell.
    fn edges(&self) -> Vec<f64> {
        let mut edges: Vec<(f64, f64)> = self
            .arms
            .iter()
            .flat_map(|arm| EDGES.map(|e| (arm.location + e * arm.scale, arm.scale)))
            .collect();
        edges.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut kept: Vec<f64> = Vec::new();
        for (x, scale) in edges {
            if kept.last().is_none_or(|&before| x - before > CLOSE * scale) {
                kept.push(x);
            }
        }
        kept
    }

    /// Returns G(x), the probability that all means are below x.
    fn maximum_below(&self, x: f64) -> f64 {
        self.arms
            .iter()
            .map(|arm| arm.student.at((x - arm.location) / arm.scale).below)
            .product()
    }

    /// Returns a bound on 1 − G(x), the probability that some mean is above x.
    fn maximum_above(&self, x: f64) -> f64 {
        self.arms
            .iter()
            .map(|arm| arm.student.at((x - arm.location) / arm.scale).above)
            .sum()
    }

    /// Integrates over one panel into `kronrod` and returns its error: of its worst arm as
    /// estimated, or of the sum of all arms as it is, whichever is larger.
    fn panel(&mut self, panel: &Panel) -> f64 {
        let count = self.arms.len();
        let half = (panel.to - panel.from) / 2.0;
        let middle = f64::midpoint(panel.from, panel.to);
        let points = self
            .nodes
            .map(|node| panel.map.apply(middle + half * node.position));
        // f_a Π_{j≠a} F_j without division: products of all before, then of all after.
        let mut product = [1.0; NODES];
        for ((arm, density), below) in self.arms.iter().zip(&mut self.density).zip(&mut self.below)
        {
            let inverse_scale = 1.0 / arm.scale;
            let standard = points.map(|(x, _)| (x - arm.location) * inverse_scale);
            (*density, *below) = arm.student.many(&standard);
            for row in 0..NODES {
                density[row] *= product[row];
                product[row] *= below[row];
            }
        }
        let mut kronrod = [0.0; NODES];
        let mut gauss = [0.0; NODES];
        for (row, (node, &(_, stretch))) in self.nodes.iter().zip(&points).enumerate() {
            kronrod[row] = node.kronrod * stretch * half;
            gauss[row] = node.gauss * stretch * half;
        }
        product.fill(1.0);
        let mut of_maximum = [0.0; NODES];
        for (column, arm) in self.arms.iter().enumerate().rev() {
            let (density, below) = (&self.density[column], &self.below[column]);
            let (mut by_kronrod, mut by_gauss) = (0.0, 0.0);
            for row in 0..NODES {
                let value = density[row] * product[row];
                by_kronrod += kronrod[row] * value;
                by_gauss += gauss[row] * value;
                of_maximum[row] += value / arm.scale;
                product[row] *= below[row];
            }
            self.kronrod[column] = by_kronrod / arm.scale;
            self.gauss[column] = by_gauss / arm.scale;
        }
        let moments = points.iter().zip(&kronrod).zip(&of_maximum);
        self.moment = moments
            .map(|((&(x, _), weight), density)| x * weight * density)
            .sum();
        let sum: f64 = self.kronrod[..count].iter().sum();
        let difference = self.kronrod[..count]
            .iter()
            .zip(&self.gauss)
            .map(|(k, g)| (k - g).abs())
            .fold(0.0, f64::max);
        // QUADPACK's estimate: the Kronrod rule is far better than its difference to Gauss's tells.
        let estimate = if sum > 0.0 {
            sum * (200.0 * difference / sum).powf(1.5).min(1.0)
        } else {
            0.0
        };
        estimate.max((sum - panel.mass).abs())
    }
}
