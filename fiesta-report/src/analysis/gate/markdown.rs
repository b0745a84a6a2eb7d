//! Comment on a pull request: a gate as Markdown in which names and texts are no markup.

use super::{FlippedItem, GateCandidate, GateReport, GateVerdict};
use crate::table::markdown_text;
use std::fmt::Write;

/// Most characters that a comment may have.
const MOST: usize = 65_536;
/// Characters of a text that are shown.
const LONGEST: usize = 400;
/// End of a list of flipped items.
const END: &str = "\n</details>\n";
/// Characters that are kept for the line that counts what was left out.
const KEPT: usize = 200;

impl GateReport {
    /// Returns the report as Markdown of at most 65,536 characters: what does not fit is counted. Texts
    /// of models and files are shown as they are: without HTML, links, mentions and code fences.
    pub fn markdown(&self) -> String {
        let mut page = String::new();
        for own in &self.candidates {
            let mark = match own.verdict {
                Some(GateVerdict::Ships) => "✅",
                Some(GateVerdict::Blocked) => "❌",
                _ => "❔",
            };
            let _ = write!(page, "**{mark} {}**\n\n", inert(&own.sentence));
            for line in self.facts(own) {
                let _ = writeln!(page, "- {}", inert(&line));
            }
            page.push('\n');
        }
        for note in &self.notes {
            let _ = writeln!(page, "- {}", inert(note));
        }
        let mut left = MOST.saturating_sub(KEPT);
        page = cut(&page, left);
        left -= page.chars().count();
        let mut left_out = 0_u64;
        for own in &self.candidates {
            left_out += own.flipped_within(&mut page, &mut left);
        }
        if left_out > 0 {
            let _ = write!(
                page,
                "\n{left_out} more flipped items are not shown: `--format json` lists all.\n"
            );
        }
        page
    }
}

impl GateCandidate {
    /// Adds the flipped items as far as they fit, and returns how many do not.
    fn flipped_within(&self, page: &mut String, left: &mut usize) -> u64 {
        if self.flipped.is_empty() {
            return 0;
        }
        let title = format!(
            "\n<details><summary>{} regressions, {} fixed of {}</summary>\n\n",
            self.regressions,
            self.fixed,
            inert(&self.name)
        );
        let (mut left_out, mut lines) = (0, String::new());
        let mut room = left.saturating_sub(title.chars().count() + END.chars().count());
        for item in &self.flipped {
            let line = item.markdown();
            match room.checked_sub(line.chars().count()) {
                Some(rest) if left_out == 0 => {
                    room = rest;
                    lines.push_str(&line);
                }
                _ => left_out += 1,
            }
        }
        if !lines.is_empty() {
            page.extend([&title, &lines, END]);
            *left = room;
        }
        left_out
    }
}

impl FlippedItem {
    fn markdown(&self) -> String {
        let line = self.line(LONGEST);
        let mut parts = line.trim_start().split("\n    ");
        let mut shown = format!("- {}\n", inert(parts.next().unwrap_or_default()));
        for part in parts {
            let _ = writeln!(shown, "  - {}", inert(part));
        }
        shown
    }
}

/// Space without a width. It keeps apart what would become a mention, the number of an issue or a
/// link, also where a page is looked through after it was made from Markdown.
const APART: char = '\u{200b}';

/// Text that is no markup, begins no list or heading, calls nobody and links to nothing.
fn inert(text: &str) -> String {
    let escaped = markdown_text(&text.replace('\n', " "));
    let mut inert = String::with_capacity(escaped.len());
    if !escaped.starts_with(char::is_alphabetic) {
        inert.push(APART);
    }
    for c in escaped.chars() {
        inert.push(c);
        if matches!(c, '@' | '#' | '!') {
            inert.push(APART);
        }
    }
    inert
        .replace("//", &format!("/{APART}/"))
        .replace("www.", &format!("www{APART}."))
}

/// The first characters of a page, in whole lines.
fn cut(page: &str, most: usize) -> String {
    if page.chars().count() <= most {
        return page.to_owned();
    }
    let kept: String = page.chars().take(most).collect();
    let end = kept.rfind('\n').map_or(0, |end| end + 1);
    kept[..end].to_owned()
}
