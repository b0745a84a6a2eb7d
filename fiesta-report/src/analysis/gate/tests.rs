//! Verdicts, counts and words of gates.

use super::{GateDrift, GateOptions, GateReport, GateVerdict, Standing, gate};
use crate::analysis::AnalysisError;
use fiesta_core::{
    Direction, Metric, Target,
    rand::{SeedableRng, rngs::ChaCha8Rng},
};
use fiesta_records::{Evaluations, Reading, read_from};
use rand_distr::{Distribution, StandardNormal};
use statrs::function::beta::beta_reg;
use std::fmt::Write as _;

fn records(file: &str) -> Evaluations {
    let options = Reading {
        keep_columns: true,
        keep_failures: true,
        keep_missing: true,
        ..Reading::default()
    };
    read_from(file.as_bytes(), None, &options, "f.csv").unwrap()
}

/// Answers to n items of which the candidate loses and gains some; all others are right.
fn rows(n: usize, lost: usize, gained: usize) -> String {
    let row = |item: usize| {
        let (old, new) = match item {
            _ if item < lost => (1, 0),
            _ if item < lost + gained => (0, 1),
            _ => (1, 1),
        };
        format!("old,q{item},{old}\nnew,q{item},{new}\n")
    };
    "arm,item,score\n".to_owned() + &(0..n).map(row).collect::<String>()
}

fn options(margin: f64, target: Target) -> GateOptions {
    GateOptions {
        margin: Some(margin),
        target,
        ..GateOptions::default()
    }
}

fn found(file: &str, options: &GateOptions) -> Result<GateReport, AnalysisError> {
    gate(&records(file), Direction::Maximize, "f.csv", options)
}

fn verdict(file: &str, margin: f64, target: Target) -> Option<GateVerdict> {
    found(file, &options(margin, target)).unwrap().verdict
}

/// Tests that nothing ships at exactly the margin, whatever binary fractions make of it.
#[test]
fn rounding_ships_nothing_at_the_margin() {
    for (n, lost, margin) in [
        (50, 1, 0.02),
        (100, 7, 0.07),
        (300, 87, 0.29),
        (1000, 57, 0.057),
    ] {
        let file = rows(n, lost, 0);
        assert_eq!(
            verdict(&file, margin, Target::TheseItems),
            Some(GateVerdict::Blocked)
        );
        let less = rows(n, lost - 1, 0);
        assert_eq!(
            verdict(&less, margin, Target::TheseItems),
            Some(GateVerdict::Ships)
        );
    }
    // Graded: ten answers are worse by .1, .3 and so on, and all others equal.
    let graded = (0..100).map(|item| match item {
        0..10 => format!("q{item},0.7,0.5\n"),
        _ => format!("q{item},0.3,0.3\n"),
    });
    let graded = "item,old,new\n".to_owned() + &graded.collect::<String>();
    assert_eq!(
        verdict(&graded, 0.02, Target::TheseItems),
        Some(GateVerdict::Blocked)
    );
    assert_eq!(
        verdict(&graded, 0.0201, Target::TheseItems),
        Some(GateVerdict::Ships)
    );
}

#[test]
fn items_like_these_are_tested() {
    let like = Target::ItemsLikeThese;
    assert_eq!(
        verdict(&rows(1000, 12, 14), 0.02, like),
        Some(GateVerdict::Ships)
    );
    assert_eq!(
        verdict(&rows(1000, 60, 14), 0.02, like),
        Some(GateVerdict::Blocked)
    );
    assert_eq!(
        verdict(&rows(200, 6, 6), 0.02, like),
        Some(GateVerdict::Undecided)
    );
    // Too few, whatever the numbers say.
    for file in [rows(49, 0, 40), rows(49, 40, 0), rows(5000, 2, 0)] {
        assert_eq!(verdict(&file, 0.02, like), Some(GateVerdict::Undecided));
    }
    let report = found(&rows(1000, 12, 14), &options(0.02, like)).unwrap();
    let own = &report.candidates[0];
    assert_eq!((own.regressions, own.fixed, own.differing), (12, 14, 26));
    assert_eq!(own.standing, Standing::Equal);
    assert_eq!(own.flipped[0].item, "q0");
    let of = |place: usize| own.flipped[place].difference;
    assert!((of(0) + 1.0).abs() < 1e-12 && (of(12) - 1.0).abs() < 1e-12);
    assert!(own.lower.unwrap() > -0.02 && own.upper.unwrap() < 0.02);
    assert!(own.probability > 0.99);
}

/// Returns scores of two versions on splits, with some seeds each. The new one is worse by `lost`, more or
/// less so on each split.
fn on_splits(rng: &mut ChaCha8Rng, splits: u32, seeds: u32, lost: f64) -> String {
    let mut noise = |sd: f64| sd * Distribution::<f64>::sample(&StandardNormal, rng);
    let mut file = "arm,split,seed,score\n".to_owned();
    for split in 0..splits {
        let (hard, gap) = (noise(0.03), noise(0.01));
        for seed in 0..seeds {
            let (old, new) = (80.0 + hard + noise(0.02), noise(0.02));
            let new = 80.0 + hard + gap - lost + new;
            writeln!(file, "old,{split},{seed},{old}\nnew,{split},{seed},{new}").unwrap();
        }
    }
    file
}

/// Tests how often a version ships on splits that is worse by exactly the margin: 400 gates a cell, an
/// allowance of 3 standard errors of 5 %. Equal versions ship far more often.
#[test]
fn gates_of_splits_err_as_often_as_stated() {
    let mut rng = ChaCha8Rng::seed_from_u64(36);
    let options = options(0.02, Target::ItemsLikeThese);
    for (splits, seeds) in [(3, 1), (5, 10), (10, 2), (30, 1)] {
        let mut ships = |lost| {
            let verdict = |_: &u32| {
                let file = on_splits(&mut rng, splits, seeds, lost);
                found(&file, &options).unwrap().verdict == Some(GateVerdict::Ships)
            };
            (0..400).filter(verdict).count() as f64 / 400.0
        };
        let [at_the_margin, equal] = [0.02, 0.0].map(&mut ships);
        println!("{splits} splits, {seeds} seeds: {at_the_margin} {equal}");
        assert!(at_the_margin <= 0.05 + 3.0 * 0.0109, "{at_the_margin}");
        assert!(at_the_margin > 0.01 && equal > 2.0 * at_the_margin);
    }
}

/// Tests what is said of splits, and that few values or a single one are no Gaussian differences.
#[test]
fn splits_are_called_splits() {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let like = options(0.03, Target::ItemsLikeThese);
    let report = found(&on_splits(&mut rng, 10, 5, 0.0), &like).unwrap();
    let own = &report.candidates[0];
    assert!(
        own.sentence
            .starts_with("new may ship: on splits like these 10, its mean score"),
        "{}",
        own.sentence
    );
    assert_eq!(own.test, "paired t test of Gaussian differences");
    assert!(own.flipped.is_empty() && !report.text().contains("item"));
    assert!(own.p_not_shipping.unwrap() < 0.05 && own.probability > 0.95);
    let note = "20 splits of an arm have several scores, whose mean counts";
    assert_eq!(report.notes, [note]);
    let undecided = |file: &str, why: &str| {
        let report = found(file, &like).unwrap();
        assert_eq!(report.verdict, Some(GateVerdict::Undecided));
        assert!(report.text().contains(why), "{}", report.text());
    };
    let rows = |of: &[(f64, f64)]| {
        let rows = (0..).zip(of);
        let rows =
            rows.map(|(split, (old, new))| format!("old,{split},{old}\nnew,{split},{new}\n"));
        "arm,split,score\n".to_owned() + &rows.collect::<String>()
    };
    undecided(&rows(&[(0.5, 0.6), (0.4, 0.6)]), "fewer than 3 splits");
    undecided(&rows(&[(0.5, 0.75); 3]), "all differences are the same");
    undecided(
        &rows(&[(1.0, 1.0), (0.0, 1.0), (0.0, 0.0)]),
        "fewer than 50 splits",
    );
}

/// Tests that shared seeds take the place of splits, and that others do not.
#[test]
fn shared_seeds_tell_which_scores_belong_together() {
    let file = |other: u32| {
        let row = |seed: u32| {
            let (old, new) = (
                0.5 + f64::from(seed * seed % 7) / 100.0,
                0.6 + f64::from(seed) / 100.0,
            );
            format!("old,{seed},{old}\nnew,{},{new}\n", seed + other)
        };
        "arm,seed,score\n".to_owned() + &(0..8).map(row).collect::<String>()
    };
    let report = found(&file(0), &options(0.02, Target::ItemsLikeThese)).unwrap();
    assert_eq!(report.verdict, Some(GateVerdict::Ships));
    let refused = found(&file(1), &options(0.02, Target::ItemsLikeThese)).unwrap_err();
    assert!(refused.to_string().contains("belong together"));
}

/// Tests that errors, of which fewer are better, get the same verdicts.
#[test]
fn losses_are_turned_around() {
    let file = rows(1000, 14, 60);
    let report = gate(
        &records(&file),
        Direction::Minimize,
        "f.csv",
        &options(0.02, Target::ItemsLikeThese),
    );
    let report = report.unwrap();
    assert_eq!(report.verdict, Some(GateVerdict::Blocked));
    assert!(report.candidates[0].difference < -0.04);
    assert!(
        report
            .text()
            .contains("is worse than that of old by 0.02 or more"),
        "{}",
        report.text()
    );
}

/// Tests that a candidate that drops the items that it fails, or fails on them, does not ship.
#[test]
fn dropped_items_ship_nothing() {
    for target in [Target::TheseItems, Target::ItemsLikeThese] {
        let hard = rows(400, 40, 0);
        let drop = |with: &str| {
            let kept = hard.lines().map(|line| match line.strip_suffix(",0") {
                Some(cells) if line.starts_with("new") => with.replace("CELLS", cells),
                _ => format!("{line}\n"),
            });
            kept.collect::<String>()
        };
        for file in [drop(""), drop("CELLS,\n")] {
            let report = found(&file, &options(0.02, target)).unwrap();
            assert_eq!(report.verdict, Some(GateVerdict::Blocked));
            let own = &report.candidates[0];
            assert_eq!((own.failed + own.missing, own.items), (40, 400));
            assert_eq!(own.regressions, 40);
            assert!(
                report
                    .text()
                    .contains("40 answers of new failed or are missing")
            );
        }
        // What the baseline lacks is its best score.
        let all = rows(400, 0, 0);
        let lacks = all.lines().skip_while(|line| !line.contains("q40,"));
        let more = (0..40).map(|item| format!("new,q{item},1\n"));
        let file = "arm,item,score\n".to_owned()
            + &lacks.collect::<Vec<_>>().join("\n")
            + "\n"
            + &more.collect::<String>();
        assert_eq!(
            found(&file, &options(0.02, target)).unwrap().candidates[0].fixed,
            0
        );
    }
    let percent = "item,old,new\nq1,90,80\nq2,70,\n";
    let error = found(percent, &options(0.02, Target::TheseItems)).unwrap_err();
    assert!(error.to_string().contains("give --bounds"), "{error}");
}

/// Tests that errors are divided among candidates, and that the worst verdict is that of all.
#[test]
fn several_candidates() {
    let file = (0..1000).map(|item| {
        let other = u8::from(item >= 60);
        format!(
            "old,q{item},1\nsame,q{item},{}\nworse,q{item},{other}\n",
            u8::from(item % 200 > 0)
        )
    });
    let file = "arm,item,score\n".to_owned() + &file.collect::<String>();
    let report = found(&file, &options(0.02, Target::ItemsLikeThese)).unwrap();
    assert!((report.error_each - 0.025).abs() < 1e-12);
    let verdicts: Vec<_> = report
        .candidates
        .iter()
        .map(|own| own.verdict.unwrap())
        .collect();
    assert_eq!(verdicts, [GateVerdict::Ships, GateVerdict::Blocked]);
    assert_eq!(report.verdict, Some(GateVerdict::Blocked));
    // The old version is better on five of 1,000 items, which is no certainty of items like these.
    let same = report.candidates[0].probability_best.unwrap();
    let expected = beta_reg(6.0, 1.0, 0.5);
    assert!((same - expected).abs() < 1e-3, "{same} {expected}");
    let of_these = found(&file, &options(0.02, Target::TheseItems)).unwrap();
    assert_eq!(of_these.candidates[0].probability_best, Some(0.0));
    let other = GateOptions {
        baseline: Some("same".to_owned()),
        ..options(0.02, Target::ItemsLikeThese)
    };
    assert_eq!(found(&file, &other).unwrap().baseline, "same");
}

/// Tests that each cluster counts as one: if whole clusters of 20 items are lost, the lower end lies over three times as far below 0.
#[test]
fn clusters_are_the_units() {
    let file = |per: usize| {
        let row = |item: usize| {
            let (old, new) = match item / 20 % 12 {
                0..3 => (1, 0),
                3..6 => (0, 1),
                _ => (1, 1),
            };
            let text = item / per;
            format!("old,q{item},t{text},{old}\nnew,q{item},t{text},{new}\n")
        };
        "arm,item,text,score\n".to_owned() + &(0..960).map(row).collect::<String>()
    };
    let of = |per: usize| {
        let clustered = GateOptions {
            clusters: Some("text".to_owned()),
            ..options(0.1, Target::ItemsLikeThese)
        };
        found(&file(per), &clustered).unwrap().candidates[0]
            .lower
            .unwrap()
    };
    let (alone, together) = (of(1), of(20));
    assert!(together < 3.0 * alone && alone > -0.1, "{alone} {together}");
}

#[test]
fn what_cannot_be_is_refused() {
    type Change = fn(&mut GateOptions);
    let file = rows(100, 3, 4);
    let refused = |of: GateOptions, file: &str| found(file, &of).unwrap_err().to_string();
    let plain = || options(0.02, Target::ItemsLikeThese);
    let wrong: [(Change, &str); 8] = [
        (|of| of.margin = Some(0.0), "a number above 0"),
        (|of| of.margin = Some(f64::NAN), "a number above 0"),
        (|of| of.better_by = Some(0.0), "exclude each other"),
        (|of| of.confidence = 0.3, "between 0.5 and 1"),
        (|of| of.margin = Some(1.0), "differ by at most 1"),
        (|of| of.baseline = Some("odl".to_owned()), "no arm `odl`"),
        (
            |of| of.clusters = Some("text".to_owned()),
            "no column `text`",
        ),
        (|of| of.bounds = Some((0.0, 0.5)), "beyond the bounds"),
    ];
    for (change, words) in wrong {
        let mut of = plain();
        change(&mut of);
        let said = refused(of, &file);
        assert!(said.contains(words), "{said}");
    }
    assert!(refused(plain(), "arm,score\na,1\nb,0\n").contains("belong together"));
    assert!(refused(plain(), "arm,item,score\na,q,1\n").contains("one arm, `a`"));
}

/// Tests that nothing is decided without a margin, and that the report states the margin that could be decided.
#[test]
fn without_a_margin_it_says_what_could_be_decided() {
    let report = found(&rows(1000, 12, 14), &GateOptions::default()).unwrap();
    assert_eq!(report.verdict, None);
    let text = report.text();
    assert!(text.starts_with("no verdict on new"), "{text}");
    assert!(
        text.contains("could decide a margin of about 0.0"),
        "{text}"
    );
    let better = GateOptions {
        better_by: Some(0.0),
        ..GateOptions::default()
    };
    assert_eq!(
        found(&rows(1000, 12, 60), &better).unwrap().verdict,
        Some(GateVerdict::Ships)
    );
}

/// Texts of models are no markup, and a comment of any size fits.
#[test]
fn a_comment_is_inert_and_short() {
    let hostile = "<img src=x onerror=alert(1)> @everyone ```end``` [a](https://evil.example) #12 ![i](u) www.evil.example";
    let row = |item: usize| {
        let (old, new) = (u8::from(!item.is_multiple_of(3)), u8::from(item % 3 < 2));
        format!(
            "old,{item},\"{hostile}\",{old},fine\nnew,{item},\"{hostile}\",{new},\"{hostile}\"\n"
        )
    };
    let file =
        "arm,item,question,score,answer\n".to_owned() + &(0..3000).map(row).collect::<String>();
    let report = found(&file, &options(0.02, Target::ItemsLikeThese)).unwrap();
    let page = report.markdown();
    assert!(page.chars().count() <= 65_536 && page.contains("more flipped items are not shown"));
    for text in [
        "<img",
        "@everyone",
        "```",
        "[a]",
        "https://",
        "www.evil",
        "#12",
        "![",
    ] {
        assert!(
            !page.contains(text),
            "{text}: {}",
            &page[..4000.min(page.len())]
        );
    }
    assert!(page.contains("&lt;img src=x"));
    assert_eq!(
        page.matches("<details>").count(),
        page.matches("</details>").count()
    );
    assert!(report.text_within(80).contains("now: "));
    let bare = report.without_texts();
    assert!(!bare.markdown().contains("img") && !bare.text().contains("img"));
}

/// Tests the drift: above 0 is better also where smaller scores are, few items have no interval, and only a
/// drift that may be below −margin is warned of.
#[test]
fn drift_since_the_anchor() {
    let metric = Metric::new("loss", Direction::Minimize, None).unwrap();
    let drift = |count: usize, lost: usize| {
        let pair = |item| [2.0, if item < lost { 2.5 } else { 2.0 }];
        let pairs: Vec<[f64; 2]> = (0..count).map(pair).collect();
        let (since, gates) = ("2026-11-28", (3, -0.04));
        GateDrift::new(["v1", "v4"], since, gates, (&pairs, "split"), &metric, 0.05)
    };
    let own = drift(200, 20);
    assert!((own.difference + 0.05).abs() < 1e-12, "{own:?}");
    let (lower, upper) = (own.lower.unwrap(), own.upper.unwrap());
    assert!(lower < -0.06 && upper > -0.04 && upper < 0.0, "{own:?}");
    let said = own.sentences(-0.02);
    let first = "since the anchor v1 of 2026-11-28: −0.05";
    assert!(said[0].starts_with(first), "{said:?}");
    let last = " in 3 gates, on 200 splits that v4 and the anchor both answered";
    assert!(said[0].contains(last), "{said:?}");
    assert!(said[0].ends_with("add up to −0.0400"), "{said:?}");
    assert!(said[1].contains("the margin of 0.02: compare with the anchor itself"));
    assert_eq!(own.sentences(-0.2).len(), 1);
    assert_eq!(own.sentences(0.0).len(), 1);
    let few = drift(30, 3);
    assert_eq!((few.lower, few.upper), (None, None));
    assert!(few.sentences(-0.2)[0].contains("−0.0500 (too few for an interval) in 3 gates"));
}

/// Tests that flipped items are named as flaky if the answers of one arm differ between repeats, also
/// by a failure that was not asked again, and other items with repeats are not.
#[test]
fn flaky_items_are_named() {
    let rows = |item: usize| {
        let (old, new) = match item {
            0 => (["1", "0"], ["0", "0"]),
            1 => (["0", "0"], ["1", ""]),
            2 => (["1", "1"], ["0", "0"]),
            3 => (["1", "0"], ["0", "1"]),
            _ => (["1", "1"], ["1", "1"]),
        };
        let seeds = |seed: usize| {
            format!(
                "old,q{item},{seed},{}\nnew,q{item},{seed},{}\n",
                old[seed], new[seed]
            )
        };
        seeds(0) + &seeds(1)
    };
    let file = "arm,item,seed,score\n".to_owned() + &(0..60).map(rows).collect::<String>();
    let report = found(&file, &options(0.02, Target::ItemsLikeThese)).unwrap();
    let text = report.text();
    for words in [
        "q0: 0.500 → 0 (flaky before)\n",
        "q1: 0 → 0.500 (flaky now)\n",
        "q2: 1 → 0\n",
        "120 items of an arm have several answers, whose mean counts; 4 of them are flaky: their answers differ",
    ] {
        assert!(text.contains(words), "{words}: {text}");
    }
    assert!(!text.contains("q3"), "{text}");
    let json = serde_json::to_value(&report.candidates[0].flipped).unwrap();
    assert_eq!(json[0]["item"], "q2");
    assert_eq!(json[0]["baseline"].get("flaky"), None);
    assert_eq!(json[1]["baseline"]["flaky"], true);
}
