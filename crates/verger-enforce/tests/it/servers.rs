//! The outputs on real servers, on loopback: they load without a warning, and refuse what they
//! must.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU16, Ordering};
use std::time::{Duration, Instant};

use verger::access::Timestamp;
use verger::{Crawler, Robots};
use verger_analysis::{Analysis, Budget};
use verger_enforce::{Answer, Choices, EmitError, Options, Output, Plan, Target};
use verger_identity::Lists;
use verger_registry::Registry;
use verger_testkit::corpus::corpus;
use verger_testkit::generate::cases;
use verger_testkit::shared::{Lacking, say, skip_loudly};

use crate::cases::{Served, must_refuse, targets};

/// A server with its configuration around the output.
pub(crate) struct Server {
    pub(crate) target: Target,
    package: &'static str,
    programs: &'static [&'static str],
    /// `DIR`, `PORT` and `RULES` (the file of the output) are replaced.
    pub(crate) configuration: &'static str,
    arguments: &'static [&'static str],
    check: &'static [&'static str],
    served: Served,
}

const SERVERS: &[Server] = &[
    Server {
        target: Target::Nginx,
        package: "nginx-light",
        programs: &["/usr/sbin/nginx"],
        configuration: "daemon off; error_log stderr; pid DIR/pid; events {}
http { access_log off; client_body_temp_path DIR/b; proxy_temp_path DIR/p; fastcgi_temp_path DIR/f;
scgi_temp_path DIR/s; uwsgi_temp_path DIR/u; keepalive_requests 100000;
include RULES;
server { listen 127.0.0.1:PORT; if ($verger_refused) { return 403; } location / { return 204; } } }
",
        arguments: &["-c", "CONF"],
        check: &["-t", "-q", "-c", "CONF"],
        served: Served { keeps_slash: true, refuses_malformed: [false; 2] },
    },
    Server {
        target: Target::Apache,
        package: "apache2",
        programs: &["/usr/sbin/apache2"],
        configuration: "ServerName localhost
PidFile DIR/pid
Listen 127.0.0.1:PORT
ErrorLog /dev/null
LoadModule mpm_event_module /usr/lib/apache2/modules/mod_mpm_event.so
LoadModule authz_core_module /usr/lib/apache2/modules/mod_authz_core.so
LoadModule rewrite_module /usr/lib/apache2/modules/mod_rewrite.so
DocumentRoot DIR
KeepAlive On
MaxKeepAliveRequests 0
<VirtualHost *>
Include RULES
RewriteRule \"^\" \"-\" [R=204,L]
</VirtualHost>
",
        arguments: &["-DFOREGROUND", "-f", "CONF"],
        check: &["-t", "-f", "CONF"],
        served: Served { keeps_slash: true, refuses_malformed: [false; 2] },
    },
    Server {
        target: Target::Haproxy,
        package: "haproxy",
        programs: &["/usr/sbin/haproxy"],
        configuration: "defaults
  mode http
  timeout client 20s
  timeout server 20s
  timeout connect 20s
frontend site
  bind 127.0.0.1:PORT
RULES
  http-request return status 204
",
        arguments: &["-db", "-f", "CONF"],
        check: &["-c", "-q", "-f", "CONF"],
        served: Served { keeps_slash: true, refuses_malformed: [true, false] },
    },
    Server {
        target: Target::Caddy,
        package: "caddy",
        programs: &["/usr/bin/caddy"],
        configuration: "{
	admin off
	auto_https off
	order error after map
}
import RULES
http://:PORT {
	bind 127.0.0.1
	import verger
	respond 204
}
",
        arguments: &["run", "--adapter", "caddyfile", "--config", "CONF"],
        check: &["adapt", "--adapter", "caddyfile", "--config", "CONF"],
        served: Served { keeps_slash: false, refuses_malformed: [false, true] },
    },
    Server {
        target: Target::Varnish,
        package: "varnish",
        programs: &["/usr/sbin/varnishd"],
        configuration: "vcl 4.1;
backend default none;
include \"RULES\";
sub vcl_recv {
	call verger;
	return (synth(204));
}
",
        arguments: &["-F", "-n", "DIR/n", "-a", "127.0.0.1:PORT", "-f", "CONF"],
        check: &["-C", "-n", "DIR/c", "-f", "CONF"],
        served: Served { keeps_slash: true, refuses_malformed: [false; 2] },
    },
];

/// A running server; it is ended when the value is dropped.
pub(crate) struct Running {
    child: Child,
    pub(crate) port: u16,
    _folder: Folder,
}

struct Folder(std::path::PathBuf);

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // SIGTERM, because the workers of a killed nginx remain.
        let id = self.child.id().to_string();
        if Command::new("kill").arg(id).status().is_ok() {
            let _ = self.child.wait();
        }
    }
}

static PORT: AtomicU16 = AtomicU16::new(21_000);

impl Server {
    fn program(&self) -> Option<&'static str> {
        self.programs.iter().copied().find(|program| Path::new(program).exists())
    }

    /// Starts the server with an output. It must have no warning.
    pub(crate) fn start(&self, rules: &str) -> Running {
        self.start_with(self.configuration, rules)
    }

    pub(crate) fn start_with(&self, configuration: &str, rules: &str) -> Running {
        // Below those that the system chooses, and each once: other tests start servers, too.
        let mut ports = std::iter::repeat_with(|| PORT.fetch_add(1, Ordering::Relaxed));
        let port = ports.find(|&port| TcpListener::bind(("127.0.0.1", port)).is_ok()).unwrap();
        let name = format!("verger-enforce-{}-{port}", std::process::id());
        let folder = Folder(std::env::temp_dir().join(name));
        let dir = &folder.0;
        fs::create_dir_all(dir).unwrap();
        let file = dir.join("rules");
        fs::write(&file, rules).unwrap();
        let place = if self.target == Target::Haproxy { rules } else { file.to_str().unwrap() };
        let configuration = configuration
            .replace("DIR", dir.to_str().unwrap())
            .replace("PORT", &port.to_string())
            .replace("RULES", place);
        let conf = dir.join("conf");
        fs::write(&conf, configuration).unwrap();
        let command = |arguments: &[&str]| {
            let mut command = Command::new(self.program().unwrap());
            let arguments = arguments.iter().map(|it| {
                let it =
                    it.replace("CONF", conf.to_str().unwrap()).replace("PORT", &port.to_string());
                it.replace("DIR", dir.to_str().unwrap())
            });
            // Caddy writes its configuration there.
            command.env("HOME", dir).env_remove("XDG_CONFIG_HOME");
            command.args(arguments).stdin(Stdio::null());
            command
        };
        let checked = command(self.check).output().unwrap();
        let said = String::from_utf8_lossy(&checked.stderr).into_owned();
        let is_clean = said.is_empty()
            || said.contains("Syntax OK")
            || matches!(self.target, Target::Caddy | Target::Varnish);
        let has_warning = said.to_lowercase().contains("warn") && !said.contains("not formatted");
        assert!(checked.status.success() && is_clean && !has_warning, "{}: {said}", self.package);
        let child = command(self.arguments)
            .stdout(Stdio::null())
            .stderr(fs::File::create(dir.join("stderr")).unwrap())
            .spawn()
            .unwrap();
        let stderr = dir.join("stderr");
        let mut running = Running { child, port, _folder: folder };
        let deadline = Instant::now() + Duration::from_secs(60);
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            let has_ended =
                running.child.try_wait().unwrap().is_some() || Instant::now() > deadline;
            let said = || fs::read_to_string(&stderr).unwrap_or_default();
            assert!(!has_ended, "{} did not start: {}", self.package, said());
            std::thread::sleep(Duration::from_millis(5));
        }
        running
    }
}

impl Running {
    /// The statuses of requests, sent over few connections.
    pub(crate) fn statuses(&self, requests: &[(String, Vec<u8>)]) -> Vec<u16> {
        let mut found = Vec::with_capacity(requests.len());
        while found.len() < requests.len() {
            let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
            stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
            stream.set_nodelay(true).unwrap();
            let before = found.len();
            let mut reader = BufReader::new(stream.try_clone().unwrap());
            // Few at a time, because a server can close the connection after any.
            'connection: for block in requests[before..].chunks(20) {
                let mut text = Vec::new();
                for (header, target) in block {
                    text.extend(b"GET ");
                    text.extend(target);
                    text.extend(
                        format!(" HTTP/1.1\r\nHost: shop.example\r\nUser-Agent: {header}\r\n\r\n")
                            .bytes(),
                    );
                }
                if stream.write_all(&text).is_err() {
                    break;
                }
                for _ in block {
                    match response(&mut reader) {
                        Some((status, is_last)) => {
                            found.push(status);
                            if is_last {
                                break 'connection;
                            }
                        }
                        None => break 'connection,
                    }
                }
            }
            assert!(found.len() > before, "no answer to {:?}", requests[before]);
        }
        found
    }
}

/// The status of a response, and whether the connection ends.
fn response(reader: &mut BufReader<TcpStream>) -> Option<(u16, bool)> {
    let mut line = String::new();
    reader.read_line(&mut line).ok()?;
    let status = line.split(' ').nth(1)?.parse().ok()?;
    let (mut length, mut is_last) = (0, line.starts_with("HTTP/1.0"));
    loop {
        line.clear();
        reader.read_line(&mut line).ok()?;
        let lower = line.trim().to_ascii_lowercase();
        if lower.is_empty() {
            break;
        }
        if let Some(value) = lower.strip_prefix("content-length:") {
            length = value.trim().parse().ok()?;
        }
        is_last |= lower == "connection: close";
    }
    if status != 204 && !is_last {
        reader.read_exact(&mut vec![0; length]).ok()?;
    }
    Some((status, is_last))
}

const CRAWLERS: [&str; 5] = ["GPTBot", "ClaudeBot", "Googlebot", "Bingbot", "Applebot"];
pub(crate) const BROWSER: &str =
    "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";

fn options(is_whole: bool) -> Options {
    let agents = CRAWLERS.iter().map(|&name| name.to_owned());
    Options { agents: if is_whole { Vec::new() } else { agents.collect() }, ..Options::default() }
}

pub(crate) const CHOICES: Choices<'static> = Choices {
    answer: Answer::Status(403),
    sha256: "0",
    options: "none",
    approximate: true,
    proof: None,
    proxies: (&[], ""),
};

/// The output for a target, unless nothing is disallowed.
pub(crate) fn written(plan: &Plan, target: Target) -> Option<Output> {
    match plan.emit(target, &CHOICES) {
        Err(EmitError::Nothing) => None,
        found => Some(found.unwrap()),
    }
}

fn rules_of(name: &str) -> Crawler {
    Registry::bundled().find(name).unwrap().rules().clone()
}

pub(crate) fn installed(test: &str) -> Vec<&'static Server> {
    let mut all = Vec::new();
    let only = std::env::var("VERGER_SERVERS").unwrap_or_default();
    for server in SERVERS.iter().filter(|it| only.is_empty() || only.contains(it.target.name())) {
        if server.program().is_some() {
            all.push(server);
        } else {
            let why = format!("{} (Debian) is not installed", server.package);
            skip_loudly(test, Lacking::Tool, &why);
        }
    }
    all
}

/// Compares the answers of a server with those that it must give. Returns the numbers of requests,
/// of those that were refused, and of those that the server itself did not accept.
fn compare(
    server: &Server,
    name: &str,
    text: &[u8],
    rng: &mut fastrand::Rng,
) -> Option<[usize; 3]> {
    let robots = Robots::parse(text);
    let plan = Plan::of(&robots, &options(rng.u8(0..10) == 0), Lists::bundled(), Timestamp::EPOCH)
        .unwrap();
    let output = written(&plan, server.target)?;
    let lacking: Vec<_> = output.missing.iter().map(|it| it.line).collect();
    if !lacking.is_empty() {
        say(&format!("{name}, {}: lines {lacking:?} are not expressed", server.target.name()));
        return None;
    }
    let running = server.start(&output.text);
    let mut requests = Vec::new();
    let mut expected = Vec::new();
    let mut canonical = Analysis::new(&robots, &rules_of("GPTBot"))
        .canonical_targets(&mut Budget::new(10_000_000))
        .targets;
    rng.shuffle(&mut canonical);
    let targets = targets(&robots, &canonical, 200, rng);
    for crawler in CRAWLERS {
        let rules = rules_of(crawler);
        for target in &targets {
            let absolute = [b"http://shop.example", &target[..]].concat();
            let sent = if rng.u8(0..20) == 0 { absolute } else { target.clone() };
            requests.push((
                format!("Mozilla/5.0 (compatible; {crawler}/1.0; +https://bot.example/)"),
                sent,
            ));
            expected.push(must_refuse(&robots, &rules, target, server.served));
        }
    }
    for target in &targets {
        requests.push((BROWSER.to_owned(), target.clone()));
        expected.push(false);
    }
    let (mut own, mut refused) = (0, 0);
    let statuses = running.statuses(&requests);
    for (((header, target), expected), status) in requests.iter().zip(expected).zip(statuses) {
        // The server does not accept the request line, or its path.
        if matches!(status, 400 | 404 | 414) {
            own += 1;
            continue;
        }
        let target = target.escape_ascii();
        let found = status == 403;
        refused += usize::from(found);
        let file = String::from_utf8_lossy(text);
        let file = &file[..file.floor_char_boundary(3_000)];
        assert_eq!(
            found,
            expected,
            "{} {name}: {status} {header} {target}\n{file}",
            server.target.name()
        );
    }
    Some([requests.len(), refused, own])
}

#[test]
#[ignore = "thorough suite: needs nginx, Apache, HAProxy and Caddy"]
fn real_files_are_enforced_by_real_servers() {
    let Some(corpus) = corpus().expect("a readable corpus") else {
        return skip_loudly("real files", Lacking::Data, "the corpus is missing");
    };
    let wanted = usize::try_from(cases(15).min(300)).unwrap();
    let step = corpus.len() / wanted / 2;
    for server in installed("real files") {
        let mut rng = fastrand::Rng::with_seed(40);
        let (mut files, mut sums) = (0, [0; 3]);
        for (name, text) in corpus.iter().step_by(step) {
            if let Some(counts) = compare(server, name, text, &mut rng) {
                files += 1;
                sums.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
                if files == wanted {
                    break;
                }
            }
        }
        let (name, [requests, refused, own]) = (server.target.name(), sums);
        say(&format!(
            "{name}: {files} files, {requests} requests, {refused} refused, {own} not accepted by the \
             server, 0 differences"
        ));
        assert!(refused > 500 && requests > 2 * refused, "{name}");
        assert!(files > 5, "{name}");
    }
}
