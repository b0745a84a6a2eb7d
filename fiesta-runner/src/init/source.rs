//! Source text of scripts: which of it is code, its calls, and its literals.

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

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Code,
    /// With its quotes.
    Text,
    Comment,
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

    fn is_code(&self, at: usize) -> bool {
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

fn kinds(text: &[u8], language: Language) -> Vec<Kind> {
    let mut kinds = vec![Kind::Code; text.len()];
    let mut at = 0;
    while at < text.len() {
        let rest = &text[at..];
        let first = rest[0];
        let end = match first {
            b'#' if is_comment(text, at, language) => {
                let line = rest.iter().position(|&c| c == b'\n');
                let end = at + line.unwrap_or(rest.len());
                kinds[at..end].fill(Kind::Comment);
                end
            }
            b'\\' if language == Language::Shell => at + 2,
            b'"' | b'\'' | b'`' if first != b'`' || language == Language::R => {
                let triple = [first; 3];
                let end = if language == Language::Python && rest.starts_with(&triple) {
                    let mut end = at + 3;
                    while end < text.len() && !text[end..].starts_with(&triple) {
                        end += if text[end] == b'\\' { 2 } else { 1 };
                    }
                    end + 3
                } else {
                    let mut end = at + 1;
                    let escapes = language != Language::Shell || first == b'"';
                    while end < text.len() && text[end] != first {
                        // A text that is not closed ends with its line, in Python.
                        if language == Language::Python && text[end] == b'\n' {
                            break;
                        }
                        end += if escapes && text[end] == b'\\' { 2 } else { 1 };
                    }
                    end + 1
                };
                let end = end.min(text.len());
                kinds[at..end].fill(Kind::Text);
                end
            }
            _ => at + 1,
        };
        at = end;
    }
    kinds
}

fn is_comment(text: &[u8], at: usize, language: Language) -> bool {
    // `$#` and `${x#y}` are no comments.
    language != Language::Shell
        || at == 0
        || text[at - 1].is_ascii_whitespace()
        || text[at - 1] == b';'
}

/// The content of an expression that is one text, or several one after another; with whether it is
/// an f-string.
pub(crate) fn text_of(expression: &str) -> Option<(String, bool)> {
    let mut rest = expression.trim();
    if let Some(inner) = rest
        .strip_prefix('(')
        .and_then(|rest| rest.strip_suffix(')'))
    {
        rest = inner.trim();
    }
    let mut whole = String::new();
    let mut is_formatted = false;
    while !rest.is_empty() {
        let prefix = rest.find(['"', '\'']).filter(|&at| at <= 2)?;
        let marks = rest[..prefix].to_lowercase();
        if !marks.chars().all(|c| "rfbu".contains(c)) {
            return None;
        }
        is_formatted |= marks.contains('f');
        let is_raw = marks.contains('r');
        rest = &rest[prefix..];
        let quote = rest.chars().next()?;
        let triple: String = [quote; 3].iter().collect();
        let close = if rest.starts_with(&triple) {
            triple
        } else {
            quote.to_string()
        };
        rest = &rest[close.len()..];
        let mut characters = rest.char_indices();
        let end = loop {
            let (at, c) = characters.next()?;
            if rest[at..].starts_with(&close) {
                break at;
            }
            match c {
                '\\' if !is_raw => match characters.next()?.1 {
                    'n' | 'r' => whole.push('\n'),
                    // Bytes, most of which are colours.
                    'x' => {
                        let code: String = characters.by_ref().take(2).map(|(_, c)| c).collect();
                        let code = u8::from_str_radix(&code, 16).unwrap_or(b'?');
                        whole.push(char::from(code));
                    }
                    '0' => {
                        let code: String = characters.by_ref().take(2).map(|(_, c)| c).collect();
                        let code = u8::from_str_radix(&code, 8).unwrap_or(b'?');
                        whole.push(char::from(code));
                    }
                    't' => whole.push('\t'),
                    '\n' => {}
                    other => whole.push(other),
                },
                other => whole.push(other),
            }
        };
        rest = rest[end + close.len()..].trim_start();
    }
    Some((whole, is_formatted))
}

/// A literal as a command would be given it: the content of a text, a number, a truth value.
pub(crate) fn literal(expression: &str) -> Option<String> {
    if let Some((text, false)) = text_of(expression) {
        return (!expression.trim().is_empty()).then_some(text);
    }
    let expression = expression.trim();
    let is_number =
        expression.parse::<f64>().is_ok() && !expression.starts_with(char::is_alphabetic);
    let is_number = is_number
        || expression.ends_with('L') && expression[..expression.len() - 1].parse::<i64>().is_ok();
    is_number.then(|| expression.trim_end_matches('L').to_owned())
}
