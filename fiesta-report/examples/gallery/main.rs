//! Every figure from made-up data, also from data that no one hopes for:
//! `cargo run --example gallery --features png,pdf -- FOLDER`.
//!
//! Writes each figure wide and narrow as SVG, and where the features allow as PNG and PDF, and a
//! page `index.html` of them all.

mod data;

use data::figures;
use fiesta_report::figure::{Figure, NARROW, WIDE, palette};
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
