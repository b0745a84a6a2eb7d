//! Tests of patterns on lines as scripts really print them.

use super::*;

impl Pattern {
    /// Returns the score of the last match in these lines. `None` without a match, or if the
    /// captured text is no finite number.
    fn last_score<'t>(&self, lines: impl DoubleEndedIterator<Item = &'t str>) -> Option<f64> {
        let found = self.last(lines)?;
        let number = number(found.captured, self.is_percent).ok()?;
        Some(number).filter(|number| number.is_finite())
    }
}

fn pattern(text: &str) -> Pattern {
    Pattern::new(text, false).unwrap()
}

fn score(text: &str, printed: &str) -> Option<f64> {
    pattern(text).last_score(printed.lines())
}

#[test]
fn the_last_match_counts() {
    let printed = "epoch 1 accuracy: 0.5\nepoch 2 accuracy: 0.75, accuracy: 0.25\nbye";
    assert_eq!(score("accuracy: ([0-9.]+)", printed), Some(0.25));
    assert_eq!(score("nothing: ([0-9.]+)", printed), None);
}

#[test]
fn a_later_number_that_is_not_finite_hides_an_earlier_score() {
    let printed = "loss: 0.5\nloss: nan\n";
    let pattern = pattern("loss: ([0-9.]+)");
    let found = pattern.last(printed.lines()).unwrap();
    assert_eq!(found.captured, "nan");
    assert_eq!(pattern.last_score(printed.lines()), None);
    assert_eq!(pattern.last_score("loss: inf\nloss: 2".lines()), Some(2.0));
    // No number, but a word that begins like one.
    assert_eq!(
        pattern.last_score("loss: 2\nloss: nanometers".lines()),
        Some(2.0)
    );
}

#[test]
fn groups_are_one_or_named() {
    assert_eq!(
        score(r"(?:test|val) (?<score>\d+) of (\d+)", "test 7 of 9"),
        Some(7.0)
    );
    assert_eq!(score(r"(\d+) of (?P<score>\d+)", "test 7 of 9"), Some(9.0));
    let refused = |text| Pattern::new(text, false).unwrap_err().to_string();
    assert!(refused("accuracy: [0-9.]+%").contains("'accuracy: ([0-9.]+)%'"));
    assert!(refused("accuracy").contains("put parentheses around it"));
    assert!(refused(r"(\d+) of (\d+)").contains("2 capture groups"));
    assert!(refused(r"a\n(\d+)").contains("one line at a time"));
    let unclosed = refused("accuracy: ([0-9.]+%");
    assert!(
        unclosed.contains("unclosed group") && unclosed.contains('^'),
        "{unclosed}"
    );
    assert!(refused("(?=a)(b)").contains("look-around"));
}

#[test]
fn parts_of_numbers_are_known() {
    let is_part = |text: &str, line: &str| pattern(text).last([line].into_iter()).unwrap().is_part;
    for line in ["loss: 1e-05", "loss: 81,87", "loss: 1E7"] {
        assert!(is_part("loss: ([0-9.]+)", line), "{line}");
    }
    assert!(is_part("loss: -?([0-9.]+)", "loss: -0.5"));
    assert!(is_part(r"(\d)$", "loss: 25"));
    for line in [
        "loss: 0.5,0.7",
        "loss: 5, 7",
        "loss: 0.5.",
        "loss: 5e",
        "loss: 5%",
        "loss: 5s",
    ] {
        assert!(!is_part("loss: ([0-9.]+)", line), "{line}");
    }
    assert!(!is_part("top-([0-9])", "top-5"));
}

#[test]
fn an_empty_group_is_no_number() {
    let found = pattern("accuracy(: [0-9.]+)?");
    let found = found.last(["accuracy"].into_iter()).unwrap();
    assert_eq!(number(found.captured, false), Err(NoNumber::Empty));
}

/// Tests which patterns are proposed for lines of real scripts.
#[test]
fn proposals() {
    for (line, expected, value) in [
        ("Test accuracy: 81.87%", "Test accuracy: ([0-9.]+)%", 81.87),
        ("accuracy: 0.8187", "^accuracy: ([0-9.]+)", 0.8187),
        (
            "Epoch 3/10 - val_acc: 0.71 - val_loss: 0.4",
            "val_acc: ([0-9.]+)",
            0.71,
        ),
        (
            "Train Acc: 0.99 | Test Acc: 0.71",
            "Test Acc: ([0-9.]+)",
            0.71,
        ),
        (
            "Accuracy of the network on the 10000 test images: 55 %",
            r"^Accuracy of the network on the [-+0-9.,eE]+ test images: ([0-9.]+)\s*%",
            55.0,
        ),
        (" * Acc@1 76.130 Acc@5 92.862", "Acc@1 ([0-9.]+)", 76.13),
        ("INFO:root:[macro F1=0.613]", "macro F1=([0-9.]+)", 0.613),
        (
            "{'eval_accuracy': 0.91, 'epoch': 3.0}",
            r"eval_accuracy': ([0-9.]+)",
            0.91,
        ),
        (
            "    accuracy                           0.95       300",
            r"^accuracy\s+([0-9.]+)",
            0.95,
        ),
        ("test_loss=1.5e-05", "test_loss=([-+0-9.eE]+)", 1.5e-5),
        (
            "Accuracy score: 0,87",
            "^Accuracy score: (-?[0-9.,]+)",
            0.87,
        ),
        ("R2: -0.25", r"^R2: ([-+]?[0-9.]+)", -0.25),
    ] {
        let line = line.trim();
        let found = propose(line, &[]).unwrap_or_else(|| panic!("{line}"));
        assert_eq!(found.pattern, expected, "{line}");
        let checked = Pattern::new(&found.pattern, false).unwrap();
        assert_eq!(
            checked.last_score([line].into_iter()),
            Some(value),
            "{line}"
        );
    }
    for line in [
        "",
        "Epoch 3",
        "saving to accuracy_3.png",
        "done in 12s",
        "accuracy",
    ] {
        assert_eq!(propose(line, &[]), None, "{line}");
    }
    let percent = "Test set: Average loss: 0.0304, Accuracy: 9900/10000 (99%)";
    let found = propose(percent, &[]).unwrap();
    assert!(found.is_percent, "{found:?}");
    let checked = Pattern::new(&found.pattern, true).unwrap();
    assert_eq!(
        checked.last_score([percent].into_iter()),
        Some(0.99),
        "{found:?}"
    );
}

#[test]
fn a_named_metric_is_looked_for_first() {
    let line = "accuracy: 0.9, macro F1: 0.6";
    let found = propose(line, &of_name("macro_f1")).unwrap();
    assert_eq!(found.pattern, "macro F1: ([0-9.]+)");
    let found = propose("acc 0.9", &of_name("accuracy")).unwrap();
    assert_eq!(found.pattern, "^acc ([0-9.]+)");
}

#[test]
fn what_is_quoted_can_be_read_again() {
    for text in [r"accuracy: (\d+)", "it's ([0-9.]+)", "a\"'\\d"] {
        let document = format!("pattern = {}", quoted(text));
        let read: toml::Table = toml::from_str(&document).unwrap();
        assert_eq!(read["pattern"].as_str(), Some(text));
    }
}

#[test]
fn a_line_without_its_number_is_told_from_others() {
    let pattern = pattern("Test accuracy: ([0-9.]+)%");
    for line in ["Test accuracy: nan (n=1120)", "Test accuracy: failed"] {
        assert!(pattern.lacks_number(line), "{line}");
    }
    for line in ["val accuracy 80.14%", "Test accuracy: 80.14"] {
        assert!(!pattern.lacks_number(line), "{line}");
    }
}
