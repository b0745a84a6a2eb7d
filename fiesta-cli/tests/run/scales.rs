//! Tests of studies whose arms report shares and percentages.

use super::{Bench, code};

/// Tests that no arm is named while one reports shares and another percentages, that whoever looks is told of it, and
/// that the study goes on once the arm is mended and asked anew.
#[test]
fn shares_beside_percentages_name_no_arm() {
    let job = r#"
case $1 in old) printf '{"accuracy": %s}\n' "7$(($2 % 3)).5" ;; *) cat "new-$(($2 % 2))" ;; esac
"#;
    let rest = "[goal]\nconfidence = 0.95\n[[arm]]\nname = \"old\"\n[[arm]]\nname = \"new\"\n";
    let bench = Bench::with_job(job, rest);
    let scores = |scores: [&str; 2]| {
        for (number, score) in scores.iter().enumerate() {
            let result = format!("{{\"accuracy\": {score}}}\n");
            bench.file(&format!("new-{number}"), &result);
        }
    };
    scores(["0.91", "0.92"]);
    let says = "the scores of `new` look like shares (0.91) and those of `old` like percentages (7";
    for _ in 0..2 {
        let ran = bench.fiesta(&["run", "study.toml"]);
        assert!(!ran.stdout.contains("is the best"), "{ran:?}");
        ran.says(code::USAGE, &["no arm is named", says, "--again ARM"]);
    }
    let status = bench.fiesta(&["status", "study.toml"]);
    assert!(status.stdout.contains(says), "{status:?}");
    scores(["91.0", "92.0"]);
    let ran = bench.fiesta(&["run", "study.toml", "--again", "new"]);
    ran.says(code::DONE, &[]);
    assert!(ran.stdout.contains("new is the best"), "{ran:?}");
    let status = bench.fiesta(&["status", "study.toml"]);
    assert!(!status.stdout.contains("look like shares"), "{status:?}");
}
