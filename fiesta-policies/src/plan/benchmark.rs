//! Classical benchmarking: documents that a hypothesis test takes to tell systems apart.

use super::{PowerError, TTest};

/// A benchmark planned by a paired one-sided t-test: all systems that are compared get the same
/// number of documents, fixed beforehand, and the test of the best system's scores against a
/// rival's on these documents shall succeed with the desired power.
///
/// What it takes to plan one is what a benchmark is made to find out: the differences and their
/// spread. It is a yardstick for policies that adapt, in simulations, where both are known.
///
/// Source: Haffari, Tran & Carman (EACL 2017), whose baselines these are; the samples are those of
/// [`TTest::Paired`], without normal approximation.
///
/// # Example
/// ```
/// use fiesta_policies::plan::{Benchmark, Rival};
///
/// let benchmark = Benchmark::default();
/// let rivals = [Rival { lead: 0.05, sd: 0.3 }, Rival { lead: 0.06, sd: 0.5 }];
/// assert_eq!(benchmark.top_two(rivals[0])?.documents, 224);
/// let all = benchmark.all(&rivals)?;
/// assert_eq!((all.documents, all.queries), (547, 1641)); // of three systems
/// # Ok::<(), fiesta_policies::plan::PowerError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Benchmark {
    /// The level δ of the test.
    pub level: f64,
    /// The power of the test.
    pub power: f64,
}

/// How a rival compares to the best system.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rival {
    /// Distance of the rival below the best, above 0.
    pub lead: f64,
    /// The standard deviation of a difference on one document.
    pub sd: f64,
}

/// Size of a benchmark: its documents and queries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size {
    /// Number of documents for each system that is compared.
    pub documents: u64,
    /// Number of queries of documents, over all the systems.
    pub queries: u64,
}

impl Default for Benchmark {
    /// Returns the default: level .05, power .8.
    fn default() -> Self {
        Self {
            level: 0.05,
            power: 0.8,
        }
    }
}

impl Benchmark {
    /// Returns the size of `Baseline_2`: one test, at level δ, of the two best systems. It knows
    /// which two these are, and queries no other.
    ///
    /// # Errors
    /// [`PowerError`] as [`TTest::required`] says, of the effect lead/sd.
    pub fn top_two(&self, second: Rival) -> Result<Size, PowerError> {
        let documents = self.documents(second, self.level)?;
        Ok(Size {
            documents,
            queries: 2 * documents,
        })
    }

    /// Returns the size of `Baseline_{K−1}`: the best system is tested against each of its K − 1
    /// rivals, at level δ/(K − 1) (Bonferroni). All K systems get as many documents as the test
    /// takes that takes the most.
    ///
    /// # Errors
    /// [`PowerError`] as [`TTest::required`] says; also if there is no rival.
    pub fn all(&self, rivals: &[Rival]) -> Result<Size, PowerError> {
        let level = self.level / rivals.len() as f64;
        let mut documents = 0;
        for &rival in rivals {
            documents = documents.max(self.documents(rival, level)?);
        }
        if documents == 0 {
            return Err(PowerError::Effect(0.0));
        }
        Ok(Size {
            documents,
            queries: documents * (rivals.len() as u64 + 1),
        })
    }

    fn documents(&self, rival: Rival, level: f64) -> Result<u64, PowerError> {
        let n = TTest::Paired.required(rival.lead / rival.sd, level, self.power)?;
        // A solution that is a whole number is found to 9 digits.
        let documents = (n * (1.0 - 2e-9)).ceil();
        Ok(fiesta_core::whole_u64(documents))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(level: f64) -> Benchmark {
        Benchmark {
            level,
            ..Benchmark::default()
        }
    }

    /// Tests the planned documents against SciPy 1.17: the least n with
    /// `nct.sf(t.isf(a, n - 1), n - 1, d * sqrt(n)) >= .8`, found by counting up.
    #[test]
    fn documents_by_reference() {
        for (lead, sd, level, systems, two, all) in [
            (0.05, 0.3, 0.05, 5, 224, 345),
            (0.05, 0.5, 0.05, 5, 620, 954),
            (0.02, 0.1, 0.01, 3, 254, 296),
            (0.1, 0.05, 0.05, 2, 4, 4),
            (0.5, 0.1, 0.05, 10, 3, 4),
            (0.03, 0.42, 0.1, 8, 885, 1804),
        ] {
            let rival = Rival { lead, sd };
            let pair = at(level).top_two(rival).unwrap();
            assert_eq!((pair.documents, pair.queries), (two, 2 * two), "{rival:?}");
            let every = at(level).all(&vec![rival; systems - 1]).unwrap();
            let expected = (all, all * systems as u64);
            assert_eq!((every.documents, every.queries), expected, "{rival:?}");
        }
    }

    /// Tests that the hardest comparison counts, which need not be that with the closest rival.
    /// (SciPy: 345, 663, 41 and 4 documents.)
    #[test]
    fn the_hardest_comparison_counts() {
        let rivals = [(0.05, 0.3), (0.06, 0.5), (0.2, 0.4), (0.3, 0.1)];
        let rivals = rivals.map(|(lead, sd)| Rival { lead, sd });
        let size = Benchmark::default().all(&rivals).unwrap();
        assert_eq!((size.documents, size.queries), (663, 5 * 663));
    }

    /// Tests that the test has its power with the planned number of documents, and lacks it with
    /// one less.
    #[test]
    fn no_more_than_needed() {
        let n = at(0.05)
            .top_two(Rival {
                lead: 0.04,
                sd: 0.37,
            })
            .unwrap()
            .documents;
        let power = |n: u64| TTest::Paired.power(0.04 / 0.37, n as f64, 0.05).unwrap();
        assert!(power(n) >= 0.8 && power(n - 1) < 0.8, "{n}");
    }

    #[test]
    fn what_cannot_be_told_apart_is_refused() {
        let benchmark = Benchmark::default();
        let tied = Rival { lead: 0.0, sd: 0.3 };
        assert_eq!(benchmark.top_two(tied), Err(PowerError::Effect(0.0)));
        assert!(benchmark.all(&[]).is_err());
        assert!(at(0.7).top_two(Rival { lead: 0.1, ..tied }).is_err());
    }
}
