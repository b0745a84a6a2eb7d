//! The channel between a controller and a supervisor: directories of runs one way, and back again
//! when they are done.

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use std::ffi::OsStr;
use std::io::{self, ErrorKind, Read, Write};
use std::net::Shutdown;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};

/// One end of the line between a controller and a supervisor. A message is the directory of a run,
/// and ends with a zero byte, which no path contains.
///
/// The controller's message is the order to carry out the run in that directory. The supervisor
/// sends it back once the run's end is published, and is then ready for another. When the
/// controller is gone, however it went, the supervisor finds the line closed.
#[derive(Debug)]
pub(crate) struct Channel {
    stream: UnixStream,
    /// The received part of an incomplete message.
    received: Vec<u8>,
}

/// Result of reading the channel once.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Received {
    Directory(PathBuf),
    /// The channel has nothing for now.
    Nothing,
    /// The other end of the channel is closed.
    Closed,
}

impl Channel {
    /// Returns both ends of a channel: the controller's, and what becomes the standard input of a
    /// supervisor.
    pub(crate) fn pair() -> io::Result<(Self, OwnedFd)> {
        let (stream, other) = UnixStream::pair()?;
        Ok((Self::of(stream)?, other.into()))
    }

    /// Returns the supervisor's end of the channel: its standard input.
    pub(super) fn of_stdin() -> io::Result<Self> {
        let stdin = io::stdin().as_fd().try_clone_to_owned()?;
        Self::of(UnixStream::from(stdin))
    }

    fn of(stream: UnixStream) -> io::Result<Self> {
        stream.set_nonblocking(true)?;
        Ok(Self {
            stream,
            received: Vec::new(),
        })
    }

    /// Sends the directory of a run.
    pub(crate) fn send(&mut self, directory: &Path) -> io::Result<()> {
        let mut message = directory.as_os_str().as_bytes().to_owned();
        message.push(0);
        let mut rest = message.as_slice();
        while !rest.is_empty() {
            match self.stream.write(rest) {
                Ok(written) => rest = &rest[written..],
                Err(error) if error.kind() == ErrorKind::WouldBlock => self.await_room()?,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    fn await_room(&self) -> io::Result<()> {
        match poll(&mut [PollFd::new(&self.stream, PollFlags::OUT)], None) {
            Ok(_) | Err(Errno::INTR) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// Closes the channel for writing. Messages from the other end are still received.
    pub(crate) fn say_no_more(&self) -> io::Result<()> {
        self.stream.shutdown(Shutdown::Write)
    }

    /// Returns the next message, if it has arrived.
    pub(crate) fn receive(&mut self) -> io::Result<Received> {
        loop {
            if let Some(end) = self.received.iter().position(|&byte| byte == 0) {
                let rest = self.received.split_off(end + 1);
                self.received.pop();
                let message = std::mem::replace(&mut self.received, rest);
                return Ok(Received::Directory(OsStr::from_bytes(&message).into()));
            }
            let mut bytes = [0; 1024];
            match self.stream.read(&mut bytes) {
                Ok(0) => return Ok(Received::Closed),
                Ok(read) => self.received.extend_from_slice(&bytes[..read]),
                Err(error) => match error.kind() {
                    ErrorKind::WouldBlock => return Ok(Received::Nothing),
                    ErrorKind::Interrupted => {}
                    ErrorKind::ConnectionReset => return Ok(Received::Closed),
                    _ => return Err(error),
                },
            }
        }
    }
}

impl AsFd for Channel {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.stream.as_fd()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair() -> (Channel, Channel) {
        let (one, other) = Channel::pair().unwrap();
        (one, Channel::of(other.into()).unwrap())
    }

    #[test]
    fn messages_arrive_whole_and_in_order() {
        let (mut one, mut other) = pair();
        assert_eq!(other.receive().unwrap(), Received::Nothing);
        one.send(Path::new("/runs/a 1\n")).unwrap();
        one.send(Path::new(OsStr::from_bytes(b"/runs/\xff")))
            .unwrap();
        one.stream.write_all(b"/runs/ha").unwrap();
        assert_eq!(
            other.receive().unwrap(),
            Received::Directory("/runs/a 1\n".into())
        );
        let odd = OsStr::from_bytes(b"/runs/\xff").into();
        assert_eq!(other.receive().unwrap(), Received::Directory(odd));
        assert_eq!(other.receive().unwrap(), Received::Nothing);
        one.stream.write_all(b"lf\0").unwrap();
        assert_eq!(
            other.receive().unwrap(),
            Received::Directory("/runs/half".into())
        );
        // What was sent before the end is still received.
        one.send(Path::new("/runs/last")).unwrap();
        drop(one);
        assert_eq!(
            other.receive().unwrap(),
            Received::Directory("/runs/last".into())
        );
        assert_eq!(other.receive().unwrap(), Received::Closed);
        assert!(other.send(Path::new("/runs/late")).is_err());
    }

    #[test]
    fn more_than_the_socket_holds_waits_for_the_reader() {
        let (mut one, mut other) = pair();
        let long = PathBuf::from("x".repeat(1 << 20));
        let expected = Received::Directory(long.clone());
        let sender = std::thread::spawn(move || one.send(&long).map(|()| one));
        let received = loop {
            match other.receive().unwrap() {
                Received::Nothing => std::thread::yield_now(),
                received => break received,
            }
        };
        assert!(received == expected);
        sender.join().unwrap().unwrap();
    }
}
