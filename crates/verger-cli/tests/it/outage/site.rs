//! Sites: one nginx for each, on different loopback addresses, so that they are different hosts.

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::{Ipv4Addr, SocketAddrV4, TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::{Duration, Instant};

use tempfile::TempDir;

/// A site with `/robots.txt`. Its server ends when it is dropped.
pub(crate) struct Site {
    folder: TempDir,
    address: SocketAddrV4,
    server: Option<Child>,
    /// Origin of the site.
    pub(crate) origin: String,
}

/// Response of a site to a request for `/robots.txt`.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Serves {
    /// A file that disallows `/private`.
    File,
    /// This status.
    Status(u16),
    /// 503 with `Retry-After: 86400`.
    Later,
    /// None: connections are refused.
    Nothing,
}

/// Path of nginx, which Debian installs outside of `PATH`.
pub(crate) fn nginx() -> Option<&'static str> {
    let runs = |name: &&str| Command::new(name).arg("-v").output().is_ok();
    ["nginx", "/usr/sbin/nginx"].into_iter().find(runs)
}

impl Site {
    /// A site that serves the file.
    pub(crate) fn start() -> Self {
        static SITES: AtomicU8 = AtomicU8::new(1);
        let [.., high, low] = std::process::id().to_be_bytes();
        let host = Ipv4Addr::new(127, high, low, SITES.fetch_add(1, Ordering::Relaxed));
        // A free port; nothing else uses this address.
        let port = TcpListener::bind((host, 0)).unwrap().local_addr().unwrap().port();
        let address = SocketAddrV4::new(host, port);
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("robots.txt"), ROBOTS).unwrap();
        fs::write(folder.path().join("nginx.conf"), configuration(&folder, address)).unwrap();
        let mut site = Self { folder, address, server: None, origin: format!("http://{address}") };
        site.serves(Serves::File);
        site
    }

    /// Changes the behaviour, with the next request.
    pub(crate) fn serves(&mut self, what: Serves) {
        for name in STATUSES.map(|status| status.to_string()).iter().chain([&LATER.to_owned()]) {
            drop(fs::remove_file(self.folder.path().join(name)));
        }
        let name = match what {
            Serves::File => None,
            Serves::Status(status) => Some(status.to_string()),
            Serves::Later => Some(LATER.to_owned()),
            Serves::Nothing => return self.stop(),
        };
        if let Some(name) = name {
            fs::write(self.folder.path().join(name), "").unwrap();
        }
        self.run();
    }

    /// Requests for `/robots.txt` so far.
    pub(crate) fn requests(&self) -> usize {
        if self.server.is_some() {
            // nginx logs a request before it answers the next one.
            let mut stream = TcpStream::connect(self.address).unwrap();
            stream.write_all(b"GET /other HTTP/1.0\r\n\r\n").unwrap();
            stream.read_to_end(&mut Vec::new()).unwrap();
        }
        let log = fs::read_to_string(self.folder.path().join("access.log")).unwrap();
        log.lines().filter(|&line| line == "/robots.txt").count()
    }

    fn run(&mut self) {
        if self.server.is_some() {
            return;
        }
        let mut command = Command::new(nginx().unwrap());
        command.arg("-c").arg(self.folder.path().join("nginx.conf")).stderr(Stdio::null());
        self.server = Some(command.spawn().unwrap());
        let begin = Instant::now();
        while TcpStream::connect(self.address).is_err() {
            let errors = fs::read_to_string(self.folder.path().join("error.log"));
            assert!(begin.elapsed() < Duration::from_secs(10), "nginx does not run: {errors:?}");
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    fn stop(&mut self) {
        if let Some(mut server) = self.server.take() {
            server.kill().unwrap();
            server.wait().unwrap();
        }
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        self.stop();
    }
}

/// A server in one process, run by the user of the test. It reads its behaviour from files with
/// every request, so that it need not be restarted.
fn configuration(folder: &TempDir, address: SocketAddrV4) -> String {
    let folder = folder.path().display();
    let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
        .map(|name| format!("{name}_temp_path {folder}/{name};\n"))
        .concat();
    let statuses = STATUSES
        .map(|status| format!("if (-f {folder}/{status}) {{ return {status}; }}\n"))
        .concat();
    format!(
        "daemon off;\nmaster_process off;\npid {folder}/pid;\nerror_log {folder}/error.log;\n\
         events {{}}\nhttp {{\nlog_format path $uri;\naccess_log {folder}/access.log path;\n\
         {temporary}server {{\nlisten {address};\nroot {folder};\nlocation = /robots.txt {{\n\
         {statuses}if (-f {folder}/{LATER}) {{\nadd_header Retry-After 86400 always;\nreturn 503;\n\
         }}\n}}\n}}\n}}\n"
    )
}

const STATUSES: [u16; 3] = [403, 404, 503];
const LATER: &str = "later";
const ROBOTS: &str = "User-agent: *\nDisallow: /private\n";
