//! Test that everything which is printed of a study agrees: its sentence, table, JSON, report,
//! tables, figure and belief.

use super::{Bench, arm, code, support::assert_close};
use fiesta::{
    Case, Evaluation, EvaluationId, Observation, Outcome,
    policies::random_search::Setting,
    runner::{Ledger, Study, ledger::Entry},
};
use serde_json::{Map, Value};

/// Job with noisy scores, whose noise depends on split and seed; the arm `broken` fails.
const JOB: &str = r#"
case $1 in
  broken) exit 3 ;;
  high) base=652 ;;
  mid) base=620 ;;
  *) base=600 ;;
esac
printf '{"accuracy": 0.%03d}\n' $((base + ($2 * 7919 + $3) % 90))
"#;

/// A study in which one evaluation ended after the decision, one arm was retired, and arms have
/// seen unequal splits.
///
/// That an evaluation ends between the decision and its cancellation is a matter of microseconds:
/// the ledger is written as it is then, with one more evaluation of `high`, begun before the
/// decision and ended after it.
fn study() -> Bench {
    let rest = "[goal]\nconfidence = 0.95\n[design]\nparallel = 1\nseed = 3\nstopping = \"posterior-at-once\"\n";
    let arms = ["low", "mid", "high", "broken"]
        .map(|name| format!("[[arm]]\nname = \"{name}\"\ncost = 1\n"));
    let bench = Bench::with_job(JOB, &format!("{rest}{}", arms.concat()));
    let ran = bench.fiesta(&["run", "--quiet", "study.toml"]);
    assert_eq!(ran.code, Some(code::ARM_FAILED), "{ran:#?}");
    let study = Study::read(&bench.path("study.toml")).unwrap();
    let mut entries = Ledger::read(&study.state_directory()).unwrap();
    let decided = entries.iter().filter_map(|entry| match entry {
        Entry::Decided { evaluation, .. } => Some(*evaluation),
        _ => None,
    });
    let decided: Vec<Evaluation> = decided.collect();
    let high = study.arms().find("high").unwrap();
    let of_high = decided.iter().filter(|evaluation| evaluation.arm == high);
    let late = Evaluation {
        id: EvaluationId(decided.len() as u64),
        arm: high,
        case: Case {
            split: of_high.count() as u64,
            seed: 1,
        },
    };
    let is_conclusion = |entry: &Entry| matches!(entry, Entry::Concluded { .. });
    let end = entries.iter().position(is_conclusion).unwrap();
    let begun = Entry::Decided {
        evaluation: late,
        setting: Setting::default(),
    };
    entries.insert(end, begun);
    entries.push(Entry::Ended {
        evaluation: late.id,
        attempt: 0,
        outcome: Outcome::Observed(Observation::Score(0.74)),
        cost: 1.5,
        seconds: 1.5,
        end: None,
        message: None,
        extras: Map::new(),
    });
    for file in ["ledger.db", "ledger.db-wal", "ledger.db-shm"] {
        let _ = std::fs::remove_file(study.state_directory().join(file));
    }
    let mut ledger = Ledger::open(&study.state_directory()).unwrap();
    ledger.append(&entries, true).unwrap();
    bench
}

/// Returns the first number, or word, after the text `before`.
#[track_caller]
fn after<'a>(text: &'a str, before: &str) -> &'a str {
    let (_, rest) = text
        .split_once(before)
        .unwrap_or_else(|| panic!("`{before}` is not in {text}"));
    rest.trim_start()
        .split([' ', ',', ';', '<', '\n'])
        .next()
        .unwrap()
}

/// Returns the cells of the row that begins with this name, in a table of text or Markdown.
#[track_caller]
fn row<'a>(text: &'a str, name: &str) -> Vec<&'a str> {
    let cells = |line: &'a str| -> Vec<&'a str> {
        let parts = line.split('|').flat_map(|part| part.split("  "));
        let cells = parts.map(|part| part.trim().trim_matches('*'));
        cells.filter(|cell| !cell.is_empty()).collect()
    };
    text.lines()
        .map(cells)
        .find(|cells| {
            cells
                .first()
                .is_some_and(|first| first.trim_end_matches('†') == name)
        })
        .unwrap_or_else(|| panic!("no row of {name} in {text}"))
}

/// Returns the number in a column of a CSV file, in the row of an arm.
#[track_caller]
fn column(csv: &str, name: &str, arm: &str) -> f64 {
    let mut lines = csv.lines();
    let header: Vec<&str> = lines.next().unwrap().split(',').collect();
    let place = header.iter().position(|head| *head == name).unwrap();
    let line = lines.find(|line| line.starts_with(&format!("{arm},")));
    let cell = line.unwrap().split(',').nth(place).unwrap();
    cell.parse()
        .unwrap_or_else(|_| panic!("{name} of {arm}: {cell}"))
}

#[test]
#[allow(clippy::too_many_lines, reason = "one number after the other")]
fn every_output_states_the_same() {
    let bench = study();
    let (_, json) = bench.json(&["status", "study.toml"]);
    let ran = bench.fiesta(&["run", "study.toml"]);
    let status = bench.fiesta(&["status", "study.toml"]);
    let report = bench.fiesta(&["report", "study.toml", "-o", "out", "--formats", "svg"]);
    assert_eq!(report.code, Some(code::DONE), "{report:#?}");
    let page = bench.text("out/report.html").replace('\u{202f}', " ");
    let page = page.replace("&gt;", ">");
    let markdown = bench.text("out/tables/arms.md");
    let csv = bench.text("out/tables/arms.csv");
    let belief = bench.text("out/figures/belief.svg");
    let against = bench.text("out/tables/against-best.csv");

    // The sentence, word for word.
    let sentence = json["conclusion"]["sentence"].as_str().unwrap();
    let checklist = bench.text("out/checklist-neurips.md").replace("&gt;", ">");
    for text in [
        &ran.stdout,
        &status.stdout,
        &report.stdout,
        &page,
        &checklist,
    ] {
        assert!(text.contains(sentence), "{sentence} is not in {text}");
    }

    // Evaluations: all that have ended, and those at the decision named beside them.
    let number = |value: &Value| value.as_u64().unwrap();
    let ended = number(&json["evaluations"]) + number(&json["failed"]);
    let decided = number(&json["conclusion"]["evaluations"]);
    assert_eq!((ended, number(&json["failed"])), (decided + 1, 3));
    assert_eq!(json["conclusion"]["ended_afterwards"], 1);
    let of_sentence = format!("({ended} evaluations, 3 of which failed, on ");
    assert!(sentence.contains(&of_sentence), "{sentence}");
    assert!(
        sentence.contains(&format!(
            "It was decided after {decided} evaluations, with "
        )),
        "{sentence}"
    );
    let highlight = after(&page, "<dt>Evaluations</dt><dd class=\"value\">");
    assert_eq!(highlight, ended.to_string());
    assert!(
        belief.contains(&format!("Belief over {ended} evaluations")),
        "{belief}"
    );
    let exported = bench.fiesta(&["export", "study.toml"]).stdout;
    assert_eq!(exported.lines().count() as u64, 1 + ended);

    // Arms: those that were compared, and the retired one named.
    assert!(sentence.contains("the best of 3 of 4 arms"), "{sentence}");
    assert!(sentence.contains("failed: broken."), "{sentence}");
    assert!(
        report.stdout.starts_with("high is the best of 3 of 4 arms"),
        "{report:#?}"
    );
    assert!(page.contains("3 arms and 1 retired"));
    assert_eq!(json["compared"], 3);

    // P(best): as the sentence says it, in every table, the headline, the bar and the figure.
    let p = arm(&json, "high")["probability_best"].as_f64().unwrap();
    let (said, _) = sentence["With ".len()..].split_once(" posterior").unwrap();
    let said = said.to_owned();
    let exact = said.trim_start_matches("> ").trim_end_matches(" %");
    let exact: f64 = exact.parse().unwrap();
    assert!((exact - 100.0 * p).abs() <= 0.1, "{said} of {p}");
    assert_close(&json["confidence"], p, 0.0);
    let headline = format!("best of 3 of 4 arms by accuracy, with {said} posterior probability.");
    assert!(report.stdout.contains(&headline), "{headline}: {report:#?}");
    for (table, name) in [
        (&ran.stdout, "run"),
        (&status.stdout, "status"),
        (&markdown, "report"),
    ] {
        let cells = row(table, "high");
        assert!(
            cells.contains(&said.as_str()),
            "{name}: {said} in {cells:?}"
        );
        let percents = ["low", "mid", "high"].map(|name| {
            let cells = row(table, name);
            let cell = cells.iter().find(|cell| cell.ends_with(" %")).unwrap();
            let number = cell.trim_end_matches(" %");
            number.parse().unwrap_or(0.0)
        });
        assert!(
            (percents.iter().sum::<f64>() - 100.0).abs() < 0.11,
            "{name}: {percents:?}"
        );
    }
    assert!(
        page.contains(&format!("<b>{said}</b>")),
        "{said} in the bar"
    );
    assert!(
        belief.contains(&format!(">{said}</text>")),
        "{said} in the figure"
    );
    assert_close(
        &arm(&json, "high")["probability_best"],
        column(&csv, "probability_best", "high"),
        0.0,
    );

    // Means: of all scores, also of the late one.
    for name in ["low", "mid", "high"] {
        let mean = arm(&json, name)["mean"].as_f64().unwrap();
        assert!((column(&csv, "mean", name) - mean).abs() < 1e-12);
        for table in [&ran.stdout, &status.stdout] {
            let shown = format!("{mean:.4}");
            assert!(
                row(table, name).iter().any(|cell| cell.starts_with(&shown)),
                "{name}"
            );
        }
        let evaluations = number(&arm(&json, name)["evaluations"]) as f64;
        assert!((column(&csv, "evaluations", name) - evaluations).abs() < 0.5);
    }

    // A mean and a difference are of the posterior, as their intervals are.
    let middle = |csv: &str, name: &str| {
        f64::midpoint(column(csv, "lower", name), column(csv, "upper", name))
    };
    for name in ["low", "mid", "high"] {
        let mean = column(&csv, "posterior_mean", name);
        assert!((middle(&csv, name) - mean).abs() < 1e-12, "{name}: {mean}");
    }

    // The difference of the best two: of the posterior, on common splits, and of the means.
    let (_, highlight) = page.split_once("<dt>Mean higher by</dt>").unwrap();
    let next = after(highlight, "than ");
    let of = |name: &str| arm(&json, name)["mean"].as_f64().unwrap();
    let means = of("high") - of(next);
    let (paired, plain) = (
        column(&against, "difference", next),
        column(&against, "difference_of_means", next),
    );
    assert!((plain - means).abs() < 1e-12 && (paired - means).abs() > 1e-3);
    let of_posterior = column(&against, "posterior_difference", next);
    assert!((middle(&against, next) - of_posterior).abs() < 1e-12);
    let shown: f64 = after(&page, "<dt>Mean higher by</dt><dd class=\"value\">")
        .parse()
        .unwrap();
    assert!(
        (shown - of_posterior).abs() < 1e-3,
        "{shown} of {of_posterior}"
    );
    let plain_shown = after(&page, "(their means over all their scores differ by ");
    let plain_shown: f64 = plain_shown
        .trim_end_matches(')')
        .trim_start_matches('+')
        .parse()
        .unwrap();
    assert!(
        (plain_shown - means).abs() < 1e-3,
        "{plain_shown} of {means}"
    );

    // The belief of the exported scores.
    let scored = exported.lines().filter(|line| !line.contains("broken"));
    let scored: Vec<&str> = scored.collect();
    bench.file("scores.csv", &scored.join("\n"));
    let (_, of_scores) = bench.json(&["belief", "scores.csv"]);
    assert!(of_scores["absolute_error"].as_f64().unwrap() <= 3e-4);
    assert_close(&arm(&of_scores, "high")["probability_best"], p, 1e-9);

    // Costs: what the study spent.
    let spent: f64 = ["low", "mid", "high", "broken"]
        .map(|name| column(&csv, "cost", name))
        .iter()
        .sum();
    assert_close(&json["cost"], spent, 1e-9);
}
