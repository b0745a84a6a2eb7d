//! Words of a gate: the sentence to quote, and what the terminal shows.

use super::{FlippedItem, GateCandidate, GateReport, GateVerdict, Standing};
use crate::{
    percent,
    words::{count, digits, level, one_or_more},
    wrapped,
};
use fiesta_core::{Direction, Target};
use std::fmt::Write;

/// Flipped items of a candidate that the terminal shows, of each kind.
const SHOWN: usize = 10;
/// Characters of a text that the terminal shows.
const LONGEST: usize = 160;

impl GateReport {
    /// What has to be shown of a candidate's mean, as a part of a sentence.
    fn required(&self) -> String {
        let (above, less) = match self.direction {
            Direction::Maximize => ("above", "less"),
            Direction::Minimize => ("below", "plus"),
        };
        let old = &self.baseline;
        match (self.margin, self.better_by) {
            (Some(margin), _) => format!("{above} that of {old} {less} {margin}"),
            (None, Some(lead)) if lead > 0.0 => {
                format!("{above} that of {old} by more than {lead}")
            }
            _ => format!("{above} that of {old}"),
        }
    }

    /// The verdict on a candidate and what is guaranteed, in a sentence.
    pub(super) fn sentence_of(&self, own: &GateCandidate) -> String {
        let (new, metric, required) = (&own.name, &self.metric, self.required());
        let items = count(own.items, "item");
        let those = format!("on items like these {}", own.items);
        let errors = level(self.error_each);
        let condition = format!(
            "{}, if these {items} were drawn, and their number set, beforehand",
            own.test
        );
        let Some(verdict) = own.verdict else {
            let could = own.smallest_margin.map_or_else(
                || "fewer than 50 items decide nothing".to_owned(),
                |margin| {
                    format!(
                        "such items could decide a margin of about {}",
                        digits(margin)
                    )
                },
            );
            return format!(
                "no verdict on {new}, as nothing says how much worse than {} it may be: {could}; give --margin, or --better-by",
                self.baseline
            );
        };
        if self.target == Target::TheseItems {
            return match verdict {
                GateVerdict::Ships => format!(
                    "{new} may ship: on these {items} its mean {metric} is {required}; a count, which says nothing of other items"
                ),
                _ => format!(
                    "{new} is blocked: on these {items} its mean {metric} is not {required}; a count, which says nothing of other items"
                ),
            };
        }
        match verdict {
            GateVerdict::Ships => format!(
                "{new} may ship: {those}, its mean {metric} is {required}. Of candidates for which that is false, at most {errors} would pass ({condition})"
            ),
            GateVerdict::Blocked => format!(
                "{new} is blocked: {those}, its mean {metric} is not {required}. Of candidates for which it is, at most {errors} would be blocked ({condition})"
            ),
            GateVerdict::Undecided => format!(
                "{new} is undecided: these {items} show neither that its mean {metric} is {required}, nor that it is not ({} in either direction); {}",
                level(1.0 - self.error_each),
                own.too_few().unwrap_or_else(|| format!(
                    "such items could decide a margin of about {}",
                    digits(own.smallest_margin.unwrap_or_default())
                ))
            ),
        }
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
                    "{} of {arm} failed or {} missing, and count as {as_what}",
                    count(lacks, "answer"),
                    one_or_more(lacks, "is", "are")
                )
            })
            .collect();
        if let (Some(answered), Some(verdict)) = (own.verdict_on_answered, own.verdict)
            && answered != verdict
        {
            notes.push(format!(
                "{}: on the items that both answered the verdict would be {}",
                own.name,
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

    /// Returns the text for lines of `width` characters.
    pub fn text_within(&self, width: usize) -> String {
        let mut blocks: Vec<String> = Vec::new();
        for own in &self.candidates {
            let mut lines = vec![own.sentence.clone(), String::new()];
            lines.extend(self.facts(own));
            lines.extend(own.flips());
            blocks.push(lines.join("\n"));
        }
        if !self.notes.is_empty() {
            blocks.push(self.notes.join("\n"));
        }
        wrapped(&blocks.join("\n\n"), width)
    }

    /// What is known of a candidate beside its verdict, a line each.
    pub fn facts(&self, own: &GateCandidate) -> Vec<String> {
        let (new, old) = (&own.name, &self.baseline);
        let pair = match self.direction {
            Direction::Maximize => format!("{new} − {old}"),
            Direction::Minimize => format!("{old} − {new}"),
        };
        let standing = match own.standing {
            Standing::Better => "better".to_owned(),
            Standing::Worse => "worse".to_owned(),
            Standing::Equal if self.target == Target::TheseItems => "equal".to_owned(),
            Standing::Equal => "equal within the margin".to_owned(),
            Standing::Open => "neither better nor worse is shown".to_owned(),
        };
        let ends = own
            .lower
            .zip(own.upper)
            .map_or_else(String::new, |(lower, upper)| {
                format!(
                    " ({} to {}; each end errs in at most {})",
                    digits(lower),
                    digits(upper),
                    level(self.error_each)
                )
            });
        let mut lines = vec![
            format!(
                "{pair}, mean {}: {}{ends}: {standing}",
                self.metric,
                digits(own.difference)
            ),
            format!(
                "of {}, {} {}: {}, {} fixed",
                count(own.items, "item"),
                own.differing,
                one_or_more(own.differing, "differs", "differ"),
                count(own.regressions, "regression"),
                own.fixed
            ),
        ];
        if let (Some(counted), Target::ItemsLikeThese) = (own.verdict_on_these_items, self.target) {
            let is = if counted == GateVerdict::Ships {
                "is"
            } else {
                "is not"
            };
            lines.push(format!(
                "on these items alone, by counting, the mean of {new} {is} {}",
                self.required()
            ));
        }
        let what = if own.verdict.is_some() {
            self.required()
        } else {
            format!("better than that of {old}")
        };
        lines.push(format!(
            "{} posterior probability that on items like these its mean is {what}: a model's, and no error rate",
            percent(own.probability)
        ));
        if let Some(best) = own.probability_best {
            lines.push(format!(
                "{} posterior probability that {new} is the best of all",
                percent(best)
            ));
        }
        lines
    }
}

impl GateVerdict {
    /// Returns the verdict in a word: ships, blocked, undecided.
    pub fn word(self) -> &'static str {
        match self {
            Self::Ships => "ships",
            Self::Blocked => "blocked",
            Self::Undecided => "undecided",
        }
    }
}

impl GateCandidate {
    /// Why nothing can be decided. `None` if it can.
    fn too_few(&self) -> Option<String> {
        self.lower.is_none().then(|| {
            let differ = one_or_more(self.differing, "differs", "differ");
            format!("of {}, {} {differ}, and fewer than 50 items, 3 that differ or 8 clusters that differ decide nothing", count(self.items, "item"), self.differing)
        })
    }

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
    /// The item's name and both scores in a line, and beneath it what was asked and answered, as far as
    /// that is known: of each text the first `longest` characters.
    pub fn line(&self, longest: usize) -> String {
        let score =
            |score: Option<f64>| score.map_or_else(|| "failed or missing".to_owned(), digits);
        let short = |text: &str| {
            let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
            match text.char_indices().nth(longest) {
                Some((end, _)) => format!("{}…", &text[..end]),
                None => text,
            }
        };
        let mut line = format!(
            "  {}: {} → {}",
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
