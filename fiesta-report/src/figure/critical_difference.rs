//! Critical-difference diagrams.

use super::axis::{Axis, NORMAL, SMALL};
use super::canvas::{Anchor, Canvas, Font, Stroke};
use super::palette::{ARMS, INK, MUTED, RULE};
use super::picture::Words;
use super::scale::Scale;
use super::ticks::Quantity;
use super::{Figure, FigureError, Plot, Spacing, check, count, listed, text, usable};

/// Average ranks of arms over complete blocks: in every block (a split, a data set) every arm was evaluated and ranked.
///
/// Only blocks give such ranks. Independent runs of the arms do not, however many there are, and have no critical difference.
#[derive(Debug, Clone, PartialEq)]
pub struct BlockRanks {
    blocks: usize,
    ranks: Vec<(String, f64)>,
    critical_difference: f64,
}

impl BlockRanks {
    /// The average ranks (1 is best, ties share the mean of their ranks) over this many blocks, and the difference that is critical
    /// for them.
    ///
    /// # Errors
    /// There are no arms or fewer than two blocks; a rank is not from 1 to the number of arms; the ranks do not sum to
    /// k(k + 1)/2, as those of complete blocks do; the critical difference is not a positive number.
    pub fn new(
        blocks: usize,
        ranks: &[(&str, f64)],
        critical_difference: f64,
    ) -> Result<Self, FigureError> {
        check::some("critical-difference diagram", "arm", ranks)?;
        if blocks < 2 {
            return Err(FigureError::Empty {
                figure: "critical-difference diagram",
                what: "second block",
            });
        }
        let arms = ranks.len() as f64;
        for (name, rank) in ranks {
            check::finite("the average rank", name, &[*rank])?;
            if !(1.0 - 1e-9..=arms + 1e-9).contains(rank) {
                return Err(FigureError::OutOfRange {
                    what: "the average rank",
                    name: (*name).to_owned(),
                    value: *rank,
                    range: "[1, number of arms]",
                });
            }
        }
        let sum: f64 = ranks.iter().map(|rank| rank.1).sum();
        let expected = arms * (arms + 1.0) / 2.0;
        // Ranks may have been rounded to two digits.
        if (sum - expected).abs() > 0.006 * arms {
            return Err(FigureError::Ranks {
                arms: ranks.len(),
                sum,
                expected,
            });
        }
        if !(critical_difference > 0.0 && critical_difference.is_finite()) {
            return Err(FigureError::OutOfRange {
                what: "the critical difference",
                name: "all arms".to_owned(),
                value: critical_difference,
                range: "(0, ∞)",
            });
        }
        Ok(Self {
            blocks,
            ranks: ranks
                .iter()
                .map(|(name, rank)| ((*name).to_owned(), *rank))
                .collect(),
            critical_difference,
        })
    }

    /// The longest runs of ranks, from the best on, whose ends differ by less than the critical difference.
    fn cliques(sorted: &[f64], difference: f64) -> Vec<(usize, usize)> {
        let mut cliques: Vec<(usize, usize)> = Vec::new();
        for from in 0..sorted.len() {
            let reach = sorted.partition_point(|rank| rank - sorted[from] < difference) - 1;
            let new = cliques.last().is_none_or(|last| reach > last.1);
            if reach > from && new {
                cliques.push((from, reach));
            }
        }
        cliques
    }
}

/// Average ranks on a line, the best left; arms that do not differ by the critical difference are joined by a bar (Demšar 2006,
/// *Statistical Comparisons of Classifiers over Multiple Data Sets*, Figure 1).
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
    /// Of these ranks; `test` says what the difference is critical for.
    pub fn new(ranks: BlockRanks, test: impl Into<String>) -> Self {
        Self {
            ranks,
            test: test.into(),
        }
    }
}

impl Plot for CriticalDifference {
    fn draw(&self, width: u32) -> Result<Figure, FigureError> {
        const LINE: f64 = 17.0;
        let width = usable(width)?;
        let mut arms = self.ranks.ranks.clone();
        arms.sort_by(|a, b| a.1.total_cmp(&b.1));
        let sorted: Vec<f64> = arms.iter().map(|arm| arm.1).collect();
        let k = arms.len();
        let difference = self.ranks.critical_difference;
        let widest = arms
            .iter()
            .map(|(name, _)| {
                text::width(
                    &text::clean(&name.chars().take(200).collect::<String>()),
                    NORMAL,
                )
            })
            .fold(0.0, f64::max);
        let rank_width = text::width("00.00", SMALL) + 8.0;
        let room = widest.min(width * 0.3 - rank_width);
        let side = room + rank_width + 10.0;
        // As far as the ranks and the difference reach, in whole ranks.
        let first = sorted[0].floor();
        let last = sorted[k - 1]
            .max((first + difference).min(k as f64))
            .ceil()
            .max(first + 1.0);
        let scale = Scale::new(
            "average rank",
            Spacing::Linear,
            (first, last),
            (side, width - side),
        )?;
        let axis = Axis::horizontal(Quantity::Number, scale, (first, last));
        let mut canvas = Canvas::default();
        let label = format!("critical difference {}", text::number(difference, 0.01));
        let (from, to) = (
            scale.at(first),
            scale.at(first + difference).min(width - 2.0),
        );
        let bar_y = 24.0;
        canvas.text(
            (from, 14.0),
            &text::shorten(&label, SMALL, width - from),
            Font::new(SMALL, MUTED),
        );
        canvas.line((from, bar_y), (to, bar_y), Stroke::new(MUTED, 1.5));
        for end in [from, to] {
            canvas.line(
                (end, bar_y - 3.5),
                (end, bar_y + 3.5),
                Stroke::new(MUTED, 1.5),
            );
        }
        let axis_y = 58.0;
        axis.draw_above(&mut canvas, axis_y);
        let cliques = BlockRanks::cliques(&sorted, difference);
        // Bars that overlap stand below each other.
        let mut levels: Vec<f64> = Vec::new();
        let mut bars = Vec::new();
        for (a, b) in cliques {
            let (start, end) = (scale.at(sorted[a]) - 4.0, scale.at(sorted[b]) + 4.0);
            let level = levels.iter().position(|taken| *taken < start - 4.0);
            let level = level.unwrap_or_else(|| {
                levels.push(0.0);
                levels.len() - 1
            });
            levels[level] = end;
            bars.push((start, end, level));
        }
        let bars_top = axis_y + 12.0;
        let names_top = bars_top + levels.len() as f64 * 7.0 + 10.0;
        let left = k.div_ceil(2);
        let rank_font = Font::new(SMALL, MUTED);
        for (place, (name, rank)) in arms.iter().enumerate() {
            let is_left = place < left;
            let row = if is_left { place } else { k - 1 - place };
            let y = names_top + (row as f64 + 0.5) * LINE;
            let at = scale.at(*rank);
            let elbow = if is_left {
                side - 4.0
            } else {
                width - side + 4.0
            };
            let colour = if place == 0 { ARMS[0] } else { RULE };
            canvas.path(
                &[(at, axis_y), (at, y), (elbow, y)],
                Stroke::new(colour, 1.0),
            );
            canvas.dot((at, axis_y), 2.5, if place == 0 { ARMS[0] } else { INK });
            let number = text::number(*rank, 0.01);
            let font = Font::new(NORMAL, INK);
            if is_left {
                canvas.centred((elbow - 4.0, y), &number, rank_font.anchored(Anchor::End));
                canvas.name((room, y), name, room, font.anchored(Anchor::End));
            } else {
                canvas.centred((elbow + 4.0, y), &number, rank_font);
                canvas.name((width - room, y), name, room, font);
            }
        }
        for (start, end, level) in bars {
            let y = bars_top + level as f64 * 7.0;
            canvas.line((start, y), (end, y), Stroke::new(INK, 3.5));
        }
        let height = names_top + left as f64 * LINE + 28.0;
        let note = format!(
            "average rank over {} ({})",
            count(self.ranks.blocks, "block"),
            self.test
        );
        let font = Font::new(NORMAL, MUTED).anchored(Anchor::Middle);
        canvas.text(
            (width / 2.0, height - 8.0),
            &text::shorten(&note, NORMAL, width),
            font,
        );
        let count_of_arms = count(k, "arm");
        let words = Words {
            title: format!(
                "Average ranks of {count_of_arms} over {}",
                count(self.ranks.blocks, "block")
            ),
            caption: format!(
                "Average ranks of {count_of_arms} over {} (1 is best). Arms joined by a bar differ by less than the critical \
                 difference {} ({}).",
                count(self.ranks.blocks, "block"),
                text::number(difference, 0.01),
                self.test
            ),
            alt: format!(
                "Critical-difference diagram of {count_of_arms}; from the best: {}.",
                listed(arms.iter().map(|arm| arm.0.as_str()))
            ),
        };
        Ok(Figure::new(words, (width, height), canvas))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_join_the_longest_runs_only() {
        let cliques = BlockRanks::cliques(&[1.0, 1.5, 2.2, 4.0, 4.4], 1.25);
        assert_eq!(cliques, [(0, 2), (3, 4)]);
        assert_eq!(BlockRanks::cliques(&[1.0, 2.0, 3.0], 1.5), [(0, 1), (1, 2)]);
        assert_eq!(BlockRanks::cliques(&[1.0, 3.0], 1.0), []);
    }

    #[test]
    fn ranks_of_incomplete_blocks_are_refused() {
        let ranks = [("a", 1.2), ("b", 1.2)];
        assert!(matches!(
            BlockRanks::new(9, &ranks, 1.0),
            Err(FigureError::Ranks { .. })
        ));
        let ranks = [("a", 1.2), ("b", 1.8)];
        assert!(BlockRanks::new(9, &ranks, 1.0).is_ok());
        assert!(BlockRanks::new(1, &ranks, 1.0).is_err());
        assert!(BlockRanks::new(9, &ranks, f64::NAN).is_err());
    }
}
