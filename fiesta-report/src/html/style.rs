//! How the page looks.

use crate::figure::palette::{ARMS, OTHERS, dark_css};
use std::fmt::Write;

const PAGE: &str = include_str!("page.css");

/// The whole stylesheet: the page's, the colours of arms, and what turns figures dark.
pub(super) fn css() -> String {
    let mut css = PAGE.to_owned();
    let _ = writeln!(css, ".arm-others{{background:{}}}", OTHERS.light);
    for (arm, colour) in ARMS.iter().enumerate() {
        let _ = writeln!(css, ".arm-{arm}{{background:{}}}", colour.light);
    }
    css.push_str("@media screen and (prefers-color-scheme:dark){\n");
    let _ = writeln!(css, ".arm-others{{background:{}}}", OTHERS.dark);
    for (arm, colour) in ARMS.iter().enumerate() {
        let _ = writeln!(css, ".arm-{arm}{{background:{}}}", colour.dark);
    }
    css.push_str("}\n");
    css.push_str(&dark_css());
    css
}
