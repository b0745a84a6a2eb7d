//! Likelihood of θ and α, in memory and time that do not grow with the number of documents.

use super::rising::ln_excess;
use fiesta_core::Counts;
use std::sync::OnceLock;

/// Distance of neighbouring nodes of a table, in ln a.
const STEP: f64 = 0.125;
/// The first node of a table, in ln a. Below, ln (a)_c = ln a + ln Γ(c) to within a·ln c: a straight line.
const FROM: f64 = -12.0;
/// Number of nodes of a table; the last lies at ln a = 24.
const NODES: usize = 289;
/// Count below which rows of the tables are computed once and kept.
const KEPT: usize = 256;

/// Lagrange's weights 1/Π(i − j) of six equidistant nodes, as factors, since divisions take long.
const OUTER: f64 = 1.0 / 120.0;
const NEXT: f64 = 1.0 / 24.0;
const INNER: f64 = 1.0 / 12.0;

/// Σ_d ln((a)_{c_d}/a^{c_d}) over documents as a function of ln a, tabulated.
#[derive(Debug, Clone)]
struct Table {
    nodes: Box<[f64; NODES]>,
    /// Slope of the tabulated function towards ln a = −∞.
    slope: f64,
}

impl Table {
    fn new() -> Self {
        Self {
            nodes: Box::new([0.0; NODES]),
            slope: 0.0,
        }
    }

    fn add(&mut self, count: u64, sign: f64) {
        if count < 2 {
            return;
        }
        let nodes = &mut self.nodes;
        let mut add = |row: &[f64; NODES]| {
            for (sum, value) in nodes.iter_mut().zip(row) {
                *sum += sign * value;
            }
        };
        self.slope += sign * (1.0 - count as f64);
        match usize::try_from(count) {
            Ok(small) if small < KEPT => add(kept(small)),
            _ => add(&row(count)),
        }
    }

    /// Interpolates the table by the polynomial through the six nearest nodes. Its error is 2e-8 a
    /// document, or 1e-9 of the value where that is more; and it changes so slowly that most of it
    /// cancels over the width of a posterior.
    fn at(&self, ln_a: f64) -> f64 {
        let place = (ln_a - FROM) / STEP;
        let nodes = &*self.nodes;
        if place < 2.0 {
            return nodes[2] + (place - 2.0) * STEP * self.slope;
        }
        let last = NODES - 4;
        if place >= last as f64 {
            return nodes[last] * ((last as f64 - place) * STEP).exp();
        }
        let cell = fiesta_core::whole(place);
        let x = place - cell as f64;
        let y: &[f64; 6] = nodes[cell - 2..cell + 4].try_into().expect("six nodes");
        let (a, b, c, d, e, f) = (x + 2.0, x + 1.0, x, x - 1.0, x - 2.0, x - 3.0);
        let (ab, ef) = (a * b, e * f);
        let before = NEXT * a * c * y[1] - OUTER * b * c * y[0] - INNER * ab * y[2];
        let after = INNER * ef * y[3] - NEXT * d * f * y[4] + OUTER * d * e * y[5];
        d * ef * before + ab * c * after
    }
}

fn row(count: u64) -> [f64; NODES] {
    std::array::from_fn(|node| ln_excess(STEP.mul_add(node as f64, FROM).exp(), count))
}

fn kept(count: usize) -> &'static [f64; NODES] {
    static ROWS: [OnceLock<Box<[f64; NODES]>>; KEPT] = [const { OnceLock::new() }; KEPT];
    ROWS[count].get_or_init(|| Box::new(row(count as u64)))
}

/// The likelihood of a system's documents in the Dirichlet-compound model, μ_d integrated out:
///
/// p(c | θ, α) = Π_d 1/(α)_{N_d} Π_j (αθ_j)_{c_dj}, up to the multinomial coefficients.
///
/// With a_j = αθ_j its logarithm is a sum of one function of each a_j and one of α, whatever the
/// documents, so that five tables hold all of them: a document adds a row to each. What is
/// tabulated is ln((a)_c/a^c), which tends to 0 as α grows, so that nothing cancels on the way to
/// the multinomial distribution, α = ∞.
#[derive(Debug, Clone)]
pub(super) struct Likelihood {
    cells: [Table; 4],
    totals: Table,
    sums: Counts,
    /// How many documents have a count above zero in each cell.
    occupied: [u64; 4],
}

impl Likelihood {
    pub(super) fn new() -> Self {
        Self {
            cells: std::array::from_fn(|_| Table::new()),
            totals: Table::new(),
            sums: Counts::default(),
            occupied: [0; 4],
        }
    }

    pub(super) fn add(&mut self, counts: &Counts) {
        for ((table, occupied), count) in self
            .cells
            .iter_mut()
            .zip(&mut self.occupied)
            .zip(counts.cells())
        {
            table.add(count, 1.0);
            *occupied += u64::from(count > 0);
        }
        self.totals.add(counts.total(), -1.0);
        self.sums = self.sums + *counts;
    }

    /// Returns the sums of the counts over all documents.
    pub(super) fn sums(&self) -> &Counts {
        &self.sums
    }

    /// Returns how many documents have a count above zero in this cell: the power of θ_j with which
    /// the likelihood falls to 0.
    pub(super) fn occupied(&self, cell: usize) -> f64 {
        self.occupied[cell] as f64
    }

    /// Returns Σ_d ln (αθ_j)_{c_dj} − C_j ln α: what cell j says of its θ_j, C_j being the sum of
    /// its counts.
    pub(super) fn of_cell(&self, cell: usize, ln_alpha: f64, ln_theta: f64) -> f64 {
        let sum = self.sums.cells()[cell] as f64;
        if sum == 0.0 {
            return 0.0;
        }
        sum * ln_theta + self.cells[cell].at(ln_alpha + ln_theta)
    }

    /// Returns the first two derivatives of [`of_cell`](Self::of_cell) by ln θ_j, to within a
    /// percent.
    pub(super) fn slopes(&self, cell: usize, ln_alpha: f64, ln_theta: f64) -> [f64; 2] {
        let at = |step: f64| self.of_cell(cell, ln_alpha, ln_theta + step * STEP);
        let (before, value, after) = (at(-1.0), at(0.0), at(1.0));
        let slope = (after - before) / (2.0 * STEP);
        [slope, (after - 2.0 * value + before) / (STEP * STEP)]
    }

    /// Returns −Σ_d ln((α)_{N_d}/α^{N_d}): what the lengths of the documents say of α alone.
    pub(super) fn of_totals(&self, ln_alpha: f64) -> f64 {
        self.totals.at(ln_alpha)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_the_sums_they_stand_for() {
        let documents = [
            [3, 0, 250, 1],
            [0, 0, 1_000_000, 2],
            [17, 40, 5, 1],
            [2, 1, 0, 0],
        ];
        let mut likelihood = Likelihood::new();
        for cells in documents {
            likelihood.add(&Counts::from_cells(cells));
        }
        for alpha in [1e-7_f64, 0.02, 0.3, 1.0, 12.3, 4e3, 1e8, 1e12] {
            for theta in [1e-9_f64, 1e-3, 0.21, 0.99] {
                for cell in 0..4 {
                    let exact: f64 = documents
                        .iter()
                        .map(|cells| {
                            ln_excess(alpha * theta, cells[cell]) + cells[cell] as f64 * theta.ln()
                        })
                        .sum();
                    let ours = likelihood.of_cell(cell, alpha.ln(), theta.ln());
                    let error = (ours - exact).abs();
                    assert!(
                        error <= 1e-4 + 1e-9 * exact.abs(),
                        "{alpha} {theta} {cell}: {ours} {exact}"
                    );
                }
            }
            let exact: f64 = documents
                .iter()
                .map(|cells| -ln_excess(alpha, cells.iter().sum()))
                .sum();
            let error = (likelihood.of_totals(alpha.ln()) - exact).abs();
            assert!(error <= 1e-4 + 1e-9 * exact.abs(), "{alpha}");
        }
    }
}
