//! Gibbs sampler of θ and α, with μ integrated out and documents summed up in histograms.

use super::{
    Concentration, FMeasureError, Prior,
    dirichlet::ln_shares,
    prior::{LN_ALPHA, ln_density},
    rising::ln_excess,
};
use fiesta_core::Counts;
use rand::{Rng, RngExt};
use rand_distr::{Binomial, Distribution, Exp1};

/// A chain of (θ, α) for one system, whose stationary distribution is the posterior.
///
/// With μ_d integrated out, c_dj customers of a Chinese restaurant with concentration a = αθ_j sit
/// at t_dj tables, and given the tables θ ~ Dirichlet(α₀θ₀ + Σ_d t_d). The i-th customer (from 0)
/// of any document opens a table with probability a/(a + i), so that Σ_d t_dj = Σ_i Binomial(#{d :
/// c_dj > i}, a/(a + i)): a sweep takes O(largest count), whatever the number of documents. α is
/// learned by slice sampling (Neal 2003) of ln α given θ, in O(documents).
///
/// Successive draws are correlated, and a sweep costs much more than a draw of
/// [`FMeasureArms::sample`](super::FMeasureArms::sample): this is the model's own sampler, to check
/// others by.
///
/// # Example
/// ```
/// use fiesta_core::Counts;
/// use fiesta_posterior::f_measure::{Concentration, Gibbs, Prior};
/// use rand::{SeedableRng, rngs::ChaCha8Rng};
/// let documents = [[12, 3, 80, 2], [7, 5, 60, 1]].map(Counts::from_cells);
/// let mut chain = Gibbs::new(&documents, Prior::default(), Concentration::Learned)?;
/// let mut rng = ChaCha8Rng::seed_from_u64(1);
/// let (theta, alpha) = chain.sweep(&mut rng);
/// assert!((theta.iter().sum::<f64>() - 1.0).abs() < 1e-9 && alpha > 0.0);
/// # Ok::<(), fiesta_posterior::f_measure::FMeasureError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Gibbs {
    prior: Prior,
    /// Number of documents with more than i counts in a cell, for each cell and i.
    histograms: [Vec<u64>; 4],
    documents: Vec<Counts>,
    ln_theta: [f64; 4],
    ln_alpha: f64,
    learns: bool,
}

impl Gibbs {
    /// The largest count in a cell that the sampler accepts.
    pub const LARGEST: u64 = 1_000_000;

    /// Returns a chain for the documents of one system, from the prior's mean. For one system a
    /// [shared](Concentration::Shared) concentration is a learned one.
    ///
    /// # Errors
    /// [`FMeasureError::Count`] for a count above [`LARGEST`](Self::LARGEST).
    pub fn new(
        documents: &[Counts],
        prior: Prior,
        concentration: Concentration,
    ) -> Result<Self, FMeasureError> {
        let mut counts = documents.iter().flat_map(Counts::cells);
        if let Some(count) = counts.find(|&count| count > Self::LARGEST) {
            return Err(FMeasureError::Count(count));
        }
        let alpha = match concentration {
            Concentration::Fixed(alpha) => Some(alpha),
            Concentration::Learned | Concentration::Shared => None,
        };
        let histogram = |cell: usize| {
            #[expect(clippy::cast_possible_truncation, reason = "at most the largest")]
            let counts = || documents.iter().map(|counts| counts.cells()[cell] as usize);
            let mut histogram = vec![0; counts().max().unwrap_or(0)];
            for count in counts().filter(|&count| count > 0) {
                histogram[count - 1] += 1;
            }
            let mut above = 0;
            for entry in histogram.iter_mut().rev() {
                above += *entry;
                *entry = above;
            }
            histogram
        };
        let shapes = prior.shapes();
        let total: f64 = shapes.iter().sum();
        Ok(Self {
            prior,
            histograms: std::array::from_fn(histogram),
            documents: documents.to_vec(),
            ln_theta: shapes.map(|shape| (shape / total).ln()),
            ln_alpha: alpha.map_or(0.0, f64::ln),
            learns: alpha.is_none(),
        })
    }

    /// Returns the next state: θ and α.
    pub fn sweep(&mut self, rng: &mut impl Rng) -> ([f64; 4], f64) {
        let prior = self.prior.shapes();
        let shapes = std::array::from_fn(|j| {
            let a = (self.ln_alpha + self.ln_theta[j]).exp();
            prior[j] + self.tables(j, a, rng) as f64
        });
        self.ln_theta = ln_shares(shapes, rng);
        if self.learns {
            self.slice(rng);
        }
        (self.ln_theta.map(f64::exp), self.ln_alpha.exp())
    }

    /// Returns the number of tables in cell j over all documents. The first customer always opens
    /// one.
    fn tables(&self, cell: usize, a: f64, rng: &mut impl Rng) -> u64 {
        let mut tables = 0;
        for (i, &documents) in self.histograms[cell].iter().enumerate() {
            tables += if i == 0 {
                documents
            } else {
                Binomial::new(documents, a / (a + i as f64))
                    .expect("a probability")
                    .sample(rng)
            };
        }
        tables
    }

    /// Returns ln p(data, α | θ), up to a constant.
    fn ln_density(&self, ln_alpha: f64) -> f64 {
        let a: [f64; 4] =
            std::array::from_fn(|j| (ln_alpha + self.ln_theta[j]).exp().max(f64::MIN_POSITIVE));
        let alpha = ln_alpha.exp();
        let of = |counts: &Counts| {
            let cells = counts.cells();
            (0..4).map(|j| ln_excess(a[j], cells[j])).sum::<f64>()
                - ln_excess(alpha, counts.total())
        };
        self.documents.iter().map(of).sum::<f64>() + ln_density(ln_alpha)
    }

    fn slice(&mut self, rng: &mut impl Rng) {
        let exponential: f64 = Exp1.sample(rng);
        let height = self.ln_density(self.ln_alpha) - exponential;
        // The slice is within the support of the prior: shrink from there.
        let (mut low, mut high) = LN_ALPHA;
        loop {
            let candidate = rng.random_range(low..=high);
            if self.ln_density(candidate) >= height {
                self.ln_alpha = candidate;
                return;
            }
            if candidate < self.ln_alpha {
                low = candidate;
            } else {
                high = candidate;
            }
        }
    }
}
