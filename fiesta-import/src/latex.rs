//! Tables in LaTeX as CSV, with each row on its line.

use crate::markdown::quoted;
use std::io;

/// Commands that are left out with what stands in brackets and braces behind them.
const DROPPED: &str = "cite citep citet ref label footnote cellcolor rowcolor color vspace hspace cmidrule cline addlinespace \
                       morecmidrules specialrule";
/// Commands that are left out: rules, types and sizes of letters, and signs of footnotes.
const BARE: &str = "toprule midrule bottomrule hline centering bf bfseries it itshape small scriptsize footnotesize tiny textbf \
                    mathbf boldmath underline uline textit emph mathrm text textsc texttt mathbold bm dagger ddagger ast star \
                    noalign phantom left right displaystyle";

/// Returns the CSV of a text that is one table in LaTeX: a `tabular`, also in a `table`, or rows
/// alone. `None` for any other text.
///
/// # Errors
/// If another table follows, or a cell spans several columns or rows, or has a command that is not
/// known.
pub(crate) fn as_csv(bytes: &[u8]) -> Option<io::Result<Vec<u8>>> {
    let start = String::from_utf8_lossy(&bytes[..bytes.len().min(1 << 12)]);
    let first = start.trim_start_matches('\u{feff}').trim_start();
    let is_row = |line: &str| line.contains('&') && line.trim_end().ends_with("\\\\");
    let is_source =
        first.starts_with(['\\', '%']) && ["&", "\\\\"].iter().all(|sign| first.contains(sign));
    let is_latex = is_source || is_row(first.lines().next()?);
    let text = std::str::from_utf8(bytes).ok().filter(|_| is_latex)?;
    let csv = rows(text.trim_start_matches('\u{feff}'));
    Some(csv.map_err(|problem| io::Error::new(io::ErrorKind::InvalidData, problem)))
}

/// Returns the rows of the table in a text as CSV.
fn rows(text: &str) -> Result<Vec<u8>, String> {
    const BEGIN: &str = "\\begin{tabular";
    let lines: Vec<&str> = text.lines().map(without_comment).collect();
    let text = lines.join("\n");
    let body = match text.split_once(BEGIN) {
        Some((_, rest)) if rest.contains(BEGIN) => {
            return Err("it holds several tables in LaTeX: keep the one that is meant".to_owned());
        }
        Some((_, rest)) => behind_groups(rest.split_once('}').map_or("", |(_, rest)| rest)),
        None => &text[..],
    };
    let lines = |text: &str| text.matches('\n').count();
    let (mut csv, mut began) = (String::new(), lines(&text[..text.len() - body.len()]));
    let body = body.split("\\end{tabular").next().unwrap_or_default();
    for row in body.split("\\\\") {
        if let Some(first) = row.find('&') {
            let line = began + lines(&row[..first]);
            let cells = cells(row).map_err(|problem| format!("line {}: {problem}", line + 1))?;
            csv.push_str(&"\n".repeat(line.saturating_sub(lines(&csv))));
            csv.push_str(&(cells.join(",") + "\n"));
        }
        began += lines(row);
    }
    Ok(csv.into_bytes())
}

/// Returns a line without its comment.
fn without_comment(line: &str) -> &str {
    let mut marks = line.match_indices('%');
    let end = marks.find(|(at, _)| !line[..*at].ends_with('\\'));
    end.map_or(line, |(at, _)| &line[..at])
}

/// Returns the cells of a row as those of CSV.
fn cells(row: &str) -> Result<Vec<String>, String> {
    let space = row.strip_prefix('[').and_then(|row| row.split_once(']'));
    let row = space.map_or(row, |(_, row)| row).replace("\\&", "\0");
    let cells = row.split('&').map(|cell| Ok(quoted(&plain(cell)?)));
    cells.collect()
}

/// Returns the text of a cell without commands of types and rules: `0.81 ± 0.02` for
/// `$\mathbf{0.81} \pm 0.02$`.
fn plain(cell: &str) -> Result<String, String> {
    let (mut text, mut rest) = (String::new(), cell);
    while let Some(next) = rest.chars().next() {
        rest = &rest[next.len_utf8()..];
        match next {
            '\\' => {
                let length = rest.bytes().take_while(u8::is_ascii_alphabetic).count();
                let (name, behind) = rest.split_at(length);
                let is_in = |words: &str| words.split_whitespace().any(|word| word == name);
                rest = behind;
                match name {
                    "pm" => text.push('±'),
                    "uparrow" => text.push('↑'),
                    "downarrow" => text.push('↓'),
                    "" => {
                        let sign = rest.chars().next().filter(|sign| "%_#${}".contains(*sign));
                        text.push(sign.unwrap_or(' '));
                        rest = rest.strip_prefix(|_| true).unwrap_or_default();
                    }
                    "multicolumn" if rest.starts_with("{1}{") => {
                        rest = rest[4..].split_once('}').map_or("", |(_, rest)| rest);
                    }
                    "multicolumn" | "multirow" => {
                        return Err(format!(
                            "a cell of the table in LaTeX spans several (\\{name}): write its text into each cell, or take the line out"
                        ));
                    }
                    _ if is_in(DROPPED) => rest = behind_groups(rest),
                    _ if is_in(BARE) => rest = rest.trim_start(),
                    _ => {
                        return Err(format!(
                            "the command \\{name} in a cell of the table in LaTeX is not known: write the cell as plain text"
                        ));
                    }
                }
            }
            '^' if rest.starts_with('{') => rest = behind_groups(rest),
            '^' => rest = rest.strip_prefix(|sign| sign != '\\').unwrap_or(rest),
            '{' | '}' | '$' => {}
            '~' => text.push(' '),
            '_' if rest.starts_with('{') => {}
            '\0' => text.push('&'),
            other => text.push(other),
        }
    }
    let words: Vec<&str> = text.split_whitespace().collect();
    Ok(words.join(" "))
}

/// Returns a text without the group in brackets, parentheses or braces with which it begins, and
/// those behind it.
fn behind_groups(text: &str) -> &str {
    let mut depth = 0_usize;
    let end = text.char_indices().find(|&(_, sign)| {
        let (opens, closes) = ("{[(".contains(sign), "}])".contains(sign));
        depth = (depth + usize::from(opens)).saturating_sub(usize::from(closes));
        depth == 0 && !closes
    });
    end.map_or("", |(at, _)| &text[at..])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::markdown::tests::text_of;

    fn csv(text: &str) -> Option<String> {
        as_csv(text.as_bytes()).map(text_of)
    }

    #[test]
    fn tables_keep_their_lines() {
        let text = "% made by hand\n\\begin{table}\\caption{A, B}\n\\begin{tabular}{l@{}cc}\n\\toprule\nMethod & A \\& B & C$_{2}$ (\\%) \\\\ \\midrule\n\
                    ERM~\\citep{x} & $77.5 \\pm 0.4$ & 85.5\\scriptsize{$\\pm$0.2} \\\\[2pt]\n\
                    \\textbf{Ours} & $\\mathbf{79.4}_{\\pm 0.6}^{\\dagger}$ &\n \\underline{84.6 $\\pm$ 0.6} \\\\\n\\bottomrule\n\\end{tabular}\n\\end{table}\n";
        assert_eq!(
            csv(text).as_deref(),
            Some(
                "\n\n\n\nMethod,A & B,C2 (%)\nERM,77.5 ± 0.4,85.5±0.2\nOurs,79.4± 0.6,84.6 ± 0.6\n"
            )
        );
        assert_eq!(
            csv("a & b \\\\\n1 & 2 \\\\ \\hline\n").as_deref(),
            Some("a,b\n1,2\n")
        );
        for (cell, said) in [
            (
                "\\multicolumn{2}{c}{x}",
                "line 1: a cell of the table in LaTeX spans several (\\multicolumn)",
            ),
            ("\\foo{x}", "the command \\foo in a cell"),
        ] {
            let told = csv(&format!("{cell} & b \\\\\n1 & 2 \\\\\n")).unwrap();
            assert!(told.contains(said), "{told}");
        }
        assert_eq!(
            csv("\\multicolumn{1}{c}{x} & b \\\\\n").as_deref(),
            Some("x,b\n")
        );
        assert!(csv(&text.repeat(2)).unwrap().contains("several tables"));
        for other in [
            "",
            "a,b\n1,\"x & y \\\\\"\n",
            "{\"a\": \"\\\\begin{tabular} & \\\\\\\\\"}",
            "a&b\n1&2\n",
        ] {
            assert_eq!(csv(other), None, "{other:?}");
        }
    }
}
