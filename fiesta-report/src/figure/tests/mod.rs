//! Properties of every figure, whatever is drawn how wide.

#[path = "../../../examples/gallery/data.rs"]
mod gallery;
mod samples;

use super::{
    BeliefHistory, Curve, CurvePoint, Ecdf, Estimate, Figure, FigureError, Forest, NARROW,
    Pairwise, Pareto, Plot, Spacing, TuningCurves, Violins, WIDE, text,
};
use fiesta_core::Direction::{Maximize, Minimize};
use resvg::usvg::roxmltree::{Document, Node};
use samples::{hostile, names, noise, plots, scores};

/// Draws all figures of some numbers of arms and those of the gallery, at some widths.
fn every(mut look: impl FnMut(&str, &Figure)) {
    let crowds = [1, 2, 3, 8, 9, 12, 60].map(names);
    for names in crowds.iter().chain([&hostile()]) {
        for (kind, plot) in plots(names) {
            for width in [240, NARROW, WIDE] {
                let figure = plot.draw(width).unwrap();
                look(&format!("{kind} of {} at {width}", names.len()), &figure);
            }
        }
    }
    for (name, plot) in gallery::figures().unwrap() {
        for width in [NARROW, WIDE] {
            look(&format!("{name} at {width}"), &plot.draw(width).unwrap());
        }
    }
}

/// Bounds of a text: left, top, right, bottom.
type Bounds = (f64, f64, f64, f64);

/// Returns the bounds of a text, at most.
fn bounds(node: Node<'_, '_>) -> Bounds {
    let number = |name| -> f64 { node.attribute(name).unwrap().parse().unwrap() };
    let [x, y, size] = ["x", "y", "font-size"].map(number);
    let width = text::width(node.text().unwrap_or_default(), size);
    let left = match node.attribute("text-anchor") {
        Some("middle") => x - width / 2.0,
        Some("end") => x - width,
        _ => x,
    };
    (left, y - size * 0.72, left + width, y + size * 0.15)
}

#[test]
fn texts_neither_overlap_nor_leave_the_figure() {
    let mut wrong = Vec::new();
    every(|what, figure| {
        let svg = figure.svg();
        let document = Document::parse(&svg).unwrap();
        let texts: Vec<(Bounds, &str)> = document
            .descendants()
            .filter(|node| node.tag_name().name() == "text")
            .map(|node| (bounds(node), node.text().unwrap_or_default()))
            .collect();
        for (i, &((left, top, right, bottom), label)) in texts.iter().enumerate() {
            let within = left >= -1.0 && right <= figure.width() + 1.0;
            if !within || top < -1.0 || bottom > figure.height() + 1.0 {
                wrong.push(format!(
                    "{what}: {label:?} at {left:.0}..{right:.0}, {top:.0}..{bottom:.0}"
                ));
            }
            for (other, second) in &texts[..i] {
                let apart =
                    right <= other.0 || other.2 <= left || bottom <= other.1 || other.3 <= top;
                if !apart {
                    wrong.push(format!("{what}: {label:?} and {second:?} overlap"));
                }
            }
        }
    });
    assert!(
        wrong.is_empty(),
        "{} wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

#[test]
fn svg_is_marks_and_text_and_nothing_else() {
    const ELEMENTS: [&str; 9] = [
        "svg", "title", "desc", "g", "text", "polyline", "polygon", "rect", "circle",
    ];
    const NUMBERS: [&str; 11] = [
        "x",
        "y",
        "width",
        "height",
        "cx",
        "cy",
        "r",
        "points",
        "stroke-width",
        "opacity",
        "font-size",
    ];
    const WORDS: [&str; 12] = [
        "class",
        "role",
        "aria-label",
        "viewBox",
        "font-family",
        "stroke-linejoin",
        "fill",
        "stroke",
        "stroke-dasharray",
        "text-anchor",
        "paint-order",
        "font-weight",
    ];
    every(|what, figure| {
        let svg = figure.svg();
        let document = Document::parse(&svg).unwrap();
        for node in document.descendants().filter(Node::is_element) {
            assert!(
                ELEMENTS.contains(&node.tag_name().name()),
                "{what}: {:?}",
                node.tag_name()
            );
            for attribute in node.attributes() {
                let name = attribute.name();
                if NUMBERS.contains(&name) {
                    for number in attribute.value().split([' ', ',']) {
                        let number: f64 = number.parse().unwrap();
                        assert!(
                            number.is_finite() && number >= 0.0,
                            "{what}: {name}={number}"
                        );
                    }
                } else {
                    assert!(WORDS.contains(&name), "{what}: attribute {name}");
                }
            }
        }
        let root = document.root_element();
        assert_eq!(root.attribute("role"), Some("img"));
        for name in ["title", "desc"] {
            let child = root
                .children()
                .find(|child| child.tag_name().name() == name);
            assert!(
                child
                    .and_then(|child| child.text())
                    .is_some_and(|text| text.len() > 5)
            );
        }
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{what}");
    });
}

#[test]
fn hostile_names_are_text_and_long_ones_are_whole_in_their_title() {
    for (kind, plot) in plots(&hostile()) {
        let svg = plot.draw(WIDE).unwrap().svg();
        assert!(!svg.contains("<script") && !svg.contains("<img"), "{kind}");
        assert!(svg.chars().all(|c| c == '\n' || !c.is_control()), "{kind}");
        let document = Document::parse(&svg).unwrap();
        let whole = document
            .descendants()
            .filter(|node| {
                node.tag_name().name() == "title"
                    && node
                        .parent_element()
                        .is_some_and(|p| p.tag_name().name() == "g")
            })
            .any(|title| title.text().is_some_and(|text| text.len() == 10_000));
        // In a crowd of eleven, figures that name only the best need not name this one.
        let crowded = ["belief", "success", "curves", "costs", "ecdf", "profile"].contains(&kind);
        assert!(whole || crowded, "{kind}");
    }
}

#[test]
fn colours_are_the_palettes() {
    let known = super::palette::dark_css();
    every(|what, figure| {
        for (at, _) in figure.svg().match_indices("=\"#") {
            let literal = &figure.svg()[at + 2..at + 9];
            assert!(known.contains(literal), "{what}: {literal}");
        }
    });
}

#[test]
fn figures_are_small() {
    let names = names(12);
    let mut all = 0;
    let mut violins = Violins::new("macro-F1", Maximize);
    for (arm, name) in names.iter().enumerate() {
        violins = violins.arm(name, &scores(arm, 500));
    }
    all += violins.draw(WIDE).unwrap().svg().len();
    assert!(all < 15_000, "violins: {all}");
    for (_, plot) in plots(&names) {
        all += plot.draw(WIDE).unwrap().svg().len();
        all += plot.draw(NARROW).unwrap().svg().len();
    }
    assert!(all < 400_000, "{all}");
}

/// Checks that a figure is refused in these words.
fn refuses(drawn: Result<Figure, FigureError>, words: &str) {
    let message = drawn.unwrap_err().to_string();
    assert!(message.contains(words), "{message}");
}

#[test]
fn what_is_no_number_is_refused_by_name() {
    let nan = Violins::new("f1", Maximize)
        .arm("broken", &[0.5, f64::NAN])
        .draw(WIDE);
    let message = nan.unwrap_err().to_string();
    assert!(
        message.contains("\"broken\"") && message.contains("value 1"),
        "{message}"
    );
    let ecdf = Ecdf::new("f1", Maximize)
        .arm("a", &[f64::INFINITY])
        .draw(WIDE);
    refuses(ecdf, "value 0 (from 0) is inf");
    let empty = Violins::new("f1", Maximize).draw(WIDE);
    refuses(empty, "add at least one arm");
    let no_scores = Ecdf::new("f1", Maximize).arm("a", &[]).draw(WIDE);
    refuses(no_scores, "add at least one score");
    let narrow = Violins::new("f1", Maximize).arm("a", &[0.5]).draw(100);
    refuses(narrow, "a width of 100 px");
    let length = Pairwise::new(&["a", "b"], &[vec![0.5, 0.5]]).draw(WIDE);
    refuses(length, "where there must be");
    let sum = BeliefHistory::new(&["a", "b"])
        .point(&[1, 1], &[0.9, 0.9])
        .draw(WIDE);
    refuses(sum, "is not in [0.98, 1.02]");
    let backwards = Estimate {
        value: 1.0,
        lower: 2.0,
        upper: 3.0,
    };
    let forest = Forest::new("f1", Maximize, "mean")
        .arm("a", 3, backwards)
        .draw(WIDE);
    refuses(forest, "smaller than the one before");
    let pareto = Pareto::new("f1", Maximize, "cost", "95 % intervals");
    refuses(pareto.draw(WIDE), "add at least one arm");
    let mean = Estimate::new(1.0, None);
    let certain = pareto.clone().arm("a", mean, mean, Some(1.5)).draw(WIDE);
    refuses(certain, "is not in [0, 1]");
    let unbounded = pareto.arm("a", mean, mean, None).limit(f64::NAN).draw(WIDE);
    refuses(unbounded, "the distance or the limit");
    let far = Violins::new("f1", Maximize)
        .arm("a", &[-1e308, 1e308])
        .draw(WIDE);
    refuses(far, "too far for one axis");
    let zero = TuningCurves::new("f1", Maximize)
        .spacing(Spacing::Log)
        .curve(Curve::new(
            "a",
            1,
            vec![CurvePoint {
                budget: 0.0,
                value: 1.0,
                band: None,
            }],
        ))
        .draw(WIDE);
    refuses(zero, "is not in (0, ∞)");
}

#[test]
fn extremes_are_drawn() {
    for value in [0.0, 1e-300, -1e300, 5e15, f64::MIN_POSITIVE] {
        for x in [
            vec![value],
            vec![value; 9],
            vec![value, value * 1.000_000_1 + 1e-305],
        ] {
            Violins::new("x", Minimize)
                .arm("a", &x)
                .draw(NARROW)
                .unwrap();
            Ecdf::new("x", Minimize).arm("a", &x).draw(NARROW).unwrap();
        }
    }
    let million: Vec<f64> = (0..1_000_000).map(|i| noise(i % 7919)).collect();
    let ecdf = Ecdf::new("x", Maximize)
        .arm("a", &million)
        .draw(WIDE)
        .unwrap();
    let violins = Violins::new("x", Maximize)
        .arm("a", &million)
        .draw(WIDE)
        .unwrap();
    assert!(ecdf.svg().len() + violins.svg().len() < 30_000);
}

/// Tests that the front of the means has the arms that no other beats, in both directions of the score.
#[test]
fn the_front_has_the_arms_that_no_other_beats() {
    for (direction, front) in [(Maximize, "cheap, good and best"), (Minimize, "cheap")] {
        let at = |value: f64| Estimate::new(value, None);
        let arms = [
            ("cheap", 0.5, 1.0),
            ("dear", 0.6, 4.0),
            ("good", 0.7, 2.0),
            ("best", 0.8, 90.0),
            ("late", 0.8, 91.0),
        ];
        let empty = Pareto::new("score", direction, "cost", "no intervals");
        let figure = arms.into_iter().fold(empty, |all, (name, score, cost)| {
            all.arm(name, at(score), at(cost), None)
        });
        let figure = figure.draw(NARROW).unwrap();
        let svg = figure.svg();
        let said = format!("On the front of the means: {front}.");
        assert!(svg.contains(&said), "{svg}");
        // Costs from 1 to 91 stand on a logarithmic axis.
        assert!(texts(&figure).iter().any(|text| text == "10"));
    }
}

/// Returns the texts of a figure in the order in which they stand in it.
fn texts(figure: &Figure) -> Vec<String> {
    let svg = figure.svg();
    let document = Document::parse(&svg).unwrap();
    let texts = document
        .descendants()
        .filter(|node| node.tag_name().name() == "text");
    texts
        .map(|node| node.text().unwrap_or_default().to_owned())
        .collect()
}

#[test]
fn the_best_stands_first_in_both_directions() {
    for (direction, first) in [(Maximize, "high"), (Minimize, "low")] {
        let at = |value| Estimate {
            value,
            lower: value - 1.0,
            upper: value + 1.0,
        };
        let forest = Forest::new("x", direction, "mean")
            .arm("low", 2, at(1.0))
            .arm("high", 2, at(3.0));
        let violins = Violins::new("x", direction)
            .arm("low", &[1.0; 3])
            .arm("high", &[3.0; 3]);
        for figure in [forest.draw(WIDE).unwrap(), violins.draw(WIDE).unwrap()] {
            let names: Vec<String> = texts(&figure)
                .into_iter()
                .filter(|text| text == "low" || text == "high")
                .collect();
            assert_eq!(names[0], first);
        }
    }
}

#[test]
fn axes_end_where_the_data_end_and_say_n() {
    let figure = Violins::new("x", Maximize)
        .arm("a", &[0.13, 0.5, 0.87])
        .draw(WIDE)
        .unwrap();
    let dots: Vec<f64> = figure
        .svg()
        .split("<circle cx=\"")
        .skip(1)
        .map(|rest| rest.split('"').next().unwrap().parse().unwrap())
        .collect();
    let ends = (dots[0], dots[2]);
    assert!(figure.svg().contains(&format!("points=\"{},", ends.0)));
    let axis = figure
        .svg()
        .lines()
        .find(|line| line.contains(super::palette::RULE.light))
        .unwrap()
        .to_owned();
    assert!(
        axis.contains(&format!("{},", ends.0)) && axis.contains(&format!(" {},", ends.1)),
        "{axis} {ends:?}"
    );
    assert!(texts(&figure).contains(&"x (n = 3 per arm)".to_owned()));
}

#[test]
fn files_of_their_own_turn_dark_and_pages_turn_them() {
    let figure = Violins::new("x", Maximize)
        .arm("a", &[0.5; 3])
        .draw(WIDE)
        .unwrap();
    let file = figure.standalone_svg();
    Document::parse(&file).unwrap();
    assert!(file.contains("svg{background:#16181D}[fill=\"#1B1D22\"]{fill:#E8E6E1}"));
    assert!(!figure.svg().contains("<style"));
}

/// Tests that figures become pictures where there are fonts: with none the error says what to
/// install.
#[test]
fn becomes_pictures() {
    let figure = Violins::new("f1", Maximize)
        .arm("a", &[0.5, 0.6, 0.4])
        .draw(WIDE)
        .unwrap();
    match figure.png(2.0) {
        Ok(png) => {
            assert_eq!(&png[..8], b"\x89PNG\r\n\x1a\n");
            let size = |at: usize| u32::from_be_bytes(png[at..at + 4].try_into().unwrap());
            assert_eq!(size(16), 2 * WIDE);
            #[cfg(feature = "pdf")]
            assert!(figure.pdf().unwrap().starts_with(b"%PDF-"));
        }
        Err(FigureError::NoFonts) => eprintln!("skipped: no fonts are installed here"),
        Err(error) => panic!("{error}"),
    }
    assert!(figure.png(0.0).is_err() && figure.png(f64::NAN).is_err());
}
