//! Bodies of answers: a text, or events until the connection ends.

use super::looker::{Snapshot, Viewer};
use hyper::body::{Body, Bytes, Frame, SizeHint};
use serde_json::{Map, Value};
use std::{
    convert::Infallible,
    future::Future,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};
use tokio::{
    sync::watch,
    time::{self, Instant},
};

/// Interval at which a message keeps a page's connection open.
const PING: Duration = Duration::from_secs(10);

/// Body of an answer: a whole text, or a stream of events.
pub(super) enum Content {
    Whole(Option<Bytes>),
    Events(Pin<Box<dyn Future<Output = (Bytes, Box<Events>)>>>),
}

/// Stream of events for one viewer of the page.
pub(super) struct Events {
    found: watch::Receiver<Arc<Snapshot>>,
    /// Number of the last look whose changes the viewer was sent. `None` before the first event.
    told: Option<u64>,
    /// Time of the next message that keeps the connection open.
    ping: Instant,
    _viewer: Viewer,
}

impl Content {
    pub(super) fn whole(text: impl Into<Bytes>) -> Self {
        Self::Whole(Some(text.into()))
    }

    pub(super) fn events(found: watch::Receiver<Arc<Snapshot>>, viewer: Viewer) -> Self {
        let events = Box::new(Events {
            found,
            told: None,
            ping: Instant::now() + PING,
            _viewer: viewer,
        });
        Self::Events(Box::pin(events.next()))
    }
}

impl Events {
    /// Returns the next event for the viewer. Changes that occur while the viewer receives an event
    /// come together in the next one.
    async fn next(mut self: Box<Self>) -> (Bytes, Box<Self>) {
        if self.told.is_none() {
            // At once: the connection stands.
            self.told = Some(0);
            return (Bytes::from_static(b"retry: 2000\n\n"), self);
        }
        loop {
            let event = {
                let snapshot = self.found.borrow_and_update();
                let event = parts_since(&snapshot, self.told.unwrap_or(0));
                self.told = Some(snapshot.look);
                event
            };
            if let Some(event) = event {
                self.ping = Instant::now() + PING;
                return (event, self);
            }
            match time::timeout_at(self.ping, self.found.changed()).await {
                Ok(Ok(())) => {}
                Err(_) => {
                    self.ping = Instant::now() + PING;
                    return (Bytes::from_static(b"event: ping\ndata: 1\n\n"), self);
                }
                // Nobody looks any more: the program ends.
                Ok(Err(_)) => std::future::pending().await,
            }
        }
    }
}

/// Returns the parts of the page that have changed since a look, as an event. `None` if nothing has changed.
fn parts_since(snapshot: &Snapshot, look: u64) -> Option<Bytes> {
    let parts = snapshot.parts.iter();
    let changed = parts.filter(|(_, (since, _))| *since > look);
    let changed: Map<String, Value> = changed
        .map(|(id, (_, html))| (id.clone(), Value::from(&**html)))
        .collect();
    // JSON has no line break, which would end the event's data.
    (!changed.is_empty())
        .then(|| format!("event: parts\ndata: {}\n\n", Value::Object(changed)).into())
}

impl Body for Content {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        match &mut *self {
            Self::Whole(text) => Poll::Ready(text.take().map(|text| Ok(Frame::data(text)))),
            Self::Events(next) => match next.as_mut().poll(context) {
                Poll::Pending => Poll::Pending,
                Poll::Ready((event, events)) => {
                    *next = Box::pin(events.next());
                    Poll::Ready(Some(Ok(Frame::data(event))))
                }
            },
        }
    }

    fn is_end_stream(&self) -> bool {
        matches!(self, Self::Whole(None))
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            Self::Whole(text) => SizeHint::with_exact(text.as_ref().map_or(0, Bytes::len) as u64),
            Self::Events(_) => SizeHint::new(),
        }
    }
}
