//! P(one arm is better than another).

use super::axis::{NORMAL, SMALL};
use super::canvas::{Anchor, Canvas, Font};
use super::palette::{self, INK, MUTED};
use super::picture::Words;
use super::{Figure, FigureError, Plot, check, count, listed, text, usable};

/// P(row is better than column) for every pair of arms, as a table of coloured cells, in the order of the mean over a row.
///
/// Columns are the rows' numbers. Cells are blue above one half, brown below, in eleven steps, and say the percentage where it fits. Where more arms
/// were given than cells can be told apart, the best are shown and the title says of how many.
///
/// # Example
/// ```
/// use fiesta_report::figure::{Pairwise, Plot, WIDE};
///
/// let figure = Pairwise::new(&["lstm", "tdlstm"], &[vec![0.5, 0.03], vec![0.97, 0.5]]).draw(WIDE)?;
/// assert!(figure.svg().contains(">97<"));
/// # Ok::<(), fiesta_report::figure::FigureError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Pairwise {
    names: Vec<String>,
    better: Vec<Vec<f64>>,
}

/// Cells are at least this wide.
const SMALLEST: f64 = 10.0;
/// And at most this.
const LARGEST: f64 = 56.0;
/// No cell is higher.
const HIGHEST: f64 = 30.0;

impl Pairwise {
    /// `better[a][b]` is P(a is better than b); the diagonal is not looked at.
    pub fn new(names: &[&str], better: &[Vec<f64>]) -> Self {
        Self {
            names: names.iter().map(|name| (*name).to_owned()).collect(),
            better: better.to_vec(),
        }
    }

    fn check(&self) -> Result<(), FigureError> {
        check::some("pairwise comparison", "arm", &self.names)?;
        let arms = self.names.len();
        let lengths = std::iter::once(self.better.len()).chain(self.better.iter().map(Vec::len));
        for (row, found) in lengths.enumerate() {
            if found != arms {
                return Err(FigureError::Length {
                    what: if row == 0 {
                        "rows of the pairwise probabilities"
                    } else {
                        "columns of the pairwise probabilities"
                    },
                    found,
                    expected: arms,
                });
            }
        }
        for (a, row) in self.better.iter().enumerate() {
            for (b, p) in row.iter().enumerate() {
                if a != b {
                    check::probability("P(better)", &self.names[a], *p)?;
                }
            }
        }
        Ok(())
    }

    /// The arms by how likely they are better than another on average.
    fn order(&self) -> Vec<usize> {
        let merit = |a: usize| -> f64 {
            let others = self.better[a].iter().enumerate().filter(|(b, _)| *b != a);
            others.map(|(_, p)| p).sum()
        };
        let mut order: Vec<usize> = (0..self.names.len()).collect();
        order.sort_by(|&a, &b| merit(b).total_cmp(&merit(a)).then(a.cmp(&b)));
        order
    }
}

impl Plot for Pairwise {
    fn draw(&self, width: u32) -> Result<Figure, FigureError> {
        let width = usable(width)?;
        self.check()?;
        let mut order = self.order();
        let widest = self
            .names
            .iter()
            .map(|name| text::first_width(name, NORMAL))
            .fold(0.0, f64::max);
        let names = widest.min(width * 0.28);
        let number = text::width(&self.names.len().to_string(), SMALL) + 6.0;
        let left = names + number + 8.0;
        let room = width - left - 2.0;
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a few"
        )]
        order.truncate(((room / SMALLEST) as usize).max(1));
        let cell = (room / order.len() as f64).clamp(SMALLEST, LARGEST);
        let high = cell.min(HIGHEST);
        let top = 40.0;
        let size = if cell >= 30.0 { SMALL } else { 9.0 };
        let mut canvas = Canvas::default();
        let heading = if order.len() < self.names.len() {
            format!(
                "P(row better than column), the best {} of {} arms",
                order.len(),
                self.names.len()
            )
        } else {
            "P(row better than column)".to_owned()
        };
        canvas.text(
            (0.0, 12.0),
            &text::shorten(&heading, NORMAL, width),
            Font::new(NORMAL, MUTED),
        );
        let every = if cell >= 16.0 { 1 } else { 5 };
        for (place, &arm) in order.iter().enumerate() {
            let (x, y) = (
                left + (place as f64 + 0.5) * cell,
                top + (place as f64 + 0.5) * high,
            );
            let note = Font::new(if cell < 14.0 { 9.0 } else { SMALL }, MUTED);
            let name = Font::new(if cell < 14.0 { 9.5 } else { NORMAL }, INK);
            canvas.name(
                (names, y),
                &self.names[arm],
                names,
                name.anchored(Anchor::End),
            );
            let label = (place + 1).to_string();
            canvas.centred((left - 5.0, y), &label, note.anchored(Anchor::End));
            if place == 0 || (place + 1) % every == 0 {
                canvas.text((x, top - 6.0), &label, note.anchored(Anchor::Middle));
            }
            self.row(&mut canvas, &order, place, (left, top), (cell, high), size);
        }
        let bottom = top + order.len() as f64 * high;
        let arms = count(self.names.len(), "arm");
        let words = Words {
            title: format!("P(better) for every pair of {arms}"),
            caption: format!(
                "Probability in % that the arm of the row is better than the arm of the column; {}, the best first.",
                if order.len() < self.names.len() {
                    format!("the best {} of {arms}", order.len())
                } else {
                    arms.clone()
                }
            ),
            alt: format!(
                "Heat map of the probability that one arm is better than another, for {}.",
                listed(order.iter().map(|&arm| self.names[arm].as_str()))
            ),
        };
        Ok(Figure::new(words, (width, bottom + 6.0), canvas))
    }
}

impl Pairwise {
    /// The cells of a row; neighbours of one colour are one rectangle where they say nothing.
    fn row(
        &self,
        canvas: &mut Canvas,
        order: &[usize],
        place: usize,
        (left, top): (f64, f64),
        (cell, high): (f64, f64),
        size: f64,
    ) {
        let gap = if cell > 20.0 { 1.5 } else { 0.5 };
        let says = cell >= 22.0;
        let y = top + place as f64 * high;
        let steps: Vec<Option<(usize, palette::Colour)>> = order
            .iter()
            .enumerate()
            .map(|(column, &other)| {
                let p = self.better[order[place]][other];
                (column != place).then(|| (other, palette::diverging(p).0))
            })
            .collect();
        let mut column = 0;
        for run in steps.chunk_by(|a, b| !says && a.map(|a| a.1) == b.map(|b| b.1)) {
            if let Some((other, colour)) = run[0] {
                let x = left + column as f64 * cell;
                let wide = run.len() as f64 * cell - gap;
                canvas.rect((x, y), (wide, high - gap), colour, 1.0);
                if says {
                    let p = self.better[order[place]][other];
                    let font = Font::new(size, palette::diverging(p).1).anchored(Anchor::Middle);
                    let middle = (x + (cell - gap) / 2.0, y + (high - gap) / 2.0);
                    canvas.centred(middle, &percentage(p), font);
                }
            } else if says {
                let font = Font::new(size, MUTED).anchored(Anchor::Middle);
                let middle = (left + (column as f64 + 0.5) * cell, y + high / 2.0);
                canvas.centred(middle, "–", font);
            }
            column += run.len();
        }
    }
}

/// Whole percent; what is not certain is not said to be.
fn percentage(p: f64) -> String {
    match p {
        p if p > 0.0 && p < 0.005 => "<1".to_owned(),
        p if (0.995..1.0).contains(&p) => ">99".to_owned(),
        p => format!("{:.0}", p * 100.0),
    }
}
