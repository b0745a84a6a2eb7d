//! The files of a report.

use super::{Arguments, page::Written};
use crate::{exit::Failure, figure::file};
use fiesta::report::{
    checklist::{Checklist, Form},
    figure::Figure,
    html::Drawing,
};
use std::{
    num::NonZero,
    path::{Path, PathBuf},
    sync::atomic::{AtomicUsize, Ordering},
    thread,
};

/// What was written, for people.
pub(super) struct Files {
    pub(super) page: PathBuf,
    pub(super) figures: usize,
    pub(super) tables: usize,
    /// What could not be written, and why.
    pub(super) notes: Vec<String>,
}

/// Writes everything below a directory.
pub(super) fn write(
    written: &Written,
    arguments: &Arguments,
    directory: &Path,
) -> Result<Files, Failure> {
    let page = directory.join("report.html");
    file(&page, written.report.html().as_bytes())?;
    let (figures, notes) = pictures(written, arguments, &directory.join("figures"))?;
    for sheet in &written.sheets {
        let path = |extension: &str| {
            directory
                .join("tables")
                .join(format!("{}.{extension}", sheet.file))
        };
        file(&path("md"), sheet.shown.markdown().as_bytes())?;
        file(&path("tex"), sheet.shown.latex().as_bytes())?;
        file(&path("csv"), sheet.data.csv().as_bytes())?;
    }
    let form = |form| Checklist::new(form, &written.facts).markdown();
    let acl = format!(
        "{}\n{}",
        form(Form::AclResponsible),
        form(Form::AclReproducibility)
    );
    for (name, text) in [
        ("checklist.md", form(Form::ShowYourWork)),
        ("checklist-acl.md", acl),
        ("checklist-neurips.md", form(Form::NeurIps)),
    ] {
        file(&directory.join(name), text.as_bytes())?;
    }
    Ok(Files {
        page,
        figures,
        tables: written.sheets.len(),
        notes,
    })
}

/// Draws and writes every figure in every size and format, on all processors: how many files there are, and what could not be made.
fn pictures(
    written: &Written,
    arguments: &Arguments,
    directory: &Path,
) -> Result<(usize, Vec<String>), Failure> {
    let mut jobs = Vec::new();
    for picture in &written.pictures.drawn {
        for (name, drawn) in sizes(picture.file, &picture.drawing) {
            for kind in &arguments.formats {
                let path = directory.join(format!("{name}.{}", kind.extension()));
                jobs.push((path, drawn, *kind));
            }
        }
    }
    let next = AtomicUsize::new(0);
    let work = || {
        let mut done = Vec::new();
        while let Some((path, drawn, kind)) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) {
            let drawn = kind.content(drawn).map(|content| file(path, &content));
            done.push(drawn);
        }
        done
    };
    let threads = thread::available_parallelism().map_or(1, NonZero::get);
    let done: Vec<Result<Result<(), Failure>, String>> = thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        let done = workers
            .into_iter()
            .map(|worker| worker.join().expect("a worker panics never"));
        done.flatten().collect()
    });
    let (mut figures, mut notes) = (0, Vec::new());
    for drawn in done {
        match drawn {
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

/// For a page or two columns, and for one column.
fn sizes<'a>(name: &str, drawing: &'a Drawing) -> [(String, &'a Figure); 2] {
    [
        (name.to_owned(), &drawing.wide),
        (format!("{name}-column"), &drawing.narrow),
    ]
}
