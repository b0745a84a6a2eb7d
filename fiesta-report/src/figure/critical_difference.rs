//! Critical-difference diagrams.

use super::axis::{Axis, NORMAL, SMALL, Scale, Side, Spacing};
use super::error::{finite, out_of_range, some};
use super::palette::{ARMS, INK, MUTED, RULE};
use super::picture::Words;
use super::scene::{Anchor, Font, Scene, Stroke};
use super::ticks::Quantity;
use super::{Figure, FigureError, Plot, count, listed, text};
use crate::summary::cliques;

/// Average ranks of arms over complete blocks: in every block (a split, a data set) every arm was
/// evaluated and ranked.
///
/// Only blocks give such ranks. Independent runs of the arms do not, however many there are, and
/// have no critical difference.
#[derive(Debug, Clone, PartialEq)]
pub struct BlockRanks {
    blocks: usize,
    /// Names of the arms with their ranks, from the best on.
    ranks: Vec<(String, f64)>,
    critical_difference: f64,
}

impl BlockRanks {
    /// Returns the average ranks (1 is best, ties share the mean of their ranks) over this many
    /// blocks, and the difference that is critical for them.
    ///
    /// # Errors
    /// There are no arms or fewer than two blocks; a rank is not from 1 to the number of arms; the
    /// ranks do not sum to k(k + 1)/2, as those of complete blocks do; the critical difference is
    /// not a positive number.
    pub fn new(
        blocks: usize,
        ranks: &[(&str, f64)],
        critical_difference: f64,
    ) -> Result<Self, FigureError> {
        const FIGURE: &str = "critical-difference diagram";
        some(FIGURE, "arm", ranks)?;
        if blocks < 2 {
            some(FIGURE, "second block", &[(); 0])?;
        }
        let arms = ranks.len() as f64;
        for (name, rank) in ranks {
            let what = "the average rank";
            finite(what, name, &[*rank])?;
            if !(1.0 - 1e-9..=arms + 1e-9).contains(rank) {
                return Err(out_of_range(what, name, *rank, "[1, number of arms]"));
            }
        }
        let sum: f64 = ranks.iter().map(|rank| rank.1).sum();
        let expected = arms * (arms + 1.0) / 2.0;
        // Ranks may have been rounded to two digits.
        if (sum - expected).abs() > 0.006 * arms {
            return Err(FigureError::Refused(format!(
                "the average ranks of {arms} arms sum to {sum}, but in complete blocks to {expected}; rank all arms in every block"
            )));
        }
        if !(critical_difference > 0.0 && critical_difference.is_finite()) {
            let what = "the critical difference";
            return Err(out_of_range(
                what,
                "all arms",
                critical_difference,
                "(0, ∞)",
            ));
        }
        let mut ranks: Vec<(String, f64)> = ranks
            .iter()
            .map(|(name, rank)| ((*name).to_owned(), *rank))
            .collect();
        ranks.sort_by(|a, b| a.1.total_cmp(&b.1));
        Ok(Self {
            blocks,
            ranks,
            critical_difference,
        })
    }
}

/// Average ranks on a line, the best left; arms that do not differ by the critical difference are
/// joined by a bar (Demšar 2006, *Statistical Comparisons of Classifiers over Multiple Data Sets*,
/// Figure 1).
///
/// # Example
/// ```
/// use fiesta_report::figure::{BlockRanks, CriticalDifference, Plot, WIDE};
///
/// let ranks = BlockRanks::new(20, &[("lstm", 2.6), ("tdlstm", 1.3), ("atae", 2.1)], 0.74)?;
/// let figure = CriticalDifference::new(ranks, "Nemenyi, α = .05").draw(WIDE)?;
/// assert!(figure.svg().contains("critical difference 0.74"));
/// assert!(BlockRanks::new(20, &[("lstm", 1.0), ("tdlstm", 1.0)], 0.74).is_err());
/// # Ok::<(), fiesta_report::figure::FigureError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct CriticalDifference {
    ranks: BlockRanks,
    test: String,
}

impl CriticalDifference {
    /// Returns a diagram of these ranks; `test` says what the difference is critical for.
    pub fn new(ranks: BlockRanks, test: impl Into<String>) -> Self {
        Self {
            ranks,
            test: test.into(),
        }
    }
}

/// The height of a line of names.
const LINE: f64 = 17.0;
/// Heights of the bar of the critical difference and of the axis.
const BAR: f64 = 24.0;
const AXIS: f64 = 58.0;
/// Distance between bars below each other.
const STEP: f64 = 7.0;

/// Layout of the parts of a diagram.
struct Layout {
    scale: Scale,
    /// Room for names, and for names with their ranks, on either side.
    names: f64,
    side: f64,
}

impl CriticalDifference {
    /// Draws the length of the critical difference above the axis.
    fn draw_scale(&self, scene: &mut Scene, layout: &Layout, first: f64) {
        let difference = self.ranks.critical_difference;
        let from = layout.scale.at(first);
        let to = layout.scale.at(first + difference).min(scene.width - 2.0);
        let label = format!("critical difference {}", text::number(difference, 0.01));
        let label = text::shorten(&label, SMALL, scene.width - from);
        scene.text((from, BAR - 10.0), &label, Font::new(SMALL, MUTED));
        let stroke = Stroke::new(MUTED, 1.5);
        scene.line((from, BAR), (to, BAR), stroke);
        for end in [from, to] {
            scene.line((end, BAR - 3.5), (end, BAR + 3.5), stroke);
        }
        Axis::horizontal(Quantity::Number, layout.scale).draw(scene, Side::Above, AXIS);
    }

    /// Draws every arm's way from the axis to its name, from this height on.
    fn draw_names(&self, scene: &mut Scene, layout: &Layout, top: f64) {
        let arms = &self.ranks.ranks;
        let left = arms.len().div_ceil(2);
        for (place, (name, rank)) in arms.iter().enumerate() {
            let is_left = place < left;
            let row = if is_left {
                place
            } else {
                arms.len() - 1 - place
            };
            let y = top + (row as f64 + 0.5) * LINE;
            let x = layout.scale.at(*rank);
            let (line, dot) = if place == 0 {
                (ARMS[0], ARMS[0])
            } else {
                (RULE, INK)
            };
            // The right side is the left one in a mirror.
            let (edge, inward, anchor) = if is_left {
                (0.0, 1.0, Anchor::End)
            } else {
                (scene.width, -1.0, Anchor::Start)
            };
            let elbow = edge + inward * (layout.side - 4.0);
            scene.path(&[(x, AXIS), (x, y), (elbow, y)], Stroke::new(line, 1.0));
            scene.dot((x, AXIS), 2.5, dot);
            let number = Font::new(SMALL, MUTED).anchored(anchor);
            scene.centred(
                (elbow - inward * 4.0, y),
                &text::number(*rank, 0.01),
                number,
            );
            let at = (edge + inward * layout.names, y);
            scene.name(
                at,
                name,
                layout.names,
                Font::new(NORMAL, INK).anchored(anchor),
            );
        }
    }

    fn words(&self) -> Words {
        let arms = count(self.ranks.ranks.len(), "arm");
        let blocks = count(self.ranks.blocks, "block");
        Words {
            title: format!("Average ranks of {arms} over {blocks}"),
            caption: format!(
                "Average ranks of {arms} over {blocks} (1 is best). Arms joined by a bar differ by less than the critical \
                 difference {} ({}).",
                text::number(self.ranks.critical_difference, 0.01),
                self.test
            ),
            alt: format!(
                "Critical-difference diagram of {arms}; from the best: {}.",
                listed(self.ranks.ranks.iter().map(|arm| arm.0.as_str()))
            ),
        }
    }
}

/// The bars that join arms, each on the first level where it touches no other: (from, to, level).
fn bars(ranks: &[f64], difference: f64, scale: &Scale) -> Vec<(f64, f64, usize)> {
    let mut taken: Vec<f64> = Vec::new();
    cliques(ranks, difference)
        .into_iter()
        .map(|(a, b)| {
            let (start, end) = (scale.at(ranks[a]) - 4.0, scale.at(ranks[b]) + 4.0);
            let free = taken.iter().position(|until| *until < start - 4.0);
            let level = free.unwrap_or(taken.len());
            taken.resize(taken.len().max(level + 1), 0.0);
            taken[level] = end;
            (start, end, level)
        })
        .collect()
}

impl Plot for CriticalDifference {
    fn draw(&self, width: u32) -> Result<Figure, FigureError> {
        let mut scene = Scene::new(width)?;
        let width = scene.width;
        let (names, ranks): (Vec<&str>, Vec<f64>) = self
            .ranks
            .ranks
            .iter()
            .map(|(name, rank)| (name.as_str(), *rank))
            .unzip();
        let k = ranks.len();
        let difference = self.ranks.critical_difference;
        let numbers = text::width("00.00", SMALL) + 8.0;
        let names = text::widest(&names, NORMAL).min(width * 0.3 - numbers);
        let side = names + numbers + 10.0;
        // As far as the ranks and the difference reach, in whole ranks.
        let first = ranks[0].floor();
        let reach = ranks[k - 1].max((first + difference).min(k as f64));
        let ends = (first, reach.ceil().max(first + 1.0));
        let layout = Layout {
            scale: Scale::new("average rank", Spacing::Linear, ends, (side, width - side))?,
            names,
            side,
        };
        self.draw_scale(&mut scene, &layout, first);
        let bars = bars(&ranks, difference, &layout.scale);
        let levels = bars.iter().map(|bar| bar.2 + 1).max().unwrap_or(0);
        let top = AXIS + 22.0 + levels as f64 * STEP;
        self.draw_names(&mut scene, &layout, top);
        for (start, end, level) in bars {
            let y = AXIS + 12.0 + level as f64 * STEP;
            scene.line((start, y), (end, y), Stroke::new(INK, 3.5));
        }
        let bottom = top + k.div_ceil(2) as f64 * LINE;
        let blocks = count(self.ranks.blocks, "block");
        let note = format!("average rank over {blocks} ({})", self.test);
        scene.caption(&note, (0.0, width), bottom - 15.0);
        Ok(scene.finish(self.words(), bottom + 28.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_of_incomplete_blocks_are_refused() {
        let ranks = [("a", 1.2), ("b", 1.2)];
        let refused = BlockRanks::new(9, &ranks, 1.0).unwrap_err().to_string();
        assert!(
            refused.contains("rank all arms in every block"),
            "{refused}"
        );
        let ranks = [("a", 1.2), ("b", 1.8)];
        assert!(BlockRanks::new(9, &ranks, 1.0).is_ok());
        assert!(BlockRanks::new(1, &ranks, 1.0).is_err());
        assert!(BlockRanks::new(9, &ranks, f64::NAN).is_err());
    }
}
