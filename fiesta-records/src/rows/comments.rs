//! Comments and a title before the header of a table.

use super::notation::truth;
use crate::{named_direction, number::is_missing};
use fiesta_core::Direction;

/// Lines before the header that begin with `#`, or a title of one line.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(crate) struct Comments {
    /// Number of comments before the header.
    pub(crate) count: u64,
    /// Better direction of the scores, as the first comment says it that has such words.
    pub(crate) direction: Option<Direction>,
    /// Number of lines before the header, blank ones included.
    pub(super) lines: u64,
    /// Number of bytes of the comments.
    pub(super) length: usize,
}

/// Returns the comments with which a text begins. None if the line below them is no header: then the
/// header may be the last of the comments.
pub(super) fn before_header(text: &str) -> Comments {
    let mut found = Comments::default();
    for line in text.split_inclusive('\n') {
        let is_comment = line.trim_start().starts_with('#');
        if !is_comment && !line.trim().is_empty() {
            if found.count > 0 && !is_header(line) {
                break;
            }
            let is_first = found.count == 0;
            return title(text).filter(|_| is_first).unwrap_or(found);
        }
        if is_comment {
            found.count += 1;
            found.direction = found.direction.or_else(|| named_direction(line));
        }
        found.lines += 1;
        found.length += line.len();
    }
    Comments::default()
}

/// Returns the title of a table: a first line of a sentence, above a header and a row that have at
/// least two more cells than it. `None` if there is none.
fn title(text: &str) -> Option<Comments> {
    let mut length = 0;
    let lines = text
        .split_inclusive('\n')
        .enumerate()
        .map(|(number, line)| {
            length += line.len();
            (number as u64, length - line.len(), line)
        });
    let mut lines = lines.filter(|(.., line)| !line.trim().is_empty());
    let (.., first) = lines.next()?;
    let (number, start, header) = lines.next()?;
    let (.., row) = lines.next()?;
    let widths = |by: char| [first, header, row].map(|line| line.split(by).count());
    let all = [',', ';', '\t'].map(widths);
    let [above, below, next] = all.into_iter().max_by_key(|[_, below, _]| *below)?;
    let is_sentence = first.split_whitespace().count() > 1 && !first.contains(['"', '{', '[']);
    let is_title = below > above + 1 && below == next && is_sentence && is_header(header);
    is_title.then(|| Comments {
        count: 1,
        direction: named_direction(first),
        lines: number,
        length: start,
    })
}

/// Returns whether a line can hold names of columns: no cell but the first is empty, a number or an
/// answer.
fn is_header(line: &str) -> bool {
    let cells = line.trim_end_matches(['\r', '\n']).split([',', ';', '\t']);
    let mut cells = cells.map(|cell| cell.trim().trim_matches('"').trim_end_matches('%').trim());
    cells
        .next()
        .is_none_or(|first| first.parse::<f64>().is_err())
        && cells
            .all(|cell| !is_missing(cell) && truth(cell).is_none() && cell.parse::<f64>().is_err())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_end_at_the_header() {
        fn of(text: &str) -> (u64, u64, &str) {
            let found = before_header(text);
            (found.count, found.lines, &text[found.length..])
        }
        let text = "# made by a script\r\n\r\n  # with care\r\narm,score\r\na,1\r\n";
        assert_eq!(of(text).0, 2);
        assert_eq!(of(text).1, 3);
        assert!(of(text).2.starts_with("arm,score"));
        // The header may be a comment itself.
        for text in [
            "# arm,score\na,0.5\n",
            "# item,a,b\nq1,pass,fail\nq2,pass,pass\n",
            "# arm;score\n1;a\n",
            "# arm,score\n",
            "arm,score\n# a,1\n",
        ] {
            assert_eq!(of(text), (0, 0, text), "{text}");
        }
        assert_eq!(of("# x\n,lstm,gru\n0,1,2\n").0, 1);
        let text = "Table 2: accuracy, in %.\n\nmodel,a,b,c\nx,1,2,3\n";
        assert_eq!(of(text), (1, 2, "model,a,b,c\nx,1,2,3\n"));
        for text in [
            "my arm,score\na,1,2\nb,1,2\n",
            "first a\n1,2,3\n1,2,3\n",
            "first;a b\na;b;c\n1;2\n",
        ] {
            assert_eq!(of(text), (0, 0, text), "{text}");
        }
    }
}
