//! Tests of studies that seek the cheapest arm that is good enough, in everything that is printed.

use super::{Bench, arm, code};

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

/// Returns a study of three arms on this many items. Of every 50 `large` is right on 45, `small` on 44 and `tiny` on 30.
fn on_items(items: usize) -> Bench {
    let bench = Bench::new();
    let answer = "k=$(($2 % 50)); case $1 in large) right=45 ;; small) right=44 ;; *) right=30 ;; esac\necho \"{\\\"accuracy\\\": $((k < right))}\"\n";
    bench.file("answer.sh", answer);
    let line = |number: usize| format!("{{\"id\": \"{number}\"}}\n");
    bench.file("questions.jsonl", &(0..items).map(line).collect::<String>());
    let arm = |(name, cost)| format!("[[arm]]\nname = \"{name}\"\ncost = {cost}\n");
    let arms = [("large", "5"), ("small", "1"), ("tiny", "0.2")].map(arm);
    let study = format!(
        "name = \"trial\"\ncommand = [\"sh\", \"answer.sh\", \"{{arm}}\", \"{{item}}\"]\nresources.cost_unit = \"USD\"\n[metric]\nname = \"accuracy\"\n[design]\nitems = \"questions.jsonl\"\n[goal]\nconfidence = 0.95\ncheapest_within = 0.05\n{}",
        arms.concat()
    );
    bench.file("study.toml", &study);
    bench
}

/// Tests that a study on items names the cheapest arm at known prices before all is answered, and says what that is worth.
#[test]
fn on_items_the_claim_of_the_pool_names_the_cheapest() {
    let bench = on_items(200);
    let (exit, result) = bench.json(&["run", "study.toml"]);
    assert_eq!(exit, Some(code::DONE), "{result}");
    assert_eq!(result["conclusion"]["arm"], "small");
    assert_eq!(
        result["conclusion"]["reason"]["cheapest-within"]["level"],
        0.95
    );
    let answers = |name| arm(&result, name)["evaluations"].as_u64().unwrap();
    assert!(answers("tiny") < 50 && answers("small") < 200, "{result}");
    let (stdout, page) = bench.report(&["study.toml", "--formats", "svg"]);
    for text in [&stdout, &page] {
        assert!(text.contains("small is the cheapest arm"), "{text}");
    }
    let status = bench.fiesta(&["status", "study.toml"]);
    let means = "On made-up pools of right and wrong answers, studies that stop like this named a false arm in 6 % at most";
    assert!(status.stdout.contains(means), "{status:?}");
}

/// Tests that a limit is told as such, and that items are refused whose costs or posterior no claim covers.
#[test]
fn on_items_what_no_claim_covers_is_refused() {
    let bench = on_items(200);
    bench.edit(
        "study.toml",
        "confidence",
        "budget = { cost = 60 }\nconfidence",
    );
    let ran = bench.fiesta(&["run", "study.toml"]);
    assert_eq!(ran.code, Some(code::SHORT), "{ran:?}");
    let says =
        "is recommended as the cheapest arm, by mean cost, within 0.05 of the best of 3 arms";
    assert!(ran.stdout.contains(says), "{ran:?}");
    for (from, to, told) in [
        (
            "cost = 0.2\n",
            "",
            "the arm \"tiny\" has no fixed price of an answer",
        ),
        (
            "[goal]",
            "repeats = true\n[goal]",
            "leave repeats or cheapest_within out",
        ),
        (
            "[goal]",
            "posterior = \"paired\"\n[goal]",
            "has the posterior paired",
        ),
        (
            "confidence = 0.95",
            "confidence = 0.95\ntarget = \"items like these\"",
            "leave target or cheapest_within out",
        ),
    ] {
        let bench = on_items(200);
        bench.edit("study.toml", from, to);
        bench
            .fiesta(&["run", "--check", "study.toml"])
            .says(code::USAGE, &["cheapest_within", told]);
    }
}
