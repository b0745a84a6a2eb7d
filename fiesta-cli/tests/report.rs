//! `fiesta report`, from the input to the files.

mod support;

use std::{fmt::Write, fs, path::Path, time::Instant};
use support::{Bench, STUDY, code};

/// Three arms on five shared splits, the first clearly the best.
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

/// The report on a file, which must succeed: what it printed, and its page.
fn report(bench: &Bench, arguments: &[&str]) -> (String, String) {
    let ran = bench.fiesta(&[&["report"], arguments, &["-o", "out", "--formats", "svg"]].concat());
    assert_eq!(ran.code, Some(code::DONE), "{ran:?}");
    assert!(!ran.stderr.contains("panicked"), "{ran:?}");
    let page = bench.text("out/report.html");
    assert!(page.starts_with("<!DOCTYPE html>") && page.ends_with("</html>"));
    (ran.stdout, page)
}

fn files(directory: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(directory)
        .unwrap()
        .map(|file| file.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
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
    for table in ["arms", "against-best", "bootstrap", "ranks", "budgets"] {
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

/// The statistics are those of the scores: computed by hand for three splits of two arms.
#[test]
fn numbers_are_right() {
    let bench = Bench::new();
    bench.file(
        "s.csv",
        "arm,split,score\na,0,0.5\na,1,0.6\na,2,0.7\nb,0,0.4\nb,1,0.5\nb,2,0.4\n",
    );
    report(&bench, &["s.csv"]);
    let csv = bench.text("out/tables/against-best.csv");
    // Differences .1, .1, .3: mean 1/6, standard error .0667, t of 2 degrees 4.3027.
    let row: Vec<&str> = csv.lines().nth(1).unwrap().split(',').collect();
    let number = |place: usize| row[place].parse::<f64>().unwrap();
    assert_eq!((row[0], row[1], row[7], row[8]), ("b", "a", "3", "1"));
    assert!((number(2) - 1.0 / 6.0).abs() < 1e-12);
    assert!((number(3) - (1.0 / 6.0 - 4.302_652_73 / 15.0)).abs() < 1e-7);
    assert!((number(4) - (1.0 / 6.0 + 4.302_652_73 / 15.0)).abs() < 1e-7);
    let latex = bench.text("out/tables/arms.tex");
    assert!(latex.contains("\\toprule") && latex.contains("\\textbf{a} &"));
}

#[test]
fn a_study_says_how_it_ended() {
    let bench = Bench::with_study(STUDY);
    let ran = bench.fiesta(&["run", "--quiet", "study.toml"]);
    assert_eq!(ran.code, Some(code::DONE), "{ran:?}");
    let quote = ran
        .stdout
        .lines()
        .rfind(|line| line.contains("posterior probability"))
        .unwrap()
        .to_owned();
    let (stdout, page) = report(&bench, &["study.toml"]);
    assert!(stdout.contains(&quote), "{stdout} lacks {quote}");
    assert!(page.contains("The probability is a degree of belief"));
    assert!(page.contains("<dt>Seed</dt><dd>1</dd>"));
    let checklist = bench.text("out/checklist.md");
    assert!(
        checklist.contains("- [x] **2** How long each approach runs on average: low: "),
        "{checklist}"
    );
    assert!(
        checklist.contains("- [ ] **3** How many parameters each model has: *missing*"),
        "{checklist}"
    );
}

#[test]
fn a_limit_is_no_confidence() {
    let bench = Bench::with_study(STUDY);
    bench.edit("study.toml", "confidence = 0.95", "confidence = 0.9999999");
    bench.edit("study.toml", "evaluations = 40", "evaluations = 9");
    let ran = bench.fiesta(&["run", "--quiet", "study.toml"]);
    assert_eq!(ran.code, Some(code::SHORT), "{ran:?}");
    let (stdout, page) = report(&bench, &["study.toml"]);
    assert!(stdout.contains("a limit ended the study"), "{stdout}");
    assert!(page.contains("no level was promised"));
    assert!(page.contains("How the belief came about"));
    assert!(bench.path("out/figures/belief.svg").exists());
}

/// What is not decided is not said to be.
#[test]
fn a_study_that_has_not_ended_names_nobody() {
    let bench = Bench::with_study(STUDY);
    let ran = bench.fiesta(&["report", "study.toml"]);
    assert_eq!(ran.code, Some(code::USAGE), "{ran:?}");
    assert!(ran.stderr.contains("never run"), "{ran:?}");
    bench.edit(
        "study.toml",
        "budget = { evaluations = 40 }",
        "budget = { evaluations = 2 }",
    );
    bench.edit("study.toml", "confidence = 0.95\n", "");
    let _ = bench.fiesta(&["run", "--quiet", "study.toml"]);
    let (stdout, page) = report(&bench, &["study.toml"]);
    assert!(
        stdout.contains("too little is known for a probability")
            || stdout.contains("before a probability"),
        "{stdout}"
    );
    assert!(page.contains("There is no P(best)"));
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
            let (stdout, page) = report(&bench, &[&["s.csv"], more].concat());
            let expected = more.is_empty() || stdout.contains("score");
            assert!(
                !more.is_empty() || stdout.contains(says),
                "{stdout} lacks {says}"
            );
            assert!(expected && page.contains("Checklist"), "{stdout}");
        }
    }
}

/// Failures are counted as asked, and the other choice is named.
#[test]
fn failures_are_a_choice() {
    let bench = Bench::new();
    let scores = "arm,score,status\na,0.9,\na,0.8,\na,,failed\nb,0.7,\nb,0.6,\nb,0.65,\n";
    bench.file("s.csv", scores);
    let (_, dropped) = report(&bench, &["s.csv"]);
    assert!(dropped.contains("left out of all summaries"));
    // Of .9, .8 and the worst that was seen, .6.
    assert!(dropped.contains("with --failed worst it would be that of a, 0.767"));
    let (_, worst) = report(&bench, &["s.csv", "--failed", "worst", "--bounds", "0,1"]);
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
        ran.stderr.contains("1 evaluation failed, of `a`"),
        "{ran:?}"
    );
}

#[test]
fn documents_are_compared_by_their_counts() {
    let job = r#"
case $1 in good) fn=1 ;; *) fn=4 ;; esac
printf '{"tp": 6, "fp": %d, "tn": 20, "fn": %d}\n' $(($2 % 3)) $fn
"#;
    let bench = Bench::new();
    bench.file("job.sh", job);
    let documents = [0, 1, 2, 3, 4, 5]
        .map(|i| format!("{{\"id\": \"d{i}\"}}\n"))
        .concat();
    bench.file("docs.jsonl", &documents);
    bench.file(
        "study.toml",
        "name = \"trial\"\ncommand = [\"sh\", \"job.sh\", \"{arm}\", \"{seed}\", \"{document}\"]\n[design]\ndocuments = \"docs.jsonl\"\n[[arm]]\nname = \"good\"\n[[arm]]\nname = \"bad\"\n",
    );
    let ran = bench.fiesta(&["run", "--quiet", "study.toml"]);
    assert!(
        matches!(ran.code, Some(code::DONE | code::SHORT)),
        "{ran:?}"
    );
    let (stdout, page) = report(&bench, &["study.toml"]);
    assert!(stdout.starts_with("good "), "{stdout}");
    assert!(page.contains("pooled F") && page.contains("documents"));
}

const HOSTILE: [&str; 8] = [
    "<script>alert(1)</script>",
    "\"><img src=x onerror=alert(1)>",
    "\\input{/etc/passwd}",
    "=cmd()|' /C calc'!A0",
    "</title></style></svg><svg onload=alert(1)>",
    "😀 \u{202e}evil\u{202c} עברית",
    "| **bold** | `code` | [link](javascript:alert(1))",
    "@SUM(1+1)*cmd",
];

/// Names come out inert in HTML, SVG, LaTeX, Markdown and CSV; also one of 10,000 characters.
#[test]
fn hostile_names_are_inert_everywhere() {
    let bench = Bench::new();
    let long = "x".repeat(10_000);
    let mut lines = String::new();
    for (place, name) in HOSTILE.iter().copied().chain([long.as_str()]).enumerate() {
        for split in 0..4 {
            let score = 0.5 + 0.01 * place as f64 + 0.003 * (split * (place + 1) % 5) as f64;
            let row =
                serde_json::json!({"arm": name, "split": split, "score": score, "duration": 1.5});
            let _ = writeln!(lines, "{row}");
        }
    }
    bench.file("s.jsonl", &lines);
    let (_, page) = report(&bench, &["s.jsonl", "--reported", "<b onclick=x>=0.55"]);
    let tags: Vec<&str> = page
        .split('<')
        .skip(1)
        .map(|rest| rest.split(['>', ' ', '\n']).next().unwrap())
        .collect();
    for tag in ["script", "img", "iframe"] {
        assert!(!tags.contains(&tag), "{tag}");
    }
    assert_eq!(
        tags.iter().filter(|tag| **tag == "title").count(),
        1 + tags.iter().filter(|tag| **tag == "svg").count() + pointed(&page)
    );
    assert!(!page.contains('\u{202e}'));
    assert!(page.len() < 1_000_000, "{}", page.len());
    for file in files(&bench.path("out/figures")) {
        let svg = bench.text(&format!("out/figures/{file}"));
        for forbidden in [
            "<script",
            "<img",
            "onload=\"",
            "onerror=\"",
            "<foreignObject",
            "\u{202e}",
        ] {
            assert!(!svg.contains(forbidden), "{file}: {forbidden}");
        }
        assert_eq!(svg.matches("<svg").count(), 1, "{file}");
    }
    for file in files(&bench.path("out/tables")) {
        let text = bench.text(&format!("out/tables/{file}"));
        let extension = |wanted: &str| Path::new(&file).extension().is_some_and(|is| is == wanted);
        if extension("tex") {
            assert!(!text.contains("\\input{"), "{file}: {text}");
        } else if extension("csv") {
            let live = |line: &str| line.trim_start_matches('"').starts_with(['=', '@', '+']);
            assert!(!text.split("\r\n").any(live), "{file}: {text}");
        } else {
            assert!(
                !text.contains("<script") && !text.contains("| **bold**"),
                "{file}: {text}"
            );
        }
    }
    for file in ["checklist.md", "checklist-acl.md", "checklist-neurips.md"] {
        assert!(
            !bench.text(&format!("out/{file}")).contains("<script"),
            "{file}"
        );
    }
}

/// Titles within figures: of the marks whose names were shortened.
fn pointed(page: &str) -> usize {
    let all = page.matches("<title>").count();
    let of_figures = page.matches("role=\"img\"").count();
    all - 1 - of_figures
}

#[test]
fn the_same_input_gives_the_same_page() {
    let bench = Bench::new();
    bench.file("s.csv", &scores());
    let (_, first) = report(&bench, &["s.csv"]);
    let (_, second) = report(&bench, &["s.csv"]);
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

/// Scores are drawn and compared within the values of a column.
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
    let (_, page) = report(&bench, &["s.csv", "--strata", "task"]);
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

/// Twelve arms of 500 scores: within 2 s without PNG and PDF, and below 1 MB. (An unoptimised build
/// has ten times as long.)
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
    let (_, page) = report(&bench, &["s.csv", "--bounds", "0,1"]);
    let limit = if cfg!(debug_assertions) { 20.0 } else { 2.0 };
    let seconds = began.elapsed().as_secs_f64();
    println!("{seconds:.2} s, {} bytes", page.len());
    assert!(seconds < limit, "{seconds} s");
    assert!(page.len() < 1_000_000, "{} bytes", page.len());
}

/// Five scores: an interval of the mean by Student's t, and none of the median and of the
/// interquartile mean, which five cannot bound at 95 %.
#[test]
fn few_scores_have_no_bootstrap_intervals() {
    let bench = Bench::new();
    bench.file(
        "s.csv",
        "a,b\n0.50,0.41\n0.52,0.44\n0.58,0.40\n0.55,0.43\n0.51,0.42\n",
    );
    let (_, page) = report(&bench, &["s.csv"]);
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
    let (_, page) = report(&bench, &["s.csv", "--paired-rows"]);
    assert!(
        !page.contains("say so with --paired-rows") && page.contains("5 shared splits"),
        "{page}"
    );
}
