//! The colours of figures, on paper and in the dark.
//!
//! A figure is drawn with the literals of paper, on a transparent ground. [`dark_rules`] maps each
//! literal to its counterpart, so that one stylesheet turns every figure dark: text keeps a
//! contrast of at least 4.5 : 1 (WCAG 2.2 AA) on `#FFFFFF` and on `#16181D`.
//!
//! The eight colours of arms climb in lightness by about 8 L* from one to the next (6 in the dark),
//! which keeps them apart in grey. Their hues were chosen, within those that look well together, by
//! a search for the largest smallest distance in CIELAB as seen with full sight, protanopia,
//! deuteranopia and tritanopia (Machado, Oliveira & Fernandes 2009, severity 1); the tests repeat
//! that measurement. Their order alternates dark and light.

use fiesta_core::whole;
use std::fmt::Write as _;

/// Colour on paper and in the dark, as `#RRGGBB`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Colour {
    /// Colour on white paper; the literal in the SVG.
    pub light: &'static str,
    /// Colour on a dark page.
    pub dark: &'static str,
}

const fn colour(light: &'static str, dark: &'static str) -> Colour {
    Colour { light, dark }
}

/// Colour of names, and of whatever else is read first.
pub const INK: Colour = colour("#1B1D22", "#E8E6E1");
/// Colour of the text of axes and notes.
pub const MUTED: Colour = colour("#5C6068", "#A9ADB5");
/// Colour of the lines of axes.
pub const RULE: Colour = colour("#8A8F98", "#7D828C");
/// Colour of grids.
pub const GRID: Colour = colour("#E3E5E8", "#2C2F36");
/// Colour of the ground: figures are transparent, but gaps and the halos of labels have it.
pub const PAPER: Colour = colour("#FFFFFF", "#16181D");
/// Colour of arms that are one of many.
pub const OTHERS: Colour = colour("#B4B8BF", "#5A5F69");

/// The colours of eight arms.
pub const ARMS: [Colour; 8] = [
    colour("#006DC7", "#8797FB"),
    colour("#BF8B1B", "#E9BB49"),
    colour("#472562", "#8B5A9B"),
    colour("#C85894", "#FE8DB3"),
    colour("#005046", "#048E73"),
    colour("#00B7E7", "#77E1FF"),
    colour("#9D3620", "#D9704A"),
    colour("#A2CB70", "#CAF294"),
];

/// Colours from 0 by the neutral .5 to 1: brown, grey, blue.
pub const DIVERGING: [Colour; 11] = [
    colour("#8A4A00", "#FFCB87"),
    colour("#A36934", "#B4926A"),
    colour("#BA8960", "#756350"),
    colour("#CFAB8D", "#4E4641"),
    colour("#E2CDBC", "#323135"),
    colour("#F2F1ED", "#262930"),
    colour("#CBCDDE", "#2D323B"),
    colour("#A5AACE", "#3E4755"),
    colour("#7D89BE", "#58677E"),
    colour("#526AAE", "#7C95B6"),
    colour("#0B4C9E", "#AACFFF"),
];

/// Returns the colour of a value between 0 and 1, and the colour of text on it.
pub(crate) fn diverging(value: f64) -> (Colour, Colour) {
    let step = whole((value.clamp(0.0, 1.0) * 10.0).round());
    let text = if (2..=8).contains(&step) { INK } else { PAPER };
    (DIVERGING[step], text)
}

fn all() -> impl Iterator<Item = Colour> {
    [INK, MUTED, RULE, GRID, PAPER, OTHERS]
        .into_iter()
        .chain(ARMS)
        .chain(DIVERGING)
}

/// Rules of CSS that turn the figures within `scope` dark; the page around them must be `#16181D`
/// or darker.
///
/// ```
/// use fiesta_report::figure::palette;
///
/// let css = palette::dark_rules("[data-theme=dark]");
/// assert!(css.contains(r##"[data-theme=dark] svg.fiesta [fill="#1B1D22"]{fill:#E8E6E1}"##));
/// ```
pub fn dark_rules(scope: &str) -> String {
    let mut css = String::new();
    for Colour { light, dark } in all() {
        for property in ["fill", "stroke"] {
            let _ = writeln!(
                css,
                r#"{scope} svg.fiesta [{property}="{light}"]{{{property}:{dark}}}"#
            );
        }
    }
    css
}

/// Returns [`dark_rules`] for readers whose screen is set to dark; print stays as on paper.
pub fn dark_css() -> String {
    format!(
        "@media screen and (prefers-color-scheme:dark){{\n{}}}\n",
        dark_rules(":root")
    )
}

/// Returns how lines tell each other apart without colour: the lengths of dashes and gaps in
/// pixels. Up to three are far enough apart in lightness to be whole, unless bands overlap.
pub(crate) fn dash(slot: usize, lines: usize, banded: bool) -> &'static [f64] {
    match lines {
        1 => &[],
        2 | 3 if !banded => &[],
        _ => DASHES[slot],
    }
}

const DASHES: [&[f64]; 8] = [
    &[],
    &[6.0, 2.5],
    &[1.5, 2.0],
    &[8.0, 2.5, 1.5, 2.5],
    &[3.5, 2.0],
    &[10.0, 3.0],
    &[6.0, 2.0, 1.5, 2.0, 1.5, 2.0],
    &[2.0, 3.5],
];

/// Returns which of eight colours each arm has; none for those that are grey because there are
/// more.
///
/// Up to eight arms have theirs in their order. Of more, those named in `wanted` have one, or the
/// five best by `merit` where none is named.
pub(crate) fn slots<'a>(
    arms: impl IntoIterator<Item = (&'a str, f64)>,
    wanted: &[String],
) -> Vec<Option<usize>> {
    const MOST_IN_A_CROWD: usize = 5;
    let arms: Vec<(&str, f64)> = arms.into_iter().collect();
    if arms.len() <= ARMS.len() {
        return (0..arms.len()).map(Some).collect();
    }
    let place = |name: &String| arms.iter().position(|arm| arm.0 == name);
    let mut chosen: Vec<usize> = wanted.iter().filter_map(place).take(ARMS.len()).collect();
    if chosen.is_empty() {
        chosen = (0..arms.len()).collect();
        chosen.sort_by(|&a, &b| arms[b].1.total_cmp(&arms[a].1).then(a.cmp(&b)));
        chosen.truncate(MOST_IN_A_CROWD);
    }
    let slot = |arm| chosen.iter().position(|&other| other == arm);
    (0..arms.len()).map(slot).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    type Rgb = [f64; 3];

    fn linear(colour: &str) -> Rgb {
        [1, 3, 5].map(|at| {
            let byte = u8::from_str_radix(&colour[at..at + 2], 16).unwrap();
            let c = f64::from(byte) / 255.0;
            if c <= 0.04045 {
                c / 12.92
            } else {
                ((c + 0.055) / 1.055).powf(2.4)
            }
        })
    }

    fn times(m: &[Rgb; 3], v: Rgb) -> Rgb {
        m.map(|row| row.iter().zip(v).map(|(a, b)| a * b).sum())
    }

    fn lab(rgb: Rgb) -> Rgb {
        let [x, y, z] = times(
            &[
                [0.412_456, 0.357_576, 0.180_438],
                [0.212_673, 0.715_152, 0.072_175],
                [0.019_334, 0.119_192, 0.950_304],
            ],
            rgb.map(|c| c.clamp(0.0, 1.0)),
        );
        let f = |t: f64| {
            if t > 0.008_856 {
                t.cbrt()
            } else {
                7.787 * t + 16.0 / 116.0
            }
        };
        let (x, y, z) = (f(x / 0.950_470), f(y), f(z / 1.088_83));
        [116.0 * y - 16.0, 500.0 * (x - y), 200.0 * (y - z)]
    }

    /// Matrices of three kinds of colour blindness: Machado, Oliveira & Fernandes (2009), Table 1,
    /// severity 1.0.
    const SIGHTS: [(&str, [Rgb; 3]); 4] = [
        (
            "full sight",
            [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
        ),
        (
            "protanopia",
            [
                [0.152_286, 1.052_583, -0.204_868],
                [0.114_503, 0.786_281, 0.099_216],
                [-0.003_882, -0.048_116, 1.051_998],
            ],
        ),
        (
            "deuteranopia",
            [
                [0.367_322, 0.860_646, -0.227_968],
                [0.280_085, 0.672_501, 0.047_413],
                [-0.011_820, 0.042_940, 0.968_881],
            ],
        ),
        (
            "tritanopia",
            [
                [1.255_528, -0.076_749, -0.178_779],
                [-0.078_411, 0.930_809, 0.147_602],
                [0.004_733, 0.691_367, 0.303_900],
            ],
        ),
    ];

    fn contrast(a: &str, b: &str) -> f64 {
        let luminance = |c| {
            let [r, g, b] = linear(c);
            0.2126 * r + 0.7152 * g + 0.0722 * b
        };
        let (a, b) = (luminance(a), luminance(b));
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }

    #[test]
    fn eight_arms_differ_for_every_sight_and_in_grey() {
        for pick in [|c: Colour| c.light, |c: Colour| c.dark] {
            let colours: Vec<Rgb> = ARMS.map(|c| linear(pick(c))).to_vec();
            for (sight, matrix) in &SIGHTS {
                for i in 0..8 {
                    for j in 0..i {
                        let [a, b] = [i, j].map(|k| lab(times(matrix, colours[k])));
                        let distance: f64 = a
                            .iter()
                            .zip(b)
                            .map(|(a, b)| (a - b).powi(2))
                            .sum::<f64>()
                            .sqrt();
                        assert!(
                            distance > 18.0,
                            "{sight}: {i} and {j} are {distance:.1} apart"
                        );
                    }
                }
            }
            let mut grey: Vec<f64> = colours.iter().map(|c| lab(*c)[0]).collect();
            grey.sort_by(f64::total_cmp);
            for pair in grey.windows(2) {
                assert!(pair[1] - pair[0] > 6.0, "{grey:?}");
            }
        }
    }

    #[test]
    fn text_and_marks_stand_out() {
        for text in [INK, MUTED] {
            assert!(contrast(text.light, PAPER.light) >= 4.5);
            assert!(contrast(text.dark, PAPER.dark) >= 4.5);
        }
        for step in 0..=10 {
            let (ground, text) = diverging(f64::from(step) / 10.0);
            assert!(contrast(ground.light, text.light) >= 4.5, "{step}");
            assert!(contrast(ground.dark, text.dark) >= 4.5, "{step} dark");
        }
        for arm in ARMS {
            assert!(contrast(arm.light, PAPER.light) > 1.8);
            assert!(contrast(arm.dark, PAPER.dark) > 3.0);
        }
    }

    #[test]
    fn every_literal_has_one_counterpart() {
        let mut literals: Vec<&str> = all().map(|c| c.light).collect();
        let count = literals.len();
        literals.sort_unstable();
        literals.dedup();
        assert_eq!(literals.len(), count);
    }

    #[test]
    fn a_crowd_has_its_best_in_colour() {
        let names: Vec<String> = (0..12).map(|i| i.to_string()).collect();
        let arms = || names.iter().map(String::as_str).zip((0..12).map(f64::from));
        let best = slots(arms(), &[]);
        assert_eq!(best[11], Some(0));
        assert_eq!(best[7], Some(4));
        assert_eq!(best.iter().flatten().count(), 5);
        let wanted = slots(arms(), &["3".to_owned(), "?".to_owned()]);
        assert_eq!(wanted.iter().flatten().count(), 1);
        assert_eq!(wanted[3], Some(0));
        assert_eq!(slots(arms().take(8), &[])[7], Some(7));
    }
}
