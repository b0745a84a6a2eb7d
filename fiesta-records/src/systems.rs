//! Scores by data set: tables with a row for each system and a column for each data set, as results
//! are published.

use crate::{
    Record, RecordsError, RowProblem,
    averages::Averages,
    formula::original,
    names::one_line,
    number::{is_missing, score},
    proposal::{SystemsTable, are_numbered, names_no_candidate, names_summary},
    rows::{Schema, Sheet, check_width},
    scores::Scores,
    words::{excerpt, quoted},
};
use std::iter;

/// A system, with its line and its scores on the data sets.
struct System {
    line: u64,
    name: String,
    scores: Vec<Option<f64>>,
}

/// Reads the rows of a table with a row for each system. Its data sets are splits, numbered in the
/// order of their columns.
pub(crate) fn read(
    sheet: &mut Sheet<'_>,
    table: &SystemsTable,
    scores: &mut Scores<'_>,
) -> Result<(), RecordsError> {
    let names = sheet.names.clone();
    begin(table, &names, scores);
    let mut averages = Averages {
        columns: table.averages.clone(),
        scores: table.data_sets.clone(),
        ..Averages::default()
    };
    let (mut systems, mut left_out) = (Vec::new(), Vec::new());
    sheet.each(scores, |_, line, row| {
        let row = row?;
        check_width(row, names.len())?;
        let name = one_line(original(row[table.system].trim())).into_owned();
        averages.check(row, &names)?;
        if names_no_candidate(&name, &[]) {
            left_out.push(name);
            return Ok(());
        }
        if names_summary(&name) {
            averages.rows.push((line, name, row.clone()));
            return Ok(());
        }
        let cell = |&column: &usize| {
            let cell = &row[column];
            let found = (!is_missing(cell)).then(|| score(cell)).transpose();
            found.map_err(|problem| RowProblem::in_column(&names[column], problem))
        };
        let scores = table.data_sets.iter().map(cell).collect::<Result<_, _>>()?;
        systems.push(System { line, name, scores });
        Ok(())
    })?;
    if scores.problems().any() {
        return Ok(());
    }
    if !left_out.is_empty() {
        let left_out = quoted(&left_out);
        let remark = format!("left out, as by their names they are no systems: {left_out}");
        scores.records.file.remarks.push(remark);
    }
    let gaps = gaps(&systems, table.data_sets.len());
    let is_kept = |set: usize| scores.options.keep_missing || !gaps.contains(&set);
    if let Some(lacking) = systems.iter().find(|system| system.scores.contains(&None))
        && !scores.options.keep_missing
    {
        if !is_settled(&systems, &gaps) {
            let problem = RowProblem::Missing { field: "score" };
            scores.problems().add(lacking.line, problem);
            return Ok(());
        }
        let left_out: Vec<usize> = gaps.iter().map(|&set| table.data_sets[set]).collect();
        scores.records.file.remarks.push(format!(
            "left out for all systems, as some have no number there (the first is `{}`): {}",
            excerpt(&lacking.name),
            quoted(left_out.iter().map(|&column| &names[column]))
        ));
    }
    let kept: Vec<usize> = (0..table.data_sets.len())
        .filter(|&set| is_kept(set))
        .collect();
    for system in &systems {
        for &set in &kept {
            let record = Record {
                split: Some(set as u64),
                line: system.line,
                ..Record::failed(&*system.name)
            };
            let others = iter::empty::<(&str, &str)>();
            if let Err(problem) = scores.add(record, system.scores[set], others) {
                let problem = RowProblem::in_column(&names[table.data_sets[set]], problem);
                scores.problems().add(system.line, problem);
            }
        }
    }
    averages.finish(&names, scores, |_, set| {
        let of_set = systems.iter().map(|system| system.scores[set]);
        of_set.flatten().collect()
    });
    Ok(())
}

/// Notes what a table with a row for each system is, and what is left out of it.
fn begin(table: &SystemsTable, names: &[String], scores: &mut Scores<'_>) {
    let quoted = |places: &[usize]| quoted(places.iter().map(|&column| &names[column]));
    let numbers = table.data_sets.iter().chain(&table.averages);
    scores.score_columns = numbers.map(|&column| names[column].clone()).collect();
    scores.records.file.rows_are_systems = true;
    let called: Vec<&str> = table
        .data_sets
        .iter()
        .map(|&place| &*names[place])
        .collect();
    scores.records.file.on_data_sets = !are_numbered(&called);
    if let Some(metric) = table
        .metric
        .as_ref()
        .filter(|_| scores.options.metric.is_none())
    {
        scores.records.metric.clone_from(metric);
    }
    scores.records.file.remarks.push(format!(
        "each row is taken for a system and each column for a data set: {}",
        quoted(&table.data_sets)
    ));
    if !table.others.is_empty() {
        let others = quoted(&table.others);
        let remark = format!(
            "left out, as no part of {}: {others}",
            quoted(&table.averages)
        );
        scores.records.file.remarks.push(remark);
    }
}

/// Returns the data sets on which some system has no score.
fn gaps(systems: &[System], data_sets: usize) -> Vec<usize> {
    let lacks = |set: &usize| systems.iter().any(|system| system.scores[*set].is_none());
    (0..data_sets).filter(lacks).collect()
}

/// Returns whether the best and the worst system on the data sets without gaps stay best and worst
/// when any two systems are compared on all data sets that both have.
fn is_settled(systems: &[System], gaps: &[usize]) -> bool {
    let lead = |one: &System, other: &System, but: &[usize]| {
        let kept = (0..one.scores.len()).filter(|set| !but.contains(set));
        let leads = kept.filter_map(|set| Some(one.scores[set]? - other.scores[set]?));
        leads.sum::<f64>()
    };
    let is_first = |one: &System, sign: f64, but: &[usize]| {
        let mut others = systems.iter();
        others.all(|other| sign * lead(one, other, but) >= 0.0)
    };
    let agrees = |sign: f64| {
        let mut first = systems.iter().filter(|one| is_first(one, sign, gaps));
        first.all(|one| is_first(one, sign, &[]))
    };
    gaps.len() + 1 < systems[0].scores.len() && agrees(1.0) && agrees(-1.0)
}
