//! Commands with placeholders.

/// The placeholders that the commands of a study of splits may hold.
const OF_SPLITS: [&str; 3] = ["arm", "split", "seed"];
/// The placeholders that the commands of a study of documents may hold.
const OF_DOCUMENTS: [&str; 4] = ["arm", "document", "document_id", "seed"];

/// The placeholders that a command may hold.
pub(super) fn placeholders(of_documents: bool) -> &'static [&'static str] {
    if of_documents {
        &OF_DOCUMENTS
    } else {
        &OF_SPLITS
    }
}

/// An argument vector whose placeholders are replaced for each evaluation.
///
/// `{{` and `}}` stand for the braces themselves. Braces around anything that is no lower-case word, such
/// as JSON, are left alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Command {
    arguments: Vec<Vec<Piece>>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Piece {
    Text(String),
    /// One of [`placeholders`].
    Word(&'static str),
}

impl Command {
    /// Takes an argument vector apart; the error is the name of a placeholder that such a study has not.
    pub(super) fn parse(arguments: &[String], of_documents: bool) -> Result<Self, String> {
        let arguments = arguments
            .iter()
            .map(|argument| pieces(argument, placeholders(of_documents)))
            .collect::<Result<_, _>>()?;
        Ok(Self { arguments })
    }

    /// The argument vector for one evaluation, given what stands for each placeholder.
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

    /// The program, if it is the same for every evaluation.
    pub(super) fn program(&self) -> Option<&str> {
        match self.arguments.first()?.as_slice() {
            [Piece::Text(program)] => Some(program),
            _ => None,
        }
    }
}

fn pieces(argument: &str, known: &'static [&'static str]) -> Result<Vec<Piece>, String> {
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
            .filter(|(word, _)| {
                !word.is_empty() && word.chars().all(|c| c.is_ascii_lowercase() || c == '_')
            });
        let Some((word, after)) = word else {
            text.push_str(this);
            rest = after;
            continue;
        };
        let piece = known.iter().find(|known| **known == word);
        let piece = Piece::Word(piece.ok_or_else(|| word.to_owned())?);
        if !text.is_empty() {
            pieces.push(Piece::Text(std::mem::take(&mut text)));
        }
        pieces.push(piece);
        rest = after;
    }
    text.push_str(rest);
    if !text.is_empty() || pieces.is_empty() {
        pieces.push(Piece::Text(text));
    }
    Ok(pieces)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filled(argument: &str) -> String {
        let command = Command::parse(&[argument.to_owned()], false).unwrap();
        let value = |word: &str| match word {
            "arm" => "lstm".to_owned(),
            "split" => "3".to_owned(),
            "seed" => "42".to_owned(),
            other => panic!("{other}"),
        };
        command.fill(value).remove(0)
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
        assert_eq!(filled("${HOME}"), "${HOME}");
    }

    #[test]
    fn names_unknown_placeholders() {
        let parse =
            |argument: &str, of_documents| Command::parse(&[argument.to_owned()], of_documents);
        assert_eq!(parse("{model}", false), Err("model".to_owned()));
        assert_eq!(parse("{document}", false), Err("document".to_owned()));
        assert_eq!(parse("{split}", true), Err("split".to_owned()));
        assert!(parse("{document_id}{document}{arm}{seed}", true).is_ok());
    }
}
