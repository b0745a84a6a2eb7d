//! Every figure from made-up data, also from data that no one hopes for: `cargo run --example gallery --features png,pdf -- FOLDER`.
//!
//! Writes each figure wide and narrow as SVG, and where the features allow as PNG and PDF, and a page `index.html` of them all.

mod data;

use data::{
    belief, ecdf, equal_ecdf, equal_forest, equal_violins, forest, hostile, names, one_trial,
    pairwise, profile, ranks, success, time, tuning, two_bands, violins,
};
use fiesta_report::figure::{Figure, FigureError, NARROW, Plot, WIDE, palette};
use std::error::Error;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() -> Result<(), Box<dyn Error>> {
    let folder = env::args_os()
        .nth(1)
        .map_or_else(|| env::temp_dir().join("gallery"), PathBuf::from);
    fs::create_dir_all(&folder)?;
    let mut page = String::from("<!doctype html><meta charset=utf-8><title>Gallery</title>");
    write!(
        page,
        "<style>body{{font:15px/1.5 sans-serif;max-width:720px;margin:0 auto;padding:20px;color:#1b1d22;background:#fff}}\
         figure{{margin:0 0 48px}}svg{{max-width:100%;height:auto}}figcaption{{font-size:13px}}.narrow{{display:none}}\
         @media(max-width:640px){{.wide{{display:none}}.narrow{{display:block}}}}\
         @media screen and (prefers-color-scheme:dark){{body{{background:#16181d;color:#e8e6e1}}}}{}</style>",
        palette::dark_css()
    )?;
    for (name, plot) in figures()? {
        let (wide, narrow) = (plot.draw(WIDE)?, plot.draw(NARROW)?);
        save(&folder, name, &wide)?;
        save(&folder, &format!("{name}-narrow"), &narrow)?;
        println!(
            "{name}: {} and {} bytes of SVG",
            wide.svg().len(),
            narrow.svg().len()
        );
        write!(
            page,
            "<figure><div class=wide>{}</div><div class=narrow>{}</div><figcaption>{}</figcaption></figure>",
            wide.svg(),
            narrow.svg(),
            wide.caption().replace('&', "&amp;").replace('<', "&lt;")
        )?;
    }
    fs::write(folder.join("index.html"), page)?;
    Ok(())
}

fn save(folder: &Path, name: &str, figure: &Figure) -> Result<(), Box<dyn Error>> {
    fs::write(folder.join(format!("{name}.svg")), figure.standalone_svg())?;
    #[cfg(feature = "png")]
    fs::write(folder.join(format!("{name}.png")), figure.png(2.0)?)?;
    #[cfg(feature = "pdf")]
    fs::write(folder.join(format!("{name}.pdf")), figure.pdf()?)?;
    Ok(())
}

type Named = (&'static str, Box<dyn Plot>);

fn figures() -> Result<Vec<Named>, FigureError> {
    let mut all: Vec<Named> = Vec::new();
    for (name, arms) in [("1", 1), ("8", 8), ("12", 12), ("60", 60)] {
        let names = names(arms);
        let name = |kind| leak(format!("{kind}-{name}"));
        all.push((name("violins"), Box::new(violins(&names))));
        all.push((name("belief"), Box::new(belief(&names))));
        all.push((name("tuning"), Box::new(tuning(&names, false))));
        all.push((name("bands"), Box::new(tuning(&names, true))));
        all.push((name("ecdf"), Box::new(ecdf(&names))));
        all.push((name("forest"), Box::new(forest(&names))));
        all.push((name("pairwise"), Box::new(pairwise(&names))));
        all.push((name("ranks"), Box::new(ranks(&names)?)));
        all.push((name("profile"), Box::new(profile(&names))));
        all.push((name("success"), Box::new(success(&names))));
    }
    let hostile = hostile();
    all.push(("hostile-violins", Box::new(violins(&hostile))));
    all.push(("hostile-belief", Box::new(belief(&hostile))));
    all.push(("hostile-tuning", Box::new(tuning(&hostile, false))));
    all.push(("hostile-bands", Box::new(tuning(&hostile, true))));
    all.push(("hostile-ecdf", Box::new(ecdf(&hostile))));
    all.push(("hostile-forest", Box::new(forest(&hostile))));
    all.push(("hostile-pairwise", Box::new(pairwise(&hostile))));
    all.push(("hostile-ranks", Box::new(ranks(&hostile)?)));
    all.push(("two-bands", Box::new(two_bands())));
    all.push(("time", Box::new(time())));
    all.push(("equal-violins", Box::new(equal_violins())));
    all.push(("equal-forest", Box::new(equal_forest())));
    all.push(("equal-ecdf", Box::new(equal_ecdf())));
    all.push(("one-trial", Box::new(one_trial())));
    Ok(all)
}

/// The gallery lives as long as its names.
fn leak(name: String) -> &'static str {
    Box::leak(name.into_boxed_str())
}
