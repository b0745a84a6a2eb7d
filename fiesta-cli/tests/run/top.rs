//! Tests of studies that name several best arms, in everything that is printed.

use super::{Bench, code};
use serde_json::json;

/// Job of arms that are .1 apart, with noise of some .01 and effects of splits.
const JOB: &str = r#"
case $1 in a) base=8 ;; b) base=7 ;; c) base=6 ;; *) base=3 ;; esac
printf '{"accuracy": 0.%d%02d}\n' $base $((($2 * 7919 + $3) % 17 + $2 % 5))
"#;

#[test]
fn the_best_two_are_named() {
    let arms = ["d", "b", "e", "a", "c"].map(|name| format!("[[arm]]\nname = \"{name}\"\n"));
    let rest = format!("[goal]\ntop = 2\n{}", arms.concat());
    let bench = Bench::with_job(JOB, &rest);
    let check = bench.fiesta(&["run", "study.toml", "--check"]);
    let ends = "95 % sure which 2 arms are the best, or that arms are tied (within 0.3 sd), once these 2 and the next have 8 evaluations each";
    assert!(check.stdout.contains(ends), "{check:#?}");
    let ran = bench.fiesta(&["run", "study.toml"]);
    assert_eq!(ran.code, Some(code::DONE), "{ran:#?}");
    // Both are as good as certain: the order says nothing.
    let says = "b and a are the best 2 of 5 arms by accuracy, with";
    assert!(ran.stdout.contains(says), "{ran:#?}");
    assert!(ran.stdout.contains("P(top 2)"), "{ran:#?}");
    let (_, status) = bench.json(&["status", "study.toml"]);
    assert_eq!(status["top"]["arms"], json!(["b", "a"]));
    let conclusion = &status["conclusion"];
    assert_eq!(conclusion["verdict"], json!("best"));
    assert_eq!(conclusion["reason"]["top"]["arms"], json!([1, 3]));
    let sentence = conclusion["sentence"].as_str().unwrap();
    assert!(
        sentence.starts_with(says) && ran.stdout.contains(sentence),
        "{sentence}"
    );
    // Neither the third nor the others were asked for more than the verdict needs.
    let counts = status["arms"].as_array().unwrap().iter();
    let counts: Vec<u64> = counts
        .map(|arm| arm["evaluations"].as_u64().unwrap())
        .collect();
    assert_eq!(
        counts.iter().filter(|&&count| count < 8).count(),
        2,
        "{counts:?}"
    );
    let (stdout, page) = bench.report(&["study.toml"]);
    assert!(stdout.starts_with(says), "{stdout}");
    assert!(page.contains(says) && page.contains("P(top 2)"), "{page}");
    let among = "posterior probability the best 2 arms are among the one in bold and those marked";
    assert!(
        page.contains(among) && !page.contains("Mean higher by"),
        "{page}"
    );
    // Another number is another study.
    bench.edit("study.toml", "top = 2", "top = 3");
    let other = bench.fiesta(&["run", "study.toml"]);
    assert_eq!(other.code, Some(code::CHANGED), "{other:#?}");
    assert!(other.stderr.contains("goal.top"), "{other:#?}");
}

/// Tests a pool: two arms that are equal at the boundary are named as such once all is known.
#[test]
fn equal_arms_of_a_pool_are_among_the_best() {
    let job = r#"
case $1 in a) right=9 ;; b|c) right=7 ;; *) right=3 ;; esac
if [ $((($2 * 3 + ${#1}) % 10)) -lt $right ]; then echo '{"accuracy": 1}'; else echo '{"accuracy": 0}'; fi
"#;
    let items: Vec<String> = (0..60)
        .map(|item| format!("{{\"id\": \"{item}\"}}\n"))
        .collect();
    let bench = Bench::new();
    bench.file("job.sh", job);
    bench.file("items.jsonl", &items.concat());
    let arms = ["a", "b", "c", "d"].map(|name| format!("[[arm]]\nname = \"{name}\"\n"));
    bench.file("study.toml", &format!(
        "name = \"trial\"\ncommand = [\"sh\", \"job.sh\", \"{{arm}}\", \"{{item}}\"]\n[metric]\nname = \"accuracy\"\nbounds = [0, 1]\n[design]\nitems = \"items.jsonl\"\n[goal]\ntop = 2\n{}",
        arms.concat()
    ));
    let ran = bench.fiesta(&["run", "study.toml"]);
    assert_eq!(ran.code, Some(code::DONE), "{ran:#?}");
    let says = "The best 2 of 4 arms by accuracy are among a, b and c, each of which is one of them or equal to one";
    let words = ran.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains(says), "{ran:#?}");
    let (_, status) = bench.json(&["status", "study.toml"]);
    assert_eq!(status["conclusion"]["verdict"], json!("tied"));
}
