//! `fiesta reproduce`: the papers' experiments, measured beside what the papers print.

mod fiesta;
mod haffari;
mod show_your_work;

use super::{
    Format,
    exit::{Code, Failure},
    print,
};

/// The arguments of `fiesta reproduce`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  fiesta reproduce fiesta
  fiesta reproduce fiesta tdsa_macro_f1.csv --seed 1 --format json
  fiesta reproduce haffari --calibration
  fiesta reproduce show-your-work -o figures")]
pub(super) struct Arguments {
    #[command(subcommand)]
    paper: Paper,
}

#[derive(Debug, clap::Subcommand)]
enum Paper {
    /// Moss, Moore, Leslie & Rayson, ACL 2019: sequential halving, top-two Thompson sampling, batches
    Fiesta(fiesta::Arguments),
    /// Haffari, Tran & Carman, EACL 2017: Thompson sampling over F-measures of documents, beside classical tests
    Haffari(haffari::Arguments),
    /// Dodge, Gururangan, Card, Schwartz & Smith, EMNLP 2019: expected validation performance against budget
    ShowYourWork(show_your_work::Arguments),
}

pub(super) fn reproduce(arguments: &Arguments) -> Result<Code, Failure> {
    match &arguments.paper {
        Paper::Fiesta(arguments) => fiesta::fiesta(arguments),
        Paper::Haffari(arguments) => haffari::haffari(arguments),
        Paper::ShowYourWork(arguments) => show_your_work::show_your_work(arguments),
    }
}
