//! Words of a gate: the sentence to quote, and what the terminal shows.

use super::{FlippedItem, GateCandidate, GateConstraint, GateReport, GateVerdict, Standing};
use crate::{
    arm_table::signed_ends,
    percent,
    summary::Interval,
    words::{count, decimals, digits, one_or_more, signed},
    wrapped,
};
use fiesta_core::{Direction, Target};
use fiesta_records::words::fewest_in_words;
use std::fmt::Write;

/// Flipped items of a candidate that the terminal shows, of each kind.
const SHOWN: usize = 10;
/// Characters of a text that the terminal shows.
const LONGEST: usize = 160;

impl GateReport {
    /// Tells what a P(best) is of: items like these, or these items.
    fn where_best(&self) -> String {
        match self.target {
            Target::ItemsLikeThese => format!("on {}s like these", self.noun),
            Target::TheseItems => format!("on these {}s", self.noun),
        }
    }

    /// What has to be shown of a candidate's mean, and its contrary, as parts of a sentence.
    fn required(&self) -> [String; 2] {
        let threshold = { self.margin.map(|margin| -margin) }.or(self.better_by);
        required(&self.baseline, threshold.unwrap_or_default(), self.in_sd)
    }

    /// The verdict on a candidate and what is guaranteed, in a sentence or two.
    pub(super) fn sentence_of(&self, own: &GateCandidate) -> String {
        let (new, metric, [good, bad]) = (&own.name, &self.metric, self.required());
        let (noun, items) = (self.noun, count(own.items, self.noun));
        let [confidence, error] = [1.0 - self.error_each, self.error_each].map(share);
        let could = own.too_few.map_or_else(
            || {
                let margin = digits(own.smallest_margin.unwrap_or_default());
                format!("such {noun}s could decide a margin of about {margin}")
            },
            |lacking| lacking.replace("item", noun),
        );
        let Some(verdict) = own.verdict else {
            return format!(
                "no verdict on {new}, as nothing says how much worse than {} it may be (--margin), or by how much better it has to be (--better-by): {could}",
                self.baseline
            );
        };
        let (is, what, mistake) = match verdict {
            GateVerdict::Ships => ("may ship", &good, "pass"),
            GateVerdict::Blocked => ("is blocked", &bad, "be blocked"),
            GateVerdict::Undecided => {
                return format!(
                    "{new} is undecided: these {items} show neither that its mean {metric} is {good}, nor that it is {bad}, at {confidence} confidence each way: a version that is not good enough ships, and one that is good enough is blocked, in at most {error} of gates each; {could}"
                );
            }
        };
        if self.target == Target::TheseItems {
            return format!(
                "{new} {is}: on these {items}, its mean {metric} is {what}. This is a count, and says nothing of other {noun}s"
            );
        }
        format!(
            "{new} {is}: on {noun}s like these {}, its mean {metric} is {what}, at {confidence} confidence. Of versions of which that is false, at most {error} would {mistake} ({}; the {noun}s were to be drawn, and their number set, beforehand)",
            own.items, own.test
        )
    }

    /// Notes on answers that count against a candidate.
    pub(super) fn counted_against(&self, own: &GateCandidate) -> Vec<String> {
        let said = [
            (own.failed + own.missing, &own.name, "the worst score"),
            (
                own.baseline_failed + own.baseline_missing,
                &self.baseline,
                "the best score",
            ),
        ];
        let said = said.into_iter().filter(|(lacks, ..)| *lacks > 0);
        let mut notes: Vec<String> = said
            .map(|(lacks, arm, as_what)| {
                format!(
                    "{} of {arm} failed or {} missing, and {} as {as_what}",
                    count(lacks, "answer"),
                    one_or_more(lacks, "is", "are"),
                    one_or_more(lacks, "counts", "count")
                )
            })
            .collect();
        if let (Some(answered), Some(verdict)) = (own.verdict_on_answered, own.verdict)
            && answered != verdict
        {
            notes.push(format!(
                "{}: on the {}s that both answered the verdict would be {}",
                own.name,
                self.noun,
                answered.word()
            ));
        }
        notes
    }

    /// The text that the program prints.
    pub fn text(&self) -> String {
        self.text_within(usize::MAX)
    }

    /// Returns the report without the texts of items and answers.
    #[must_use]
    pub fn without_texts(mut self) -> Self {
        for item in self.candidates.iter_mut().flat_map(|own| &mut own.flipped) {
            item.text = None;
            item.baseline.text = None;
            item.candidate.text = None;
        }
        self
    }

    /// Returns what is known of each candidate by now, for lines of `width` characters: all of the
    /// text but flipped items and notes.
    pub fn standing_within(&self, width: usize) -> String {
        wrapped(&self.blocks(|_| Vec::new()).join("\n\n"), width)
    }

    /// The verdict on each candidate and what is known of it, with further lines of its own.
    fn blocks(&self, more: impl Fn(&GateCandidate) -> Vec<String>) -> Vec<String> {
        let block = |own: &GateCandidate| {
            let mut lines = vec![own.sentence.clone(), String::new()];
            lines.extend(self.facts(own));
            lines.extend(more(own));
            lines.join("\n")
        };
        self.candidates.iter().map(block).collect()
    }

    /// Returns the text for lines of `width` characters.
    pub fn text_within(&self, width: usize) -> String {
        let mut blocks = self.blocks(GateCandidate::flips);
        if !self.notes.is_empty() {
            blocks.push(self.notes.join("\n"));
        }
        wrapped(&blocks.join("\n\n"), width)
    }

    /// What is known of a candidate beside its verdict, a line each.
    pub fn facts(&self, own: &GateCandidate) -> Vec<String> {
        let (new, old) = (&own.name, &self.baseline);
        if own.items == 0 {
            let noun = self.noun;
            let none = format!("no {noun} has been answered by both {new} and {old}");
            let fewest = self.fewest_items;
            let fewest = fewest.map(|fewest| fewest_in_words(fewest, noun, old));
            return [none].into_iter().chain(fewest).collect();
        }
        let pair = match self.direction {
            Direction::Maximize => format!("{new} − {old}"),
            Direction::Minimize => format!("{old} − {new}"),
        };
        let standing = match own.standing {
            Standing::Better => "better".to_owned(),
            Standing::Worse => "worse".to_owned(),
            Standing::Equal if own.difference == 0.0 => "equal".to_owned(),
            Standing::Equal => "equal within the margin".to_owned(),
            Standing::Open => "neither better nor worse is shown".to_owned(),
        };
        let interval = own.lower.zip(own.upper);
        // A quarter of an interval is about a standard error.
        let decimals = decimals(interval.map(|(lower, upper)| (upper - lower) / 4.0));
        let ends = interval.map_or_else(String::new, |(lower, upper)| {
            format!(
                " ({}; each end errs in at most {})",
                signed_ends(Interval { lower, upper }, decimals),
                share(self.error_each)
            )
        });
        let mut lines = vec![
            format!(
                "{pair}, mean {}: {}{ends}: {standing}",
                self.metric,
                signed(own.difference, decimals)
            ),
            format!(
                "of {}, {} {}: {}, {} fixed",
                count(own.items, self.noun),
                own.differing,
                one_or_more(own.differing, "differs", "differ"),
                count(own.regressions, "regression"),
                own.fixed
            ),
        ];
        if let (Some(counted), Target::ItemsLikeThese) = (own.verdict_on_these_items, self.target) {
            let [good, bad] = self.required();
            let is = if counted == GateVerdict::Ships {
                good
            } else {
                bad
            };
            lines.push(format!(
                "on these {}s alone, by counting, the mean of {new} is {is}",
                self.noun
            ));
        }
        let what = if own.verdict.is_some() {
            self.required()[0].clone()
        } else {
            format!("better than that of {old}")
        };
        lines.push(format!(
            "{} posterior probability that on {}s like these its mean is {what}: a model's, and no error rate",
            percent(own.probability),
            self.noun
        ));
        lines.extend(own.constraints.iter().map(GateConstraint::line));
        if let Some(best) = own.probability_best {
            lines.push(format!(
                "{} posterior probability that {new} is the best of all {}",
                percent(best),
                self.where_best()
            ));
        }
        lines
    }
}

impl GateCandidate {
    /// The flipped items as lines.
    fn flips(&self) -> Vec<String> {
        let mut lines = Vec::new();
        let regressions = usize::try_from(self.regressions).unwrap_or(usize::MAX);
        let (worse, better) = self.flipped.split_at(regressions.min(self.flipped.len()));
        for (title, all) in [("regressions", worse), ("fixed", better)] {
            if all.is_empty() {
                continue;
            }
            lines.push(format!("\n{title}:"));
            lines.extend(all.iter().take(SHOWN).map(|item| item.line(LONGEST)));
            if let Some(more) = all.len().checked_sub(SHOWN).filter(|&more| more > 0) {
                lines.push(format!("  and {more} more; --format json lists all"));
            }
        }
        lines
    }
}

impl FlippedItem {
    /// The item's name and both scores in a line, with whose answers differ among themselves. Beneath it
    /// stands what was asked and answered, as far as that is known: of each text the first `longest`
    /// characters.
    pub fn line(&self, longest: usize) -> String {
        let score = |score: Option<f64>| match score {
            None => "failed or missing".to_owned(),
            Some(whole) if whole.fract() == 0.0 => format!("{whole}"),
            Some(other) => digits(other),
        };
        let short = |text: &str| {
            let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
            match text.char_indices().nth(longest) {
                Some((end, _)) => format!("{}…", &text[..end]),
                None => text,
            }
        };
        let flaky = match (self.baseline.flaky, self.candidate.flaky) {
            (false, false) => "",
            (true, false) => " (flaky before)",
            (false, true) => " (flaky now)",
            (true, true) => " (flaky before and now)",
        };
        let mut line = format!(
            "  {}: {} → {}{flaky}",
            short(&self.item),
            score(self.baseline.score),
            score(self.candidate.score)
        );
        for (title, text) in [
            ("asked", &self.text),
            ("before", &self.baseline.text),
            ("now", &self.candidate.text),
        ] {
            if let Some(text) = text {
                let _ = write!(line, "\n    {title}: {}", short(text));
            }
        }
        line
    }
}

/// What has to be shown of a mean, and its contrary, as parts of a sentence: that it exceeds the mean
/// of `old` by more than `threshold`, which is below 0 if it may be worse.
pub(super) fn required(old: &str, threshold: f64, in_sd: bool) -> [String; 2] {
    let unit = if in_sd {
        " standard deviations of the difference"
    } else {
        ""
    };
    if threshold < 0.0 {
        let margin = format!("{}{unit}", -threshold);
        [
            format!("at least as good as that of {old} within {margin}"),
            format!("worse than that of {old} by {margin} or more"),
        ]
    } else if threshold > 0.0 {
        [
            format!("better than that of {old} by more than {threshold}{unit}"),
            format!("not better than that of {old} by more than {threshold}{unit}"),
        ]
    } else {
        [
            format!("better than that of {old}"),
            format!("no better than that of {old}"),
        ]
    }
}

/// A share in percent, with two decimals at most.
pub(super) fn share(share: f64) -> String {
    format!("{} %", (share * 1e4).round() / 1e2)
}
