//! A reader of a format of one's own: lines such as `lstm@3=0.71`, the arm, the split and the score.

use fiesta_core::{ArmId, Case, Observe, Posterior};
use fiesta_posterior::Paired;
use fiesta_records::{Evaluations, Record, write_csv};

const LOG: &str = "lstm@0=0.71\ngru@0=0.69\nlstm@1=0.73\ngru@1=0.70\nlstm@2=0.70\ngru@2=0.69\n";

fn read(log: &str) -> Result<Evaluations, Box<dyn std::error::Error>> {
    let mut records = Evaluations::new("accuracy")?;
    for (number, line) in (1..).zip(log.lines()) {
        let parts = line
            .split_once('@')
            .and_then(|(arm, rest)| Some((arm, rest.split_once('=')?)));
        let (arm, (split, score)) =
            parts.ok_or_else(|| format!("line {number}: expected ARM@SPLIT=SCORE"))?;
        records.push(Record {
            split: Some(split.parse()?),
            line: number,
            ..Record::new(arm, score.parse()?)
        })?;
    }
    Ok(records)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let records = read(LOG)?;
    let mut posterior = Paired::new(records.arms().len());
    for record in records.records().iter() {
        let split = record.split.ok_or("every line has a split")?;
        posterior.observe(record.arm, Case { split, seed: 0 }, record.score)?;
    }
    let arms: Vec<ArmId> = ArmId::all(records.arms().len()).collect();
    let (leader, probability) = posterior.belief(&arms).leader();
    println!(
        "{} is best with probability {probability:.3}",
        records.arms()[leader.index()]
    );

    let mut table = Vec::new();
    write_csv(&mut table, &records)?;
    print!("{}", String::from_utf8(table)?);
    assert_eq!(records.arms()[leader.index()], "lstm");
    assert!(read("nonsense").is_err_and(|error| error.to_string().starts_with("line 1:")));
    Ok(())
}
