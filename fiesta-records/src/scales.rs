//! Scores on two scales: shares (0 to 1) beside percentages (0 to 100).

use crate::{
    Choice, Evaluations, HeaderProblem, Reading,
    proposal::{is_share, may_be_share},
    words::excerpt,
};
use std::collections::BTreeMap;

impl Evaluations {
    /// Refuses scores of which some are shares and others percentages, where the metric's name says
    /// that all are one of the two, or all are answers (0 or 1, and 0 or 100). The arms are those of
    /// [`Reading::arms`], or all. Scores with [`Reading::bounds`] are never refused.
    ///
    /// # Errors
    /// [`HeaderProblem::Choose`] that names an arm and a score of each scale.
    ///
    /// # Example
    /// ```
    /// use fiesta_records::{Evaluations, Reading, Record};
    /// let mut records = Evaluations::new("accuracy")?;
    /// records.push(Record::new("lstm", 0.71))?;
    /// records.push(Record::new("gru", 69.3))?;
    /// let told = records.check_scales(&Reading::default()).unwrap_err().to_string();
    /// assert!(told.contains("`lstm` look like shares (0.71) and those of `gru` like percentages (69.3)"));
    /// let bounds = Some((0.0, 100.0));
    /// assert!(records.check_scales(&Reading { bounds, ..Reading::default() }).is_ok());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn check_scales(&self, options: &Reading) -> Result<(), HeaderProblem> {
        check(self.metric(), self.arms(), self.by_number(), options)
    }

    /// Returns in words what [`check_scales`](Self::check_scales) refuses, without what to do. `None` if it refuses nothing.
    pub fn two_scales(&self, options: &Reading) -> Option<String> {
        surely(self.metric(), self.arms(), self.by_number(), options).map(|(problem, _)| problem)
    }

    /// Returns a line on arms that may be on two scales, where [`check_scales`](Self::check_scales) is not sure.
    pub(crate) fn told_of_scales(&self) -> Option<String> {
        told(self.metric(), self.arms(), self.by_number())
    }

    /// Returns the number of each score's arm, and the score.
    fn by_number(&self) -> impl Iterator<Item = (usize, f64)> + Clone {
        let records = self.records().iter();
        records.map(|record| (record.arm.index(), record.score))
    }
}

/// Refuses scores on two scales, as [`Evaluations::check_scales`] does.
pub(crate) fn check<N: AsRef<str>>(
    metric: &str,
    arms: &[N],
    scores: impl Iterator<Item = (usize, f64)> + Clone,
    options: &Reading,
) -> Result<(), HeaderProblem> {
    match surely(metric, arms, scores, options) {
        None => Ok(()),
        Some((problem, true)) => Err(HeaderProblem::Choose {
            problem,
            choices: Vec::new(),
        }),
        Some((problem, false)) => Err(HeaderProblem::Choose {
            problem: format!("{problem}, or, if all are percentages, say --bounds 0,100"),
            choices: Choice::among("bounds", ["0,100"]),
        }),
    }
}

/// Returns in words which arms have shares and percentages as scores of one metric, and whether all scores are
/// right or wrong answers. `None` if that is not certain, or bounds are given.
pub(crate) fn surely<N: AsRef<str>>(
    metric: &str,
    arms: &[N],
    scores: impl Iterator<Item = (usize, f64)> + Clone,
    options: &Reading,
) -> Option<(String, bool)> {
    let asked = &options.arms;
    let is_asked = |&(arm, _): &(usize, f64)| {
        asked.is_empty() || asked.iter().any(|name| name.trim() == arms[arm].as_ref())
    };
    let scores = scores.filter(is_asked);
    if options.bounds.is_some() {
        return None;
    }
    let are_answers = { scores.clone() }.all(|(_, score)| [0.0, 1.0, 100.0].contains(&score));
    let is_sure = are_answers || is_share(metric);
    let found = is_sure.then(|| two_scales(scores, true)).flatten();
    let [(one, share), (other, percentage)] = found?;
    let [one, other] = [one, other].map(|arm| excerpt(arms[arm].as_ref()));
    let problem = format!(
        "the scores of `{one}` look like shares ({share}) and those of `{other}` like percentages ({percentage}), all of `{}`: write all on one scale",
        excerpt(metric)
    );
    Some((problem, are_answers))
}

/// Returns a line on scores that may be on two scales, as far as their metric's name leaves it open.
pub(crate) fn told<N: AsRef<str>>(
    metric: &str,
    arms: &[N],
    scores: impl Iterator<Item = (usize, f64)> + Clone,
) -> Option<String> {
    let is_open = !is_share(metric) && may_be_share(metric);
    let found = is_open.then(|| two_scales(scores, false)).flatten();
    let [share, percentage] = found?.map(|(arm, _)| excerpt(arms[arm].as_ref()));
    Some(format!(
        "the scores of `{share}` may be shares and those of `{percentage}` percentages: if so, write all on one scale"
    ))
}

/// Returns an arm with scores up to 1 and one with scores up to 100, each with one of these scores. These
/// are the same arm if it has many scores of both kinds, which is looked for where scores are `surely` of
/// one of two scales. `None` if the scores of all arms may be on one scale, or are on none of the two.
///
/// Whole percentages are as small as 1, too: an arm whose scores are 0 and 1 has answers beside one of
/// scores above 10 alone, or beside one of 0 and 100.
pub(crate) fn two_scales<A: Ord + Copy>(
    scores: impl IntoIterator<Item = (A, f64)>,
    surely: bool,
) -> Option<[(A, f64); 2]> {
    let mut arms: BTreeMap<A, Scale> = BTreeMap::new();
    for (arm, score) in scores {
        if !(0.0..=100.0).contains(&score) {
            return None;
        }
        arms.entry(arm).or_default().add(score, surely);
    }
    // Some percentages are as small as shares, but not every fourth.
    let is_mixed = |of: &Scale| {
        let shares = of.shares + if of.are_answers() { of.ones } else { 0 };
        surely && 4 * shares.min(of.percentages) >= of.all
    };
    let find = |is_one: &dyn Fn(&Scale) -> bool| {
        let mut found = arms.iter().filter(|(_, of)| is_one(of));
        found.next()
    };
    let pair = |one: (&A, &Scale), other: (&A, &Scale)| {
        Some([(*one.0, one.1.examples[0]), (*other.0, other.1.examples[1])])
    };
    if let Some(mixed) = find(&is_mixed) {
        return pair(mixed, mixed);
    }
    let percentages = find(&|of| of.percentages > 0)?;
    if let Some(share) = find(&|of| of.shares > 0 && of.above == 0) {
        return pair(share, percentages);
    }
    let answers = find(&|of| of.ones > 0 && of.ones < of.all && of.above == 0);
    if let (Some(one), Some(other)) = (answers, find(&|of| of.high > 0)) {
        return pair(one, other);
    }
    let right = find(&|of| of.ones > 0 && of.above == 0)?;
    pair(right, find(&|of| of.high > 0 && of.are_answers())?)
}

/// Numbers of an arm's scores of each size.
#[derive(Default)]
struct Scale {
    all: usize,
    zeros: usize,
    /// Scores between 0 and 1.
    shares: usize,
    ones: usize,
    /// Scores above 1.
    above: usize,
    /// Scores that are certainly percentages beside shares.
    percentages: usize,
    /// Scores that are percentages also beside answers, which are above 10.
    high: usize,
    hundreds: usize,
    /// The first score above 0 and up to 1, and the first percentage.
    examples: [f64; 2],
}

impl Scale {
    fn add(&mut self, score: f64, surely: bool) {
        let is_percentage = score > if surely { 2.0 } else { 10.0 };
        self.all += 1;
        self.zeros += usize::from(score == 0.0);
        self.shares += usize::from(score > 0.0 && score < 1.0);
        self.ones += usize::from([1.0].contains(&score));
        self.above += usize::from(score > 1.0);
        self.percentages += usize::from(is_percentage);
        self.high += usize::from(score > 10.0);
        self.hundreds += usize::from([100.0].contains(&score));
        let [share, percentage] = &mut self.examples;
        match score {
            _ if is_percentage && *percentage == 0.0 => *percentage = score,
            _ if score <= 1.0 && *share == 0.0 => *share = score,
            _ => {}
        }
    }

    /// Returns whether all scores are right or wrong answers, as shares or as percentages.
    fn are_answers(&self) -> bool {
        self.zeros + self.ones + self.hundreds == self.all
    }
}
