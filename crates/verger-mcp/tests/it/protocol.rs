//! Messages that are wrong, and calls that take long.

use std::fmt::Write as _;

use serde_json::{Value, json};
use verger_testkit::server::Site;

use crate::session::{CALLS, Place, run};

#[test]
fn a_line_that_is_no_message_is_ignored_or_refused_and_the_session_goes_on() {
    let long = [&b"{\"jsonrpc\":\""[..], &vec![b'x'; 17 * 1024 * 1024]].concat();
    run(async {
        let mut session = Place::start(Site::new()).await.session().await;
        for (line, code, id) in [
            (&b"[]"[..], -32_600, None),
            (b"7", -32_600, None),
            (br#"{"jsonrpc":"2.0","id":{},"method":"tools/list"}"#, -32_600, None),
            (br#"{"jsonrpc":"2.0","id":"a"}"#, -32_600, None),
            (br#"{"jsonrpc":"2.0","id":8,"method":"tools/call"}"#, -32_601, Some(8)),
            (br#"{"jsonrpc":"2.0","id":8,"method":"tools/call","params":{}}"#, -32_601, Some(8)),
            (br#"{"jsonrpc":"2.0","id":8,"method":"no/method"}"#, -32_601, Some(8)),
        ] {
            session.send_line(line).await;
            let answer = session.receive().await;
            let shown = String::from_utf8_lossy(line);
            assert_eq!(answer["error"]["code"], code, "{shown}: {answer}");
            assert_eq!(answer.get("id"), id.map(Value::from).as_ref(), "{shown}: {answer}");
        }
        // Without an answer, as are notifications.
        for line in [
            &b""[..],
            b" \r",
            b"{",
            b"hello",
            b"{\"jsonrpc\":\"2.0\",\"id\":9,\"method\":\"\xff\"}",
            br#"{"jsonrpc":"2.0","id":9,"method":"\ud800"}"#,
            &long,
            br#"{"jsonrpc":"2.0","method":"notifications/none","params":{}}"#,
            br#"{"jsonrpc":"2.0","method":"$/x"}"#,
        ] {
            session.send_line(line).await;
        }
        session
            .send_line(b"\xEF\xBB\xBF{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"ping\"}\r")
            .await;
        assert_eq!(session.receive().await["id"], 5);
    });
}

/// The runtime of tests has one thread: a tool that worked on it would hold the session.
#[test]
fn a_long_call_holds_no_other_and_can_be_cancelled() {
    let robots = (0..1_500).fold(String::new(), |mut text, at| {
        let _ = write!(text, "User-agent: bot{at}\nDisallow: /x{at}*y\nAllow: /x{at}/z\n\n");
        text
    });
    run(async {
        let mut session = Place::start(Site::new()).await.session().await;
        let lint = json!({"name": "lint", "arguments": {"robots": robots}});
        let first = session.request("tools/call", lint.clone()).await;
        session.has_place_after_cancelling(None).await;
        session.has_place_after_cancelling(Some(first)).await;
        let mut lints = Vec::new();
        for _ in 0..CALLS {
            lints.push(session.request("tools/call", lint.clone()).await);
        }
        session.has_place_after_cancelling(lints.pop()).await;
    });
}
