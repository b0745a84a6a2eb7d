//! Files of a report: the page, figures, tables and checklists.

use super::WrittenReport;
use crate::{
    analysis::AnalysisError,
    checklist::{Checklist, Form},
    figure::{Figure, FigureFormat},
    html::Drawing,
};
use std::{
    fs,
    num::NonZero,
    path::{Path, PathBuf},
    sync::atomic::{AtomicUsize, Ordering},
    thread,
};

/// Number of image pixels of a PNG to a CSS pixel.
const SCALE: f64 = 3.0;

/// Files of a report that were written for people.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ReportFiles {
    /// Path of the page.
    pub page: PathBuf,
    /// Number of files of figures.
    pub figures: usize,
    /// Number of tables, each in three formats.
    pub tables: usize,
    /// Notes on what could not be written, and why.
    pub notes: Vec<String>,
}

impl WrittenReport {
    /// Writes everything below a directory, which is made if it is not there: `report.html`,
    /// `figures`, `tables` and three checklists. Each figure is written in these formats and two
    /// sizes.
    ///
    /// # Errors
    /// [`AnalysisError`] if a file cannot be written. Figures that cannot be drawn for want
    /// of fonts are in the notes.
    pub fn write(
        &self,
        directory: &Path,
        formats: &[FigureFormat],
    ) -> Result<ReportFiles, AnalysisError> {
        let page = directory.join("report.html");
        file(&page, self.page.html().as_bytes())?;
        let (figures, notes) = self.write_figures(formats, &directory.join("figures"))?;
        for sheet in &self.tables {
            let path = |extension: &str| {
                let name = format!("{}.{extension}", sheet.file);
                directory.join("tables").join(name)
            };
            file(&path("md"), sheet.shown.markdown().as_bytes())?;
            file(&path("tex"), sheet.shown.latex().as_bytes())?;
            file(&path("csv"), sheet.data.csv().as_bytes())?;
        }
        self.write_checklists(directory)?;
        Ok(ReportFiles {
            page,
            figures,
            tables: self.tables.len(),
            notes,
        })
    }

    fn write_checklists(&self, directory: &Path) -> Result<(), AnalysisError> {
        let form = |form| Checklist::new(form, &self.facts, self.has_trials).markdown();
        let acl = [Form::AclResponsible, Form::AclReproducibility].map(form);
        for (name, text) in [
            ("checklist.md", form(Form::ShowYourWork)),
            ("checklist-acl.md", acl.join("\n")),
            ("checklist-neurips.md", form(Form::NeurIps)),
        ] {
            file(&directory.join(name), text.as_bytes())?;
        }
        Ok(())
    }

    /// Draws and writes every figure in every size and format, on all processors: how many files
    /// there are, and what could not be made.
    fn write_figures(
        &self,
        formats: &[FigureFormat],
        directory: &Path,
    ) -> Result<(usize, Vec<String>), AnalysisError> {
        let mut jobs = Vec::new();
        for picture in &self.figures {
            for (name, drawn) in sizes(picture.file, &picture.drawing) {
                for format in formats {
                    let path = directory.join(format!("{name}.{}", format.extension()));
                    jobs.push((path, drawn, *format));
                }
            }
        }
        let next = AtomicUsize::new(0);
        let work = || {
            let mut done = Vec::new();
            while let Some((path, drawn, format)) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) {
                let content = format.content(drawn, SCALE);
                done.push(content.map(|content| file(path, &content)));
            }
            done
        };
        let threads = thread::available_parallelism().map_or(1, NonZero::get);
        let done = thread::scope(|scope| {
            let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
            let done = workers
                .into_iter()
                .map(|worker| worker.join().expect("a worker panics never"));
            done.flatten().collect::<Vec<_>>()
        });
        let (mut figures, mut notes) = (0, Vec::new());
        for drawn in done {
            match drawn.map_err(|error| error.to_string()) {
                Ok(written) => {
                    written?;
                    figures += 1;
                }
                // Without fonts there is no PNG and no PDF; all the rest is there.
                Err(why) if !notes.contains(&why) => notes.push(why),
                Err(_) => {}
            }
        }
        Ok((figures, notes))
    }
}

/// Returns a drawing in two sizes: for a page or two columns, and for one column.
fn sizes<'a>(name: &str, drawing: &'a Drawing) -> [(String, &'a Figure); 2] {
    [
        (name.to_owned(), &drawing.wide),
        (format!("{name}-column"), &drawing.narrow),
    ]
}

/// Writes a file, and makes the directories that it needs.
fn file(path: &Path, content: &[u8]) -> Result<(), AnalysisError> {
    let written = path
        .parent()
        .map_or(Ok(()), fs::create_dir_all)
        .and_then(|()| fs::write(path, content));
    written.map_err(|why| AnalysisError::Refused(format!("cannot write {}: {why}", path.display())))
}
