//! FTP with an independent server: pyftpdlib, on loopback.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;

use crate::client::RobotsClient;
use crate::failure::Failure;
use crate::fetch::{Identity, Request};
use crate::guard::Guard;
use crate::limits::Limits;
use verger::Crawler;

use crate::fetch::tests::world::{RULES, World};

/// Debian's Python, for which Debian's pyftpdlib is installed.
const PYTHON: &str = "/usr/bin/python3";

/// Listens on a free port and prints it.
const SERVER: &str = "
import logging, sys
from pyftpdlib.authorizers import DummyAuthorizer
from pyftpdlib.handlers import FTPHandler
from pyftpdlib.servers import FTPServer
logging.disable(logging.CRITICAL)
authorizer = DummyAuthorizer()
authorizer.add_anonymous(sys.argv[1])
FTPHandler.authorizer = authorizer
server = FTPServer(('127.0.0.1', 0), FTPHandler)
print(server.address[1], flush=True)
server.serve_forever()
";

/// A running server and its folder; both end when it is dropped.
struct Running {
    child: Child,
    folder: PathBuf,
    port: u16,
}

impl Running {
    /// `None` without pyftpdlib.
    fn start() -> Option<Self> {
        let is_there = Command::new(PYTHON)
            .args(["-c", "import pyftpdlib"])
            .stderr(Stdio::null())
            .status()
            .is_ok_and(|status| status.success());
        if !is_there {
            return None;
        }
        let folder = std::env::temp_dir().join(format!("verger-ftp-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let mut child = Command::new(PYTHON)
            .args(["-W", "ignore", "-c", SERVER])
            .arg(&folder)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        Some(Self { child, folder, port: line.trim().parse().unwrap() })
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // A failure here has no consequences.
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = fs::remove_dir_all(&self.folder);
    }
}

#[tokio::test]
#[ignore = "thorough suite"]
#[expect(clippy::print_stderr, reason = "what is skipped is told")]
async fn files_are_fetched_from_a_real_server() {
    let Some(server) = Running::start() else {
        eprintln!("SKIPPED: pyftpdlib (Debian: python3-pyftpdlib) is not installed");
        return;
    };
    fs::write(server.folder.join("robots.txt"), RULES).unwrap();
    fs::write(server.folder.join("large.txt"), "#".repeat(2_000_000)).unwrap();
    fs::create_dir_all(server.folder.join("folder")).unwrap();
    let fetcher =
        RobotsClient::builder(Crawler::new("ExampleBot"), Identity::new("ExampleBot/1.0").unwrap())
            .guard(Guard::new().with_allowed_net("127.0.0.0/8".parse().unwrap()))
            .resolve(Arc::new(World::new()))
            .build_fetcher()
            .unwrap();
    for (path, expected, size) in [
        ("robots.txt", None, RULES.len()),
        ("large.txt", None, Limits::default().body),
        ("missing.txt", Some(Failure::Status(404)), 0),
        ("folder", Some(Failure::Status(404)), 0),
    ] {
        let url = format!("ftp://127.0.0.1:{}/{path}", server.port).parse().unwrap();
        let fetched = fetcher.fetch(&Request::new(url)).await;
        assert_eq!(fetched.failure, expected, "{path}");
        assert_eq!(fetched.body.len(), size, "{path}");
    }
}
