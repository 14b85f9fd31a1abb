//! The HTTP/1.1 server: reads a request, finds a route, plays its script.

use std::fmt;
use std::io;
use std::sync::Arc;

use super::play::{End, Wire};
use super::record::Request;
use super::script::{Script, ScriptedResponse};
use super::shared::Shared;

/// Maximum length of a head, more than a robots client needs.
const LONGEST_HEAD: usize = 1024 * 1024;

/// Answers by host, path and number of the request. The first matching route applies.
///
/// ```
/// use verger_testkit::server::{ScriptedResponse, Site};
///
/// let site = Site::new()
///     .once(ScriptedResponse::redirect(302, "/moved").script())
///     .path("/moved", ScriptedResponse::rules().script());
/// ```
#[derive(Clone, Debug, Default)]
pub struct Site {
    routes: Vec<Route>,
}

#[derive(Clone, Debug)]
struct Route {
    host: Option<String>,
    target: Option<String>,
    times: Option<usize>,
    reply: Reply,
}

#[derive(Clone)]
enum Reply {
    Script(Script),
    By(Arc<dyn Fn(&Request) -> Script + Send + Sync>),
}

impl fmt::Debug for Reply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Script(script) => script.fmt(f),
            Self::By(_) => f.write_str("By(_)"),
        }
    }
}

impl Site {
    /// Returns a site that answers 404 to everything.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns a site that answers every request with a script.
    pub fn always(script: Script) -> Self {
        Self::new().any(script)
    }

    /// Answers every request without an earlier route.
    #[must_use]
    pub fn any(self, script: Script) -> Self {
        self.route(None, None, None, script)
    }

    /// Answers one request for any target.
    #[must_use]
    pub fn once(self, script: Script) -> Self {
        self.route(None, None, Some(1), script)
    }

    /// Answers requests for a target (path and query).
    #[must_use]
    pub fn path(self, target: &str, script: Script) -> Self {
        self.route(None, Some(target), None, script)
    }

    /// Answers requests for a target once.
    #[must_use]
    pub fn path_once(self, target: &str, script: Script) -> Self {
        self.route(None, Some(target), Some(1), script)
    }

    /// Answers requests to a host, given without port.
    #[must_use]
    pub fn host(self, host: &str, script: Script) -> Self {
        self.route(Some(host), None, None, script)
    }

    /// Answers requests to a host for a target.
    #[must_use]
    pub fn host_path(self, host: &str, target: &str, script: Script) -> Self {
        self.route(Some(host), Some(target), None, script)
    }

    /// Answers every request without an earlier route by the result of a function.
    #[must_use]
    pub fn by(mut self, answer: impl Fn(&Request) -> Script + Send + Sync + 'static) -> Self {
        let reply = Reply::By(Arc::new(answer));
        self.routes.push(Route { host: None, target: None, times: None, reply });
        self
    }

    fn route(
        mut self,
        host: Option<&str>,
        target: Option<&str>,
        times: Option<usize>,
        script: Script,
    ) -> Self {
        let [host, target] = [host, target].map(|part| part.map(str::to_owned));
        self.routes.push(Route { host, target, times, reply: Reply::Script(script) });
        self
    }
}

/// A site with the use counts of its routes.
#[derive(Debug)]
pub(super) struct Served {
    routes: std::sync::Mutex<Vec<Route>>,
}

impl Served {
    pub(super) fn new(site: &Site) -> Self {
        Self { routes: std::sync::Mutex::new(site.routes.clone()) }
    }

    /// Serves a connection until a script or the client ends it.
    pub(super) async fn serve(
        &self,
        shared: &Arc<Shared>,
        number: usize,
        wire: &mut Wire,
    ) -> io::Result<()> {
        let mut unread = Vec::new();
        while let Some(head) = read_head(wire, &mut unread).await? {
            let is_secure = matches!(wire, Wire::Tls(_));
            let request = Request { connection: number, is_secure, head };
            let script = self.answer(&request);
            shared.record(|record| record.requests.push(request));
            if wire.play(&script).await? == End::Closed {
                break;
            }
        }
        Ok(())
    }

    fn answer(&self, request: &Request) -> Script {
        let host = request.field("Host").unwrap_or_default().to_ascii_lowercase();
        let host = without_port(&host);
        let target = request.target();
        let mut routes = self.routes.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let fits = |route: &&mut Route| {
            route.times != Some(0)
                && route.host.as_ref().is_none_or(|wanted| wanted == host)
                && route.target.as_ref().is_none_or(|wanted| *wanted == target)
        };
        let Some(route) = routes.iter_mut().find(fits) else {
            return ScriptedResponse::new(404).script();
        };
        route.times = route.times.map(|times| times - 1);
        match &route.reply {
            Reply::Script(script) => script.clone(),
            Reply::By(answer) => answer(request),
        }
    }
}

fn without_port(authority: &str) -> &str {
    match authority.rsplit_once(':') {
        Some((host, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => host,
        _ => authority,
    }
}

/// Reads up to and including the next empty line; `None` if the client closes first.
async fn read_head(wire: &mut Wire, unread: &mut Vec<u8>) -> io::Result<Option<Vec<u8>>> {
    const END: &[u8] = b"\r\n\r\n";
    let mut piece = [0; 4096];
    loop {
        if let Some(at) = unread.windows(END.len()).position(|window| window == END) {
            let rest = unread.split_off(at + END.len());
            return Ok(Some(std::mem::replace(unread, rest)));
        }
        let count = wire.read(&mut piece).await?;
        if count == 0 || unread.len() > LONGEST_HEAD {
            return Ok(None);
        }
        unread.extend_from_slice(&piece[..count]);
    }
}
