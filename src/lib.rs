//! FIESTA finds the best of several noisy candidates (models, prompts, systems, APIs) with as few
//! expensive evaluations as possible, and says how sure it is.
//!
//! This is the facade: each crate is re-exported behind the feature of its name, and can as well be
//! used alone.
//!
//! | feature | re-exports | what it is |
//! |---|---|---|
//! | – | all of [`fiesta_core`], at the root | words and traits; the selector |
//! | `records` | `records` | files of scores and counts |
//! | `import` | `import` | other tools' results |
//! | `posterior` (default) | `posterior` | posteriors, P(best) |
//! | `f-measure` | `posterior::f_measure` | the F-measure from confusion counts of documents |
//! | `policies` (default) | `policies` | policies, stopping rules, simulation |
//! | `runner` | `runner` | studies over real jobs, the ledger; on Linux, and nothing elsewhere |
//! | `report` | `report` | tuning curves, summaries, tables, figures, the sentence to quote; with `runner`, the typed status of a study |
//! | `engines` | `engines` | Slurm, Ray and queues of one's own, which carry out the jobs of studies; on Linux |
//! | `watch` | `watch` | the page in the browser that follows studies; on Linux |
//! | `serde` | | (de)serialisation of the value types |

#![cfg_attr(docsrs, feature(doc_cfg))]

pub use fiesta_core::*;
#[cfg(all(feature = "engines", target_os = "linux"))]
pub use fiesta_engines as engines;
#[cfg(feature = "import")]
pub use fiesta_import as import;
#[cfg(feature = "policies")]
pub use fiesta_policies as policies;
#[cfg(feature = "posterior")]
pub use fiesta_posterior as posterior;
#[cfg(feature = "records")]
pub use fiesta_records as records;
#[cfg(feature = "report")]
pub use fiesta_report as report;
#[cfg(all(feature = "runner", target_os = "linux"))]
pub use fiesta_runner as runner;
#[cfg(all(feature = "watch", target_os = "linux"))]
pub use fiesta_watch as watch;

/// The README's examples, compiled and run.
#[cfg(all(doctest, feature = "runner", target_os = "linux"))]
#[doc = include_str!("README.md")]
struct Readme;
