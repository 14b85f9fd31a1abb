//! The identities of the clients of a log.

use std::collections::HashMap;
use std::net::IpAddr;
use std::rc::Rc;

use verger_audit::identity_request;
use verger_audit::limits::HEADER_BYTES;
use verger_audit::log::Request;
use verger_identity::Identity;

use crate::limits::CLIENTS_KNOWN;
use crate::proof::Session;

/// Identifies the clients of requests, and remembers them by address, User-Agent header and the fields
/// of proxies. Lists of addresses change from day to day, so a client of another day is another one.
pub(super) struct Clients<'s> {
    session: &'s Session,
    known: HashMap<(IpAddr, u64, Vec<u8>), Rc<Identity<'s>>>,
}

impl<'s> Clients<'s> {
    pub(super) fn new(session: &'s Session) -> Self {
        Self { session, known: HashMap::new() }
    }

    /// The identity of the client of a request with a claim; `None` if the log has no address or time.
    pub(super) fn identify(&mut self, request: &Request<'_>) -> Option<Rc<Identity<'s>>> {
        let header = request.user_agent.as_deref().unwrap_or_default();
        let (peer, at) = (request.peer?, request.at?);
        let mut fields = header.to_vec();
        for (name, value) in &request.headers {
            fields.extend([b"\n", name.as_bytes(), b":", value].concat());
        }
        // A signature is of one request.
        let is_kept = !request.is_signed() && fields.len() <= HEADER_BYTES;
        let key = (peer, at.seconds() / DAY, fields);
        if let Some(known) = self.known.get(&key).filter(|_| is_kept) {
            return Some(Rc::clone(known));
        }
        let claim = identity_request(request);
        let identity = Rc::new(self.session.runtime.block_on(self.session.identify(&claim)));
        if is_kept {
            if self.known.len() >= CLIENTS_KNOWN {
                self.known.clear();
            }
            self.known.insert(key, Rc::clone(&identity));
        }
        Some(identity)
    }
}

const DAY: u64 = 24 * 60 * 60;
