//! Lets one tagger mark the names in one document and prints what it got right and wrong.
//!
//! The document holds its own solution: the marks are taken out before the tagger sees the text.

mod document;
mod score;
mod taggers;
mod tokens;

use std::{error::Error, fs, path::PathBuf, process::ExitCode};

use clap::Parser;

use crate::{
    document::Document,
    taggers::{TAGGERS, Tagger},
};

/// Let one tagger mark the names in one document, and count what it got right and wrong.
#[derive(Debug, Parser)]
struct Arguments {
    /// The tagger
    #[arg(long, value_name = "NAME", value_parser = known_tagger, required_unless_present = "list")]
    tagger: Option<&'static Tagger>,

    /// A text in which the names are marked, like [[PER Ada Lovelace]] or [[LOC London]]
    #[arg(long, value_name = "FILE", required_unless_present = "list")]
    document: Option<PathBuf>,

    /// Print the names of the taggers and stop
    #[arg(long)]
    list: bool,
}

fn known_tagger(name: &str) -> Result<&'static Tagger, String> {
    Tagger::named(name).ok_or_else(|| format!("known are {}", tagger_names().join(", ")))
}

fn tagger_names() -> Vec<&'static str> {
    TAGGERS.iter().map(|tagger| tagger.name).collect()
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    match (arguments.tagger, arguments.document) {
        (Some(tagger), Some(path)) if !arguments.list => match evaluate(tagger, &path) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => {
                eprintln!("error: {}: {error}", path.display());
                ExitCode::FAILURE
            }
        },
        _ => {
            println!("{}", tagger_names().join("\n"));
            ExitCode::SUCCESS
        }
    }
}

fn evaluate(tagger: &Tagger, path: &PathBuf) -> Result<(), Box<dyn Error>> {
    let document = Document::parse(&fs::read_to_string(path)?)?;
    let found = tagger.tag(&document.tokens);

    // What the tagger did goes to standard error, for those who wonder about a document.
    for name in &found {
        let verdict = if document.names.contains(name) {
            "right"
        } else {
            "wrong"
        };
        eprintln!("{verdict}: {}", name.display(&document.tokens));
    }
    for missed in document.names.iter().filter(|name| !found.contains(name)) {
        eprintln!("missed: {}", missed.display(&document.tokens));
    }

    println!("{}", score::json(&document.names, &found));
    Ok(())
}

#[cfg(test)]
mod tests {
    use clap::{CommandFactory, error::ErrorKind};

    use super::*;

    #[test]
    fn the_arguments_are_consistent() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn an_unknown_tagger_is_answered_with_the_known_ones() {
        let arguments = ["tagger", "--tagger", "oracle", "--document", "a.txt"];
        let error = Arguments::try_parse_from(arguments).unwrap_err();

        assert_eq!(error.kind(), ErrorKind::ValueValidation);
        let message = error.to_string();
        for name in tagger_names() {
            assert!(message.contains(name), "{name} is missing from: {message}");
        }
    }

    #[test]
    fn a_tagger_and_a_document_are_required_unless_the_names_are_asked_for() {
        assert!(Arguments::try_parse_from(["tagger", "--tagger", "memory"]).is_err());
        assert!(Arguments::try_parse_from(["tagger", "--document", "a.txt"]).is_err());
        assert!(Arguments::try_parse_from(["tagger", "--list"]).is_ok());
    }

    #[test]
    fn the_study_names_every_tagger() {
        let study = include_str!("../study.toml");
        let arms: Vec<&str> = study
            .lines()
            .filter_map(|line| line.strip_prefix("name = \"")?.strip_suffix('"'))
            .collect();
        assert_eq!(arms, tagger_names());
    }
}
