//! Random search: drawn settings of hyperparameters, equally many for every arm.
//!
//! A [`Space`] names [`Parameter`]s of four kinds; [`Space::setting`] draws one of each. The draw
//! of a parameter depends on the trial's seed and on the parameter's name, and on nothing else: a
//! trial can be repeated from its seed alone, and a parameter that is added to the space or taken
//! out of it leaves the draws of all others as they were. [`EqualTrials`] evaluates every arm exactly so
//! often.
//!
//! | kind | distribution | the paper's word |
//! |---|---|---|
//! | [`Parameter::choice`] | P(x_i) = 1/m for the m values in the list | choice |
//! | [`Parameter::integer`] | P(k) = 1/(high − low + 1) for low ≤ k ≤ high, **both included** | uniform-integer |
//! | [`Parameter::uniform`] | density 1/(high − low) on [low, high) | uniform-float |
//! | [`Parameter::loguniform`] | density 1/(x ln(high/low)) on [low, high) | loguniform-float |
//!
//! The kinds are those of Dodge et al., "Show Your Work: Improved Reporting of Experimental
//! Results" (EMNLP 2019), appendix, and of its program AllenTune. Two differences: AllenTune's
//! `integer` leaves out the upper bound, as numpy's `randint` does, though the paper prints closed
//! intervals; and its trials cannot be repeated, as their draws come from one generator without a
//! seed.
//!
//! # Example
//! ```
//! use fiesta_policies::random_search::{Parameter, Space, Value};
//! let space = Space::new([
//!     ("lr", Parameter::loguniform(1e-6, 1e-1)?),
//!     ("layers", Parameter::choice([1, 2, 3])?),
//!     ("hidden", Parameter::integer(64, 512)?),
//!     ("dropout", Parameter::uniform(0.0, 0.5)?),
//! ])?;
//! let setting = space.setting(42);
//! let Some(Value::Integer(hidden)) = setting.get("hidden") else { unreachable!() };
//! assert!((64..=512).contains(hidden));
//! assert_eq!(space.setting(42), setting);
//! // The same parameter in another space, for the same trial:
//! let smaller = Space::new([("hidden", Parameter::integer(64, 512)?)])?;
//! assert_eq!(smaller.setting(42).get("hidden"), setting.get("hidden"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod parameter;
mod setting;
mod space;
mod trials;

pub use parameter::{LARGEST_INTEGER, Parameter, ParameterError};
pub use setting::{Setting, Value};
pub use space::{Space, SpaceError, is_name};
pub use trials::EqualTrials;
