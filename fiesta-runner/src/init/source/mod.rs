//! Source text of scripts: its calls and their arguments, without what is text or comment.

mod kinds;
mod literal;

pub(crate) use literal::{literal, text_of};

use kinds::{Kind, kinds};

/// The language of a script, as far as its quotes and comments go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Language {
    /// Python.
    Python,
    /// R.
    R,
    /// A POSIX shell.
    Shell,
}

/// A script's text, with what each byte of it belongs to.
#[derive(Debug)]
pub(crate) struct Source<'t> {
    pub(crate) text: &'t str,
    kinds: Vec<Kind>,
}

/// A call in a script.
#[derive(Debug, Clone)]
pub(crate) struct Call<'t> {
    pub(crate) line: usize,
    /// Where its name begins.
    pub(crate) start: usize,
    pub(crate) arguments: Vec<Argument<'t>>,
}

/// An argument of a call.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Argument<'t> {
    pub(crate) keyword: Option<&'t str>,
    pub(crate) text: &'t str,
}

impl<'t> Call<'t> {
    pub(crate) fn keyword(&self, name: &str) -> Option<&'t str> {
        let found = self.arguments.iter().find(|a| a.keyword == Some(name))?;
        Some(found.text)
    }

    pub(crate) fn positional(&self) -> impl Iterator<Item = &'t str> + '_ {
        let own = self.arguments.iter().filter(|a| a.keyword.is_none());
        own.map(|a| a.text)
    }
}

impl<'t> Source<'t> {
    pub(crate) fn new(text: &'t str, language: Language) -> Self {
        Self {
            text,
            kinds: kinds(text.as_bytes(), language),
        }
    }

    /// The number of the line that a byte is in.
    pub(crate) fn line(&self, at: usize) -> usize {
        1 + self.text[..at].matches('\n').count()
    }

    /// Whether a byte is in code, not in a text or a comment.
    pub(crate) fn is_code(&self, at: usize) -> bool {
        self.kinds.get(at) == Some(&Kind::Code)
    }

    /// Where these words stand in code, not inside a longer name.
    pub(crate) fn find(&self, words: &str) -> Vec<usize> {
        let is_name = |c: char| c.is_alphanumeric() || c == '_';
        let inside = |at: usize| self.text[..at].chars().next_back().is_some_and(is_name);
        let found = self.text.match_indices(words).map(|(at, _)| at);
        found
            .filter(|&at| self.is_code(at) && !inside(at))
            .collect()
    }

    /// The calls of a function or method of this name.
    pub(crate) fn calls(&self, name: &str) -> Vec<Call<'t>> {
        let starts = self.find(name).into_iter();
        let calls = starts.filter_map(|start| {
            let after = start + name.len();
            let open = after + self.text[after..].find(|c| c != ' ')?;
            if !self.text[open..].starts_with('(') {
                return None;
            }
            // A definition is no call.
            let before = self.text[..start].trim_end();
            if before.ends_with("def") || before.ends_with("function") {
                return None;
            }
            let close = self.close(open)?;
            Some(Call {
                line: self.line(start),
                start,
                arguments: self.arguments(open + 1, close),
            })
        });
        calls.collect()
    }

    /// The bracket that closes the one that stands here.
    pub(crate) fn close(&self, open: usize) -> Option<usize> {
        let mut depth = 0_usize;
        for (at, c) in self.text[open..].char_indices() {
            let at = open + at;
            if !self.is_code(at) {
                continue;
            }
            match c {
                '(' | '[' | '{' => depth += 1,
                ')' | ']' | '}' => {
                    depth = depth.checked_sub(1)?;
                    if depth == 0 {
                        return Some(at);
                    }
                }
                _ => {}
            }
        }
        None
    }

    /// What stands between commas from here to there, without comments at the sides.
    pub(crate) fn arguments(&self, from: usize, to: usize) -> Vec<Argument<'t>> {
        let mut arguments = Vec::new();
        let mut start = from;
        let mut depth = 0_usize;
        for (at, c) in self.text[from..to].char_indices() {
            let at = from + at;
            if !self.is_code(at) {
                continue;
            }
            match c {
                '(' | '[' | '{' => depth += 1,
                ')' | ']' | '}' => depth = depth.saturating_sub(1),
                ',' if depth == 0 => {
                    arguments.extend(self.argument(start, at));
                    start = at + 1;
                }
                _ => {}
            }
        }
        arguments.extend(self.argument(start, to));
        arguments
    }

    fn argument(&self, from: usize, to: usize) -> Option<Argument<'t>> {
        let mut start = from;
        // Comments stand on lines of their own between arguments.
        while start < to
            && (self.kinds[start] == Kind::Comment
                || self.text.as_bytes()[start].is_ascii_whitespace())
        {
            start += 1;
        }
        let text = self.text.get(start..to)?.trim();
        if text.is_empty() {
            return None;
        }
        let name = text
            .find(|c: char| !c.is_alphanumeric() && c != '_' && c != '.')
            .unwrap_or(text.len());
        let rest = text[name..].trim_start();
        let is_keyword = name > 0 && rest.starts_with('=') && !rest.starts_with("==");
        Some(if is_keyword {
            Argument {
                keyword: Some(&text[..name]),
                text: rest[1..].trim(),
            }
        } else {
            Argument {
                keyword: None,
                text,
            }
        })
    }

    /// The expression that a name was given, where it stands first at the beginning of a line.
    pub(crate) fn assigned(&self, name: &str) -> Option<&'t str> {
        for at in self.find(name) {
            let line_start = self.text[..at].rfind('\n').map_or(0, |at| at + 1);
            if !self.text[line_start..at].trim().is_empty() {
                continue;
            }
            let rest = self.text[at + name.len()..].trim_start_matches([' ', '\t']);
            let rest = match rest.strip_prefix(':') {
                // With its type.
                Some(typed) => &typed[typed.find(['=', '\n'])?..],
                None => rest,
            };
            let Some(value) = rest.strip_prefix('=').or_else(|| rest.strip_prefix("<-")) else {
                continue;
            };
            if value.starts_with('=') {
                continue;
            }
            let value = value.trim_start_matches([' ', '\t']);
            return Some(self.expression(value));
        }
        None
    }

    /// The expression at the beginning of a part of the text: up to the bracket that closes its
    /// first one, or the end of its line.
    fn expression(&self, value: &'t str) -> &'t str {
        let start = value.as_ptr() as usize - self.text.as_ptr() as usize;
        let first_open = value.find(['(', '[', '{']);
        let line = value.find('\n').unwrap_or(value.len());
        match first_open.filter(|&open| open < line) {
            Some(open) => match self.close(start + open) {
                Some(close) => &self.text[start..=close],
                None => &value[..line],
            },
            None => value[..line].trim(),
        }
    }
}
