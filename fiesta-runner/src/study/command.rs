//! Commands of a study file, with placeholders for the arm and the case.

use super::{Search, items::PoolKey, placeholder::Placeholder};
use fiesta_policies::random_search::{Space, is_name};

/// The placeholders that an arm's command may contain.
#[derive(Debug, Clone, Copy)]
pub(super) struct Words<'a> {
    /// The key under which the study file names items, in a study of items.
    pub(super) pool: Option<PoolKey>,
    /// Whether the command serves many cases, so that only the arm can be known beforehand.
    pub(super) of_worker: bool,
    /// The study's random search, and the arm's own space.
    pub(super) search: Option<(&'a Search, &'a Space)>,
}

impl Words<'_> {
    pub(super) fn is_known(&self, word: &str) -> bool {
        if self.of_worker {
            return word == "arm";
        }
        let own = self.search.is_some_and(|(_, space)| space.contains(word));
        let mut of_case = Placeholder::of(self.pool).iter();
        own || of_case.any(|placeholder| placeholder.name() == word)
    }

    /// Whether a word in braces is probably a placeholder: in lower case, in a random search also
    /// with digits, or a hyperparameter of any arm. Anything else, such as `${HOME}`, is left
    /// alone.
    fn is_meant(&self, word: &str) -> bool {
        let lower = |c: char| c.is_ascii_lowercase() || c == '_';
        !word.is_empty() && word.chars().all(lower)
            || self.search.is_some_and(|(search, _)| {
                let upper = word.contains(|c: char| c.is_ascii_uppercase());
                is_name(word) && !upper || search.names().contains(&word)
            })
    }
}

/// An argument vector whose placeholders are replaced for each evaluation.
///
/// `{{` and `}}` stand for the braces themselves. Braces around anything that is not meant as a
/// placeholder, such as JSON, are left alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Command {
    arguments: Vec<Vec<Piece>>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Piece {
    Text(String),
    /// A [`Placeholder`] or a hyperparameter.
    Word(String),
}

impl Command {
    /// Parses the placeholders of an argument vector. The error contains the names of those that
    /// such a study does not have.
    pub(super) fn parse(arguments: &[String], words: Words<'_>) -> Result<Self, Vec<String>> {
        let command = Self::of(arguments, |word| {
            words.is_known(word) || words.is_meant(word)
        });
        let unknown = command.placeholders().into_iter();
        let unknown: Vec<String> = unknown
            .filter(|word| !words.is_known(word))
            .map(str::to_owned)
            .collect();
        if unknown.is_empty() {
            Ok(command)
        } else {
            Err(unknown)
        }
    }

    /// Parses an argument vector whose placeholders are the words in braces that `is_placeholder`
    /// accepts.
    pub(crate) fn of(arguments: &[String], is_placeholder: impl Fn(&str) -> bool) -> Self {
        let arguments = arguments.iter();
        let arguments = arguments.map(|argument| pieces(argument, &is_placeholder));
        Self {
            arguments: arguments.collect(),
        }
    }

    /// Returns the placeholders of the command, each once, in their order.
    pub(crate) fn placeholders(&self) -> Vec<&str> {
        let mut words: Vec<&str> = Vec::new();
        for piece in self.arguments.iter().flatten() {
            if let Piece::Word(word) = piece
                && !words.contains(&word.as_str())
            {
                words.push(word);
            }
        }
        words
    }

    /// Returns the argument vector as a study file writes it, with `value` in place of the
    /// placeholders that have one. Braces in values and in other text are doubled.
    pub(crate) fn written(&self, value: impl Fn(&str) -> Option<String>) -> Vec<String> {
        let doubled = |text: &str| text.replace('{', "{{").replace('}', "}}");
        let write = |piece: &Piece| match piece {
            Piece::Text(text) => doubled(text),
            Piece::Word(word) => {
                let value = value(word).map(|value| doubled(&value));
                value.unwrap_or_else(|| format!("{{{word}}}"))
            }
        };
        let arguments = self.arguments.iter();
        arguments
            .map(|pieces| pieces.iter().map(write).collect())
            .collect()
    }

    /// Whether an argument begins with this placeholder.
    pub(crate) fn begins_with(&self, word: &str) -> bool {
        let mut firsts = self.arguments.iter().filter_map(|pieces| pieces.first());
        firsts.any(|piece| matches!(piece, Piece::Word(own) if own == word))
    }

    /// Returns the argument vector for one evaluation, with `value` in place of each placeholder.
    pub(super) fn fill(&self, value: impl Fn(&str) -> String) -> Vec<String> {
        let fill = |piece: &Piece| match piece {
            Piece::Text(text) => text.clone(),
            Piece::Word(word) => value(word),
        };
        self.arguments
            .iter()
            .map(|pieces| pieces.iter().map(fill).collect())
            .collect()
    }

    /// Whether there is no program: nothing can be started.
    pub(super) fn is_empty(&self) -> bool {
        self.arguments.is_empty()
    }

    /// Whether the command contains this placeholder.
    pub(super) fn names(&self, word: &str) -> bool {
        let mut pieces = self.arguments.iter().flatten();
        pieces.any(|piece| matches!(piece, Piece::Word(own) if own == word))
    }

    /// Whether the argument at this place contains this placeholder.
    pub(super) fn has(&self, place: usize, word: &str) -> bool {
        let mut pieces = self.arguments.get(place).into_iter().flatten();
        pieces.any(|piece| matches!(piece, Piece::Word(own) if own == word))
    }

    /// Whether an argument contains this text outside placeholders, such as the name of a variable.
    pub(super) fn mentions(&self, text: &str) -> bool {
        let mut pieces = self.arguments.iter().flatten();
        pieces.any(|piece| matches!(piece, Piece::Text(own) if own.contains(text)))
    }

    /// Returns the program of the command. `None` if it contains a placeholder.
    pub(super) fn program(&self) -> Option<&str> {
        match self.arguments.first()?.as_slice() {
            [Piece::Text(program)] => Some(program),
            _ => None,
        }
    }
}

/// Fills the placeholders of a command in a study of splits. The error contains the names of those
/// that such a study does not have.
pub(crate) fn fill_placeholders(
    arguments: &[String],
    value: impl Fn(&str) -> String,
) -> Result<Vec<String>, Vec<String>> {
    let of_splits = Words {
        pool: None,
        of_worker: false,
        search: None,
    };
    Ok(Command::parse(arguments, of_splits)?.fill(value))
}

/// Splits an argument into its pieces.
fn pieces(argument: &str, is_placeholder: &impl Fn(&str) -> bool) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut text = String::new();
    let mut rest = argument;
    while let Some(brace) = rest.find(['{', '}']) {
        text.push_str(&rest[..brace]);
        let (this, after) = (&rest[brace..=brace], &rest[brace + 1..]);
        if let Some(after) = after.strip_prefix(this) {
            text.push_str(this);
            rest = after;
            continue;
        }
        let word = (this == "{")
            .then(|| after.split_once('}'))
            .flatten()
            .filter(|(word, _)| is_placeholder(word));
        let Some((word, after)) = word else {
            text.push_str(this);
            rest = after;
            continue;
        };
        if !text.is_empty() {
            pieces.push(Piece::Text(std::mem::take(&mut text)));
        }
        pieces.push(Piece::Word(word.to_owned()));
        rest = after;
    }
    text.push_str(rest);
    if !text.is_empty() || pieces.is_empty() {
        pieces.push(Piece::Text(text));
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filled(argument: &str) -> String {
        let value = |word: &str| match word {
            "arm" => "lstm".to_owned(),
            "split" => "3".to_owned(),
            "seed" => "42".to_owned(),
            other => panic!("{other}"),
        };
        let filled = fill_placeholders(&[argument.to_owned()], value);
        filled.unwrap().remove(0)
    }

    #[test]
    fn fills_placeholders() {
        assert_eq!(filled("--model={arm}"), "--model=lstm");
        assert_eq!(filled("{split}/{seed}"), "3/42");
        assert_eq!(filled("plain"), "plain");
        assert_eq!(filled(""), "");
    }

    #[test]
    fn leaves_other_braces_alone() {
        assert_eq!(filled(r#"{"a": 1}"#), r#"{"a": 1}"#);
        assert_eq!(filled("{{arm}}"), "{arm}");
        assert_eq!(filled("a}b{"), "a}b{");
        assert_eq!(filled("${HOME} {h2}"), "${HOME} {h2}");
    }

    #[test]
    fn names_unknown_placeholders() {
        let parse = |argument: &str, pool| {
            let words = Words {
                pool,
                of_worker: false,
                search: None,
            };
            Command::parse(&[argument.to_owned()], words)
        };
        let unknown = |names: &[&str]| Err(names.iter().map(|name| (*name).to_owned()).collect());
        assert_eq!(parse("{model}", None), unknown(&["model"]));
        assert_eq!(parse("{document}", None), unknown(&["document"]));
        assert_eq!(
            parse("{split}", Some(PoolKey::Documents)),
            unknown(&["split"])
        );
        // Each of several, once.
        assert_eq!(
            parse("{model}{arm}{fold}{model}", None),
            unknown(&["model", "fold"])
        );
        assert!(
            parse(
                "{document_id}{document}{arm}{seed}",
                Some(PoolKey::Documents)
            )
            .is_ok()
        );
    }
}
