//! Test of the experiment on confirmed searches, with few runs.

mod support;

/// Tests that the program measures every kind of searches, and that the errors of the printed optimism
/// are within four standard errors of zero.
#[test]
fn the_printed_optimism_is_unbiased() {
    let rows = support::json(&["confirm", "--runs=40", "--posterior=pooled", "--seed=7"]);
    let rows = rows.as_array().unwrap();
    assert_eq!(rows.len(), 3);
    for row in rows {
        let [mean, error] =
            ["mean", "standard_error"].map(|key| row["error"][key].as_f64().unwrap());
        assert!(error > 0.0 && mean.abs() < 4.0 * error, "{row}");
        assert!(row["optimism"]["mean"].as_f64().unwrap() > 0.0, "{row}");
    }
}
