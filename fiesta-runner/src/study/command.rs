//! Commands with placeholders.

use fiesta_core::Evaluation;

/// The placeholders that a command may hold.
pub(super) const PLACEHOLDERS: [&str; 3] = ["arm", "split", "seed"];

/// An argument vector whose `{arm}`, `{split}` and `{seed}` are replaced for each evaluation.
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
    Arm,
    Split,
    Seed,
}

impl Command {
    /// Takes an argument vector apart; the error is the name of an unknown placeholder.
    pub(super) fn parse(arguments: &[String]) -> Result<Self, String> {
        let arguments = arguments
            .iter()
            .map(|argument| pieces(argument))
            .collect::<Result<_, _>>()?;
        Ok(Self { arguments })
    }

    /// The argument vector for one evaluation.
    pub(super) fn fill(&self, arm: &str, evaluation: &Evaluation) -> Vec<String> {
        let fill = |piece: &Piece| match piece {
            Piece::Text(text) => text.clone(),
            Piece::Arm => arm.to_owned(),
            Piece::Split => evaluation.case.split.to_string(),
            Piece::Seed => evaluation.case.seed.to_string(),
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

fn pieces(argument: &str) -> Result<Vec<Piece>, String> {
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
        let piece = match word {
            "arm" => Piece::Arm,
            "split" => Piece::Split,
            "seed" => Piece::Seed,
            unknown => return Err(unknown.to_owned()),
        };
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
    use fiesta_core::{ArmId, Case, EvaluationId};

    fn filled(argument: &str) -> String {
        let evaluation = Evaluation {
            id: EvaluationId(0),
            arm: ArmId::new(0),
            case: Case { split: 3, seed: 42 },
        };
        let command = Command::parse(&[argument.to_owned()]).unwrap();
        command.fill("lstm", &evaluation).remove(0)
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
        assert_eq!(
            Command::parse(&["{model}".to_owned()]),
            Err("model".to_owned())
        );
    }
}
