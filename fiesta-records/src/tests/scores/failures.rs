//! Tests of failed evaluations among scores, and of the column `status`.

use super::all;
use crate::{Failed, Reading, read_from};

#[test]
fn failures_stand_apart() {
    let text =
        "arm,seed,score,status,cost\na,1,0.5,Finished,\nb,1,,CRASHED,2\na,2,0.25,,\na,3,,failed,\n";
    let records = all(text).unwrap();
    assert_eq!(records.arms(), ["a", "b"]);
    assert_eq!(records.by_arm(), [vec![0.5, 0.25], vec![]]);
    let failures = records.failures();
    let of = |f: &Failed| (f.arm.index(), f.seed, f.cost, f.line);
    assert_eq!(of(&failures[0]), (1, Some(1), Some(2.0), 3));
    assert_eq!(of(&failures[1]), (0, Some(3), None, 5));
    let order: Vec<u64> = records.rows().map(|row| row.line).collect();
    assert_eq!(order, [2, 3, 4, 5]);
    let error = read_from(text.as_bytes(), None, &Reading::default(), "s").unwrap_err();
    assert_eq!(
        error.to_string(),
        "s:3: the evaluation failed (status `CRASHED`), and nothing says what it counts as: say it with --failed (drop or \
         worst), or remove the row (1 further problem in this file)"
    );
}

#[test]
fn says_what_is_wrong_with_a_status() {
    let row = |row: &str| {
        let text = format!("arm,split,seed,score,status\na,0,0,0.5,ok\n{row}\n");
        let message = all(&text).unwrap_err().to_string();
        message
            .strip_prefix("s:3: ")
            .expect("the third line")
            .to_owned()
    };
    assert!(row("a,0,1,,running").starts_with("the status `running` is unknown: write `ok` where"));
    assert!(row("a,0,1,,pruned").starts_with("the status `pruned` is unknown"));
    // The status counts, whatever was written as the score.
    for without in [
        "a,0,1,,ok",
        "a,0,1,,",
        "a,0,1,NaN,failed",
        "a,0,1,0.5,failed",
    ] {
        let text = format!("arm,split,seed,score,status\na,0,0,0.5,ok\n{without}\n");
        assert_eq!(all(&text).unwrap().failures().len(), 1, "{without}");
    }
    assert!(
        row("a,0,0,,failed")
            .starts_with("the evaluation of `a` on split 0 with seed 0 is on line 2")
    );
    assert!(row(",0,1,,failed").starts_with("the name of the arm is empty"));
    assert!(row("a,x,1,,failed").starts_with("the split `x` is not a whole number"));
    // Without a score, any other word is one of a failure.
    for word in ["oom-killed", "diverged", "137", "bad luck"] {
        let text = format!("arm,seed,score,status\na,0,0.5,ok\na,1,,{word}\n");
        assert_eq!(all(&text).unwrap().failures().len(), 1, "{word}");
        let error = read_from(text.as_bytes(), None, &Reading::default(), "s").unwrap_err();
        assert_eq!(error.choices().len(), 2, "{error}");
        let scored = text.replace(",,", ",0.5,");
        let is_known = ["oom-killed", "diverged"].contains(&word);
        assert_eq!(all(&scored).is_ok(), is_known, "{word}");
    }
    for word in ["Running", "pending", "in progress", "skipped"] {
        assert!(
            row(&format!("a,0,1,,{word}")).contains("is unknown"),
            "{word}"
        );
    }
    assert!(all("arm,score,status\na,0.5,done\n").is_ok());
    // Also where every row failed.
    let none = all("arm,score,status\na,,failed\n").unwrap();
    assert_eq!((none.records().len(), none.failures().len()), (0, 1));
}
