//! Files of figures, as SVG, PNG or PDF by their extension.

use super::{exit::Failure, say};
use clap::ValueEnum;
use fiesta::report::figure::{FigureFormat, Plot, WIDE};
use std::{
    fs,
    path::{Path, PathBuf},
};

/// Number of a PNG's pixels per CSS pixel, along one axis.
const SCALE: f64 = 3.0;

/// File of a figure: its path and format.
#[derive(Debug, Clone)]
pub(super) struct FigureFile {
    path: PathBuf,
    format: FigureFormat,
}

impl FigureFile {
    /// Returns the file of a figure that an argument names, with the format of its extension.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let path = PathBuf::from(text);
        let extension = path.extension().and_then(|extension| extension.to_str());
        let named = |format: &&FigureFormat| {
            extension.is_some_and(|extension| extension.eq_ignore_ascii_case(format.extension()))
        };
        match FigureFormat::value_variants().iter().find(named) {
            Some(&format) => Ok(Self { path, format }),
            None => Err("give a file whose name ends in .svg, .png or .pdf".to_owned()),
        }
    }

    /// Draws a figure, writes it to the file, and prints its caption.
    pub(super) fn write(&self, plot: &impl Plot) -> Result<(), Failure> {
        let path = self.path.display();
        let refused = |error: &dyn std::fmt::Display| {
            Failure::Usage(format!("there is no figure {path}: {error}"))
        };
        let figure = plot.draw(WIDE).map_err(|error| refused(&error))?;
        let content = self.format.content(&figure, SCALE);
        let content = content.map_err(|error| refused(&error))?;
        file(&self.path, &content)?;
        say(format_args!("{path}: {}", figure.caption()));
        Ok(())
    }
}

/// Writes a file, and makes the directories above it that are missing.
pub(super) fn file(path: &Path, content: &[u8]) -> Result<(), Failure> {
    let written = path
        .parent()
        .map_or(Ok(()), fs::create_dir_all)
        .and_then(|()| fs::write(path, content));
    written.map_err(|error| Failure::Usage(format!("cannot write {}: {error}", path.display())))
}
