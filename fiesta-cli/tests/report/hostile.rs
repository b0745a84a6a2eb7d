//! Tests of reports on arms whose names are markup or formulas.

use super::files;
use crate::support::Bench;
use std::{fmt::Write, path::Path};

const HOSTILE: [&str; 8] = [
    "<script>alert(1)</script>",
    "\"><img src=x onerror=alert(1)>",
    "\\input{/etc/passwd}",
    "=cmd()|' /C calc'!A0",
    "</title></style></svg><svg onload=alert(1)>",
    "😀 \u{202e}evil\u{202c} עברית",
    "| **bold** | `code` | [link](javascript:alert(1))",
    "@SUM(1+1)*cmd",
];

/// Tests that hostile names are harmless in HTML, SVG, LaTeX, Markdown and CSV, also one of 10,000 characters.
#[test]
fn hostile_names_are_inert_everywhere() {
    let bench = Bench::new();
    let long = "x".repeat(10_000);
    let mut lines = String::new();
    for (place, name) in HOSTILE.iter().copied().chain([long.as_str()]).enumerate() {
        for split in 0..4 {
            let score = 0.5 + 0.01 * place as f64 + 0.003 * (split * (place + 1) % 5) as f64;
            let row =
                serde_json::json!({"arm": name, "split": split, "score": score, "duration": 1.5});
            let _ = writeln!(lines, "{row}");
        }
    }
    bench.file("s.jsonl", &lines);
    let (_, page) = bench.report(&["s.jsonl", "--reported", "<b onclick=x>=0.55"]);
    let tags: Vec<&str> = page
        .split('<')
        .skip(1)
        .map(|rest| rest.split(['>', ' ', '\n']).next().unwrap())
        .collect();
    for tag in ["script", "img", "iframe"] {
        assert!(!tags.contains(&tag), "{tag}");
    }
    assert_eq!(
        tags.iter().filter(|tag| **tag == "title").count(),
        1 + tags.iter().filter(|tag| **tag == "svg").count() + pointed(&page)
    );
    assert!(!page.contains('\u{202e}'));
    assert!(page.len() < 1_000_000, "{}", page.len());
    for file in files(&bench.path("out/figures")) {
        let svg = bench.text(&format!("out/figures/{file}"));
        for forbidden in [
            "<script",
            "<img",
            "onload=\"",
            "onerror=\"",
            "<foreignObject",
            "\u{202e}",
        ] {
            assert!(!svg.contains(forbidden), "{file}: {forbidden}");
        }
        assert_eq!(svg.matches("<svg").count(), 1, "{file}");
    }
    for file in files(&bench.path("out/tables")) {
        let text = bench.text(&format!("out/tables/{file}"));
        let extension = |wanted: &str| Path::new(&file).extension().is_some_and(|is| is == wanted);
        if extension("tex") {
            assert!(!text.contains("\\input{"), "{file}: {text}");
        } else if extension("csv") {
            let live = |line: &str| line.trim_start_matches('"').starts_with(['=', '@', '+']);
            assert!(!text.split("\r\n").any(live), "{file}: {text}");
        } else {
            assert!(
                !text.contains("<script") && !text.contains("| **bold**"),
                "{file}: {text}"
            );
        }
    }
    for file in ["checklist.md", "checklist-acl.md", "checklist-neurips.md"] {
        assert!(
            !bench.text(&format!("out/{file}")).contains("<script"),
            "{file}"
        );
    }
}

/// Returns the number of marks within figures that have a title, since their names were shortened.
fn pointed(page: &str) -> usize {
    let all = page.matches("<title>").count();
    let of_figures = page.matches("role=\"img\"").count();
    all - 1 - of_figures
}
