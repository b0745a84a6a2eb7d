//! The gate: may a new version replace an old one?
//!
//! Δ = mean(new) − mean(old). A new version [ships](Answer::Ships) once Δ > `threshold` is shown, and
//! is [blocked](Answer::Blocked) once Δ ≤ `threshold` is shown: a threshold of −.02 asks that it be
//! no more than .02 worse, one of b ≥ 0 that it be better by more than b. [`Evidence`] is about one
//! new version, a [`Gate`] about several. How soon equal versions can ship at all,
//! [`fewest_items`] says.
//!
//! # What is claimed
//!
//! With the error rate α: a version with Δ ≤ `threshold` ships, and one with Δ > `threshold` is
//! blocked, with a probability of at most α each, however often one looks. The differences d = new −
//! old must come in an order that is independent of them: that of a study's items or splits. With
//! several new versions α bounds the probability of any such error.
//!
//! | differences | Δ is their mean | assumed |
//! |---|---|---|
//! | [of a pool](Evidence::of_pool) | over the N items | bounds |
//! | [without end](Evidence::without_end) | expected | bounds, independent draws |
//! | [Gaussian](Evidence::gaussian) | expected | a normal distribution, independent draws |
//! | [standardised](Evidence::standardised) | expected, over their standard deviation | a normal distribution, independent draws |
//!
//! # Bets
//!
//! Suppose Δ ≤ θ, and d ≥ −R. After n of N items whose differences sum to S, those that are left have
//! a mean of at most c = (Nθ − S)/(N − n), and without end c = θ. The next one is a uniform draw from
//! them. So y = (d − c)/(R + c) is at least −1 and at most 0 in the mean, given all earlier ones. With a stake 0 ≤ λ <
//! 1 that is a function of earlier differences only, the wealth M = Π(1 + λy) is a nonnegative
//! supermartingale that begins with 1, and by Ville's inequality it ever reaches 1/α with a
//! probability of at most α. The version ships when it does. For blocking, the differences −d are bet
//! on against a mean of at most −θ in the same way.
//!
//! *Stakes.* λ maximises the expected growth of ln M, if the next difference is −s, 0 or s, with the
//! size and rate of the earlier ones, shrunk towards 2 items of 40 that differ, and if the mean of
//! what is left lies g = max(1.6·|θ|, s√(1.5ρ/(n + 100)))·N/(N − n) beyond c. The constants
//! were chosen on simulated pools and are frozen (docs/gate.md).
//!
//! *Certainty.* An answer is certain as soon as the items that are left cannot change it, and so at
//! the latest when all are counted. Δ = θ is then decided up to the rounding of the sum. If scores
//! have [steps](Evidence::in_steps_of), as zeros and ones have, counts decide exactly, and the two
//! hypotheses are one step of one item apart.
//!
//! *Intervals.* The stakes do not depend on the mean that is bet against, and for every other mean
//! they are as predictable. Each 1 + λy falls as θ rises. So the means that the same stakes do not
//! reject make an interval, and its lower end exceeds θ when the version ships.
//!
//! # Splits
//!
//! For Gaussian differences M is the one-sided t-mixture of [`anytime`](crate::stopping::anytime) at
//! θ, upwards and downwards. Scores that are not Gaussian break it:
//! [`doubt`](crate::stopping::anytime::doubt) warns of them.
//!
//! A threshold in standard deviations of the difference has another martingale, as that deviation is
//! known from the differences alone: a mixture over effects beyond the threshold of the likelihood
//! ratios of all that Σx/√Σx² tells, which depend on no deviation. They are a martingale where the
//! effect is the threshold, and lower where it falls short of it.
//!
//! # Several new versions
//!
//! With K − 1 new versions every item is asked of the old one and of all that are undecided, so that
//! the wealths M_i stand at the same item. For any set A of false claims the mean of M_i over A is
//! again a supermartingale: it is given all answers of all versions to earlier items. By closed
//! testing version i ships if the mean of M_i over every set that contains i has reached 1/α (e-Holm,
//! Vovk & Wang 2021). The sets with the k least others suffice. The M of a decided version stays what it was. Equal
//! versions thus ship at hardly more evidence than one alone would.
//!
//! *Failures* count as the worst score of a new version and as the best of the old one: versions that
//! drop hard items ship nothing by it.
//!
//! # Constraints
//!
//! A new version may have to keep [constraints](Constraint) on measures, such as its latency, beside
//! the demand on its score. It ships when all m demands are shown, each at α without a correction: a
//! version that fails in one of them ships only if that one is shown in error (intersection–union).
//! A version is blocked when one demand is shown not to be met at α/m. With M_c for each demand c, the
//! evidence for shipping is the least M_c and that for blocking the greatest M_c over m; each is at
//! most a supermartingale under its hypothesis, and so e-Holm holds for several versions. Bets for
//! shipping stop at (K − 1)/α, which suffices in any mean, so that demands may be shown one after the
//! other.
//!
//! All demands have to be shown: with m of them that are shown with probability p each, a version
//! ships with a probability between 1 − m(1 − p) and p.
//!
//! # Sources
//!
//! Waudby-Smith & Ramdas, "Estimating means of bounded random variables by betting" (2024) and
//! "Confidence sequences for sampling without replacement" (2020). Vovk & Wang, "E-values:
//! calibration, combination and applications" (2021). Berger, "Multiparameter hypothesis testing and
//! acceptance sampling" (1982).

mod constraint;
mod evidence;
mod fewest;
mod rule;
mod several;
mod stakes;
mod standardised;
#[cfg(test)]
mod tests;

pub use constraint::{Constraint, ConstraintError, Limit};
pub use evidence::{Answer, Evidence, EvidenceError};
pub use fewest::fewest_items;
pub use rule::{GateQuestion, GateRule, GateRuleError, Turns};
pub use several::{Gate, GateError};
