//! The number of GPUs per job: none, some, or a share of one.

use super::{GpuError, TOLERANCE};
use std::fmt;

/// How many GPUs a job gets: none, some whole ones, or a share of one.
///
/// ```
/// use fiesta_runner::gpu::GpusPerJob;
/// assert_eq!(GpusPerJob::new(0.25)?, GpusPerJob::Share { jobs: 4 });
/// assert!(GpusPerJob::new(1.5).is_err());
/// # Ok::<(), fiesta_runner::gpu::GpuError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum GpusPerJob {
    /// A job gets no GPU, and sees none.
    None,
    /// The job gets this number of whole GPUs.
    Whole(usize),
    /// One GPU, shared by up to `jobs` jobs.
    Share {
        /// Number of jobs that share the GPU.
        jobs: usize,
    },
}

impl GpusPerJob {
    /// Reads the number that a study gives: 0, a whole number, or a fraction f < 1, which lets
    /// ⌊1/f⌋ jobs share a GPU.
    ///
    /// # Errors
    /// [`GpuError`] for any other number.
    pub fn new(number: f64) -> Result<Self, GpuError> {
        // Beyond this, no count of GPUs is meant, and the conversions below could not hold it.
        const MOST: f64 = 1e6;
        if number == 0.0 {
            return Ok(Self::None);
        }
        if number > 1.0 / MOST && number < 1.0 {
            return Ok(Self::Share {
                jobs: fiesta_core::whole((1.0 / number + TOLERANCE).floor()),
            });
        }
        if (1.0..=MOST).contains(&number) && number.fract() == 0.0 {
            return Ok(Self::Whole(fiesta_core::whole(number)));
        }
        Err(GpuError(format!(
            "gpus_per_job = {number} is not possible: use 0, a whole number, or a fraction below 1 to share a GPU"
        )))
    }
}

impl fmt::Display for GpusPerJob {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::None => f.write_str("no GPU"),
            Self::Whole(1) => f.write_str("1 GPU"),
            Self::Whole(n) => write!(f, "{n} GPUs"),
            Self::Share { jobs } => write!(f, "1/{jobs} of a GPU"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_gpus() {
        let share = |jobs| Ok(GpusPerJob::Share { jobs });
        assert_eq!(GpusPerJob::new(0.0), Ok(GpusPerJob::None));
        assert_eq!(GpusPerJob::new(8.0), Ok(GpusPerJob::Whole(8)));
        assert_eq!(GpusPerJob::new(0.1), share(10));
        assert_eq!(GpusPerJob::new(0.34), share(2));
        assert_eq!(GpusPerJob::new(0.999), share(1));
        for wrong in [-1.0, 1.5, f64::NAN, f64::INFINITY, 1e-300, 1e300] {
            assert!(GpusPerJob::new(wrong).is_err(), "{wrong}");
        }
    }
}
