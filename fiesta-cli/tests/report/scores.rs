//! Tests of reports on files of scores: their files, their numbers, and their words about few scores.

use super::files;
use crate::support::{Bench, STUDY, code};
use std::{fmt::Write, fs, time::Instant};

/// Scores of three arms on five shared splits, the first clearly the best.
fn scores() -> String {
    let mut text = "arm,split,seed,score,duration\n".to_owned();
    for split in 0..5 {
        for (arm, base) in [("high", 70), ("mid", 66), ("low", 60)] {
            let score = base + (split * 7 + base) % 4;
            let _ = writeln!(text, "{arm},{split},0,0.{score},{}", 10 + split);
        }
    }
    text
}

#[test]
fn a_file_of_scores_becomes_a_page_with_all_its_files() {
    let bench = Bench::new();
    bench.file("scores.csv", &scores());
    let ran = bench.fiesta(&[
        "report",
        "scores.csv",
        "--bounds",
        "0,1",
        "--reported",
        "Smith 2018=0.72",
    ]);
    assert_eq!(ran.code, Some(code::DONE), "{ran:?}");
    assert!(
        ran.stdout
            .starts_with("high is the best of 3 arms by score, with "),
        "{ran:?}"
    );
    assert!(
        ran.stdout.contains("whose number no stopping rule decided"),
        "{ran:?}"
    );
    let directory = bench.path("scores.report");
    let expected = [
        "checklist-acl.md",
        "checklist-neurips.md",
        "checklist.md",
        "figures",
        "report.html",
        "tables",
    ];
    assert_eq!(files(&directory), expected);
    let tables = files(&directory.join("tables"));
    for table in [
        "arms",
        "against-best",
        "bootstrap",
        "places",
        "ranks",
        "budgets",
    ] {
        for extension in ["md", "tex", "csv"] {
            assert!(
                tables.contains(&format!("{table}.{extension}")),
                "{table}.{extension} of {tables:?}"
            );
        }
    }
    let figures = files(&directory.join("figures"));
    for figure in [
        "means",
        "scores",
        "pairs",
        "places",
        "ranks",
        "tuning",
        "tuning-time",
        "distributions",
        "profile",
    ] {
        for size in ["", "-column"] {
            let svg =
                fs::read_to_string(directory.join(format!("figures/{figure}{size}.svg"))).unwrap();
            assert!(
                svg.starts_with("<svg ") && svg.contains("</svg>"),
                "{figure}{size}"
            );
            assert!(figures.contains(&format!("{figure}{size}.svg")));
        }
    }
    let arms = bench.text("scores.report/tables/arms.csv");
    assert!(arms.contains("\r\nhigh,5,0,0.7"), "{arms}");
    let page = bench.text("scores.report/report.html");
    for words in [
        "Smith 2018",
        "Nemenyi",
        "What this does not say",
        "Dodge et al. 2019",
    ] {
        assert!(page.contains(words), "{words}");
    }
}

/// Tests statistics against values computed by hand for three splits of two arms.
#[test]
fn numbers_are_right() {
    let bench = Bench::new();
    bench.file(
        "s.csv",
        "arm,split,score\na,0,0.5\na,1,0.6\na,2,0.7\nb,0,0.4\nb,1,0.5\nb,2,0.4\n",
    );
    bench.report(&["s.csv"]);
    let csv = bench.text("out/tables/against-best.csv");
    let row: Vec<&str> = csv.lines().nth(1).unwrap().split(',').collect();
    let number = |place: usize| row[place].parse::<f64>().unwrap();
    assert_eq!(row[..2], ["b", "a"]);
    // Of two arms on the same splits, the posterior's mean is that of the differences.
    assert!((number(2) - 1.0 / 6.0).abs() < 1e-12);
    assert_eq!(row[8..10], ["3", "1"]);
    assert!((number(3) - 1.0 / 6.0).abs() < 1e-12);
    // The interval is that of the belief.
    let belief = bench
        .fiesta(&["belief", "s.csv", "--format", "json"])
        .json();
    let behind = &belief["arms"][1]["behind_best"];
    assert!((number(3) - behind["difference"].as_f64().unwrap()).abs() < 1e-12);
    assert!((number(4) - behind["lower"].as_f64().unwrap()).abs() < 1e-12);
    assert!((number(5) - behind["upper"].as_f64().unwrap()).abs() < 1e-12);
    let latex = bench.text("out/tables/arms.tex");
    assert!(latex.contains("\\toprule") && latex.contains("\\textbf{a} &"));
}

#[test]
fn little_and_nothing_are_reports_too() {
    for (scores, says) in [
        ("arm,score\na,0.5\n", "is the only arm"),
        (
            "arm,score\na,0.5\nb,0.5\n",
            "a and 1 other share the best mean score of 2 arms",
        ),
        (
            "arm,score\na,0.5\na,0.5\nb,0.5\nb,0.5\nb,0.5\n",
            "a and b are tied at 0.5000: every score of each of them is the same",
        ),
        (
            "arm,score,status\na,,failed\nb,,failed\n",
            "Nothing is known yet",
        ),
        (
            "arm,score,status\na,0.4,\na,0.5,\nb,,failed\n",
            "is the only one of 2 arms with a score",
        ),
        ("arm,score\na,-1e90\na,1e90\nb,0\nb,1\n", "arms by score"),
    ] {
        for more in [&[][..], &["--failed", "worst"], &["--minimize"]] {
            let bench = Bench::new();
            bench.file("s.csv", scores);
            let (stdout, page) = bench.report(&[&["s.csv"], more].concat());
            let expected = more.is_empty() || stdout.contains("score");
            assert!(
                !more.is_empty() || stdout.contains(says),
                "{stdout} lacks {says}"
            );
            assert!(expected && page.contains("Checklist"), "{stdout}");
        }
    }
}

/// Tests that failures are dropped or count as the worst score, and that a report names the best arm of the other choice.
#[test]
fn failures_are_a_choice() {
    let bench = Bench::new();
    let scores = "arm,score,status\na,0.9,\na,0.8,\na,,failed\nb,0.7,\nb,0.6,\nb,0.65,\n";
    bench.file("s.csv", scores);
    let (_, dropped) = bench.report(&["s.csv"]);
    assert!(dropped.contains("left out of all summaries"));
    // Of .9, .8 and the worst that was seen, .6.
    assert!(dropped.contains("with --failed worst it would be that of a, 0.767"));
    let (_, worst) = bench.report(&["s.csv", "--failed", "worst", "--bounds", "0,1"]);
    assert!(worst.contains("counted as the worst score that is possible"));
    assert!(
        worst.contains("is now that of b, 0.650; with --failed drop it would be that of a, 0.850")
    );
    assert!(
        bench
            .text("out/tables/arms.csv")
            .contains("\r\na,3,1,0.56666")
    );
    let ran = bench.fiesta(&["report", "s.csv", "--failed", "error"]);
    assert_eq!(ran.code, Some(code::USAGE));
    assert!(
        ran.stderr
            .contains("1 evaluation failed or has no score (s.csv:4), first of `a`"),
        "{ran:?}"
    );
}

#[test]
fn the_same_input_gives_the_same_page() {
    let bench = Bench::new();
    bench.file("s.csv", &scores());
    let (_, first) = bench.report(&["s.csv"]);
    let (_, second) = bench.report(&["s.csv"]);
    assert_eq!(first, second);
}

#[test]
fn bad_arguments_say_what_to_do() {
    let bench = Bench::with_study(STUDY);
    bench.file("s.csv", &scores());
    for (arguments, says) in [
        (
            &["s.csv", "--reported", "0.7"][..],
            "give a name and a score",
        ),
        (&["s.csv", "--confidence", "95"], "95 is no confidence"),
        (&["s.csv", "--posterior", "magic"], "magic"),
        (&["s.csv", "--strata", "task"], "there is no column `task`"),
        (&["s.csv", "-o", "s.csv/x"], "cannot write"),
        (&["study.toml", "--arms", "low"], "leave --arms out"),
    ] {
        if arguments[0] == "study.toml" {
            let _ = bench.fiesta(&["run", "--quiet", "study.toml"]);
        }
        let ran = bench.fiesta(&[&["report"], arguments].concat());
        assert_eq!(ran.code, Some(code::USAGE), "{ran:?}");
        assert!(ran.stderr.contains(says), "{ran:?} lacks {says}");
    }
}

/// Tests a report with `--strata`: scores are compared and resampled within the values of a column.
#[test]
fn strata_are_a_column() {
    let bench = Bench::new();
    let mut text = "arm,task,score\n".to_owned();
    for (arm, ahead) in [("a", 0.02), ("b", 0.0)] {
        for (task, level) in [("easy", 0.9), ("hard", 0.3)] {
            for run in 0..4 {
                let _ = writeln!(
                    text,
                    "{arm},{task},{}",
                    level + ahead + 0.001 * f64::from(run)
                );
            }
        }
    }
    bench.file("s.csv", &text);
    let (_, page) = bench.report(&["s.csv", "--strata", "task"]);
    assert!(page.contains("drawn within the values of task"));
    let csv = bench.text("out/tables/bootstrap.csv");
    let row: Vec<f64> = csv
        .lines()
        .nth(1)
        .unwrap()
        .split(',')
        .skip(1)
        .map(|cell| cell.parse().unwrap())
        .collect();
    // Within a task runs differ by .003 at most, tasks by .6.
    assert!(row[2] - row[1] < 0.003, "{csv}");
}

/// Tests that a report on twelve arms of 500 scores takes 2 s at most without PNG and PDF, and is
/// below 1 MB. (An unoptimised build has ten times as long.)
#[test]
fn twelve_arms_of_500_scores_are_quick() {
    let bench = Bench::new();
    let mut text = "arm,split,seed,score\n".to_owned();
    let mut state = 1_u64;
    for arm in 0..12 {
        for run in 0..500_u64 {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            let noise = (state >> 40) as f64 / f64::from(1 << 24);
            let _ = writeln!(
                text,
                "arm {arm},{},{},{:.6}",
                run / 5,
                run % 5,
                0.5 + 0.01 * f64::from(arm) + 0.1 * noise
            );
        }
    }
    bench.file("s.csv", &text);
    let began = Instant::now();
    let (_, page) = bench.report(&["s.csv", "--bounds", "0,1"]);
    let limit = if cfg!(debug_assertions) { 20.0 } else { 2.0 };
    let seconds = began.elapsed().as_secs_f64();
    println!("{seconds:.2} s, {} bytes", page.len());
    assert!(seconds < limit, "{seconds} s");
    assert!(page.len() < 1_000_000, "{} bytes", page.len());
}

/// Tests that five scores have an interval of the mean by Student's t, and none of the median and
/// of the interquartile mean, which five cannot bound at 95 %.
#[test]
fn few_scores_have_no_bootstrap_intervals() {
    let bench = Bench::new();
    bench.file(
        "s.csv",
        "a,b\n0.50,0.41\n0.52,0.44\n0.58,0.40\n0.55,0.43\n0.51,0.42\n",
    );
    let (_, page) = bench.report(&["s.csv", "--arms", "a,b", "--direction", "maximize"]);
    assert!(
        page.contains("Student&#39;s t of fewer") || page.contains("Student's t of fewer"),
        "{page}"
    );
    let csv = bench.text("out/tables/bootstrap.csv");
    let row: Vec<&str> = csv.lines().nth(1).unwrap().split(',').collect();
    // 0.532 ± 2.776 · 0.0327/√5.
    let number = |place: usize| row[place].parse::<f64>().unwrap();
    assert!(
        (number(2) - 0.4914).abs() < 2e-4 && (number(3) - 0.5726).abs() < 2e-4,
        "{csv}"
    );
    for empty in [5, 6, 8, 9] {
        assert!(row[empty].trim_matches('"').trim().is_empty(), "{csv}");
    }
    assert!(bench.text("out/tables/bootstrap.md").contains("(–)"));
    // Rows of a wide file may be splits.
    assert!(page.contains("say so with --paired-rows"), "{page}");
    let (_, page) = bench.report(&["s.csv", "--paired-rows", "--direction", "maximize"]);
    assert!(
        !page.contains("say so with --paired-rows") && page.contains("5 shared splits"),
        "{page}"
    );
}
