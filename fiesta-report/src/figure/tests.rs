//! What holds of every figure, whatever is drawn how wide.

use super::{
    BeliefHistory, BlockRanks, CriticalDifference, Curve, CurvePoint, Ecdf, Figure, FigureError,
    Forest, Interval, NARROW, Pairwise, PerformanceProfile, Plot, Spacing, SuccessCurves,
    SuccessPoint, TuningAxis, TuningCurves, Violins, WIDE, canvas::UNITS, text,
};
use fiesta_core::Direction::{Maximize, Minimize};
use resvg::usvg::roxmltree::{Document, Node};

const HOSTILE: [&str; 9] = [
    "<script>alert(1)</script>",
    "\"><img src=x onerror=alert(1)>",
    "\\input{x}",
    "=cmd()|' /C calc'!A0\nsecond line",
    "]]><!-- &#x3c; &lt;",
    "日本語のモデル名はとても長いことがある",
    "👩‍👩‍👧 🎉",
    "\u{202e}right to left\u{1b}[31m\0\u{ffff}",
    "",
];

fn names(arms: usize) -> Vec<String> {
    (0..arms).map(|arm| format!("model-{arm}")).collect()
}

fn hostile() -> Vec<String> {
    let mut names: Vec<String> = HOSTILE.map(str::to_owned).to_vec();
    names.extend(["W".repeat(10_000), "e\u{301}".repeat(5_000)]);
    names
}

/// A number between 0 and 1 that looks arbitrary.
fn noise(seed: usize) -> f64 {
    let x = (seed as f64 * 12.9898 + 4.1).sin() * 43758.5453;
    x - x.floor()
}

fn scores(arm: usize, n: usize) -> Vec<f64> {
    (0..n)
        .map(|i| 0.5 + 0.03 * ((arm * 5) % 13) as f64 + 0.1 * noise(arm * 1000 + i))
        .collect()
}

/// Every figure of these arms.
fn plots(names: &[String]) -> Vec<(&'static str, Box<dyn Plot>)> {
    let strs: Vec<&str> = names.iter().map(String::as_str).collect();
    let k = names.len();
    let mut violins = Violins::new("macro-F1", Maximize);
    let mut ecdf = Ecdf::new("loss (nats)", Minimize);
    let mut forest = Forest::new("macro-F1", Maximize, "mean, 95 % interval");
    let mut curves = TuningCurves::new("accuracy", Maximize).spacing(Spacing::Log);
    let mut bands = TuningCurves::new("accuracy", Maximize)
        .axis(TuningAxis::Seconds)
        .reported("reported elsewhere", 0.9)
        .reported("and again", 0.901);
    let mut profile = PerformanceProfile::new("normalised score", Maximize);
    let mut success = SuccessCurves::new().target(0.95).trials(500);
    for (arm, name) in names.iter().enumerate() {
        let x = scores(arm, 30);
        violins = violins.arm(name, &x);
        ecdf = ecdf.arm(name, &x);
        let (lower, upper) = if arm == 1 {
            (f64::NEG_INFINITY, f64::INFINITY)
        } else {
            (0.4, 1.2)
        };
        forest = forest.arm(
            name,
            7 + arm,
            Interval {
                value: x[0],
                lower,
                upper,
            },
        );
        let point = |n: usize, band| CurvePoint {
            budget: n as f64,
            value: x[0] + 0.1 * (1.0 - 1.0 / n as f64),
            band,
        };
        let open = |n: usize| Some((0.3, if n > 20 { f64::INFINITY } else { 1.1 }));
        curves = curves.curve(Curve::new(
            name,
            30,
            (1..=30).map(|n| point(n, None)).collect(),
        ));
        bands = bands.curve(
            Curve::new(name, 30, (1..=30).map(|n| point(n, open(n))).collect())
                .required(10.0, x[0]),
        );
        profile = profile.arm(name, &[&x[..10], &x[10..]]);
        let points: Vec<SuccessPoint> = (1..=5)
            .map(|i| SuccessPoint {
                budget: f64::from(i) * 40.0,
                share: 0.5 + 0.08 * f64::from(i),
                lower: 0.4 + 0.08 * f64::from(i),
                upper: 0.6 + 0.08 * f64::from(i),
            })
            .collect();
        success = success.policy(name, &points);
    }
    let mut belief = BeliefHistory::new(&strs);
    for step in 1..40u64 {
        let weights: Vec<f64> = (0..k).map(|a| 1.0 + noise(a) * step as f64).collect();
        let sum: f64 = weights.iter().sum();
        let p: Vec<f64> = weights.iter().map(|w| w / sum).collect();
        belief = belief.point(&vec![step; k], &p);
    }
    let better: Vec<Vec<f64>> = (0..k)
        .map(|a| (0..k).map(|b| 0.5 + 0.5 * (noise(a) - noise(b))).collect())
        .collect();
    let ranks: Vec<(&str, f64)> = strs
        .iter()
        .zip(1..)
        .map(|(name, r)| (*name, f64::from(r)))
        .collect();
    let ranks = BlockRanks::new(20, &ranks, 1.7).unwrap();
    vec![
        ("violins", Box::new(violins)),
        ("belief", Box::new(belief)),
        ("success", Box::new(success)),
        ("curves", Box::new(curves)),
        ("bands", Box::new(bands)),
        ("ecdf", Box::new(ecdf)),
        ("forest", Box::new(forest)),
        ("pairwise", Box::new(Pairwise::new(&strs, &better))),
        (
            "ranks",
            Box::new(CriticalDifference::new(ranks, "Nemenyi, α = .05")),
        ),
        ("profile", Box::new(profile)),
    ]
}

/// All figures of some numbers of arms at some widths.
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
}

/// Left, top, right, bottom.
type Bounds = (f64, f64, f64, f64);

/// Where a text is, at most.
fn bounds(node: Node<'_, '_>) -> Bounds {
    let number = |name| -> f64 { node.attribute(name).unwrap().parse().unwrap() };
    let (x, y, size) = (
        number("x") / UNITS,
        number("y") / UNITS,
        number("font-size") / UNITS,
    );
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
        let crowded = ["belief", "success", "curves", "ecdf", "profile"].contains(&kind);
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
    assert!(matches!(ecdf, Err(FigureError::NotFinite { .. })));
    let empty = Violins::new("f1", Maximize).draw(WIDE);
    assert!(matches!(empty, Err(FigureError::Empty { .. })));
    let no_scores = Ecdf::new("f1", Maximize).arm("a", &[]).draw(WIDE);
    assert!(matches!(no_scores, Err(FigureError::Empty { .. })));
    let narrow = Violins::new("f1", Maximize).arm("a", &[0.5]).draw(100);
    assert!(matches!(narrow, Err(FigureError::Width { width: 100 })));
    let length = Pairwise::new(&["a", "b"], &[vec![0.5, 0.5]]).draw(WIDE);
    assert!(matches!(length, Err(FigureError::Length { .. })));
    let sum = BeliefHistory::new(&["a", "b"])
        .point(&[1, 1], &[0.9, 0.9])
        .draw(WIDE);
    assert!(matches!(sum, Err(FigureError::OutOfRange { .. })));
    let backwards = Interval {
        value: 1.0,
        lower: 2.0,
        upper: 3.0,
    };
    let forest = Forest::new("f1", Maximize, "mean")
        .arm("a", 3, backwards)
        .draw(WIDE);
    assert!(matches!(forest, Err(FigureError::Order { .. })));
    let far = Violins::new("f1", Maximize)
        .arm("a", &[-1e308, 1e308])
        .draw(WIDE);
    assert!(matches!(far, Err(FigureError::Span { .. })));
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
    assert!(matches!(zero, Err(FigureError::OutOfRange { .. })));
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

/// Where there are fonts: with none the error says what to install.
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
