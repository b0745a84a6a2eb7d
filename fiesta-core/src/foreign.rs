//! Text that somebody else wrote, as people get to see it.

use std::{
    borrow::Cow,
    fmt::{self, Write as _},
};

/// Text that somebody else wrote: a name, an id, an answer, what a job printed.
///
/// Its only way out is [`Display`](fmt::Display), which writes one line that no terminal obeys:
/// line breaks, control characters and what [is hidden](is_hidden) are written as in a program.
///
/// # Example
/// ```
/// use fiesta_core::Foreign;
/// let id = "q1\n\u{1b}[31mgru: 0.99\u{202e}";
/// assert_eq!(format!("item {}", Foreign::new(id)), "item q1\\n\\u{1b}[31mgru: 0.99\\u{202e}");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Foreign<'a>(&'a str);

impl<'a> Foreign<'a> {
    /// The text of somebody else.
    pub fn new(text: &'a str) -> Self {
        Self(text)
    }
}

impl fmt::Display for Foreign<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.chars().try_for_each(|c| {
            if is_hidden(c) {
                write!(f, "{}", c.escape_default())
            } else {
                f.write_char(c)
            }
        })
    }
}

/// Returns a text of several lines as people get to see it: its line breaks and tabs stay, and every
/// other character that [is hidden](is_hidden) is written as in a program.
///
/// # Example
/// ```
/// use fiesta_core::harmless;
/// assert_eq!(harmless("one\n\ttwo"), "one\n\ttwo");
/// assert_eq!(harmless("one\r\u{9b}2J\u{202e}"), "one\\r\\u{9b}2J\\u{202e}");
/// ```
pub fn harmless(text: &str) -> Cow<'_, str> {
    let is_odd = |c: char| is_hidden(c) && c != '\n' && c != '\t';
    if !text.contains(is_odd) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if is_odd(c) {
            shown.extend(c.escape_default());
        } else {
            shown.push(c);
        }
    }
    Cow::Owned(shown)
}

/// Whether a character is not seen as itself: a control character, which a terminal may obey; one
/// that turns the direction of the text beside it; one that ends a line or separates paragraphs; one
/// that has no width; or none of Unicode's at all. The two joiners, which the letters of some
/// languages need, are not among them.
///
/// # Example
/// ```
/// use fiesta_core::is_hidden;
/// assert!("\n\u{1b}\u{7}\u{7f}\u{9b}\u{202e}\u{2066}\u{2028}\u{200b}\u{feff}".chars().all(is_hidden));
/// assert!(!"aé日😀\u{200d}\u{fe0f} ".chars().any(is_hidden));
/// ```
pub fn is_hidden(c: char) -> bool {
    let turns = matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{206f}');
    let separates = matches!(c, '\u{2028}' | '\u{2029}' | '\u{fff9}'..='\u{fffb}');
    let has_no_width = matches!(c, '\u{ad}' | '\u{180e}' | '\u{200b}' | '\u{2060}'..='\u{2065}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}');
    let is_none = matches!(c, '\u{fffe}' | '\u{ffff}');
    c.is_control() || turns || separates || has_no_width || is_none
}

/// Returns a word of a command line as people see it and as a shell reads it back: in quotation
/// marks where it needs them, and in those of bash, zsh and ksh (`$'…'`) where it has something that
/// [is hidden](is_hidden).
///
/// # Example
/// ```
/// use fiesta_core::shell_word;
/// assert_eq!(shell_word("--seed=7"), "--seed=7");
/// assert_eq!(shell_word("it's"), r"'it'\''s'");
/// assert_eq!(shell_word("a\nb\u{202e}'"), r"$'a\nb\xe2\x80\xae\''");
/// ```
pub fn shell_word(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-./=,:@%+".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    if !word.contains(is_hidden) {
        return format!("'{}'", word.replace('\'', r"'\''"));
    }
    let mut shown = "$'".to_owned();
    for c in word.chars() {
        match c {
            '\n' => shown.push_str(r"\n"),
            '\t' => shown.push_str(r"\t"),
            '\\' | '\'' => shown.extend(['\\', c]),
            c if is_hidden(c) => {
                for byte in c.encode_utf8(&mut [0; 4]).bytes() {
                    let _ = write!(shown, "\\x{byte:02x}");
                }
            }
            c => shown.push(c),
        }
    }
    shown.push('\'');
    shown
}
