//! Lines of the live display within the width of a terminal: a header, a line for each arm, and
//! lines on the whole study.

use console::{Alignment, measure_text_width, pad_str, style, truncate_str};

/// Largest width of the column of arms' names, in columns of the terminal.
const WIDEST_NAME: usize = 32;
/// Largest width of the column of arms' names on a narrow terminal.
const NARROW_NAME: usize = 20;
/// Smallest width of the column of arms' names.
const NARROWEST_NAME: usize = 8;
/// Largest width of the metric's name in the header above the scores.
const METRIC: usize = 14;
/// Width of the column of P(best), with its unit.
const PROBABILITY: usize = 8;

/// The texts and numbers of an arm's line.
#[derive(Debug, Clone, Default)]
pub(super) struct ArmLine {
    pub(super) name: String,
    /// The filled part of the arm's bar, from 0 to 1.
    pub(super) share: f64,
    pub(super) probability: String,
    pub(super) score: String,
    pub(super) evaluations: u64,
    pub(super) failed: u64,
    pub(super) pending: u64,
    /// Whether the arm leads.
    pub(super) leads: bool,
}

impl ArmLine {
    /// Returns the arm's evaluations in words, for a column with or without a header.
    fn counts(&self, is_headed: bool) -> String {
        let (what, parted) = if is_headed {
            ("", ", ")
        } else {
            (" evaluations", "  ")
        };
        let mut text = format!("{:>4}{what}", self.evaluations);
        for (count, what) in [(self.failed, "failed"), (self.pending, "running")] {
            if count > 0 {
                text += &[parted, &count.to_string(), " ", what].concat();
            }
        }
        text
    }
}

/// Widths of the parts of an arm's line, in columns of the terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Layout {
    name: usize,
    /// Width of an arm's bar. 0 if there is no room for it.
    bar: usize,
    score: usize,
    /// Whether the column of evaluations has a header, instead of a word in each line.
    is_headed: bool,
}

impl Layout {
    /// Returns the layout of the arms' lines for a terminal of this width: the first that fits, of
    /// several ever narrower ones.
    pub(super) fn new(arms: &[ArmLine], metric: &str, width: usize) -> Self {
        let widest = |text: &dyn Fn(&ArmLine) -> String| {
            let widths = arms.iter().map(|arm| measure_text_width(&text(arm)));
            widths.max().unwrap_or(0)
        };
        let name = widest(&|arm| arm.name.clone());
        let score = widest(&|arm| arm.score.clone());
        // A job that starts is to move nothing.
        let tail = |is_headed: bool| {
            let running = ArmLine {
                pending: 1,
                ..ArmLine::default()
            };
            let counts = widest(&|arm| arm.counts(is_headed));
            counts.max(measure_text_width(&running.counts(is_headed)))
        };
        let make = |cap: usize, bar: usize, is_headed: bool| Self {
            name: name.min(cap),
            bar,
            score: if is_headed {
                score.max(measure_text_width(metric).min(METRIC))
            } else {
                score
            },
            is_headed,
        };
        let candidates = [
            make(WIDEST_NAME, 24, false),
            make(WIDEST_NAME, 16, false),
            make(WIDEST_NAME, 24, true),
            make(WIDEST_NAME, 12, true),
            make(NARROW_NAME, 12, true),
            make(NARROW_NAME, 6, true),
            make(NARROW_NAME, 0, true),
        ];
        let mut candidates = candidates.into_iter();
        let fits = |layout: &Self| layout.before_counts() + tail(layout.is_headed) <= width;
        candidates.find(fits).unwrap_or_else(|| {
            // A long name of the metric gives way before names of arms and counts do.
            let least = Self {
                score,
                ..make(0, 0, true)
            };
            let used = least.before_counts() + tail(true);
            let room = width.saturating_sub(used).max(NARROWEST_NAME);
            Self {
                name: name.min(room),
                ..least
            }
        })
    }

    /// Returns the width of the columns before the number of evaluations.
    fn before_counts(&self) -> usize {
        let bar = if self.bar > 0 { self.bar + 1 } else { 0 };
        self.name + 1 + bar + PROBABILITY + 2 + self.score + 2
    }

    /// Returns the header above the columns of the arms' lines.
    pub(super) fn header(&self, metric: &str, probability: &str, width: usize) -> String {
        let bar = if self.bar > 0 { self.bar + 1 } else { 0 };
        let before = " ".repeat(self.name + 1 + bar);
        let header = if self.is_headed {
            let metric = truncate_str(metric, self.score, "…");
            let metric = pad_str(&metric, self.score, Alignment::Left, None);
            format!("{before}{probability:>PROBABILITY$}  {metric}  evaluations")
        } else {
            format!("{before}{probability:>PROBABILITY$}  {metric}")
        };
        truncate_str(header.trim_end(), width, "…").into_owned()
    }

    /// Returns the line of an arm, at most `width` columns wide.
    pub(super) fn line(&self, arm: &ArmLine, width: usize) -> String {
        let name = shortened(&arm.name, self.name);
        let name = pad_str(&name, self.name, Alignment::Left, None);
        let name = style(name).for_stderr();
        let name = if arm.leads { name.bold() } else { name };
        let bar = if self.bar > 0 {
            format!("{} ", bar(arm.share, self.bar))
        } else {
            String::new()
        };
        let score = pad_str(&arm.score, self.score, Alignment::Left, None);
        let line = format!(
            "{name} {bar}{:>PROBABILITY$}  {score}  {}",
            arm.probability,
            arm.counts(self.is_headed)
        );
        truncate_str(line.trim_end(), width, "…").into_owned()
    }
}

/// Returns a name cut to a width: its beginning and its end, as names in a study often differ there.
fn shortened(name: &str, width: usize) -> String {
    if measure_text_width(name) <= width {
        return name.to_owned();
    }
    let end = width.saturating_sub(1) / 3;
    let beginning = truncate_str(name, width.saturating_sub(end), "…").into_owned();
    let mut tail = String::new();
    for c in name.chars().rev() {
        let longer = format!("{c}{tail}");
        if measure_text_width(&longer) > end {
            break;
        }
        tail = longer;
    }
    beginning + &tail
}

/// Returns a bar that is filled up to this share.
fn bar(share: f64, width: usize) -> String {
    let filled = share.clamp(0.0, 1.0) * width as f64;
    let full = fiesta::whole(filled);
    let head = usize::from(filled > 0.0 && full < width);
    let front = "━".repeat(full) + &"╸".repeat(head);
    let rest = "─".repeat(width - full - head);
    let front = style(front).for_stderr().cyan();
    format!("{front}{}", style(rest).for_stderr().dim())
}

/// Joins texts by dots, on as many lines as the width requires; no text is broken.
pub(super) fn joined(parts: &[String], width: usize) -> String {
    let mut lines: Vec<String> = Vec::new();
    for part in parts.iter().filter(|part| !part.is_empty()) {
        match lines.last_mut() {
            Some(line) if measure_text_width(line) + 3 + measure_text_width(part) <= width => {
                line.push_str(" · ");
                line.push_str(part);
            }
            _ => lines.push(part.clone()),
        }
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arms(names: &[&str]) -> Vec<ArmLine> {
        let arm = |name: &&str| ArmLine {
            name: (*name).to_owned(),
            share: 0.741,
            probability: "74.1 %".to_owned(),
            score: "0.7783".to_owned(),
            evaluations: 130,
            failed: 12,
            pending: 2,
            leads: false,
        };
        names.iter().map(arm).collect()
    }

    fn screen(names: &[&str], metric: &str, width: usize) -> Vec<String> {
        let arms = arms(names);
        let layout = Layout::new(&arms, metric, width);
        let header = layout.header(metric, "P(best)", width);
        let lines = arms.iter().map(|arm| layout.line(arm, width));
        let lines = std::iter::once(header).chain(lines);
        let plain = |line: String| console::strip_ansi_codes(&line).into_owned();
        lines.map(plain).collect()
    }

    #[test]
    fn every_line_fits_and_says_the_same() {
        let long = [
            "bert-large-uncased-whole-word-masking-1",
            "日本語モデル",
            "a",
        ];
        for width in [60, 80, 100, 120, 200] {
            for metric in ["f1", "a_very_long_name_of_a_metric"] {
                for names in [&long[..], &["lr", "svm"]] {
                    let lines = screen(names, metric, width);
                    for line in &lines {
                        assert!(measure_text_width(line) <= width, "{width}\n{line}");
                    }
                    for line in &lines[1..] {
                        for part in ["74.1 %", "0.7783", "130", "12 failed", "2 running"] {
                            assert!(line.contains(part), "{width}\n{line}");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn a_wide_terminal_has_bars_and_words() {
        let lines = screen(&["lr"], "f1", 100);
        assert_eq!(
            lines,
            [
                "                             P(best)  f1",
                "lr ━━━━━━━━━━━━━━━━━╸──────   74.1 %  0.7783   130 evaluations  12 failed  2 running",
            ]
        );
        let narrow = screen(&["bert-large-uncased-whole-word-masking-1"], "f1", 60);
        assert!(narrow[0].ends_with("evaluations"), "{narrow:?}");
        assert!(
            narrow[1].contains('…') && narrow[1].contains("ing-1") || narrow[1].contains("g-1")
        );
    }

    #[test]
    fn parts_stay_whole() {
        let parts = ["confidence 74.1 % of 95 %", "21 evaluations", "cost 5.6 s"];
        let parts = parts.map(str::to_owned);
        assert_eq!(
            joined(&parts, 45),
            "confidence 74.1 % of 95 % · 21 evaluations\ncost 5.6 s"
        );
        assert_eq!(joined(&parts, 80).lines().count(), 1);
    }
}
