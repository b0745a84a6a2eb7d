//! Meaning of a conclusion's confidence: the line under every verdict.

use super::StudyFacts;
use crate::percent;
use fiesta_core::{Assumption, Conclusion, Design, Limit, Reason, Target};

/// Greatest confidence whose rate of errors was simulated.
const MOST_MEASURED: f64 = 0.99;

impl StudyFacts {
    /// Tells how often posterior intervals held at the end of simulated studies that decide like
    /// this. `None` where that was not simulated.
    pub fn coverage(&self) -> Option<&'static str> {
        self.is_measured().then_some(
            "At the end of simulated studies that stop like this, 95 % intervals of means held in 89 to 97 %, and those of differences in 87 to 97 %, least where arms are close (docs/confidence.md).",
        )
    }

    /// Whether arms were compared item by item over a pool, by the rule whose rate of errors was
    /// measured.
    fn is_of_pool(&self) -> bool {
        self.stopping == "posterior" && self.posterior == "pool"
    }

    /// Returns whether arms were compared by the weighted mean over several benchmarks, on their
    /// own items, by the rule whose rate of errors was measured.
    fn is_of_benchmarks(&self) -> bool {
        self.stopping == "posterior"
            && self.posterior == fiesta_posterior::BENCHMARKS
            && self.items_target == Target::TheseItems
    }

    /// Returns whether a study's verdict is of items like these.
    fn is_of_items_like_these(&self) -> bool {
        self.is_of_pool() && self.items_target == Target::ItemsLikeThese
    }

    /// Returns whether the rates of error that were simulated hold for the study.
    fn is_measured(&self) -> bool {
        self.stopping == "posterior"
            && self.posterior == "paired"
            && matches!(self.design, Design::Shared | Design::Independent)
    }

    /// Returns what the error rates of a gate rest on. `None` if the study is none.
    fn meaning_of_gate(&self) -> Option<String> {
        let gate = self.gate.as_ref()?;
        let order = "The versions must not have been made from answers that this study showed.";
        let text = match gate.assumes {
            Assumption::Gaussian => {
                "The error rates hold for Gaussian differences. Where a version fails rarely and badly, its first scores show none of it: of simulated tests of this kind on such scores up to two thirds erred (docs/anytime.md). With bounds of the metric they hold for any scores."
            }
            _ if self.is_of_items() => {
                "The verdict is of the answers that were given to these items. On other items, or asked again, arms may differ."
            }
            _ => "The verdict is of the expected score on splits like these.",
        };
        let constraints = gate.constraints(self).into_iter();
        let all = constraints.chain([text.to_owned(), order.to_owned()]);
        Some(all.collect::<Vec<_>>().join(" "))
    }

    /// Returns what the confidence of a conclusion means, in particular where the best two arms are
    /// close. `None` where the sentence says it all.
    pub fn meaning(&self, conclusion: &Conclusion) -> Option<String> {
        let text = match &conclusion.reason {
            reason if self.gate.is_some() && !matches!(reason, Reason::OnlyCandidate) => {
                return self.meaning_of_gate();
            }
            _ if self.decisive_failures().is_some() => {
                "What failed may decide otherwise: the probability is of what did not fail, and no level is promised."
            }
            Reason::PosteriorProbability { level } | Reason::Tolerance { level, .. }
                if self.posterior == "paired" && *level > MOST_MEASURED =>
            {
                "How often studies err that ask for more than 99 % was not simulated. The probability is drawn, and may be too sure there: asked for 99.99 %, simulated studies of two arms stopped at about 99.96 %."
            }
            Reason::PosteriorProbability { level } if self.is_measured() => {
                return Some(format!(
                    "In simulated studies that stop like this, another arm than the best is named in at most {} if the best is ahead by 0.2 standard deviations of a paired difference or more; in more if it is closer, and of two equal arms one is named in about half.",
                    percent(1.0 - level)
                ));
            }
            Reason::PosteriorProbability { level } if self.is_of_items_like_these() => {
                return Some(format!(
                    "On pools drawn from made-up populations, studies that stop like this named an arm that is not the best of its population in about {} at most, near ties included (docs/pools.md). It holds for items that are drawn as these were: not where prompts or settings were tuned on them, nor where they come in clusters.",
                    percent(1.0 - level)
                ));
            }
            Reason::PosteriorProbability { level } if self.is_of_pool() && self.repeats => {
                return Some(format!(
                    "On recorded and made-up pools whose answers were made to vary, studies that stop like this named an arm that is not one of the best in about {} at most, near ties included (docs/pools.md). It holds for the expected scores on this pool; how much answers vary is estimated from those that were asked again.",
                    percent(1.0 - level)
                ));
            }
            Reason::PosteriorProbability { level } if self.is_of_benchmarks() => {
                return Some(format!(
                    "On made-up benchmarks, studies that stop like this named an arm that is not the best on the weighted mean in about {} at most, near ties with opposite signs inside included (docs/benchmarks.md). It holds for these items and these weights.",
                    percent(1.0 - level)
                ));
            }
            Reason::PosteriorProbability { level } if self.is_of_pool() => {
                return Some(format!(
                    "On recorded and made-up pools, studies that stop like this named an arm that is not one of the best in about {} at most, best arms that are one item apart included; in somewhat more where dozens of arms that miss few items are one item apart. It holds for this pool, whose answers are taken as fixed.",
                    percent(1.0 - level)
                ));
            }
            Reason::Tied { tolerance, .. } if self.is_of_pool() && *tolerance <= 0.0 => {
                "All that tells these arms apart is known: they are equal on this pool. On other items they may not be."
            }
            Reason::Top { .. } => {
                "How often simulated studies err that name the best three of twelve arms is in docs/confidence.md. The probability is a degree of belief under the posterior's assumptions: on splits, where the arms at the boundary are close, such studies err more often than the level says."
            }
            Reason::PosteriorProbability { .. } | Reason::Tolerance { .. } => {
                "The probability is a degree of belief under the posterior's assumptions, looked at after every evaluation. How often studies of this kind err was not measured: where the best arms are close, more often than the level says."
            }
            Reason::Tied { .. } if self.is_measured() => {
                "More evaluations could tell these arms apart (a smaller tie under [goal]); which of them is recommended says little. In simulated studies that ended so, the distance was right in 94 % or more where the best was at most 0.2 standard deviations ahead, and in about half where it was just that distance ahead."
            }
            Reason::Tied { .. } => {
                "More evaluations could tell these arms apart (a smaller tie under [goal]); which of them is recommended says little."
            }
            Reason::CheapestWithin { level, .. } => return Some(self.meaning_of_cheapest(*level)),
            Reason::Shortfall { .. } => {
                "The loss is expected under the posterior and no bound; of close arms either may be named."
            }
            Reason::AnytimeValid {
                assumes: Assumption::Bounded,
                ..
            } => {
                "The error bound holds for any scores within the bounds of the metric, however often one looks."
            }
            Reason::AnytimeValid { .. } => {
                "The error bound holds for Gaussian scores, however often one looks."
            }
            Reason::Limit(Limit::Evaluations(_)) => {
                "The budget of evaluations ended the study, not its confidence: the probability is what was reached, and no level was promised."
            }
            Reason::Limit(_) => {
                "A limit ended the study, not its confidence: the probability is what was reached, and no level was promised."
            }
            Reason::Exhausted if self.unanswered().is_some() => {
                "The answers that failed may decide which arm is best: the probability is what was reached without them, and no level was promised."
            }
            Reason::Exhausted if !matches!(self.design, Design::Items { .. }) => {
                "The arms that may be the best used every split before the confidence was reached: the probability is what was reached, and no level was promised."
            }
            Reason::Exhausted if self.is_of_items_like_these() => {
                "All items are answered, and the confidence for items like these was not reached: which arm is best on these is open. More items would settle it."
            }
            Reason::Exhausted => {
                "Nothing more can be learnt from this pool. Whether the arm is best on other items is another question."
            }
            Reason::OnlyCandidate => {
                "Every other arm failed too often, so that there was no comparison."
            }
            _ => return None,
        };
        Some(text.to_owned())
    }

    /// Returns what it means that an arm is named as the cheapest that is good enough.
    fn meaning_of_cheapest(&self, level: f64) -> String {
        // The greatest share of all rows of the table, at each confidence.
        const MEASURED: [(f64, &str); 2] = [(0.8, "21 %"), (0.95, "6 %")];
        const THESE: &str = "It holds for these items, whose answers are taken as fixed, and for the prices of the study; arms whose costs differ by less than 5 % count as equally cheap.";
        if level >= 1.0 {
            THESE.to_owned()
        } else if self.is_of_pool() {
            let measured = MEASURED.iter().find(|of| of.0.total_cmp(&level).is_eq());
            let rate = match measured {
                Some((_, rate)) => format!(
                    "On made-up pools of right and wrong answers, studies that stop like this named a false arm in {rate} at most, arms one answer from the distance included (docs/measures.md)."
                ),
                None => "How often studies that stop like this name a false arm was measured at confidence .8 and .95 alone (docs/measures.md).".to_owned(),
            };
            format!("{rate} {THESE}")
        } else {
            "The probability is a degree of belief under the posterior's assumptions, looked at after every evaluation. Costs are compared by their means, and arms whose mean costs differ by less than 5 % count as equally cheap. How often simulated studies that stop like this err is in docs/measures.md.".to_owned()
        }
    }
}
