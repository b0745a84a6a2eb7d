//! `fiesta watch`: a page that follows studies as they run, on this machine alone.

use super::{
    exit::{Code, Failure},
    print, say,
    study_argument::{default_file, read_study},
};
use fiesta::{
    engines::KINDS,
    runner::{process, signal::Signals},
    watch::Server,
};
use std::{io, path::PathBuf};

/// The arguments of `fiesta watch`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  fiesta watch study.toml                    prints an address; open it in a browser
  fiesta watch nightly.toml prompts.toml     several studies on one page
  fiesta watch study.toml --port 8700        always at this port; the address still changes with each start

The page can be seen on this machine only, by whoever has its address, and changes nothing. A study need not have begun: the page
follows as soon as it does, and goes on when it has ended. Ctrl-C ends it, and no study.")]
pub(super) struct Arguments {
    /// The study files (default: study.toml in the current directory)
    studies: Vec<PathBuf>,
    /// The port of the page (default: any free one)
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..))]
    port: Option<u16>,
}

pub(super) fn watch(arguments: &Arguments) -> Result<Code, Failure> {
    // A file that is wrong now is a slip; one that becomes wrong later is a note on the page.
    let studies = match arguments.studies.as_slice() {
        [] => vec![default_file()?.to_owned()],
        studies => studies.to_vec(),
    };
    for path in &studies {
        read_study(path)?;
    }
    let failed = |action: &str| {
        let action = action.to_owned();
        |source: io::Error| Failure::System { action, source }
    };
    let port = arguments.port.unwrap_or(0);
    let server = Server::bind(studies, KINDS, port).map_err(|source| match port {
        0 => failed("serve a page on 127.0.0.1")(source),
        port if source.kind() == io::ErrorKind::AddrInUse => Failure::Usage(format!(
            "port {port} is taken, perhaps by another `fiesta watch`: give another one, or none"
        )),
        port => failed(&format!("serve a page at port {port} of 127.0.0.1"))(source),
    })?;
    let signals = Signals::new().map_err(failed("listen to signals"))?;
    let port = server.port().map_err(failed("learn the page's port"))?;
    print(server.address())?;
    say(format_args!(
        "Open this address in a browser on this machine; Ctrl-C ends the page, and no study.\nFrom another machine: run `{}` there, and open the same address there.",
        forward(port)
    ));
    server.serve(signals).map_err(failed("serve the page"))?;
    Ok(Code::Done)
}

/// Returns the command that forwards the page's port to another machine.
fn forward(port: u16) -> String {
    let host = process::host().unwrap_or_else(|_| "HOST".to_owned());
    format!("ssh -N -L {port}:127.0.0.1:{port} {host}")
}
