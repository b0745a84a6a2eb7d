//! `fiesta generate`: shell completions and manual pages.

use super::{
    Arguments as Program,
    exit::{Code, Failure},
    output::write,
};
use clap::CommandFactory;
use clap_complete::Shell;
use std::{fs, path::PathBuf};

/// The arguments of `fiesta generate`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  fiesta generate completions bash > /etc/bash_completion.d/fiesta
  fiesta generate man /usr/local/share/man/man1")]
pub(super) struct Arguments {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, clap::Subcommand)]
enum What {
    /// Print the completions of a shell
    Completions {
        /// The shell whose completions are printed
        shell: Shell,
    },
    /// Write the manual pages, one for each verb
    Man {
        /// The directory for the manual pages; made if need be
        directory: PathBuf,
    },
}

pub(super) fn generate(arguments: &Arguments) -> Result<Code, Failure> {
    let mut command = Program::command();
    match &arguments.what {
        What::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(*shell, &mut command, "fiesta", &mut script);
            write(&script)?;
        }
        What::Man { directory } => {
            let written = fs::create_dir_all(directory)
                .and_then(|()| clap_mangen::generate_to(command, directory));
            written.map_err(|source| {
                let action = format!("write to the directory {}", directory.display());
                Failure::System { action, source }
            })?;
        }
    }
    Ok(Code::Done)
}
