//! Debian's Redis in a temporary folder, alone or as a Cluster.

use std::fs;
use std::net::TcpListener;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;
use verger_redis::{RedisOptions, RedisStore};
use verger_testkit::shared::{Lacking, skip_loudly};

/// Longer than anything here takes, even on a busy machine.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// A running Redis. Its drop stops it.
#[derive(Debug)]
pub(crate) struct Server {
    process: Child,
    folder: TempDir,
    arguments: Vec<String>,
    at: At,
}

#[derive(Clone, Debug)]
enum At {
    Socket(PathBuf),
    Port(u16),
}

impl Server {
    /// Redis on a socket in its folder; `None` without Redis, or a failure if `CI` is set.
    pub(crate) fn start() -> Option<Self> {
        let folder = tempfile::tempdir().unwrap();
        let socket = folder.path().join("redis.sock");
        let arguments = ["--port", "0", "--unixsocket", socket.to_str().unwrap()];
        Self::with(folder, At::Socket(socket.clone()), arguments.map(str::to_owned).to_vec())
    }

    /// Redis on a port, with further arguments.
    pub(crate) fn on_port(port: u16, more: &[&str]) -> Option<Self> {
        let folder = tempfile::tempdir().unwrap();
        let port_text = port.to_string();
        let mut arguments = vec!["--port", &port_text, "--bind", "127.0.0.1"];
        arguments.extend(more);
        let arguments = arguments.into_iter().map(str::to_owned).collect();
        Self::with(folder, At::Port(port), arguments)
    }

    fn with(folder: TempDir, at: At, arguments: Vec<String>) -> Option<Self> {
        if Command::new("redis-server").arg("--version").output().is_err() {
            let why = "redis-server is missing: `cargo xtask test --setup` installs it";
            let test = std::thread::current();
            skip_loudly(test.name().unwrap_or_default(), Lacking::Tool, why);
            return None;
        }
        let process = spawn(&folder, &arguments);
        let server = Self { process, folder, arguments, at };
        server.await_start();
        Some(server)
    }

    pub(crate) fn url(&self) -> String {
        match &self.at {
            At::Socket(path) => format!("unix://{}", path.display()),
            At::Port(port) => format!("redis://127.0.0.1:{port}/"),
        }
    }

    pub(crate) fn store(&self) -> RedisStore {
        self.store_with(RedisOptions::new("ExampleBot"))
    }

    pub(crate) fn store_with(&self, options: RedisOptions) -> RedisStore {
        RedisStore::open(&self.url(), options).unwrap()
    }

    /// Sends a command as an operator does.
    pub(crate) fn tell<T: redis::FromRedisValue>(&self, command: &[&[u8]]) -> T {
        let mut connection = redis::Client::open(self.url()).unwrap().get_connection().unwrap();
        let mut cmd = redis::Cmd::new();
        for word in command {
            cmd.arg(*word);
        }
        cmd.query(&mut connection).unwrap()
    }

    pub(crate) fn tell_text(&self, command: &str) {
        let words: Vec<&[u8]> = command.split(' ').map(str::as_bytes).collect();
        let _: redis::Value = self.tell(&words);
    }

    /// All keys.
    pub(crate) fn keys(&self) -> Vec<String> {
        let mut keys: Vec<String> = self.tell(&[b"KEYS", b"*"]);
        keys.sort();
        keys
    }

    pub(crate) fn kill(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }

    pub(crate) fn restart(&mut self) {
        self.process = spawn(&self.folder, &self.arguments);
        self.await_start();
    }

    /// Stops the process without ending it.
    pub(crate) fn pause(&self) {
        signal("STOP", self.process.id());
    }

    pub(crate) fn resume(&self) {
        signal("CONT", self.process.id());
    }

    fn await_start(&self) {
        let start = Instant::now();
        let answers = || {
            let client = redis::Client::open(self.url()).unwrap();
            let connection = client.get_connection_with_timeout(Duration::from_secs(1));
            let answer = connection.and_then(|mut it| redis::cmd("PING").query::<String>(&mut it));
            // A server that wants a password answers too.
            answer.is_ok_and(|answer| answer == "PONG")
                || self.arguments.iter().any(|word| word == "--requirepass")
        };
        while !answers() {
            let log = fs::read_to_string(self.folder.path().join("log")).unwrap_or_default();
            assert!(start.elapsed() < PATIENCE, "Redis does not start: {log}");
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.kill();
    }
}

fn spawn(folder: &TempDir, arguments: &[String]) -> Child {
    let socket = folder.path().join("redis.sock");
    // A killed server leaves it.
    drop(fs::remove_file(socket));
    let log = folder.path().join("log");
    Command::new("redis-server")
        .args(["--dir", folder.path().to_str().unwrap(), "--save", "", "--appendonly", "no"])
        .args(["--logfile", log.to_str().unwrap()])
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

pub(crate) fn signal(name: &str, process: u32) {
    let done = Command::new("kill").arg(format!("-{name}")).arg(process.to_string()).status();
    assert!(done.unwrap().success());
}

/// A port that nothing uses.
pub(crate) fn free_port() -> u16 {
    TcpListener::bind(("127.0.0.1", 0)).unwrap().local_addr().unwrap().port()
}

/// Primaries of a Cluster.
pub(crate) const NODES: usize = 3;

const SLOTS: usize = 16384;

/// Nodes with a part of the slots each, and with replicas if there are two for each part.
pub(crate) fn start_cluster(replicas: bool) -> Option<Vec<Server>> {
    let count = if replicas { 2 * NODES } else { NODES };
    let nodes = (0..count)
        .map(|_| {
            let (port, bus) = (free_port(), free_port());
            let bus_text = bus.to_string();
            let node = Server::on_port(
                port,
                &[
                    "--cluster-enabled",
                    "yes",
                    "--cluster-port",
                    &bus_text,
                    "--cluster-node-timeout",
                    "1000",
                    "--cluster-require-full-coverage",
                    "no",
                ],
            );
            node.map(|node| (port, bus, node))
        })
        .collect::<Option<Vec<(u16, u16, Server)>>>()?;
    for (at, (.., node)) in nodes.iter().take(NODES).enumerate() {
        let (from, to) = (SLOTS * at / NODES, SLOTS * (at + 1) / NODES - 1);
        node.tell_text(&format!("CLUSTER ADDSLOTSRANGE {from} {to}"));
        node.tell_text(&format!("CLUSTER SET-CONFIG-EPOCH {}", at + 1));
    }
    for (port, bus, _) in &nodes[1..] {
        nodes[0].2.tell_text(&format!("CLUSTER MEET 127.0.0.1 {port} {bus}"));
    }
    let info = |node: &Server| node.tell::<String>(&[b"CLUSTER", b"INFO"]);
    let await_all = |what: &str| {
        let begun = Instant::now();
        while !nodes.iter().all(|(.., node)| info(node).contains(what)) {
            assert!(begun.elapsed() < PATIENCE, "the Cluster is not {what}");
            std::thread::sleep(Duration::from_millis(20));
        }
    };
    await_all("cluster_state:ok");
    await_all(&format!("cluster_known_nodes:{count}"));
    for at in NODES..count {
        let primary: String = nodes[at - NODES].2.tell(&[b"CLUSTER", b"MYID"]);
        nodes[at].2.tell_text(&format!("CLUSTER REPLICATE {primary}"));
    }
    if replicas {
        let begun = Instant::now();
        let is_linked = |node: &Server| {
            node.tell::<String>(&[b"INFO", b"replication"]).contains("master_link_status:up")
        };
        while !nodes[NODES..].iter().all(|(.., node)| is_linked(node)) {
            assert!(begun.elapsed() < PATIENCE, "the replicas are not linked");
            std::thread::sleep(Duration::from_millis(20));
        }
    }
    Some(nodes.into_iter().map(|(.., node)| node).collect())
}

pub(crate) fn run<T>(future: impl Future<Output = T>) -> T {
    let mut builder = tokio::runtime::Builder::new_multi_thread();
    builder.worker_threads(2).enable_all().build().unwrap().block_on(future)
}

/// Waits for a condition.
pub(crate) async fn until(what: &str, mut holds: impl AsyncFnMut() -> bool) {
    let start = Instant::now();
    while !holds().await {
        assert!(start.elapsed() < PATIENCE, "{what} did not come about");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}
