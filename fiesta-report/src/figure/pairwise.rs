//! The probability that one arm is better than another, for every pair.

use super::axis::{NORMAL, SMALL};
use super::error::{length, probability, some};
use super::palette::{INK, MUTED, diverging};
use super::picture::Words;
use super::rows::by_name;
use super::scene::{Anchor, Font, Scene};
use super::{Figure, FigureError, Plot, count, listed, text};

/// P(row is better than column) for every pair of arms, as a table of coloured cells, in the order
/// of the mean over a row.
///
/// Columns are the rows' numbers. Cells are blue above one half, brown below, in eleven steps, and
/// say the percentage where it fits. Where more arms were given than cells can be told apart, the
/// best are shown and the title says of how many.
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
    ranked: Vec<String>,
}

/// Least width of a cell.
const SMALLEST: f64 = 10.0;
/// Greatest height of a cell.
const HIGHEST: f64 = 30.0;

impl Pairwise {
    /// Returns a figure of `better[a][b]`, P(a is better than b); the diagonal is not looked at.
    pub fn new(names: &[&str], better: &[Vec<f64>]) -> Self {
        Self {
            names: names.iter().map(|name| (*name).to_owned()).collect(),
            better: better.to_vec(),
            ranked: Vec::new(),
        }
    }

    ranked!(ranked);

    fn check(&self) -> Result<(), FigureError> {
        some("pairwise comparison", "arm", &self.names)?;
        let arms = self.names.len();
        length(
            "rows of the pairwise probabilities",
            self.better.len(),
            arms,
        )?;
        for (a, row) in self.better.iter().enumerate() {
            length("columns of the pairwise probabilities", row.len(), arms)?;
            for (b, p) in row.iter().enumerate() {
                if a != b {
                    probability("P(better)", &self.names[a], *p)?;
                }
            }
        }
        Ok(())
    }

    /// Returns the arms by how likely they are better than another on average.
    fn order(&self) -> Vec<usize> {
        let merit = |a: usize| -> f64 {
            let others = self.better[a].iter().enumerate().filter(|(b, _)| *b != a);
            others.map(|(_, p)| p).sum()
        };
        let mut order: Vec<usize> = (0..self.names.len()).collect();
        order.sort_by(|&a, &b| merit(b).total_cmp(&merit(a)).then(a.cmp(&b)));
        let names: Vec<&str> = self.names.iter().map(String::as_str).collect();
        by_name(&mut order, &names, &self.ranked);
        order
    }

    fn words(&self, order: &[usize]) -> Words {
        let arms = count(self.names.len(), "arm");
        let shown = if order.len() < self.names.len() {
            format!("the best {} of {arms}", order.len())
        } else {
            arms.clone()
        };
        Words {
            title: format!("P(better) for every pair of {arms}"),
            caption: format!(
                "Probability in % that the arm of the row is better than the arm of the column; {shown}, the best first."
            ),
            alt: format!(
                "Heat map of the probability that one arm is better than another, for {}.",
                listed(order.iter().map(|&arm| self.names[arm].as_str()))
            ),
        }
    }

    /// Draws the cells of a row, given P(better) of each. Neighbours of one colour are one
    /// rectangle if they hold no text.
    fn row(
        scene: &mut Scene,
        row: &[Option<f64>],
        (left, y): (f64, f64),
        (cell, high): (f64, f64),
    ) {
        let gap = if cell > 20.0 { 1.5 } else { 0.5 };
        let says = cell >= 22.0;
        let size = if cell >= 30.0 { SMALL } else { 9.0 };
        let ground = |p: &Option<f64>| p.map(|p| diverging(p).0);
        let mut x = left;
        for run in row.chunk_by(|a, b| !says && ground(a) == ground(b)) {
            let wide = run.len() as f64 * cell;
            let (label, colour) = match run[0] {
                Some(p) => (percentage(p), diverging(p).1),
                None => ("–".to_owned(), MUTED),
            };
            if let Some(ground) = ground(&run[0]) {
                scene.rect((x, y), (wide - gap, high - gap), ground);
            }
            if says {
                let middle = (x + (cell - gap) / 2.0, y + (high - gap) / 2.0);
                scene.centred(
                    middle,
                    &label,
                    Font::new(size, colour).anchored(Anchor::Middle),
                );
            }
            x += wide;
        }
    }
}

impl Plot for Pairwise {
    fn draw(&self, width: u32) -> Result<Figure, FigureError> {
        let mut scene = Scene::new(width)?;
        self.check()?;
        let mut order = self.order();
        let all = order.len();
        let names = text::widest(&self.names, NORMAL).min(scene.width * 0.28);
        let left = names + text::width(&all.to_string(), SMALL) + 14.0;
        let room = scene.width - left - 2.0;
        order.truncate(fiesta_core::whole(room / SMALLEST).max(1));
        let shown = order.len();
        let cell = (room / shown as f64).max(SMALLEST);
        let high = cell.min(HIGHEST);
        let top = 40.0;
        let heading = if shown < all {
            format!("P(row better than column), the best {shown} of {all} arms")
        } else {
            "P(row better than column)".to_owned()
        };
        scene.heading(12.0, &heading);
        let (small, normal) = if cell < 14.0 {
            (9.0, 9.5)
        } else {
            (SMALL, NORMAL)
        };
        let (note, font) = (Font::new(small, MUTED), Font::new(normal, INK));
        let every = if cell >= 16.0 { 1 } else { 5 };
        for (place, &arm) in order.iter().enumerate() {
            let x = left + (place as f64 + 0.5) * cell;
            let corner = (left, top + place as f64 * high);
            let y = corner.1 + high / 2.0;
            scene.name(
                (names, y),
                &self.names[arm],
                names,
                font.anchored(Anchor::End),
            );
            let label = (place + 1).to_string();
            scene.centred((left - 5.0, y), &label, note.anchored(Anchor::End));
            if place == 0 || (place + 1) % every == 0 {
                scene.text((x, top - 6.0), &label, note.anchored(Anchor::Middle));
            }
            let better = |&other: &usize| (other != arm).then(|| self.better[arm][other]);
            let row: Vec<Option<f64>> = order.iter().map(better).collect();
            Self::row(&mut scene, &row, corner, (cell, high));
        }
        let bottom = top + shown as f64 * high;
        Ok(scene.finish(self.words(&order), bottom + 6.0))
    }
}

/// Writes a probability as whole percent; what is not certain is not said to be.
fn percentage(p: f64) -> String {
    match p {
        p if p > 0.0 && p < 0.005 => "<1".to_owned(),
        p if (0.995..1.0).contains(&p) => ">99".to_owned(),
        p => format!("{:.0}", p * 100.0),
    }
}
