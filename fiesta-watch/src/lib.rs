//! A page that follows studies as they run, served on this machine alone.
//!
//! [`Server::bind`] takes a port of 127.0.0.1 and makes a random token; [`Server::address`] is what
//! a browser is given; [`Server::serve`] answers until it is told to stop. Nothing that is asked of
//! it changes a study: it reads what `fiesta status` reads, and answers GET and HEAD alone.
//!
//! | path | answer |
//! |---|---|
//! | `/TOKEN/` | the page as it is now |
//! | `/TOKEN/live.css`, `/TOKEN/live.js` | its style and its script |
//! | `/TOKEN/events` | server-sent events of what changes, see [`fiesta_report::html::live`] |
//! | anything else | 403 without the token, else 404 |
//!
//! One thread looks at the studies, at most once a second, for at most a thirtieth of its time, and
//! only while somebody has the page open; another one serves what was found.
//!
//! # Example
//! ```no_run
//! use fiesta_runner::signal::Signals;
//! use fiesta_watch::Server;
//! let server = Server::bind(vec!["study.toml".into()], &[], 0)?;
//! println!("{}", server.address());
//! server.serve(Signals::new()?)?;
//! # Ok::<(), std::io::Error>(())
//! ```

#[cfg(not(target_os = "linux"))]
compile_error!("fiesta-watch needs Linux, as fiesta-runner does: see PLATFORM.md");

mod body;
mod guard;
mod looker;
mod page;
mod serve;
mod token;

use fiesta_runner::{executor::EngineKind, signal::Signals};
use looker::Looker;
use std::{
    io,
    net::{Ipv4Addr, SocketAddr, TcpListener},
    path::PathBuf,
};
use token::Token;

/// The server of a page that follows studies.
#[derive(Debug)]
pub struct Server {
    listener: TcpListener,
    token: Token,
    studies: Vec<PathBuf>,
    kinds: &'static [EngineKind],
}

impl Server {
    /// Takes a port of 127.0.0.1, any free one if it is zero, and makes a token of 128 random bits.
    /// `kinds` are the engines that may carry out the jobs of the studies, such as
    /// `fiesta_engines::KINDS`.
    ///
    /// # Errors
    /// If the port is taken or the system has no random bits.
    pub fn bind(
        studies: Vec<PathBuf>,
        kinds: &'static [EngineKind],
        port: u16,
    ) -> io::Result<Self> {
        let listener = TcpListener::bind(SocketAddr::from((Ipv4Addr::LOCALHOST, port)))?;
        listener.set_nonblocking(true)?;
        Ok(Self {
            listener,
            token: Token::random()?,
            studies,
            kinds,
        })
    }

    /// Returns the port that the server listens on.
    ///
    /// # Errors
    /// If the system does not say.
    pub fn port(&self) -> io::Result<u16> {
        Ok(self.listener.local_addr()?.port())
    }

    /// Returns the address of the page. Whoever has it can read the page.
    pub fn address(&self) -> String {
        let port = self.port().unwrap_or_default();
        format!("http://127.0.0.1:{port}/{}/", self.token.text())
    }

    /// Serves the page until a signal, or whoever has the [`Stopper`](fiesta_runner::signal::Stopper), asks
    /// to stop.
    ///
    /// # Errors
    /// If the system refuses a thread or what it takes to wait for connections.
    pub fn serve(self, signals: Signals) -> io::Result<()> {
        let looker = Looker::start(self.studies, self.kinds)?;
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_io()
            .enable_time()
            .build()?;
        let served = runtime.block_on(serve::serve(self.listener, self.token, looker, signals));
        runtime.shutdown_background();
        served
    }
}

/// The README's example, compiled.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
