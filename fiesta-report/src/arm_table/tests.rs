//! Tests of the tables of arms: columns, order, marks.

use super::*;
use crate::{CostUnit, summary::Sample};

fn arm(name: &str, scores: &[f64]) -> ArmRow {
    let sample = Sample::new(scores.iter().copied()).ok();
    ArmRow {
        summary: sample.map(|sample| ScoreSummary::new(&sample, 0.95).unwrap()),
        ..ArmRow::new(name, scores.iter().copied().collect())
    }
}

fn probable(name: &str, p: Option<f64>, score: f64) -> ArmRow {
    ArmRow {
        probability_best: p,
        ..ArmRow::new(name, [score].into_iter().collect())
    }
}

fn losses(arms: Vec<ArmRow>) -> ArmTable {
    ArmTable::new("loss", Direction::Minimize, arms)
}

fn names(arms: &ArmTable, ranked: &[usize]) -> Vec<String> {
    let names = ranked.iter().map(|&place| arms.arms[place].name.clone());
    names.collect()
}

#[test]
fn ranks_by_belief_then_by_mean() {
    let mut broken = probable("broken", Some(0.9), 0.9);
    broken.retired = true;
    let arms = losses(vec![
        broken,
        probable("a", Some(0.2), 0.1),
        probable("b", Some(0.8), 0.3),
        probable("c", Some(0.2), 0.05),
        ArmRow::new("unseen", Moments::default()),
    ]);
    let expected = ["b", "c", "a", "unseen", "broken"];
    assert_eq!(names(&arms, &arms.ranked()), expected);
    assert!(
        arms.brief()
            .text()
            .lines()
            .nth(1)
            .unwrap()
            .starts_with("b ")
    );
}

/// Tests that the order is that of the F-measure of all counts, also where the mean of the
/// documents' is the other way round.
#[test]
fn counts_are_shown_and_compared_by_f() {
    let arm = |name: &str, scores: [f64; 2], cells| ArmRow {
        counts: Some(Counts::from_cells(cells)),
        ..ArmRow::new(name, scores.into_iter().collect())
    };
    let rows = vec![
        arm("a", [1.0, 0.5], [6, 2, 9, 4]),
        arm("b", [0.8, 0.6], [8, 1, 9, 1]),
        arm("none", [1.0, 1.0], [0, 0, 9, 0]),
    ];
    let mut arms = ArmTable::new("f1", Direction::Maximize, rows);
    assert_eq!(names(&arms, &arms.ranked()), ["none", "a", "b"]);
    assert!(arms.brief().text().contains("mean ± sd"));
    arms.f_beta = Some(FBeta::F1);
    assert_eq!(
        arms.brief().text(),
        "arm   P(best)  documents  TP  FP  FN      f1\n\
         b           –          2   8   1   1  0.8889\n\
         a           –          2   6   2   4  0.6667\n\
         none        –          2   0   0   0       –\n"
    );
    assert_eq!(arms.ranked(), [1, 0, 2]);
    let text = arms.full(0.95).text();
    assert!(
        text.starts_with("arm   documents  TP  FP  FN  pooled F "),
        "{text}"
    );
    assert!(arms.data().csv().contains("6,2,9,4,0.66"));
}

#[test]
fn columns_without_content_are_left_out() {
    let plain = losses(vec![arm("a", &[0.5])]);
    assert_eq!(
        plain.brief().text(),
        "arm  P(best)  evaluations  mean ± sd\na          –            1     0.5000\n"
    );
    assert_eq!(
        plain.full(0.95).text(),
        "arm  evaluations  mean ± sd  median  interquartile mean  95 % interval\n\
         a              1     0.5000  0.5000              0.5000              –\n"
    );
}

#[test]
fn failures_only_is_a_table_too() {
    let broken = ArmRow {
        failed: 3,
        cost: Some(1.25),
        retired: true,
        ..arm("broken", &[])
    };
    let all = losses(vec![broken, arm("b", &[0.3, 0.1]), arm("c", &[0.1, 0.1])]);
    assert_eq!(all.ranked(), [2, 1, 0]);
    assert_eq!(all.best(), Some(2));
    let text = all.full(0.95).text();
    let last = text.lines().last().unwrap();
    assert!(
        last.starts_with("broken  retired") && last.ends_with(" 1.2"),
        "{text}"
    );
    let only = losses(vec![all.arms[0].clone()]);
    assert_eq!(only.best(), None);
    assert_eq!(losses(Vec::new()).best(), None);
    assert!(only.data().csv().contains("\r\nbroken,0,3,\"\","));
}

#[test]
fn a_search_is_ranked_by_its_best_scores() {
    let trial = |name: &str, score: f64, setting: &str| ArmRow {
        best_trial: Some(BestTrial {
            score,
            setting: setting.to_owned(),
        }),
        cost: Some(0.5),
        ..arm(name, &[score, 1.0])
    };
    let mut retired = trial("b", 0.2, "lr=0.1");
    retired.retired = true;
    let unseen = ArmRow {
        failed: 2,
        ..arm("c", &[])
    };
    let all = losses(vec![trial("a", 0.3, ""), retired, unseen]);
    let text = all.best_trials().text();
    let lines: Vec<&str> = text.lines().collect();
    assert!(
        lines[0].starts_with("arm  trials  failed  best loss"),
        "{text}"
    );
    assert!(lines[1].starts_with("b         2") && lines[1].ends_with("lr=0.1 (retired)"));
    assert!(
        lines[3].starts_with("c         2       2          –"),
        "{text}"
    );
}

#[test]
fn numbers_for_programs_name_the_unit_of_costs() {
    let row = |name: &str, cost| ArmRow {
        cost,
        ..arm(name, &[0.5, 0.4])
    };
    let mut all = losses(vec![row("paid", Some(0.36)), row("free", None)]);
    let cells = |all: &ArmTable| -> Vec<[String; 2]> {
        let csv = all.data().csv();
        let mut lines = csv
            .lines()
            .map(|line| line.split(',').map(ToOwned::to_owned).collect::<Vec<_>>());
        let header = lines.next().unwrap();
        let place = |name: &str| header.iter().position(|own| own == name).unwrap();
        let places = ["cost", "cost_unit"].map(place);
        lines
            .map(|cells| places.map(|place| cells[place].replace('"', "")))
            .collect()
    };
    assert_eq!(cells(&all), [["0.36", ""], ["", ""]]);
    all.cost_unit = Some(CostUnit::Named("USD".to_owned()));
    assert_eq!(cells(&all), [["0.36", "USD"], ["", ""]]);
    // In the unit of the numbers, and not in that in which people read them.
    all.cost_unit = Some(CostUnit::GpuSeconds);
    all.arms[0].cost = Some(7200.0);
    assert_eq!(cells(&all)[0], ["7200", "GPU-s"]);
}

#[test]
fn the_example_of_a_table() -> Result<(), fiesta_report::summary::SummaryError> {
    use fiesta_core::Direction;
    use fiesta_report::{
        ArmRow, ArmTable,
        summary::{Sample, ScoreSummary},
    };
    let arm = |name: &str, scores: [f64; 3], p| {
        let summary = ScoreSummary::new(&Sample::new(scores)?, 0.95)?;
        Ok::<_, fiesta_report::summary::SummaryError>(ArmRow {
            interval: summary.interval,
            summary: Some(summary),
            probability_best: Some(p),
            possibly_best: true,
            ..ArmRow::new(name, scores.into_iter().collect())
        })
    };
    let arms = vec![
        arm("lstm", [0.61, 0.60, 0.63], 0.2)?,
        arm("gru", [0.66, 0.65, 0.60], 0.8)?,
    ];
    let arms = ArmTable::new("macro-F1", Direction::Maximize, arms);
    assert_eq!(arms.ranked(), [1, 0]);
    assert!(
        arms.brief()
            .markdown()
            .contains("| **gru** | 80.0 % | 3 | 0.6367 ± 0.0321 |")
    );
    let table = arms.full(0.95).markdown();
    assert!(table.contains(
        "| **gru** | 80.0 % | 3 | 0.6367 ± 0.0321 | 0.6500 | 0.6367 | 0.5568 to 0.7165 |"
    ));
    assert!(table.contains("| lstm† | 20.0 % | 3 | 0.6133 ± 0.0153 |"));
    Ok::<(), fiesta_report::summary::SummaryError>(())
}
