//! Other tools' results on the command line.

use crate::{exit::Failure, scores::ScoresArguments};
use clap::{
    ValueEnum,
    builder::{PossibleValuesParser, TypedValueParser},
};
use fiesta::records::{
    Format, RecordsError,
    import::{self, Missing, Pruned, Tool},
};
use std::{
    fs::{self, File},
    io::{self, Read},
    path::Path,
};

/// How another tool's results are read.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct ForeignArguments {
    /// The tool that wrote the results, where they do not say so themselves
    #[arg(long, value_name = "TOOL", value_parser = tool())]
    from: Option<Tool>,
    /// The column with the names of the arms in another tool's results; in logs of answers, what
    /// arms are called by
    #[arg(long, value_name = "COLUMN")]
    arm: Option<String>,
    /// The filter after which answers are scored, where lm-eval's samples have several
    #[arg(long, value_name = "NAME")]
    filter: Option<String>,
    /// Only this study of Optuna's storage; may be given several times
    #[arg(long, value_name = "NAME")]
    study: Vec<String>,
    /// What another tool's trials count as that were pruned
    #[arg(long, value_enum)]
    pruned: Option<PrunedAs>,
    /// What another tool's trials count as that ended without a finite score
    #[arg(long, value_enum)]
    missing: Option<MissingAs>,
}

fn tool() -> impl TypedValueParser<Value = Tool> {
    PossibleValuesParser::new(Tool::ALL.map(Tool::name))
        .map(|name| name.parse().expect("it is one of them"))
}

/// What a trial counts as that was pruned.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum PrunedAs {
    /// One with the last score it had
    Score,
    /// A failure
    Fail,
    /// None
    Drop,
}

/// What a trial counts as that ended without a finite score.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum MissingAs {
    /// A failure
    Fail,
    /// None
    Drop,
}

impl ForeignArguments {
    /// The tool that was named.
    pub(super) fn tool(&self) -> Option<Tool> {
        self.from
    }

    pub(super) fn options(&self, scores: &ScoresArguments) -> import::ImportOptions {
        import::ImportOptions {
            metric: scores.metric.clone(),
            arm: self.arm.clone(),
            filter: self.filter.clone(),
            studies: self.study.clone(),
            pruned: self.pruned.map(|pruned| match pruned {
                PrunedAs::Score => Pruned::Score,
                PrunedAs::Fail => Pruned::Fail,
                PrunedAs::Drop => Pruned::Drop,
            }),
            missing: self.missing.map(|missing| match missing {
                MissingAs::Fail => Missing::Fail,
                MissingAs::Drop => Missing::Drop,
            }),
            bounds: scores.bounds,
        }
    }

    /// Refuses flags of other tools' results where there are none.
    pub(super) fn refuse(&self) -> Result<(), Failure> {
        let given = [
            ("arm", self.arm.is_some()),
            ("filter", self.filter.is_some()),
            ("study", !self.study.is_empty()),
            ("pruned", self.pruned.is_some()),
            ("missing", self.missing.is_some()),
        ];
        match given.into_iter().find(|(_, given)| *given) {
            Some((flag, _)) => Err(Failure::Usage(format!(
                "--{flag} is about another tool's results, and this does not look like any: name the tool with --from"
            ))),
            None => Ok(()),
        }
    }
}

/// A file that was read, or the beginning of a database or an archive.
pub(super) struct Input {
    pub(super) bytes: Vec<u8>,
    /// What its extension stands for.
    pub(super) format: Option<Format>,
    /// Its name in messages.
    pub(super) name: String,
}

impl Input {
    pub(super) fn read(path: &Path) -> Result<Self, Failure> {
        let (read, name) = if path == Path::new("-") {
            let mut bytes = Vec::new();
            let read = io::stdin().read_to_end(&mut bytes).map(|_| bytes);
            (read, "standard input".to_owned())
        } else {
            (beginning_or_all(path), path.display().to_string())
        };
        let bytes = read.map_err(|source| RecordsError::Io {
            file: name.clone(),
            source,
        })?;
        Ok(Self {
            bytes,
            format: Format::of_path(path),
            name,
        })
    }

    /// The tool that certainly wrote it.
    pub(super) fn tool(&self) -> Option<Tool> {
        Tool::recognise(&self.bytes)
    }
}

/// A text file as a whole; of a database or an archive, which may be large and is read by other
/// means, only as much as shows that it is one.
fn beginning_or_all(path: &Path) -> io::Result<Vec<u8>> {
    let mut beginning = Vec::new();
    File::open(path)?.take(64).read_to_end(&mut beginning)?;
    if matches!(Tool::recognise(&beginning), Some(tool) if is_binary(tool, &beginning)) {
        return Ok(beginning);
    }
    fs::read(path)
}

/// Whether what begins so is no text.
fn is_binary(tool: Tool, beginning: &[u8]) -> bool {
    tool == Tool::Optuna || (tool == Tool::Inspect && beginning.starts_with(b"PK"))
}
