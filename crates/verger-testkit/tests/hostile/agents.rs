//! Agents: product tokens, lists, and text that must not appear in a header.

use std::str;

use verger::{Crawler, Dialect, ProductToken, TokenProblem};
use verger_testkit::hostile::AgentList;

use crate::always::{self, Asked};
use crate::judge::Complaints;
use crate::verdicts::{BOTH, expected};

/// Tokens that the engine compares with each user-agent line; with more it sorts the lines.
const COMPARED_TOKENS: usize = 16;

/// Whether the agent is a product token of RFC 9309; others are accepted and reported.
pub(crate) fn product_token(bytes: &[u8], is_token: bool, complaints: &mut Complaints) {
    let Ok(agent) = str::from_utf8(bytes) else {
        complaints.unless(!is_token, || "bytes that are no text are no token".into());
        return;
    };
    let token = ProductToken::new(agent);
    complaints.unless_equal("a product token", token.problem().is_none(), is_token);
    complaints.unless_equal("the token as given", token.as_str(), agent);
    if let Some(TokenProblem::NeverNamed { at } | TokenProblem::Unusual { at }) = token.problem() {
        complaints.unless(at < agent.len(), || format!("the problem at {at} is not in the token"));
    }
}

/// A chain in `rfc9309`, a union in `google`.
pub(crate) fn list(bytes: &[u8], list: &AgentList, complaints: &mut Complaints) {
    let names: Vec<&str> = str::from_utf8(bytes).unwrap_or_default().lines().collect();
    complaints.unless_equal("agents", names.len(), list.count);
    let over_limit = names.len() > COMPARED_TOKENS;
    complaints.unless_equal("more tokens than are compared", over_limit, list.over_limit);
    let text = list.robots.bytes();
    for dialect in BOTH {
        let crawler = if dialect == Dialect::GOOGLE {
            Crawler::union(names.iter().copied())
        } else {
            Crawler::chain(names.iter().copied())
        };
        let robots = always::parse(dialect, &text, complaints);
        let asked = Asked { text: &text, robots: &robots, crawler: &crawler };
        let allowed = asked.check(b"http://h.example/x", complaints);
        let wanted = expected(list.allowed, dialect);
        complaints.unless_equal(&format!("{dialect}: the list may fetch"), allowed, wanted);
    }
}

/// A caller that uses a token as a header gets a warning. A token read from a header contains
/// nothing that could end the header or a name (REP-AMB-13).
pub(crate) fn no_header(bytes: &[u8], complaints: &mut Complaints) {
    let Ok(agent) = str::from_utf8(bytes) else {
        return;
    };
    complaints.unless(ProductToken::new(agent).problem().is_some(), || {
        "nothing tells that this cannot stand in a header".into()
    });
    let header = format!("{agent}/1.0 (+http://h.example/{agent}) {agent}");
    let read = Crawler::from_user_agent(&header);
    let tokens = read.iter().flat_map(Crawler::tokens);
    for token in tokens {
        let is_plain = matches!(token.problem(), None | Some(TokenProblem::Unusual { .. }))
            && token.as_str().bytes().all(|b| b.is_ascii_alphanumeric() || b"-_.".contains(&b));
        complaints.unless(is_plain, || format!("{token} was read out of a header"));
    }
}
