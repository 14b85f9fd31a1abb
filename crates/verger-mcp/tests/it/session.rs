//! A session with the server in the world of the testkit.

use std::net::IpAddr;
use std::sync::Arc;

use serde_json::{Value, json};
use tokio::io::{
    AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream, ReadHalf, WriteHalf,
};
use verger::Dialect;
use verger_json::NamedCrawler;
use verger_mcp::Server;
use verger_testkit::server::{Service, Setup, Site, World, client};

/// Calls of one session that run at once, as the page of the book says.
pub(crate) const CALLS: usize = 16;

/// The site `shop.example`, and a server of agents without pauses.
pub(crate) struct Place {
    pub(crate) world: Arc<World>,
    server: Server,
}

impl Place {
    pub(crate) async fn start(site: Site) -> Self {
        Self::with_other(site, Site::new()).await
    }

    /// With another site on port 8080.
    pub(crate) async fn with_other(site: Site, other: Site) -> Self {
        let setup = Setup::new().host("shop.example").host("other.example");
        let setup = setup.name(
            "inside.example",
            [verger_testkit::server::Lookup::addresses([IpAddr::from([10, 0, 0, 7])])],
        );
        let setup = setup.place(80, Service::Http(site)).place(8080, Service::Http(other));
        let world = setup.start().await.expect("a world");
        let world = Arc::new(world);
        let client = client(&world, "ExampleBot");
        let crawler = NamedCrawler::agent("ExampleBot", &Dialect::RFC9309);
        Self { world, server: Server::new(client, crawler, Dialect::RFC9309, false, 2 << 20) }
    }

    /// A session of an agent.
    pub(crate) async fn session(&self) -> Session {
        let (near, far) = tokio::io::duplex(64 * 1024);
        let server = self.server.clone();
        let (read, write) = tokio::io::split(far);
        tokio::spawn(async move { server.serve(read, write).await.expect("a session") });
        let (read, write) = tokio::io::split(near);
        let mut session = Session { read: BufReader::new(read), write, next: 0 };
        let client = json!({"name": "test", "version": "1"});
        let params =
            json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client});
        let welcome = session.ask("initialize", params).await;
        assert_eq!(welcome["result"]["serverInfo"]["name"], "verger-mcp", "{welcome}");
        session.notify("notifications/initialized", json!({})).await;
        session
    }
}

/// The side of the agent.
pub(crate) struct Session {
    read: BufReader<ReadHalf<DuplexStream>>,
    write: WriteHalf<DuplexStream>,
    next: u64,
}

impl Session {
    pub(crate) async fn send(&mut self, message: Value) {
        self.send_line(message.to_string().as_bytes()).await;
    }

    pub(crate) async fn send_line(&mut self, line: &[u8]) {
        self.write.write_all(&[line, b"\n"].concat()).await.expect("the server reads");
    }

    pub(crate) async fn notify(&mut self, method: &str, params: Value) {
        self.send(json!({"jsonrpc": "2.0", "method": method, "params": params})).await;
    }

    /// The next message.
    pub(crate) async fn receive(&mut self) -> Value {
        let mut line = String::new();
        self.read.read_line(&mut line).await.expect("the server writes");
        serde_json::from_str(&line).expect("JSON")
    }

    /// Sends a request. Returns its number.
    pub(crate) async fn request(&mut self, method: &str, params: Value) -> u64 {
        self.next += 1;
        let id = self.next;
        self.send(json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})).await;
        id
    }

    /// Cancels a call, and makes another one, whose answer must be the next message. If [`CALLS`]
    /// of them run, it begins when one has ended, and any other one would be answered before.
    pub(crate) async fn has_place_after_cancelling(&mut self, call: Option<u64>) {
        if let Some(id) = call {
            self.notify("notifications/cancelled", json!({"requestId": id})).await;
        }
        let known = json!({"name": "crawlers", "arguments": {"name": "GPTBot"}});
        let id = self.request("tools/call", known).await;
        let answer = self.receive().await;
        assert_eq!(answer["id"], id, "{answer:.300}");
        assert_eq!(answer["result"]["structuredContent"]["crawlers"][0]["token"], "GPTBot");
    }

    pub(crate) async fn ask(&mut self, method: &str, params: Value) -> Value {
        let id = self.request(method, params).await;
        loop {
            let message = self.receive().await;
            if message["id"] == id {
                return message;
            }
        }
    }

    /// Calls a tool. Returns its structured result, and whether it is an error.
    pub(crate) async fn call(&mut self, name: &str, arguments: Value) -> (Value, bool) {
        let answer = self.ask("tools/call", json!({"name": name, "arguments": arguments})).await;
        let result = &answer["result"];
        let text = result["content"][0]["text"].as_str().expect("text");
        // Both forms are the same, and the text cannot move a cursor.
        assert!(!text.chars().any(|it| it.is_control() || it == '\u{202e}'), "{text}");
        let text: Value = serde_json::from_str(text).expect("JSON");
        assert_eq!(text, result["structuredContent"], "{answer}");
        (result["structuredContent"].clone(), result["isError"] == true)
    }
}

/// Runs a test.
pub(crate) fn run<F: Future>(test: F) -> F::Output {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.expect("a runtime").block_on(test)
}
