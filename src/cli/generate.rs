//! `fiesta generate`: shell completions and manual pages.

use super::{
    Arguments as Program,
    exit::{Code, Failure},
};
use clap::CommandFactory;
use clap_complete::Shell;
use std::{io, path::PathBuf};

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
        /// Which shell
        shell: Shell,
    },
    /// Write the manual pages
    Man {
        /// Into this directory
        directory: PathBuf,
    },
}

pub(super) fn generate(arguments: &Arguments) -> Result<Code, Failure> {
    let mut command = Program::command();
    match &arguments.what {
        What::Completions { shell } => {
            clap_complete::generate(*shell, &mut command, "fiesta", &mut io::stdout());
        }
        What::Man { directory } => clap_mangen::generate_to(command, directory)?,
    }
    Ok(Code::Done)
}
