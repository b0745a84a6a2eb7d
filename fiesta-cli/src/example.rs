//! `fiesta example`: a study that runs wherever bash and gzip are, to begin with.

use super::{
    exit::{Code, Failure},
    output::print,
};
use std::{
    fs::{self, File},
    io::{self, Write},
    path::{Path, PathBuf},
};

/// Files of the example study, as in `examples/shell`: name, content, and what each is.
const FILES: [(&str, &str, &str); 2] = [
    (
        "study.toml",
        include_str!("../example/study.toml"),
        "which of five ways of compressing gets a file over a slow line soonest",
    ),
    (
        "compress.sh",
        include_str!("../example/compress.sh"),
        "what one evaluation runs",
    ),
];

/// The arguments of `fiesta example`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  fiesta example && fiesta run example/study.toml")]
pub(super) struct Arguments {
    /// Directory to write the study to; made if need be
    #[arg(default_value = "example")]
    directory: PathBuf,
}

pub(super) fn example(arguments: &Arguments) -> Result<Code, Failure> {
    let directory = &arguments.directory;
    fs::create_dir_all(directory).map_err(|source| {
        let action = format!("make the directory {}", directory.display());
        Failure::System { action, source }
    })?;
    let paths = FILES.map(|(name, ..)| directory.join(name));
    for ((_, content, _), path) in FILES.iter().zip(&paths) {
        write_new(path, content)?;
    }
    let width = paths.iter().map(|path| path.display().to_string().len());
    let width = width.max().unwrap_or_default();
    for ((.., what), path) in FILES.iter().zip(&paths) {
        print(format_args!("{:width$}  {what}", path.display()))?;
    }
    let study = paths[0].display();
    print(format_args!(
        "\nIt takes some seconds, and needs bash and gzip:\n  fiesta run {study}\nThen a page with its figures and tables:\n  fiesta report {study}"
    ))?;
    Ok(Code::Done)
}

/// Writes a file, unless it exists with this content. Refuses to replace other content.
fn write_new(path: &Path, content: &str) -> Result<(), Failure> {
    let written = File::create_new(path).and_then(|mut file| file.write_all(content.as_bytes()));
    match written {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            if fs::read(path).is_ok_and(|found| found == content.as_bytes()) {
                return Ok(());
            }
            Err(Failure::Usage(format!(
                "{} is there already, with another content, and stays as it is: name another directory (`fiesta example DIRECTORY`)",
                path.display()
            )))
        }
        written => written.map_err(|source| Failure::System {
            action: format!("write {}", path.display()),
            source,
        }),
    }
}
