//! Tables as LaTeX.

use super::{Align, Table, legible, shortened, visible};
use std::fmt::Write;

/// Definitions for characters other than LaTeX's own, which are shown as themselves by XeTeX and
/// LuaTeX, as their number by pdfTeX, whose fonts lack them.
const UNICODE: &str =
    "\\providecommand{\\fiestaunicode}[2]{\\ifdefined\\Umathchar#1\\else{\\ttfamily[#2]}\\fi}";

impl Table {
    /// Returns the table as a floating `table` for LaTeX, pdfTeX included, with the rules of the
    /// package `booktabs`; caption above, notes below.
    ///
    /// Names are escaped whatever they contain. Characters that pdfTeX has no font for are shown
    /// there by their number, and as themselves by XeTeX and LuaTeX.
    pub fn latex(&self) -> String {
        let mut latex = String::from("% needs \\usepackage{booktabs}\n");
        latex.push_str(UNICODE);
        latex.push_str("\n\\begin{table}[t]\n  \\centering\n");
        if let Some(caption) = &self.caption {
            let _ = writeln!(latex, "  \\caption{{{}}}", escaped(&legible(caption)));
        }
        let columns: String = self
            .header
            .iter()
            .map(|(_, align)| match align {
                Align::Left => 'l',
                Align::Right => 'r',
            })
            .collect();
        let _ = writeln!(
            latex,
            "  \\begin{{tabular}}{{@{{}}{columns}@{{}}}}\n  \\toprule"
        );
        let header: Vec<String> = self.header.iter().map(|(name, _)| cell(name)).collect();
        let _ = writeln!(latex, "  {} \\\\\n  \\midrule", header.join(" & "));
        for row in &self.rows {
            let cells = row.cells.iter().enumerate().map(|(column, text)| {
                let mut shown = cell(text);
                if row.bold && !shown.is_empty() {
                    shown = format!("\\textbf{{{shown}}}");
                }
                if column == 0 && !row.mark.is_empty() {
                    let _ = write!(shown, "\\textsuperscript{{{}}}", escaped(row.mark));
                }
                shown
            });
            let _ = writeln!(latex, "  {} \\\\", cells.collect::<Vec<_>>().join(" & "));
        }
        latex.push_str("  \\bottomrule\n  \\end{tabular}\n");
        for note in &self.notes {
            let note = escaped(&legible(note));
            let _ = writeln!(latex, "  \\par\\smallskip{{\\footnotesize {note}\\par}}");
        }
        latex.push_str("\\end{table}\n");
        latex
    }
}

fn cell(text: &str) -> String {
    escaped(&shortened(&visible(text)))
}

/// Writes text that is nothing but text to LaTeX.
fn escaped(text: &str) -> String {
    let mut latex = String::with_capacity(text.len());
    for c in text.chars() {
        if let Some(command) = command(c) {
            latex.push_str(command);
        } else if c.is_ascii() || has_font(c) {
            latex.push(c);
        } else {
            let _ = write!(latex, "\\fiestaunicode{{{c}}}{{U+{:04X}}}", u32::from(c));
        }
    }
    latex
}

/// Letters that every encoding of LaTeX's fonts has or builds with an accent.
fn has_font(c: char) -> bool {
    matches!(c, 'À'..='ÿ') && !matches!(c, 'Ð' | 'ð' | 'Þ' | 'þ' | '×' | '÷')
}

/// Characters that are something else than themselves to LaTeX, or that have a command.
fn command(c: char) -> Option<&'static str> {
    Some(match c {
        '\\' => "\\textbackslash{}",
        '{' => "\\{",
        '}' => "\\}",
        '$' => "\\$",
        '&' => "\\&",
        '#' => "\\#",
        '%' => "\\%",
        '_' => "\\_",
        '^' => "\\textasciicircum{}",
        '~' => "\\textasciitilde{}",
        '<' => "\\textless{}",
        '>' => "\\textgreater{}",
        '|' => "\\textbar{}",
        // A shorthand of babel in some languages.
        '"' => "{\\char34}",
        '`' => "\\textasciigrave{}",
        '\'' => "{'}",
        // No ligature to a dash.
        '-' => "{-}",
        // At the beginning of a row these would belong to the end of the row before.
        '[' => "{[}",
        ']' => "{]}",
        '*' => "{*}",
        '±' => "$\\pm$",
        '×' => "$\\times$",
        '÷' => "$\\div$",
        '−' => "$-$",
        '≤' => "$\\leq$",
        '≥' => "$\\geq$",
        '≈' => "$\\approx$",
        '∞' => "$\\infty$",
        'α' => "$\\alpha$",
        'β' => "$\\beta$",
        'γ' => "$\\gamma$",
        'δ' => "$\\delta$",
        'ε' => "$\\varepsilon$",
        'λ' => "$\\lambda$",
        'µ' | 'μ' => "$\\mu$",
        'σ' => "$\\sigma$",
        'τ' => "$\\tau$",
        '½' => "$\\frac{1}{2}$",
        '²' => "$^2$",
        '°' => "$^\\circ$",
        '–' => "--",
        '—' => "---",
        '…' => "\\ldots{}",
        '†' => "\\dag{}",
        '‡' => "\\ddag{}",
        '§' => "\\S{}",
        '’' => "'",
        '“' => "``",
        '”' => "''",
        '\u{a0}' | '\u{202f}' => "~",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{fs, process::Command};

    const HOSTILE: [&str; 12] = [
        "\\input{/etc/passwd}",
        "$\\write18{touch pwned}$ & % # _ ^ ~ {",
        "[1ex]",
        "*{9}",
        "}\\end{tabular}\\end{table}\\relax",
        "a\n\nb\t\u{0}\u{1b}[2J",
        "😀 日本語 עברית \u{202e}evil",
        "é ß ñ Ø « » ð þ",
        "---`?`''\"<<>>",
        "^^5cinput",
        "\\\\ \\verb|x|",
        "100 % ± 1 – 2 … †",
    ];

    fn table() -> Table {
        let mut table = Table::new([("arm & co", Align::Left), ("mean ± sd", Align::Right)])
            .caption("All of \\these_ 95 %")
            .note("† tied with the best, at 95 %");
        for name in HOSTILE {
            table.row([name.to_owned(), "0.5 ± 0.1".to_owned()], true);
            table.marked_row([name.to_owned(), "–".to_owned()], "†");
        }
        table.row(["x".repeat(10_000), String::new()], false);
        table
    }

    #[test]
    fn nothing_but_our_own_commands() {
        assert_eq!(
            cell("\\input{x}_$&#^~%"),
            "\\textbackslash{}input\\{x\\}\\_\\$\\&\\#\\textasciicircum{}\\textasciitilde{}\\%"
        );
        assert_eq!(cell("日"), "\\fiestaunicode{日}{U+65E5}");
        assert_eq!(cell("[a--b]"), "{[}a{-}{-}b{]}");
        let latex = table().latex();
        let rows = latex.lines().filter(|line| line.ends_with("\\\\"));
        for row in rows {
            // One column more than there are separators, whatever the names.
            let separators = row.matches(" & ").count();
            let escaped = row.matches(" \\& ").count();
            assert_eq!(separators, 1, "{row} {escaped}");
        }
        assert!(latex.lines().all(|line| line.len() < 2_000));
    }

    /// Tests hostile names with pdfTeX, where it is installed: without an error, and no shell
    /// command runs even where that is allowed.
    #[test]
    fn pdflatex_compiles_hostile_names() {
        let directory = tempfile::tempdir().unwrap();
        let document = format!(
            "\\documentclass{{article}}\n\\usepackage{{booktabs}}\n\\begin{{document}}\n{}\\end{{document}}\n",
            table().latex()
        );
        fs::write(directory.path().join("table.tex"), document).unwrap();
        let run = Command::new("pdflatex")
            .args([
                "-interaction=nonstopmode",
                "-halt-on-error",
                "-shell-escape",
            ])
            .arg("table.tex")
            .current_dir(directory.path())
            .output();
        let Ok(run) = run else {
            eprintln!(
                "SKIPPED: there is no pdflatex here, so that the LaTeX tables were not compiled"
            );
            return;
        };
        let log = String::from_utf8_lossy(&run.stdout);
        assert!(run.status.success(), "{log}");
        assert!(directory.path().join("table.pdf").exists(), "{log}");
        assert!(!directory.path().join("pwned").exists());
    }
}
