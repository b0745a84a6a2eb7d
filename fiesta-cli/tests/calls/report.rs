//! Calls of `fiesta report`: the files that are written, the page, the tables, and a checksum of each
//! figure.

use crate::{data, snapshot::Group};
use std::{fmt::Write, fs, path::Path};

#[test]
fn of_scores() {
    let mut group = Group::new("report-scores");
    group.call("call", "report scores.csv -o out --bounds 0,1 --strata task --reported Smith=0.72 --resamples 100 --formats svg --simulate=10");
    keep(&mut group, "out");
    group.call(
        "anew",
        "report scores.csv -o out --formats svg --resamples 100 --failed worst",
    );
    group.call(
        "pdf",
        "report wide.csv --formats pdf --arms high,low --direction maximize --resamples 50",
    );
    let listed = files(&group.bench.path("wide.report"));
    group.text("pdf-files", &listed.join("\n"));
    group.end();
}

#[test]
fn of_trials() {
    let mut group = Group::new("report-trials");
    group.call(
        "call",
        "report failed.csv -o out --failed drop --resamples 100 --formats svg",
    );
    keep(&mut group, "out");
    group.end();
}

#[test]
fn of_a_study() {
    let mut group = Group::within("report-study", data::with_ledger("finished"));
    group.call("call", "report study.toml --resamples 100 --formats svg");
    keep(&mut group, "study.report");
    group.end();
}

#[test]
fn of_a_random_search() {
    let mut group = Group::within("report-search", data::with_ledger("search"));
    group.call("call", "report study.toml --resamples 100 --formats svg");
    keep(&mut group, "study.report");
    group.end();
}

#[test]
fn of_documents() {
    let mut group = Group::within("report-documents", data::with_ledger("documents"));
    group.call("call", "report study.toml --resamples 100 --formats svg");
    keep(&mut group, "study.report");
    group.end();
}

/// Snapshots of a report: one of the names of its files, one of all its figures, and one of each
/// text.
fn keep(group: &mut Group, report: &str) {
    let directory = group.bench.path(report);
    let files = files(&directory);
    group.text("files", &files.join("\n"));
    let mut figures = String::new();
    for name in &files {
        let text = fs::read_to_string(directory.join(name)).unwrap();
        let is = |extension: &str| {
            Path::new(name)
                .extension()
                .is_some_and(|of| of == extension)
        };
        if is("svg") {
            writeln!(figures, "{name} {:016x}", digest(&text)).unwrap();
        } else if is("html") {
            group.text("page", &without_figures(&text));
        } else {
            group.text(&name.replace('/', "-"), &text);
        }
    }
    group.text("figures", &figures);
}

/// Returns the files below a directory, in alphabetical order.
fn files(directory: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for file in fs::read_dir(directory).unwrap() {
        let file = file.unwrap();
        let name = file.file_name().into_string().unwrap();
        if file.file_type().unwrap().is_dir() {
            let below = files(&file.path());
            found.extend(below.iter().map(|below| format!("{name}/{below}")));
        } else {
            found.push(name);
        }
    }
    found.sort();
    found
}

/// Returns a page without its figures, with every element on a line of its own.
fn without_figures(page: &str) -> String {
    let mut shown = String::new();
    for (place, part) in page.split("<svg").enumerate() {
        let text = if place == 0 {
            part
        } else {
            shown += "[figure]";
            part.split_once("</svg>").unwrap().1
        };
        shown += text;
    }
    shown.replace("><", ">\n<")
}

/// Returns the FNV-1a hash of a text, 64 bits, which is the same on every machine and in every version.
fn digest(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |digest, byte| {
        (digest ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}
