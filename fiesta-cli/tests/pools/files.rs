//! Tests of files of answers to the items of a pool: beliefs with an outlook, logs of other tools,
//! plans, and both questions in the terminal and on the page.

use crate::{
    refused, run,
    support::{Bench, code},
};
use std::fmt::Write as _;

/// Returns the answers of three arms to 120 items: the first two differ on some items, the third is
/// worse.
fn right(arm: usize, item: usize) -> u8 {
    let hard = (item * 7 + item / 5) % 5;
    u8::from(match arm {
        0 => hard < 4,
        1 => (hard < 4 && item % 8 != 3) || item % 11 == 5,
        _ => hard < 2,
    })
}

/// Returns a table with the answers of three arms to the first of 120 items, `known` of each arm.
fn answers(known: [usize; 3]) -> String {
    let mut text = String::from("arm,item,kind,question,accuracy\n");
    for (arm, known) in known.into_iter().enumerate() {
        for item in 0..known {
            let (kind, right) = (["sums", "words"][item % 2], right(arm, item));
            let name = ["good", "fair", "poor"][arm];
            writeln!(text, "{name},q{item},{kind},What is {item}?,{right}").unwrap();
        }
    }
    text
}

#[test]
fn a_belief_tells_how_many_more_answers_it_takes() {
    let bench = Bench::new();
    bench.file("answers.csv", &answers([40; 3]));
    let call = [
        "belief",
        "answers.csv",
        "--metric",
        "accuracy",
        "--pool-size",
        "120",
        "--outlook",
    ];
    let (exit, document) = bench.json(&call);
    assert_eq!(exit, Some(code::DONE), "{document}");
    let pool = &document["pool"];
    assert_eq!((&pool["items"], &pool["cells"]), (&120.into(), &360.into()));
    assert_eq!(
        (&pool["answered"], &pool["origin"]),
        (&120.into(), &"sample".into())
    );
    let outlook = &pool["outlook"];
    let number = |key: &str| outlook["answers"][key].as_u64().unwrap();
    assert!(number("lower") <= number("median") && number("median") <= number("upper"));
    assert!(number("upper") <= 240 && outlook["answers_left"] == 240);
    assert_eq!(outlook["budgets"].as_array().unwrap().len(), 4);
    assert!(document["posterior"] == "pool" && outlook["draws"] == 400);
    let (_, text, _) = run(&bench, &call);
    for part in [
        "of the pool",
        "120 of the 360 answers",
        "taken as a random sample of 120 items, as --pool-size says",
        "in 80 % of continuations",
        "drawn from the posterior",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    let (_, document) = bench.json(&call[..6]);
    assert!(
        document["pool"]["outlook"].is_null() && document["pool"]["claim"]["error"].is_number()
    );
    // Groups, and the two arms' items that differ.
    let (_, document) = bench.json(&[&call[..], &["--strata", "kind"]].concat());
    let groups = document["pool"]["groups"].as_array().unwrap();
    assert_eq!((groups.len(), &groups[0]["group"]), (2, &"sums".into()));
    assert_eq!(groups[0]["arms"][2]["answered"], 20);
    let discordant = &document["pool"]["discordant"];
    assert_eq!(
        (&discordant["leader"], &discordant["runner_up"]),
        (&"good".into(), &"fair".into())
    );
    let better = (0..40)
        .filter(|&item| right(0, item) > right(1, item))
        .count();
    assert_eq!(discordant["leader_better"]["items"], better);
    refused(
        &bench,
        &[&call[..4], &["--strata", "colour"]].concat(),
        "no column `colour`",
    );
    refused(
        &bench,
        &[&call[..4], &["--strata", "question"]].concat(),
        "40 values for 40 items",
    );
    refused(
        &bench,
        &[&call[..4], &["--posterior", "pooled", "--tolerance", "0.1"]].concat(),
        "--tolerance is about the posterior pool",
    );
    refused(
        &bench,
        &[&call[..], &["--confidence", "0.2"]].concat(),
        "between 0.5 and 1",
    );
    bench.file("whole.csv", &answers([120; 3]));
    let (_, document) = bench.json(&["belief", "whole.csv", "--metric", "accuracy"]);
    assert!(document["pool"]["outlook"].is_null());
    assert_eq!(document["arms"][0]["probability_best"], 1.0);
}

/// Tests unchanged logs of other tools: the best arm, the confidence, and further answers needed.
#[test]
fn logs_of_other_tools_are_believed_in_one_call() {
    let logs = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../fiesta-import/tests/fixtures/logs"
    );
    let bench = Bench::new();
    let [small, large] = ["small", "large"].map(|name| format!("{logs}/inspect/{name}.eval"));
    let (exit, document) = bench.json(&["belief", &small, &large]);
    assert_eq!(exit, Some(code::DONE), "{document}");
    assert_eq!(document["pool"]["answered"], 11);
    // One of the two lacks an item, which nobody chose.
    let missing = &document["pool"]["missing"];
    assert_eq!(
        (&missing["items"], &missing["common"]),
        (&6.into(), &5.into())
    );
    assert!(document["pool"]["claim"].is_null());
    assert_eq!(document["arms"][0]["name"], "mockllm/small");
    let sums = |model: &str| {
        let folder = std::fs::read_dir(format!("{logs}/lm_eval/org__{model}")).unwrap();
        let mut files = folder.map(|file| file.unwrap().path().display().to_string());
        files.find(|file| file.contains("samples_colours")).unwrap()
    };
    let (one, other) = (sums("small"), sums("large"));
    let (exit, document) = bench.json(&["belief", &one, &other, "--metric", "acc"]);
    assert!(exit == Some(code::DONE) || document.is_null(), "{document}");
    // Repeated answers are those of a pool whose answers vary.
    let rows = (0..8).flat_map(|item| ["a", "b"].map(|arm| (arm, item)));
    let rows = rows.flat_map(|(arm, item)| {
        [1, 2].map(|seed| format!("{arm},{item},{seed},{}\n", (item + seed) % 2))
    });
    bench.file(
        "repeated.csv",
        &format!("arm,item,seed,score\n{}", rows.collect::<String>()),
    );
    let (_, document) = bench.json(&["belief", "repeated.csv"]);
    assert_eq!(document["posterior"], "pool");
    let varying = &document["pool"]["varying"];
    assert_eq!(
        (&varying["answers"], &varying["repeats"]),
        (&32.into(), &16.into())
    );
    // Each pair of answers is 0 and 1.
    let sd = varying["within_item_sd"].as_f64().unwrap();
    assert!((sd - 0.5_f64.sqrt()).abs() < 1e-12, "{varying}");
    assert_eq!(document["pool"]["answered"], 16);
    let p = document["arms"][0]["probability_best"].as_f64().unwrap();
    assert!((p - 0.5).abs() < 1e-6, "{document}");
    let (_, text, _) = run(&bench, &["belief", "repeated.csv"]);
    assert!(text.contains("expected score"), "{text}");
    refused(
        &bench,
        &["plan", "repeated.csv"],
        "several answers of an arm",
    );
    // Each draws one of the answers to its item.
    let call = [
        "simulate",
        "repeated.csv",
        "--confidence",
        "0.8",
        "--runs",
        "5",
    ];
    let (exit, text, error) = run(&bench, &call);
    assert_eq!(exit, Some(code::DONE), "{error}");
    assert!(
        format!("{text}{error}").contains("asked items again"),
        "{error}{text}"
    );
    refused(
        &bench,
        &[
            "simulate",
            "repeated.csv",
            "--confidence",
            "0.8",
            "--stopping",
            "anytime-bounded",
        ],
        "where an item has one answer",
    );
    bench.file("scores.csv", "arm,item,score\na,x,1\nb,x,0\n");
    refused(
        &bench,
        &["belief", &small, "scores.csv"],
        "and the other files are no tool's",
    );
    bench.file("study.toml", "name = \"x\"");
    refused(&bench, &["belief", "study.toml"], "is a study");
}

#[test]
fn plans_for_pools() {
    let bench = Bench::new();
    let call = [
        "plan",
        "--items",
        "200",
        "--arms",
        "3",
        "--gap",
        "0.05",
        "--runs",
        "100",
        "--confidence",
        "0.95,0.8",
    ];
    let (exit, plan) = bench.json(&call);
    assert_eq!(exit, Some(code::DONE), "{plan}");
    assert_eq!(
        (&plan["cells"], &plan["supposed"]["gap_items"]),
        (&600.into(), &10.into())
    );
    let median = |place: usize| {
        plan["results"][place]["answers"]["median"]
            .as_u64()
            .unwrap()
    };
    assert!(median(1) <= median(0) && median(0) <= 600);
    assert!(
        plan["results"][0]["right"].as_f64().unwrap() > 0.85,
        "{plan}"
    );
    let (_, text, _) = run(&bench, &call);
    assert!(
        text.contains("settled at 95 %") && text.contains("item response model"),
        "{text}"
    );
    bench.file("pilot.csv", &answers([30, 30, 30]));
    let (exit, plan) = bench.json(&[
        "plan",
        "pilot.csv",
        "--metric",
        "accuracy",
        "--pool-size",
        "120",
    ]);
    assert_eq!(exit, Some(code::DONE), "{plan}");
    assert_eq!(
        (&plan["known"], &plan["results"][0]["answers_left"]),
        (&90.into(), &270.into())
    );
    refused(
        &bench,
        &["plan", "pilot.csv", "--metric", "accuracy"],
        "all answers of this pool are known",
    );
    refused(
        &bench,
        &["plan", "--items", "200", "--arms", "3", "--gap", "0.001"],
        "less than one item",
    );
    refused(
        &bench,
        &["plan", "--items", "200", "--arms", "3", "--gap", "0.4"],
        "must be less than a quarter",
    );
    refused(
        &bench,
        &[
            "plan",
            "--items",
            "200",
            "--arms",
            "3",
            "--gap",
            "0.05",
            "--correlation",
            "1",
        ],
        "less than 1",
    );
    refused(
        &bench,
        &["plan", "--arms", "3", "--gap", "0.05"],
        "--sd <SD>|--items <N>",
    );
}

/// Tests that a file answers both questions: a count of these items, and a probability of items
/// like these. The target chooses which of them P(best) is of.
#[test]
fn a_file_answers_both_questions() {
    let bench = Bench::new();
    bench.file("whole.csv", &answers([120; 3]));
    let call = ["belief", "whole.csv", "--metric", "accuracy"];
    let (exit, document) = bench.json(&call);
    assert_eq!(exit, Some(code::DONE), "{document}");
    let pool = &document["pool"];
    let total = |arm: usize| {
        (0..120)
            .map(|item| f64::from(right(arm, item)))
            .sum::<f64>()
    };
    assert_eq!(pool["these_items"]["best"][0], "good");
    assert!(pool["these_items"]["probability"].is_null());
    let lead = pool["these_items"]["lead"].as_f64().unwrap();
    assert!((lead - (total(0) - total(1)) / 120.0).abs() < 1e-9);
    let like = pool["items_like_these"]["probability"].as_f64().unwrap();
    assert!((0.5..1.0).contains(&like), "{like}");
    assert_eq!(document["arms"][0]["probability_best"], 1.0);
    for words in ["items like these", "items-like-these"] {
        let (_, aimed) = bench.json(&[&call[..], &["--target", words]].concat());
        assert_eq!(aimed["pool"]["target"], "items like these");
        assert_eq!(aimed["arms"][0]["probability_best"], like);
    }
    refused(
        &bench,
        &[&call[..], &["--target", "all"]].concat(),
        "is no target",
    );
    bench.file("plain.csv", "arm,score\na,0.1\na,0.2\nb,0.3\nb,0.5\n");
    refused(
        &bench,
        &["belief", "plain.csv", "--target", "items like these"],
        "is about the items of a pool",
    );
    let simulate = [
        "simulate",
        "whole.csv",
        "--metric",
        "accuracy",
        "--runs",
        "20",
    ];
    let target = ["--target", "items like these"];
    let (exit, text, error) = run(&bench, &[&simulate[..], &target].concat());
    assert_eq!(exit, Some(code::DONE), "{error}");
    assert!(text.contains("each run draws 120 items"), "{text}");
    let other = ["--posterior", "pooled"];
    refused(
        &bench,
        &[&simulate[..], &target, &other].concat(),
        "belongs to the posterior pool",
    );
}

/// Tests that a report and its tables name the results for both questions.
#[test]
fn a_page_answers_both_questions() {
    let bench = Bench::new();
    bench.file("whole.csv", &answers([120; 3]));
    let call = [
        "report",
        "whole.csv",
        "--metric",
        "accuracy",
        "-o",
        "page",
        "--formats",
        "svg",
    ];
    let (exit, _, error) = run(&bench, &call);
    assert_eq!(exit, Some(code::DONE), "{error}");
    let page = bench.text("page/report.html");
    for part in [
        "good is best on these 120 items, by ",
        "on items like these, good is best with",
        "P(best) on items like these",
        "tuned on these items, nor where items come in clusters",
    ] {
        assert!(page.contains(part), "{part}");
    }
    let table = bench.text("page/tables/arms.csv");
    assert!(table.contains("probability_on_items_like_these"), "{table}");
    let (_, document) = bench.json(&["belief", "whole.csv", "--metric", "accuracy"]);
    let like = &document["pool"]["items_like_these"]["probability"];
    assert!(table.contains(&like.to_string()[..8]), "{table} {like}");
}
