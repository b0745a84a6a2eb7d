//! Tests of `fiesta belief` on tables of means with their spread.

use super::{
    A, B, belief, mean, squares,
    support::{arm, assert_close, code},
    two,
};

/// Tests that a table of unrounded means gives the same answer as its scores, that a spread of
/// unknown meaning is asked about, and that other verbs refuse the table.
#[test]
fn of_a_table_of_means() {
    let bench = two();
    let means = |arm: &str, scores: &[f64]| {
        let sd = (squares(scores) / (scores.len() - 1) as f64).sqrt();
        format!("{arm},{:.17},{sd:.17},3\n", mean(scores))
    };
    let rows = means("a", &A) + &means("b", &B);
    bench.file("means.csv", &format!("arm,score,std,n\n{rows}"));
    for posterior in ["uniform", "jeffreys"] {
        let of = |file| belief(&bench, &[file, "--posterior", posterior]);
        let (scores, means) = (of("scores.csv"), of("means.csv"));
        assert_eq!(means["means"]["arms"], "independent");
        let expected = arm(&scores, "a")["probability_best"].as_f64().unwrap();
        assert_close(&arm(&means, "a")["probability_best"], expected, 1e-9);
    }
    bench.file("paper.csv", "model,accuracy\na,81.2 ± 1.1\nb,79.4 ± 1.3\n");
    let asked = bench.fiesta(&["belief", "paper.csv", "--n", "5"]);
    assert_eq!(asked.code, Some(code::USAGE));
    assert!(
        asked
            .stderr
            .contains("paper.csv:1: the spread in `accuracy` may be")
    );
    for (spread, p) in [("sd", "95.9 %"), ("se", "80.9 %"), ("ci95", "97.9 %")] {
        let way = format!("try: fiesta belief paper.csv --n 5 --spread {spread}\n");
        assert!(asked.stderr.contains(&way), "{}", asked.stderr);
        let answer = format!("a: P(best) {p}, as if independent");
        assert!(asked.stderr.contains(&answer), "{}", asked.stderr);
    }
    let board = "model,win_rate,standard_error,mode\nred,61.2,1.7,checked\nblue,58.9,1.6,open\n";
    bench.file("board.csv", board);
    let board = belief(&bench, &["board.csv", "--score", "win_rate"]);
    // Φ(2.3/√(1.7² + 1.6² + .1²/6))
    assert_close(&arm(&board, "red")["probability_best"], 0.837_70, 1e-4);
    assert_eq!(board["means"]["spread"], "se");
    for verb in [&["curve"][..], &["simulate"], &["report"]] {
        let refused = bench.fiesta(&[verb, &["means.csv"]].concat());
        assert_eq!(refused.code, Some(code::USAGE), "{verb:?}");
        assert!(
            refused.stderr.contains("each row is the mean of an arm"),
            "{}",
            refused.stderr
        );
    }
    let refused = bench.fiesta(&["belief", "means.csv", "--split", "n"]);
    assert!(
        refused.stderr.contains("about single evaluations"),
        "{}",
        refused.stderr
    );
}
