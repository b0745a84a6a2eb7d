//! Tests of studies that seek the cheapest arm that is good enough, in everything that is printed.

use super::{Bench, code};

/// Tests that a study names the cheapest arm that is good enough, and says so everywhere; nothing of it is a claim to
/// be the best.
#[test]
fn the_cheapest_that_is_good_enough_ends_a_study() {
    let job = r#"
case $1 in large) score=80 cost=5 ;; small) score=79 cost=1 ;; *) score=60 cost=0 ;; esac
printf '{"accuracy": %s, "cost": %s}\n' "0.$((score * 100 + $2 * $2 % 70 + $3 % 50))" "$cost.$(($3 % 5 + 1))"
"#;
    let rest = "[goal]\nconfidence = 0.95\ncheapest_within = 0.03\n[[arm]]\nname = \"large\"\n[[arm]]\nname = \"small\"\n[[arm]]\nname = \"tiny\"\n";
    let bench = Bench::with_job(job, rest);
    let plan = bench.fiesta(&["run", "--check", "study.toml"]);
    let ends = "95 % sure which arm is the cheapest within 0.03 of the best";
    assert!(plan.stdout.contains(ends), "{plan:?}");
    let ran = bench.fiesta(&["run", "study.toml"]);
    assert_eq!(ran.code, Some(code::DONE), "{ran:?}");
    let says = "With at least 95.0 % posterior probability, small is the cheapest arm, by mean cost, within 0.03 of the best of 3 arms";
    assert!(ran.stdout.contains(says), "{ran:?}");
    let (code, result) = bench.json(&["run", "study.toml"]);
    assert_eq!(code, Some(code::DONE));
    let conclusion = &result["conclusion"];
    assert_eq!(conclusion["arm"], "small");
    assert_eq!(conclusion["reason"]["cheapest-within"]["within"], 0.03);
    // P(best) of the arm says nothing of it.
    assert_eq!(
        (&conclusion["probability"], &result["confidence"]),
        (&0.95.into(), &0.95.into())
    );
    assert!(result["evaluations"].as_u64().unwrap() < 100, "{result}");
    let (stdout, page) = bench.report(&["study.toml", "--formats", "svg"]);
    for text in [&stdout, &page] {
        assert!(text.contains("small is the cheapest arm"), "{text}");
        assert!(!text.contains("small is the best"), "{text}");
    }
    let status = bench.fiesta(&["status", "study.toml"]);
    assert!(status.stdout.contains(says), "{status:?}");
    // Another distance is another question.
    bench.edit(
        "study.toml",
        "cheapest_within = 0.03",
        "cheapest_within = 0.001",
    );
    let ran = bench.fiesta(&["run", "study.toml"]);
    ran.says(code::CHANGED, &["cheapest_within"]);
    // What a limit ends is recommended for what it was sought for.
    bench.edit(
        "study.toml",
        "cheapest_within = 0.001",
        "cheapest_within = 0.03",
    );
    bench.edit("study.toml", "name = \"trial\"", "name = \"short\"");
    bench.edit(
        "study.toml",
        "confidence = 0.95",
        "confidence = 0.95\nbudget = { evaluations = 7 }",
    );
    std::fs::remove_dir_all(bench.path("study.fiesta")).unwrap();
    let ran = bench.fiesta(&["run", "study.toml"]);
    assert_eq!(ran.code, Some(code::SHORT), "{ran:?}");
    let says = "After the limit of 7 evaluations, small is recommended as the cheapest arm, by mean cost, within 0.03 of the best";
    assert!(ran.stdout.contains(says), "{ran:?}");
    let (stdout, _) = bench.report(&["study.toml", "--formats", "svg"]);
    assert!(
        stdout.contains("small is recommended as the cheapest arm"),
        "{stdout}"
    );
}
