//! Actions of a server on one connection, step by step.

use std::time::Duration;

/// Pause between two bytes of a drip: far below any tested idle limit.
pub const DRIP: Duration = Duration::from_millis(5);

/// One action of a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ServerAction {
    /// Writes bytes as fast as the client reads.
    Bytes(Vec<u8>),
    /// Writes the same bytes this many times.
    Times(Vec<u8>, usize),
    /// Writes the same bytes until the client closes.
    Forever(Vec<u8>),
    /// Writes each byte separately, without a pause.
    Single(Vec<u8>),
    /// Writes each byte separately, each followed by a wait of [`DRIP`].
    Drip(Vec<u8>),
    /// The same, repeated until the client closes.
    DripForever(Vec<u8>),
    /// Waits for this time.
    Pause(Duration),
    /// Waits until the client has sent any bytes.
    AwaitInput,
    /// Sends nothing more, and keeps the connection open until the client closes.
    Never,
    /// Sends FIN and reads until the client closes. Over TLS it sends `close_notify` first.
    Close,
    /// Sends FIN immediately. Over TLS without `close_notify`: a truncated stream that looks
    /// complete.
    Cut,
    /// Resets the connection (RST). Unread bytes are lost.
    Reset,
}

/// Steps in order. After the last one the connection is closed, as by [`ServerAction::Close`].
///
/// ```
/// use verger_testkit::server::Script;
///
/// let half = Script::text("HTTP/1.1 200 OK\r\nContent-Length: 27\r\n\r\n")
///     .then_text("User-agent: *\n")
///     .then_reset();
/// assert_eq!(half.steps().len(), 3);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Script {
    steps: Vec<ServerAction>,
    stays: bool,
}

impl Script {
    /// Returns a script without steps: it closes immediately.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns a script of one step.
    pub fn of(step: ServerAction) -> Self {
        Self { steps: vec![step], stays: false }
    }

    /// Returns a script that writes a text and closes.
    pub fn text(text: impl AsRef<[u8]>) -> Self {
        Self::of(ServerAction::Bytes(text.as_ref().to_vec()))
    }

    /// Adds a step.
    #[must_use]
    pub fn then(mut self, step: ServerAction) -> Self {
        self.steps.push(step);
        self
    }

    /// Adds a text.
    #[must_use]
    pub fn then_text(self, text: impl AsRef<[u8]>) -> Self {
        self.then(ServerAction::Bytes(text.as_ref().to_vec()))
    }

    /// Adds [`ServerAction::Never`].
    #[must_use]
    pub fn then_never(self) -> Self {
        self.then(ServerAction::Never)
    }

    /// Adds [`ServerAction::Reset`].
    #[must_use]
    pub fn then_reset(self) -> Self {
        self.then(ServerAction::Reset)
    }

    /// Adds all steps of another script.
    #[must_use]
    pub fn then_all(mut self, other: Self) -> Self {
        self.steps.extend(other.steps);
        self.stays = other.stays;
        self
    }

    /// Keeps the connection open for the next request after the last step.
    #[must_use]
    pub fn staying(mut self) -> Self {
        self.stays = true;
        self
    }

    /// Returns the steps.
    pub fn steps(&self) -> &[ServerAction] {
        &self.steps
    }

    /// Returns whether the connection remains open after the last step.
    pub fn stays(&self) -> bool {
        self.stays
    }
}

/// The rules of a good answer, unless an entry has others.
pub const RULES: &[u8] = b"User-agent: *\nDisallow: /x\n";

/// An HTTP/1.1 answer, to be converted to a script.
///
/// ```
/// use verger_testkit::server::ScriptedResponse;
///
/// let script = ScriptedResponse::new(503).field("Retry-After", "60").script();
/// assert_eq!(script.steps().len(), 1);
/// ```
#[derive(Clone, Debug)]
pub struct ScriptedResponse {
    head: Vec<u8>,
    body: Vec<u8>,
    has_length: bool,
}

impl ScriptedResponse {
    /// Returns an answer with this status and no body.
    pub fn new(status: u16) -> Self {
        Self {
            head: format!("HTTP/1.1 {status} Answer\r\n").into(),
            body: Vec::new(),
            has_length: true,
        }
    }

    /// Returns 200 with [`RULES`].
    pub fn rules() -> Self {
        Self::new(200).body(RULES)
    }

    /// Returns a redirect.
    pub fn redirect(status: u16, location: impl AsRef<[u8]>) -> Self {
        Self::new(status).field("Location", location)
    }

    /// Adds a field, without validation or escaping.
    #[must_use]
    pub fn field(mut self, name: &str, value: impl AsRef<[u8]>) -> Self {
        self.head.extend_from_slice(name.as_bytes());
        self.head.extend_from_slice(b": ");
        self.head.extend_from_slice(value.as_ref());
        self.head.extend_from_slice(b"\r\n");
        self
    }

    /// Sets the body.
    #[must_use]
    pub fn body(self, body: impl AsRef<[u8]>) -> Self {
        Self { body: body.as_ref().to_vec(), ..self }
    }

    /// Omits Content-Length: the body ends with the connection.
    #[must_use]
    pub fn without_length(mut self) -> Self {
        self.has_length = false;
        self
    }

    /// Returns the script that sends head and body and closes.
    pub fn script(self) -> Script {
        let mut all = self.head;
        if self.has_length {
            all.extend_from_slice(format!("Content-Length: {}\r\n", self.body.len()).as_bytes());
        }
        all.extend_from_slice(b"\r\n");
        all.extend_from_slice(&self.body);
        Script::of(ServerAction::Bytes(all))
    }

    /// Returns the script that sends only the head, for a custom body.
    pub fn head(self) -> Script {
        let mut all = self.head;
        all.extend_from_slice(b"\r\n");
        Script::of(ServerAction::Bytes(all))
    }
}
