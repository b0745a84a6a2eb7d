//! Recorded answers to the items of a pool as a problem for simulations.

use super::{Observations, Problem, standardise};
use fiesta_core::{
    ArmId, Arms, ArmsError, Case, Counts, Design, FBeta, Moments, Observation, Streams, greatest,
};
use rand::RngExt;
use std::{collections::HashMap, iter};

/// Recorded answers of every arm to every item of a pool (scores, or confusion counts), replayed
/// without replacement; the best arm is the one with the highest mean score over the pool, or with
/// the highest F_b of all its counts together.
///
/// In each run items come in that run's random order, and no arm has one twice. An answer costs 1,
/// or what [`priced`](Self::priced) says. [`design`](Self::design) is the design of that, under
/// which alone they can be replayed.
///
/// # Example
/// ```
/// use fiesta_core::{ArmId, Counts, FBeta};
/// use fiesta_policies::simulate::{Problem, RecordedItems};
/// let of = |scores: [f64; 2]| ["q1", "q2"].map(str::to_owned).into_iter().zip(scores).collect();
/// let arms = [("small".to_owned(), of([1.0, 0.0])), ("large".to_owned(), of([1.0, 1.0]))];
/// let recorded = RecordedItems::of_scores(arms)?;
/// assert!(recorded.is_best(ArmId::new(1)) && !recorded.is_best(ArmId::new(0)));
///
/// let of = |cells: [[u64; 4]; 2]| {
///     ["news", "mail"].iter().zip(cells).map(|(name, cells)| (name.to_string(), Counts::from_cells(cells))).collect()
/// };
/// let arms = [
///     ("long".to_owned(), of([[90, 10, 0, 9], [1, 5, 0, 4]])),
///     ("short".to_owned(), of([[60, 20, 0, 39], [5, 0, 0, 0]])),
/// ];
/// let recorded = RecordedItems::of_counts(arms, FBeta::F1)?;
/// assert!(recorded.is_best(ArmId::new(0)));
/// # Ok::<(), fiesta_policies::simulate::RecordedItemsError>(())
/// ```
#[derive(Debug, Clone)]
pub struct RecordedItems<O = f64> {
    arms: Arms,
    f_beta: FBeta,
    /// Answers of each arm to every item.
    answers: Vec<Answers<O>>,
    /// Value of each arm, by which arms are compared.
    values: Vec<f64>,
    best: f64,
    /// Moments of the scores of each arm's answers.
    moments: Vec<Moments>,
    /// Cost of an answer of each arm.
    prices: Vec<f64>,
    /// Whether each run draws its items anew.
    are_drawn: bool,
}

/// Difference up to which two totals over a pool are equal, in items.
const EQUAL: f64 = 1e-6;

/// An arm's answers, item by item.
#[derive(Debug, Clone)]
struct Answers<O> {
    all: Vec<O>,
    /// Places where the answers to each item begin, and the end of the last. `None` if each item
    /// has a single answer.
    begins: Option<Vec<usize>>,
}

impl<O> Answers<O> {
    /// Returns the answers of an arm to every item.
    fn new(cells: Vec<Vec<O>>) -> Self {
        let is_once = cells.iter().all(|cell| cell.len() == 1);
        let ends = cells.iter().scan(0, |end, cell| {
            *end += cell.len();
            Some(*end)
        });
        Self {
            begins: (!is_once).then(|| iter::once(0).chain(ends).collect()),
            all: cells.into_iter().flatten().collect(),
        }
    }

    fn items(&self) -> usize {
        let begins = self.begins.as_ref();
        begins.map_or(self.all.len(), |begins| begins.len() - 1)
    }

    /// Returns the answers to one item; none for a number that is no item.
    fn of(&self, item: usize) -> &[O] {
        let range = match &self.begins {
            None => item..item + 1,
            Some(begins) => match begins.get(item..item + 2) {
                Some(&[begin, end]) => begin..end,
                _ => 0..0,
            },
        };
        self.all.get(range).unwrap_or_default()
    }
}

/// The reason why recorded answers cannot be replayed.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum RecordedItemsError {
    /// Fewer than two arms are recorded, or a name is used twice.
    #[error(transparent)]
    Arms(#[from] ArmsError),
    /// An arm lacks an item.
    #[error(
        "a replay needs an answer of every arm to every item, and `{arm}` has none to `{item}`: add them, or leave the arm or the item \
         out"
    )]
    Hole {
        /// The arm without an answer.
        arm: String,
        /// The first item that the arm lacks.
        item: String,
    },
    /// An arm has an item twice.
    #[error("`{arm}` has an answer to `{item}` twice: keep one of the two")]
    Twice {
        /// The name of the arm.
        arm: String,
        /// The name of the item.
        item: String,
    },
    /// The F-measure of an arm is not defined.
    #[error(
        "there are no positives anywhere in the counts of `{0}` (TP + FP + FN = 0): its F is not defined, and nobody can say which arm \
         is best; leave the arm out, or add documents with something to find"
    )]
    NoPositives(String),
    /// The prices are out of range, or their number is not the number of arms.
    #[error("{0:?} are no prices of {1} arms: give each arm a number above 0")]
    Prices(Vec<f64>, usize),
}

/// An arm's name, and its answers, each with the name of its item.
type OfArm<O> = (String, Vec<(String, O)>);

impl RecordedItems {
    /// Returns a replay of the recorded scores of each arm, with the names of their items.
    ///
    /// # Errors
    /// [`RecordedItemsError`] for fewer than two arms, or an arm that lacks an item that another
    /// has or has one twice.
    pub fn of_scores(
        arms: impl IntoIterator<Item = OfArm<f64>>,
    ) -> Result<Self, RecordedItemsError> {
        Self::new(arms, FBeta::default(), false, |_, scores| {
            Ok(mean(&scores.all))
        })
    }

    /// Returns a replay of recorded scores, several of which may be of the same item, as answers
    /// vary when asked again: an arm's mean is the mean of its items' means. An evaluation draws
    /// one of the answers to its item, by its seed, every one equally likely.
    ///
    /// # Errors
    /// [`RecordedItemsError`] for fewer than two arms, or an arm that lacks an item that another
    /// has.
    ///
    /// # Example
    /// ```
    /// use fiesta_core::ArmId;
    /// use fiesta_policies::simulate::{Problem, RecordedItems};
    /// let of = |scores: [f64; 4]| ["q1", "q2", "q2", "q2"].map(str::to_owned).into_iter().zip(scores).collect();
    /// let arms = [("small".to_owned(), of([1.0, 0.0, 0.0, 1.0])), ("large".to_owned(), of([0.0, 1.0, 1.0, 1.0]))];
    /// let recorded = RecordedItems::of_repeats(arms)?;
    /// // (1 + 1/3)/2 against (0 + 1)/2.
    /// assert!(recorded.is_best(ArmId::new(0)) && !recorded.is_best(ArmId::new(1)));
    /// assert!(recorded.repeats() && recorded.items() == 2);
    /// # Ok::<(), fiesta_policies::simulate::RecordedItemsError>(())
    /// ```
    pub fn of_repeats(
        arms: impl IntoIterator<Item = OfArm<f64>>,
    ) -> Result<Self, RecordedItemsError> {
        Self::new(arms, FBeta::default(), true, |_, scores| {
            let cells = (0..scores.items()).map(|item| mean(scores.of(item)));
            Ok(cells.sum::<f64>() / scores.items().max(1) as f64)
        })
    }
}

impl RecordedItems<Counts> {
    /// Returns a replay of the recorded counts of each arm, with the names of their items
    /// (documents).
    ///
    /// # Errors
    /// As [`of_scores`](RecordedItems::of_scores), and for an arm whose F is not defined.
    pub fn of_counts(
        arms: impl IntoIterator<Item = OfArm<Counts>>,
        f_beta: FBeta,
    ) -> Result<Self, RecordedItemsError> {
        Self::new(arms, f_beta, false, |name, counts| {
            let of_all = f_beta.of_counts(&counts.all.iter().copied().sum());
            of_all.ok_or_else(|| RecordedItemsError::NoPositives(name.to_owned()))
        })
    }
}

impl<O: Copy + Into<Observation>> RecordedItems<O> {
    fn new(
        arms: impl IntoIterator<Item = OfArm<O>>,
        f_beta: FBeta,
        may_repeat: bool,
        value: impl Fn(&str, &Answers<O>) -> Result<f64, RecordedItemsError>,
    ) -> Result<Self, RecordedItemsError> {
        let (names, records): (Vec<String>, Vec<_>) = arms.into_iter().unzip();
        let arms = Arms::new(names)?;
        let answers = grid(&arms, &records, may_repeat)?;
        let of_arms = arms.names().iter().zip(&answers);
        let values = of_arms.map(|(name, answers)| value(name, answers));
        let values = values.collect::<Result<Vec<f64>, _>>()?;
        let scores = |answers: &Answers<O>| {
            let all = answers.all.iter();
            all.map(|&one| score(one, f_beta)).collect()
        };
        let greatest = greatest(values.iter().copied());
        // Totals that differ by a millionth of an item are equal: rounding makes such differences.
        let equal = EQUAL * greatest.abs().max(1.0) / answers[0].items().max(1) as f64;
        Ok(Self {
            moments: answers.iter().map(scores).collect(),
            best: greatest - equal,
            prices: vec![1.0; arms.len()],
            are_drawn: false,
            arms,
            f_beta,
            answers,
            values,
        })
    }

    /// Counts an arm that is worse than the best by at most `tolerance` as best.
    #[must_use]
    pub fn within(self, tolerance: f64) -> Self {
        let best = self.best - tolerance;
        Self { best, ..self }
    }

    /// Sets that the items stand for a population: each run draws a sample of the same size, with
    /// replacement.
    #[must_use]
    pub fn drawn(self) -> Self {
        Self {
            are_drawn: true,
            ..self
        }
    }

    /// Sets what an answer of each arm costs, and how long it takes; 1 otherwise.
    ///
    /// # Errors
    /// [`RecordedItemsError::Prices`] unless there is a finite price above 0 for each arm.
    pub fn priced(self, prices: impl IntoIterator<Item = f64>) -> Result<Self, RecordedItemsError> {
        let prices: Vec<f64> = prices.into_iter().collect();
        let is_price = |price: &f64| price.is_finite() && *price > 0.0;
        if prices.len() != self.arms.len() || !prices.iter().all(is_price) {
            return Err(RecordedItemsError::Prices(prices, self.arms.len()));
        }
        Ok(Self { prices, ..self })
    }

    /// Returns the number of items in the pool, N.
    pub fn items(&self) -> u64 {
        self.answers[0].items() as u64
    }

    /// Whether an item has several answers of an arm: to be replayed with
    /// [`Simulation::repeats`](crate::simulate::Simulation::repeats).
    pub fn repeats(&self) -> bool {
        self.answers.iter().any(|answers| answers.begins.is_some())
    }

    /// Returns the design under which the answers are replayed.
    pub fn design(&self) -> Design {
        Design::Items {
            count: self.items(),
        }
    }
}

fn score(answer: impl Into<Observation>, f_beta: FBeta) -> f64 {
    answer.into().score(f_beta)
}

fn mean(scores: &[f64]) -> f64 {
    scores.iter().sum::<f64>() / scores.len().max(1) as f64
}

/// Returns the answers of each arm to each item, the items in the order of their first appearance.
fn grid<O: Copy>(
    arms: &Arms,
    records: &[Vec<(String, O)>],
    may_repeat: bool,
) -> Result<Vec<Answers<O>>, RecordedItemsError> {
    let mut names: Vec<&str> = Vec::new();
    let mut numbers: HashMap<&str, usize> = HashMap::new();
    for (item, _) in records.iter().flatten() {
        numbers.entry(item).or_insert_with(|| {
            names.push(item);
            names.len() - 1
        });
    }
    let mut grid = Vec::with_capacity(records.len());
    for (arm, records) in arms.names().iter().zip(records) {
        let mut row = vec![Vec::new(); names.len()];
        for (item, answer) in records {
            let cell = &mut row[numbers[item.as_str()]];
            if !cell.is_empty() && !may_repeat {
                let (arm, item) = (arm.clone(), item.clone());
                return Err(RecordedItemsError::Twice { arm, item });
            }
            cell.push(*answer);
        }
        if let Some(place) = row.iter().position(Vec::is_empty) {
            return Err(RecordedItemsError::Hole {
                arm: arm.clone(),
                item: names[place].to_owned(),
            });
        }
        grid.push(Answers::new(row));
    }
    Ok(grid)
}

impl<O: Copy + Sync + Into<Observation>> Problem<O> for RecordedItems<O> {
    fn arms(&self) -> &Arms {
        &self.arms
    }

    fn shortfall(&self, arm: ArmId) -> f64 {
        (self.best - self.values[arm.index()]).max(0.0)
    }

    fn mean_duration(&self, arm: ArmId) -> f64 {
        self.prices[arm.index()]
    }

    fn standardised(&self, arm: ArmId, answer: O) -> f64 {
        let moments = &self.moments[arm.index()];
        let sd = moments.standard_deviation().unwrap_or(0.0);
        standardise(score(answer, self.f_beta), moments.mean(), sd)
    }

    fn observations(
        &self,
        _design: Design,
        streams: &Streams,
        number: u64,
    ) -> Box<dyn Observations<O> + '_> {
        // The order of the items is random as well, and the design's.
        let items = self.answers[0].items();
        let mut rng = streams.run(number);
        let draw = || (0..items).map(|_| rng.random_range(0..items)).collect();
        Box::new(Recalled {
            recorded: self,
            drawn: self.are_drawn.then(draw),
        })
    }
}

struct Recalled<'a, O> {
    recorded: &'a RecordedItems<O>,
    /// The recorded item that stands for each item of the run. `None` if each item stands for itself.
    drawn: Option<Vec<usize>>,
}

impl<O: Copy> Observations<O> for Recalled<'_, O> {
    /// Returns a recorded answer of the arm to the case's item. Panics if the case is no item of the
    /// pool, under another design than that of the pool.
    fn observe(&mut self, arm: ArmId, case: Case) -> O {
        let answers = usize::try_from(case.split).ok();
        let answers = answers.and_then(|item| match &self.drawn {
            Some(drawn) => drawn.get(item).copied(),
            None => Some(item),
        });
        let answers = answers.map(|item| self.recorded.answers[arm.index()].of(item));
        let answers = answers.unwrap_or_default();
        let place = case.seed.checked_rem(answers.len() as u64);
        place
            .and_then(|place| answers.get(usize::try_from(place).ok()?).copied())
            .expect("recorded answers are replayed under the design of their pool")
    }
}
