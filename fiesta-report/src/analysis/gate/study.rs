//! Gate of a study: how its arms stand against the baseline, by the study's own stopping rule.

use super::{
    GateCandidate, GateConstraint, GateDrift, GateReport, GateVerdict, Standing, flipped,
    judge::{Judge, within},
    pairs::Answers,
    text::{required, share},
};
use crate::analysis::{AnalysisError, study::StudyFacts};
use fiesta_core::{ArmId, Assumption, Design, Target};
use fiesta_records::{Evaluations, legible};

/// Question of a gate that a study asks, and what its stopping rule has shown by now.
#[derive(Debug, Clone, PartialEq)]
pub struct GateFacts {
    /// The arm that the others are compared with.
    pub baseline: ArmId,
    /// Lead over the baseline that an arm must exceed: below 0 if it may be worse.
    pub threshold: f64,
    /// Whether the threshold is in standard deviations of the difference.
    pub in_sd: bool,
    /// One less the error rate of each direction, of all arms together.
    pub confidence: f64,
    /// Assumption about the scores under which the error rates hold.
    pub assumes: Assumption,
    /// Whether the first arm that ships ends the gate.
    pub until_first: bool,
    /// Fewest items after which an arm that answers as the baseline does can ship. `None` where none
    /// can, or other than items are asked.
    pub fewest_items: Option<u64>,
    /// The other arms.
    pub versions: Vec<VersionFacts>,
    /// Drift since the first baseline. `None` without a kept baseline, and while it is the first one.
    pub drift: Option<GateDrift>,
}

/// Standing of one arm of a study against the baseline.
#[derive(Debug, Clone, PartialEq)]
pub struct VersionFacts {
    /// The arm.
    pub arm: ArmId,
    /// Verdict on the arm: on its score and all constraints together.
    pub verdict: GateVerdict,
    /// Verdict on its score alone.
    pub score: GateVerdict,
    /// How the arm stands in each constraint.
    pub constraints: Vec<GateConstraint>,
    /// Interval of the difference of the arm and the baseline, whose ends err as often as the
    /// verdict. `None` if nothing is excluded.
    pub interval: Option<(f64, f64)>,
}

impl GateFacts {
    /// Returns whether every arm is shown to ship or to be blocked, or one that ends the gate ships.
    pub fn is_decided(&self) -> bool {
        let is_open = |own: &VersionFacts| own.verdict == GateVerdict::Undecided;
        self.verdict() == GateVerdict::Ships || !self.versions.iter().any(is_open)
    }

    /// Returns the verdict on the whole gate: blocked if an arm is, else undecided if one is, else
    /// ships. A gate until the first arm that ships has shipped with it.
    pub fn verdict(&self) -> GateVerdict {
        let any = |verdict| self.versions.iter().any(|own| own.verdict == verdict);
        if self.until_first && any(GateVerdict::Ships) {
            return GateVerdict::Ships;
        }
        let worst = [GateVerdict::Blocked, GateVerdict::Undecided];
        let found = worst.into_iter().find(|&verdict| any(verdict));
        found.unwrap_or(GateVerdict::Ships)
    }

    /// The verdict on one arm in a sentence.
    fn of_version(&self, facts: &StudyFacts, own: &VersionFacts) -> String {
        let (new, target) = (facts.name(own.arm), facts.target());
        let [good, bad] = required(facts.name(self.baseline), self.threshold, self.in_sd);
        let mean = match facts.design {
            Design::Items { count } => {
                format!("on these {count} {}s its mean {target}", facts.noun)
            }
            _ => format!("its expected {target}"),
        };
        let score = (
            own.score,
            format!("{mean} is {good}"),
            format!("{mean} is {bad}"),
        );
        let its = |words: &str| format!("its {words}");
        let of = |own: &GateConstraint| (own.verdict, its(&own.constraint), its(&own.contrary));
        let demands: Vec<_> = [score]
            .into_iter()
            .chain(own.constraints.iter().map(of))
            .collect();
        let such = |verdict| demands.iter().filter(move |own| own.0 == verdict);
        let joined = |all: Vec<&str>| all.join(", and ");
        match own.verdict {
            GateVerdict::Ships => {
                let shown = demands.iter().map(|own| own.1.as_str()).collect();
                format!("{new} may ship: {}.", joined(shown))
            }
            GateVerdict::Blocked => {
                let shown = such(GateVerdict::Blocked)
                    .map(|own| own.2.as_str())
                    .collect();
                format!("{new} is blocked: {}.", joined(shown))
            }
            GateVerdict::Undecided if facts.arms[own.arm.index()].retired => {
                format!("{new} is undecided: it failed too often.")
            }
            GateVerdict::Undecided if !own.constraints.is_empty() => {
                let open: Vec<&str> = such(GateVerdict::Undecided)
                    .map(|own| own.1.as_str())
                    .collect();
                format!(
                    "{new} is undecided: it is not shown whether {}.",
                    open.join(", nor whether ")
                )
            }
            GateVerdict::Undecided => format!(
                "{new} is undecided: it is shown neither that {mean} is {good}, nor that it is {bad}."
            ),
        }
    }

    /// How every arm stands in every constraint, a sentence each.
    pub(crate) fn constraints(&self, facts: &StudyFacts) -> Vec<String> {
        let of_version = |own: &VersionFacts| {
            let name = facts.name(own.arm).to_owned();
            let all = own.constraints.iter();
            all.map(|own| format!("{name}: {}.", own.line()))
                .collect::<Vec<_>>()
        };
        self.versions.iter().flat_map(of_version).collect()
    }

    /// The error rates of the verdicts; `effort` is what they took, in brackets if it is not empty.
    fn guarantee(&self, effort: &str) -> String {
        let error = share(1.0 - self.confidence);
        // Rates of simulations at an error rate of 5 %: docs/anytime.md.
        let (scores, otherwise) = match self.assumes {
            Assumption::Bounded => ("for any scores within the bounds of the metric", ""),
            _ => (
                "for Gaussian scores",
                " With scores that fail rarely and badly, such a test erred in up to two thirds of simulations.",
            ),
        };
        let has_constraints = self.versions.iter().any(|own| !own.constraints.is_empty());
        let constraints = if has_constraints {
            " Constraints are on evaluations like these, as measures vary when they are taken again."
        } else {
            ""
        };
        format!(
            "At most {error} of gates like this let an arm pass that should not, and at most {error} block one that should pass, {scores}, however often one looks{effort}.{otherwise}{constraints}"
        )
    }

    /// The verdict on all arms and what is guaranteed, in sentences; `effort` is what it took.
    pub(crate) fn sentence(&self, facts: &StudyFacts, effort: &str) -> String {
        let of = |own| self.of_version(facts, own);
        let verdicts: Vec<String> = self.versions.iter().map(of).collect();
        let guarantee = self.guarantee(&format!(" ({effort})"));
        format!("{} {guarantee}", verdicts.join(" "))
    }
}

/// Returns the refusal of a study that is no gate.
pub fn not_a_gate(source: &str) -> AnalysisError {
    AnalysisError::Refused(format!(
        "{source} is no gate: name the old version under [goal] (baseline = \"NAME\") and how much worse a new one may be (margin = 0.02)"
    ))
}

impl GateReport {
    /// Reports on the gate of a study: the verdicts are those of its stopping rule, and items are
    /// those that the arm and the baseline were both asked. `records` are the study's evaluations, and
    /// the texts of flipped items those of `facts.items`.
    ///
    /// # Errors
    /// [`AnalysisError`] if the study is no gate, or evaluations failed and the metric has no bounds.
    pub fn of_study(
        facts: &StudyFacts,
        records: &Evaluations,
        source: &str,
    ) -> Result<Self, AnalysisError> {
        let gate = facts.gate.as_ref().ok_or_else(|| not_a_gate(source))?;
        let direction = facts.metric.direction();
        let is_pool = facts.is_of_items();
        let answers = Answers::new(records, direction, source, facts.metric.bounds())?;
        let error_each = (1.0 - gate.confidence) / gate.versions.len().max(1) as f64;
        let is_lead = gate.threshold >= 0.0;
        let mut report = Self {
            verdict: Some(gate.verdict()),
            metric: facts.metric.name().to_owned(),
            direction,
            baseline: facts.name(gate.baseline).to_owned(),
            margin: (!is_lead).then_some(-gate.threshold),
            better_by: is_lead.then_some(gate.threshold),
            in_sd: gate.in_sd,
            confidence: gate.confidence,
            error_each,
            target: if is_pool {
                Target::TheseItems
            } else {
                Target::ItemsLikeThese
            },
            clusters: None,
            fewest_items: gate.fewest_items,
            candidates: Vec::new(),
            drift: gate.drift.clone(),
            notes: facts.notes.clone(),
            noun: facts.noun,
        };
        let belief = { facts.belief.as_ref() }.filter(|_| gate.versions.len() > 1);
        for own in &gate.versions {
            // Records number arms as their rows come, and lack those without any.
            let arms = [gate.baseline, own.arm].map(|arm| records.find(&legible(facts.name(arm))));
            let arms = match arms {
                [Some(old), Some(new)] => Some([old, new]),
                _ => None,
            };
            let pairs = arms
                .map(|arms| answers.pairs_of_both(arms))
                .transpose()?
                .unwrap_or_default();
            let unit = if gate.in_sd {
                pairs.sd()
            } else {
                1.0 / answers.range()
            };
            let judged = Judge::posterior(&pairs, Some(gate.threshold * unit), error_each);
            let mut judged = GateCandidate {
                name: facts.name(own.arm).to_owned(),
                verdict: Some(own.verdict),
                standing: standing(own, gate),
                lower: own.interval.map(|(lower, _)| lower),
                upper: own.interval.map(|(_, upper)| upper),
                difference: judged.difference * answers.range(),
                test: match (gate.assumes, is_pool) {
                    (Assumption::Bounded, true) => "bets without replacement",
                    (Assumption::Bounded, false) => "bets on bounded scores",
                    _ => "t-mixture martingale",
                },
                constraints: own.constraints.clone(),
                probability_best: belief.map(|belief| belief.of(own.arm)),
                flipped: match arms.filter(|_| is_pool) {
                    Some(arms) => flipped::of(records, &answers, &pairs, arms, &facts.items),
                    None => Vec::new(),
                },
                ..judged
            };
            judged.sentence = format!("{} {}", gate.of_version(facts, own), gate.guarantee(""));
            report.notes.extend(report.counted_against(&judged));
            report.candidates.push(judged);
        }
        Ok(report)
    }
}

fn standing(own: &VersionFacts, gate: &GateFacts) -> Standing {
    let margin = -gate.threshold;
    match own.interval {
        Some((lower, _)) if lower > 0.0 => Standing::Better,
        Some((_, upper)) if upper < 0.0 => Standing::Worse,
        Some(ends) if margin > 0.0 && !gate.in_sd && within(ends, margin) => Standing::Equal,
        _ => Standing::Open,
    }
}
