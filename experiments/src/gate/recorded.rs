//! Gates of recorded pools: every arm against its neighbours in rank.

use super::{Arguments, MARGIN, decide, median};
use crate::{Failure, output::Estimate, pools};
use fiesta_policies::gate::{Answer, Evidence};
use rand::{SeedableRng, rngs::ChaCha8Rng, seq::SliceRandom};
use rayon::prelude::*;
use serde::Serialize;
use std::path::{Path, PathBuf};

/// Results of gates of neighbours in rank of one pool, with the better or the worse arm as the new one.
#[derive(Debug, Serialize)]
struct Row {
    file: String,
    new: &'static str,
    items: usize,
    pairs: usize,
    /// Pairs in which the new arm is above the margin.
    above: usize,
    /// Shares of gates that are decided after half of the items, and before the last one.
    by_half: Estimate,
    early: Estimate,
    /// Median share of the items that are asked.
    asked: f64,
    /// Share of gates that ship an arm at or below the margin, of all gates of such arms, and its greatest
    /// value of a pair. `None` if there is no such arm.
    shipped: Option<Estimate>,
    most_shipped: Option<f64>,
    /// Share of gates that block an arm above the margin, likewise.
    blocked: Option<Estimate>,
    most_blocked: Option<f64>,
}

/// Gates of one pair: whether the new arm is above the margin, the answers, and the items asked.
struct Pair {
    is_above: bool,
    ends: Vec<(Answer, u64)>,
}

pub(super) fn run(arguments: &Arguments, files: &[PathBuf]) -> Result<(), Failure> {
    let mut rows = Vec::new();
    for file in files {
        let arms = pools::read(file)?;
        for new in ["the better", "the worse"] {
            rows.push(row(arguments, file, &arms, new)?);
        }
    }
    let columns = [
        ("<pool", "{file}"),
        ("<new arm", "{new}"),
        ("items", "{items}"),
        ("pairs", "{pairs}"),
        ("above the margin", "{above}"),
        ("decided by half, %", "{by_half:%1}"),
        ("before the last, %", "{early:%1}"),
        ("asked, median share", "{asked:.3}"),
        ("wrongly shipped, %", "{shipped:%2}"),
        ("at most, of a pair", "{most_shipped:.3}"),
        ("wrongly blocked, %", "{blocked:%2}"),
        ("at most, of a pair", "{most_blocked:.3}"),
    ];
    arguments
        .output
        .show_rows("gates of recorded pools", &rows, &columns)
}

fn row(
    arguments: &Arguments,
    file: &Path,
    arms: &[pools::OfArm],
    new: &'static str,
) -> Result<Row, Failure> {
    let items = arms.first().map_or(0, |arm| arm.1.len());
    let empty = Evidence::of_pool(items as u64, (-1.0, 1.0), -MARGIN)?;
    let pairs: Vec<Pair> = arms
        .par_windows(2)
        .enumerate()
        .map(|(place, pair)| {
            let [old, new] = if new == "the worse" { [0, 1] } else { [1, 0] };
            let scores = pair[new].1.iter().zip(&pair[old].1);
            let mut differences: Vec<f64> = scores.map(|(new, old)| new.1 - old.1).collect();
            let sum: f64 = differences.iter().sum();
            let mut rng = ChaCha8Rng::seed_from_u64(arguments.seed);
            rng.set_stream(place as u64);
            let ends = (0..arguments.runs).map(|_| {
                differences.shuffle(&mut rng);
                let mut evidence = empty.clone();
                (
                    decide(&mut evidence, &differences, arguments.alpha),
                    evidence.count(),
                )
            });
            Pair {
                ends: ends.collect(),
                is_above: sum > -MARGIN * items as f64 + 1e-9 * items as f64,
            }
        })
        .collect();
    let all = || pairs.iter().flat_map(|pair| &pair.ends);
    let share = |is: &dyn Fn(u64) -> bool| -> Estimate {
        all().map(|end| f64::from(u8::from(is(end.1)))).collect()
    };
    let wrong = |is_above: bool, answer: Answer| {
        let of = |pair: &Pair| -> Estimate {
            pair.ends
                .iter()
                .map(|end| f64::from(u8::from(end.0 == answer)))
                .collect()
        };
        let concerned = || pairs.iter().filter(|pair| pair.is_above == is_above);
        let most = concerned().map(|pair| of(pair).mean).reduce(f64::max);
        let ends = concerned().flat_map(|pair| &pair.ends);
        let all: Estimate = ends
            .map(|end| f64::from(u8::from(end.0 == answer)))
            .collect();
        (most.map(|_| all), most)
    };
    let (shipped, most_shipped) = wrong(false, Answer::Ships);
    let (blocked, most_blocked) = wrong(true, Answer::Blocked);
    Ok(Row {
        file: file
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned(),
        new,
        items,
        pairs: pairs.len(),
        above: pairs.iter().filter(|pair| pair.is_above).count(),
        by_half: share(&|asked| 2 * asked <= items as u64),
        early: share(&|asked| asked < items as u64),
        asked: median(all().map(|end| end.1).collect()) as f64 / items as f64,
        shipped,
        most_shipped,
        blocked,
        most_blocked,
    })
}
