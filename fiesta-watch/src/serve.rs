//! Connections of viewers: their largest number, their time limits, and their answers.

use super::{
    body::Content,
    guard::{File, allowed},
    looker::Looker,
    token::Token,
};
use fiesta_report::html::live::{POLICY, css, script};
use fiesta_runner::signal::Signals;
use hyper::{
    HeaderMap, Method, Request, Response, StatusCode,
    body::Incoming,
    header::{
        ALLOW, CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HeaderName, HeaderValue,
        REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
    },
    server::conn::http1,
    service::service_fn,
};
use hyper_util::rt::{TokioIo, TokioTimer};
use std::{
    cell::{Cell, RefCell},
    collections::VecDeque,
    convert::Infallible,
    io,
    net::TcpListener as Listener,
    os::unix::net::UnixStream as StdUnixStream,
    rc::Rc,
    sync::Arc,
    time::Duration,
};
use tokio::{
    net::{TcpListener, TcpStream, UnixStream},
    task::{AbortHandle, LocalSet, spawn_local},
    time,
};

/// Largest number of connections without an answered request. If there are more, the oldest one is closed.
const WAITING: usize = 64;
/// Largest number of open pages. If there are more, the oldest one is closed. A browser opens it
/// again by itself. A program that never reads its data thus takes no place from others.
const PAGES: usize = 32;
/// Longest time until a request has arrived.
const REQUEST: Duration = Duration::from_secs(5);
const ANSWER: Duration = Duration::from_secs(20);
/// Length of the longest request, in bytes.
const LONGEST: usize = 16 << 10;
const HEADERS: usize = 64;
/// Longest wait for the first look before the page is sent without results.
const FIRST: Duration = Duration::from_secs(3);
/// Number of connections that are accepted at once. After them, one is accepted every `PACE`: 500 a second.
const BURST: u32 = 100;
const PACE: Duration = Duration::from_millis(2);

const POLICIES: [(HeaderName, &str); 9] = [
    (CONTENT_SECURITY_POLICY, POLICY),
    (CACHE_CONTROL, "no-store"),
    (REFERRER_POLICY, "no-referrer"),
    (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (X_FRAME_OPTIONS, "DENY"),
    (
        HeaderName::from_static("cross-origin-resource-policy"),
        "same-origin",
    ),
    (
        HeaderName::from_static("cross-origin-opener-policy"),
        "same-origin",
    ),
    (
        HeaderName::from_static("permissions-policy"),
        "camera=(), geolocation=(), microphone=()",
    ),
    (HeaderName::from_static("x-robots-tag"), "noindex"),
];

/// Connections with the handles that end them, the oldest first.
type Open = RefCell<VecDeque<(u64, AbortHandle)>>;

/// Connections that are open, by their kind.
#[derive(Default)]
struct Connections {
    number: Cell<u64>,
    /// Connections whose requests have not been answered yet.
    waiting: Open,
    /// Connections through which open pages receive events.
    pages: Open,
}

impl Connections {
    /// Adds a new connection, whose request is awaited.
    fn wait(&self, number: u64, handle: AbortHandle) {
        add(&self.waiting, (number, handle), WAITING);
    }

    /// Counts a connection as an open page from now on.
    fn show_page(&self, number: u64) {
        if let Some(connection) = remove(&self.waiting, number) {
            add(&self.pages, connection, PAGES);
        }
    }

    fn end(&self, number: u64) {
        remove(&self.waiting, number);
        remove(&self.pages, number);
    }
}

/// Adds a connection, and ends the oldest one if there are more than `most`.
fn add(open: &Open, connection: (u64, AbortHandle), most: usize) {
    let mut open = open.borrow_mut();
    open.push_back(connection);
    if open.len() > most
        && let Some((_, oldest)) = open.pop_front()
    {
        oldest.abort();
    }
}

fn remove(open: &Open, number: u64) -> Option<(u64, AbortHandle)> {
    let mut open = open.borrow_mut();
    let place = open.iter().position(|(other, _)| *other == number)?;
    open.remove(place)
}

/// Content of the server: token, page and style.
struct Site {
    token: Token,
    looker: Looker,
    style: String,
}

/// Serves the page until a signal or the program asks to stop.
pub(super) async fn serve(
    listener: Listener,
    token: Token,
    looker: Looker,
    mut signals: Signals,
) -> io::Result<()> {
    let wake = StdUnixStream::from(signals.wake().try_clone_to_owned()?);
    let wake = UnixStream::from_std(wake)?;
    let listener = TcpListener::from_std(listener)?;
    let site = Rc::new(Site {
        token,
        looker,
        style: css(),
    });
    let connections = LocalSet::new();
    connections
        .run_until(async {
            let _accepting = spawn_local(accept(listener, site));
            loop {
                wake.readable().await?;
                let asked = signals.received();
                if asked.stop.is_some() || asked.detach {
                    return Ok(());
                }
                // It is empty, which has to be seen before it is waited for again.
                let _ = wake.try_read(&mut [0; 64]);
            }
        })
        .await
}

/// Accepts connections, no faster than they can be answered.
async fn accept(listener: TcpListener, site: Rc<Site>) {
    let connections = Rc::new(Connections::default());
    let mut allowance = BURST;
    let mut last = time::Instant::now();
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            // No descriptor is left, or the other end has gone already.
            time::sleep(PACE * 10).await;
            continue;
        };
        let since = last.elapsed().as_millis() / PACE.as_millis();
        allowance = BURST.min(allowance + u32::try_from(since).unwrap_or(BURST));
        last = time::Instant::now();
        if allowance == 0 {
            time::sleep(PACE).await;
        } else {
            allowance -= 1;
        }
        let number = connections.number.replace(connections.number.get() + 1);
        let (of_connection, own) = (Rc::clone(&site), Rc::clone(&connections));
        let task = spawn_local(async move {
            connection(stream, number, &of_connection, &own).await;
            own.end(number);
        });
        connections.wait(number, task.abort_handle());
    }
}

/// Answers one request on a connection.
async fn connection(stream: TcpStream, number: u64, site: &Rc<Site>, all: &Rc<Connections>) {
    let has_page = Rc::new(Cell::new(false));
    let service = service_fn(|request: Request<Incoming>| {
        let (site, has_page) = (Rc::clone(site), Rc::clone(&has_page));
        let all = Rc::clone(all);
        async move {
            let (head, _) = request.into_parts();
            let file = allowed(&head.method, &head.uri, &head.headers, &site.token);
            if file == Ok(File::Events) && head.method == Method::GET {
                // It lasts, and is no longer one of those that wait.
                has_page.set(true);
                all.show_page(number);
            }
            Ok::<_, Infallible>(match file {
                Ok(file) => answer(&site, file, &head.method).await,
                Err((code, line)) => refuse(code, line),
            })
        }
    });
    let served = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(REQUEST)
        .keep_alive(false)
        .half_close(false)
        .max_buf_size(LONGEST)
        .max_headers(HEADERS)
        .serve_connection(TokioIo::new(stream), service);
    tokio::pin!(served);
    // What went wrong with a connection is its other end's affair.
    if time::timeout(ANSWER, served.as_mut()).await.is_err() && has_page.get() {
        let _ = served.await;
    }
}

async fn answer(site: &Site, file: File, method: &Method) -> Response<Content> {
    let (kind, content) = match file {
        File::Page => ("text/html; charset=utf-8", page(site).await),
        File::Style => (
            "text/css; charset=utf-8",
            Content::whole(site.style.clone()),
        ),
        File::Script => ("text/javascript; charset=utf-8", Content::whole(script())),
        File::Events if method == Method::HEAD => ("text/event-stream", Content::whole("")),
        File::Events => (
            "text/event-stream",
            Content::events(site.looker.found(), site.looker.viewer()),
        ),
    };
    respond(StatusCode::OK, kind, content)
}

/// Returns the current page, after a look if the latest one is not fresh.
async fn page(site: &Site) -> Content {
    let mut found = site.looker.found();
    if !found.borrow_and_update().is_fresh() {
        site.looker.ask();
        // What a first look that takes long finds comes as an event.
        let _ = time::timeout(FIRST, found.changed()).await;
    }
    let snapshot = Arc::clone(&found.borrow());
    Content::whole(snapshot.html.clone())
}

fn refuse(code: StatusCode, line: &str) -> Response<Content> {
    let text = Content::whole(format!("{line}\n"));
    let mut response = respond(code, "text/plain; charset=utf-8", text);
    if code == StatusCode::METHOD_NOT_ALLOWED {
        let allowed = HeaderValue::from_static("GET, HEAD");
        response.headers_mut().insert(ALLOW, allowed);
    }
    response
}

fn respond(code: StatusCode, kind: &'static str, content: Content) -> Response<Content> {
    let mut response = Response::new(content);
    *response.status_mut() = code;
    let headers: &mut HeaderMap = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    for (name, value) in POLICIES {
        headers.insert(name, HeaderValue::from_static(value));
    }
    response
}
