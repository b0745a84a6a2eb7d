//! Pages of hostile names, of nothing, and of many arms.

use super::*;
use crate::{
    Align, Table,
    checklist::{Checklist, Facts, Form},
    figure::Violins,
};
use fiesta_core::Direction;

const HOSTILE: [&str; 6] = [
    "<script>alert(1)</script>",
    "\"><img src=x onerror=alert(1)>",
    "</style></title><svg onload=alert(1)>",
    "' onmouseover='alert(1)",
    "&lt;b&gt; \u{0}\u{1b}[2J\n\u{202e}evil",
    "javascript:alert(1)",
];

/// Returns a page with these names wherever a name can be.
fn page(names: &[&str]) -> Report {
    let text = || names.join(" ");
    let mut table = Table::new([(names[0], Align::Left), ("n", Align::Right)])
        .caption(text())
        .note(text());
    let mut violins = Violins::new(names[0], Direction::Maximize);
    for name in names {
        table.marked_row([(*name).to_owned(), (*name).to_owned()], "†");
        violins = violins.arm(*name, &[0.1, 0.2, 0.4]);
    }
    let mut facts = Facts::default();
    facts.know(crate::checklist::Fact::Code, text());
    Report {
        title: text(),
        subtitle: text(),
        answer: Answer {
            arm: Some(text()),
            verdict: text(),
            method: text(),
            highlights: vec![Highlight::new(text(), text(), text())],
            belief: names
                .iter()
                .zip(0..)
                .map(|(name, colour)| Share {
                    name: (*name).to_owned(),
                    probability: 1.0 / names.len() as f64,
                    colour: Some(colour),
                })
                .collect(),
            belief_of: None,
            sentence: text(),
            caveats: vec![text()],
        },
        sections: vec![
            Section::new(text())
                .block(Block::Text(text()))
                .block(Block::Figure(Drawing::new(&violins).unwrap()))
                .block(Block::Table(table))
                .block(Block::Checklist(Checklist::new(
                    Form::ShowYourWork,
                    &facts,
                    true,
                )))
                .block(Block::Details(text(), vec![Block::Text(text())])),
        ],
        notes: vec![text()],
        provenance: vec![(text(), text())],
    }
}

/// Returns the tags of a page, without what stands between them.
fn tags(html: &str) -> Vec<&str> {
    let opening = html.split('<').skip(1);
    opening
        .map(|rest| rest.split(['>', ' ', '\n']).next().unwrap_or(""))
        .collect()
}

/// Tests that a page of hostile names has the elements of a page of harmless ones, no more and no
/// other.
#[test]
fn hostile_names_make_no_element() {
    let hostile = page(&HOSTILE).html();
    let harmless = page(&["a", "b", "c", "d", "e", "f"]).html();
    let count = |html: &str, tag: &str| tags(html).iter().filter(|found| **found == tag).count();
    for tag in [
        "script", "img", "iframe", "object", "link", "meta", "style", "svg",
    ] {
        assert_eq!(count(&hostile, tag), count(&harmless, tag), "{tag}");
    }
    assert_eq!(count(&hostile, "script"), 0);
    assert!(!hostile.contains(['\u{0}', '\u{1b}', '\u{202e}']));
    // Within quotes of an attribute nothing ends them.
    for piece in hostile.split('<').skip(1) {
        let tag = piece.split('>').next().unwrap_or("");
        assert_eq!(tag.matches('"').count() % 2, 0, "{tag}");
    }
}

#[test]
fn a_page_without_anything_is_a_page() {
    let html = Report::default().html();
    assert!(html.starts_with("<!DOCTYPE html><html lang=\"en\">"));
    assert!(html.ends_with("</html>"));
    let nothing = Answer {
        verdict: "Nothing is known yet.".to_owned(),
        ..Answer::default()
    };
    let report = Report {
        answer: nothing,
        ..Report::default()
    };
    assert!(report.html().contains("Nothing is known yet."));
}

/// Tests that there is no address but that of SVG's name space, which nothing loads.
#[test]
fn nothing_points_outside() {
    let html = page(&["a", "b", "c", "d", "e", "f"]).html();
    let addresses = html.replace("http://www.w3.org/2000/svg", "");
    for word in ["http:", "https:", "url(", "@import", "src=", "//"] {
        assert!(!addresses.contains(word), "{word}");
    }
    assert!(html.contains("default-src 'none'"));
}

#[test]
fn many_arms_are_one_share() {
    let share = |arm: usize| Share {
        name: format!("arm {arm}"),
        probability: 0.05,
        colour: None,
    };
    let report = Report {
        answer: Answer {
            belief: (0..20).map(share).collect(),
            ..Answer::default()
        },
        ..Report::default()
    };
    let html = report.html();
    assert!(html.contains("15 others</bdi> <b>75.0 %"));
    assert_eq!(html.matches("class=\"swatch").count(), 6);
}
