//! Tests that arms which no evaluation tells apart are called tied, in everything that is printed.

use super::{Bench, arm, code};
use std::fmt::Write;

/// Job of three arms with equal scores on every split, and of a worse one that varies between
/// splits.
const JOB: &str = r#"
case $1 in
  worse) printf '{"accuracy": 0.%03d}\n' $((500 + ($2 * 7919 + $3) % 90)) ;;
  *) printf '{"accuracy": 0.%03d}\n' $((830 + $2 % 4)) ;;
esac
"#;

fn arms(names: &[&str]) -> String {
    let tables = names
        .iter()
        .map(|name| format!("[[arm]]\nname = \"{name}\"\n"));
    tables.collect::<Vec<String>>().concat()
}

#[test]
fn tied_arms_are_called_tied() {
    let rest = format!(
        "[goal]\nconfidence = 0.99\nbudget = {{ evaluations = 41 }}\n{}",
        arms(&["a", "worse", "b", "c"])
    );
    let bench = Bench::with_job(JOB, &rest);
    let ran = bench.fiesta(&["run", "study.toml"]);
    assert_eq!(ran.code, Some(code::SHORT), "{ran:#?}");
    let says = "After the limit of 41 evaluations, a, b and c are tied at 0.831";
    assert!(ran.stdout.contains(says), "{ran:#?}");
    assert!(
        ran.stdout.contains("no difference in any of their "),
        "{ran:#?}"
    );
    assert!(!ran.stdout.contains("recommended"), "{ran:#?}");
    for name in ["a=", "b=", "c="] {
        let is_marked = |line: &str| line.starts_with(&format!("{name} "));
        assert!(ran.stdout.lines().any(is_marked), "{name}: {ran:#?}");
    }
    let (_, json) = bench.json(&["status", "study.toml"]);
    assert_eq!(json["tied"], serde_json::json!(["a", "b", "c"]));
    let sentence = json["conclusion"]["sentence"].as_str().unwrap();
    // The three share P(best): together it is what the fourth leaves.
    let worse = arm(&json, "worse")["probability_best"].as_f64().unwrap();
    let is_said = |together: f64| {
        let together = fiesta::report::percent(together);
        sentence.contains(&format!(
            "with {together} posterior probability, the best of 4 arms by accuracy is one of them"
        ))
    };
    // What the column says of all arms sums to 100 %.
    let together = 1.0 - worse;
    assert!(is_said(together) || is_said(together + 0.001), "{sentence}");

    let (stdout, _) = bench.report(&["study.toml"]);
    assert!(
        stdout.starts_with("a, b and c are tied at 0.831"),
        "{stdout}"
    );
    let markdown = bench.text("out/tables/arms.md");
    for name in ["**a**=", "**b**=", "**c**="] {
        assert!(markdown.contains(name), "{markdown}");
    }
    assert!(markdown.contains("= Tied: "), "{markdown}");
    assert!(!markdown.contains("worse†"), "{markdown}");
    assert!(
        bench
            .text("out/tables/arms.tex")
            .contains("\\textbf{a}\\textsuperscript{=}")
    );

    bench.file(
        "scores.csv",
        &bench.fiesta(&["export", "study.toml"]).stdout,
    );
    let belief = bench.fiesta(&["belief", "scores.csv"]);
    assert!(
        belief.stdout.contains("a, b and c are tied at 0.831"),
        "{belief:#?}"
    );
    let (_, belief) = bench.json(&["belief", "scores.csv"]);
    assert_eq!(belief["tied"], serde_json::json!(["a", "b", "c"]));
    let of_file = bench.fiesta(&["report", "scores.csv", "-o", "file", "--formats", "svg"]);
    assert!(
        of_file.stdout.starts_with("a, b and c are tied at 0.831"),
        "{of_file:#?}"
    );
}

/// Tests scores without noise: there is no belief, and arms of mean 0 are still told from the best.
#[test]
fn arms_without_noise_are_told_apart() {
    let bench = Bench::new();
    let mut scores = "arm,split,score\n".to_owned();
    for split in 0..12 {
        for (arm, score) in [("a", "0.83"), ("zero", "0"), ("b", "0.83"), ("none", "0")] {
            let _ = writeln!(scores, "{arm},{split},{score}");
        }
    }
    bench.file("scores.csv", &scores);
    let (stdout, _) = bench.report(&["scores.csv"]);
    assert!(
        stdout.starts_with(
            "a and b are tied at 0.8300: no difference in any of their 12 common evaluations"
        ),
        "{stdout}"
    );
    let markdown = bench.text("out/tables/arms.md");
    assert!(
        markdown.contains("**a**=") && markdown.contains("**b**="),
        "{markdown}"
    );
    assert!(
        !markdown.contains("zero†") && !markdown.contains("none†"),
        "{markdown}"
    );
    // χ² = 36 with 3 degrees of freedom.
    assert!(bench.text("out/tables/ranks.md").contains("p = 7.49e-8"));
    assert!(
        !markdown.contains('†'),
        "nothing is marked, and nothing explained: {markdown}"
    );
}

/// Tests that an arm which is better on a single split is not tied.
#[test]
fn one_difference_is_a_difference() {
    let bench = Bench::new();
    bench.file(
        "scores.csv",
        "arm,split,score\na,0,0.5\na,1,0.6\na,2,0.7\nb,0,0.5\nb,1,0.6\nb,2,0.6\nc,0,0.1\nc,1,0.3\nc,2,0.3\n",
    );
    let (_, belief) = bench.json(&["belief", "scores.csv"]);
    assert_eq!(belief["tied"], serde_json::json!([]));
    let text = bench.fiesta(&["belief", "scores.csv"]).stdout;
    assert!(!text.contains("tied"), "{text}");
}
