//! Tests of a dashboard behind https, whose certificate is signed by the test's own authority.

use super::{OnRay, head, uniform};
use crate::support::{Running, code, skipped, until};
use std::{
    fs,
    net::TcpStream,
    path::Path,
    process::{Child, Command, Stdio},
    time::Duration,
};
use tempfile::TempDir;

/// Script that makes an authority `ca.pem` and a certificate for 127.0.0.1.
const CERTIFICATES: &str = r"
openssl req -x509 -newkey rsa:2048 -nodes -days 1 -subj /CN=authority -keyout ca.key -out ca.pem
openssl req -newkey rsa:2048 -nodes -subj /CN=dashboard -keyout own.key -out own.csr
echo subjectAltName=IP:127.0.0.1 > names
openssl x509 -req -in own.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 1 -extfile names -out own.pem
";

/// Proxy that ends the encryption before a dashboard: `proxy.py PORT DASHBOARD`.
const PROXY: &str = r#"
import asyncio, ssl, sys
port, dashboard = map(int, sys.argv[1:])

async def pump(reader, writer):
    try:
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
    except OSError:
        pass
    writer.close()

async def serve(reader, writer):
    to, back = await asyncio.open_connection("127.0.0.1", dashboard)
    await asyncio.gather(pump(reader, back), pump(to, writer))

async def main():
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain("own.pem", "own.key")
    server = await asyncio.start_server(serve, "127.0.0.1", port, ssl=context)
    await server.serve_forever()

asyncio.run(main())
"#;

/// Process of the proxy, which ends with the test.
struct Proxy(Child);

impl Drop for Proxy {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Proxy {
    fn start(place: &Path, port: u16, dashboard: u16) -> Self {
        fs::write(place.join("proxy.py"), PROXY).unwrap();
        let child = Command::new("python3")
            .args(["proxy.py", &port.to_string(), &dashboard.to_string()])
            .current_dir(place)
            .stdin(Stdio::null())
            .spawn();
        let proxy = Self(child.unwrap());
        until("the proxy listens", || {
            TcpStream::connect(("127.0.0.1", port)).is_ok()
        });
        proxy
    }
}

/// Tests that a certificate is trusted only after `SSL_CERT_FILE` names its authority.
#[test]
#[ignore = "a head of Ray: scripts/test ray"]
fn a_dashboard_behind_https() {
    let Some(head) = head::shared() else { return };
    let head = head.as_ref().unwrap();
    let place = TempDir::new().unwrap();
    let made = Command::new("sh")
        .args(["-ec", CERTIFICATES])
        .current_dir(place.path())
        .output()
        .unwrap();
    if !made.status.success() {
        let said = String::from_utf8_lossy(&made.stderr);
        skipped(format!("openssl made no certificates: {said}"));
        return;
    }
    let port = head::free_port();
    let _proxy = Proxy::start(place.path(), port, head.dashboard());
    let address = format!("https://127.0.0.1:{port}");
    let there = OnRay::at(head, &address, &uniform(6), "");
    let start = |authority: Option<&Path>| {
        let mut command = there.bench.command(&["run", "study.toml", "--quiet"]);
        command
            .env_remove("SSL_CERT_FILE")
            .env_remove("SSL_CERT_DIR");
        command.envs(authority.map(|file| ("SSL_CERT_FILE", file)));
        Running::start(command)
    };
    start(None).wait().says(
        code::USAGE,
        &[
            "Ray cannot be asked",
            &address,
            "certificate",
            "SSL_CERT_FILE",
        ],
    );
    start(Some(&place.path().join("ca.pem")))
        .wait_for(Duration::from_mins(2))
        .says(code::DONE, &[]);
    there.audit(6);
}
