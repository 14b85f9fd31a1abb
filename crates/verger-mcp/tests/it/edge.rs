//! Refusals in front of a site.

use serde_json::{Value, json};
use verger_testkit::server::{Script, ScriptedResponse};

use crate::fetches::{fetch, site};
use crate::session::{Place, run};

#[test]
fn refusals_in_front_of_a_site_are_told_apart() {
    let with = |status, fields: &[(&str, &str)]| {
        let response = ScriptedResponse::new(status);
        fields.iter().fold(response, |it, (name, value)| it.field(name, value)).script()
    };
    for (response, kind, header) in [
        (with(401, &[("WWW-Authenticate", "License")]), "authentication", Some("www-authenticate")),
        (with(402, &[("crawler-price", "USD 0.01")]), "payment", Some("crawler-price")),
        (with(402, &[("PAYMENT-REQUIRED", "e30=")]), "payment", Some("payment-required")),
        (with(403, &[]), "forbidden", None),
        (with(403, &[("cf-mitigated", "challenge")]), "challenge", None),
        (with(503, &[("cf-mitigated", "challenge")]), "challenge", None),
        (with(202, &[("x-amzn-waf-action", "challenge")]), "challenge", None),
        (with(405, &[("x-amzn-waf-action", "captcha")]), "challenge", None),
        (with(200, &[("cf-mitigated", "challenge")]), "challenge", None),
        (with(403, &[("x-datadome", "protected")]), "challenge", None),
        (with(429, &[("Retry-After", "7")]), "rate", Some("retry-after")),
        (body(200, CHALLENGE), "challenge", None),
        (body(202, CHALLENGE), "challenge", None),
        (body(403, CHALLENGE), "challenge", None),
        (body(429, CHALLENGE), "challenge", None),
        (body(503, CHALLENGE), "challenge", None),
        (body(200, "<iframe src=\"/_Incapsula_Resource?x\"></iframe>"), "challenge", None),
        (body(200, SUCURI), "challenge", None),
        // The rest of its page never comes.
        (
            Script::text("HTTP/1.1 403 No\r\nContent-Length: 9\r\n\r\nno").then_never(),
            "forbidden",
            None,
        ),
        (body(403, &format!("{CHALLENGE}{}", " ".repeat(1 << 20))), "challenge", None),
    ] {
        run(async {
            let place = Place::start(site().path("/a", response)).await;
            let (result, is_error) = fetch(&mut place.session().await, "/a").await;
            assert!(!is_error && result["fetched"] == false, "{result}");
            assert_eq!(result["refused_by"], "edge", "{result}");
            assert_eq!(result["edge"]["kind"], kind, "{result}");
            assert_eq!(result["robots"]["allowed"], true);
            assert!(result["content"].is_null(), "{result}");
            let retry = result["retry_in_seconds"].as_u64();
            assert_eq!(retry.is_some_and(|it| it >= 60), kind == "rate", "{result}");
            if let Some(header) = header {
                assert!(result["edge"]["untrusted_headers"][header].is_string(), "{result}");
            }
        });
    }
    // Pages that have a mark, or speak of one, are pages.
    let with_script =
        format!("<script src='/_Incapsula_Resource?y'></script>{}", "text ".repeat(1000));
    for (response, status) in [
        (with(404, &[]), 404),
        (with(500, &[]), 500),
        (with(503, &[]), 503),
        (with(405, &[]), 405),
        (body(404, CHALLENGE), 404),
        (with(200, &[("x-datadome", "protected")]), 200),
        (with(202, &[("x-datadome", "protected"), ("Content-Length", "0")]), 202),
        (body(200, "<p>Cloudflare sets <code>window._cf_chl_opt</code>"), 200),
        (body(200, &with_script), 200),
        (body(200, "<p>Sucuri sets <code>sucuri_cloudproxy_js</code>"), 200),
        (body(200, &format!("{CHALLENGE}{}", "text ".repeat(10_000))), 200),
    ] {
        run(async {
            let place = Place::start(site().path("/a", response)).await;
            let (result, _) = fetch(&mut place.session().await, "/a").await;
            assert_eq!(result["fetched"], status < 300, "{result}");
            assert_eq!((&result["refused_by"], &result["status"]), (&Value::Null, &json!(status)));
            let retry = result["retry_in_seconds"].as_u64();
            assert_eq!(retry.is_some_and(|it| it >= 60), status >= 500, "{result}");
            let hint = match status {
                0..400 => "",
                404 => "has no such page",
                405 => "refuses this request",
                _ => "the server fails; call again",
            };
            assert!(result["hint"].as_str().unwrap_or_default().contains(hint), "{result}");
        });
    }
}

const SUCURI: &str = "<html><title>You are being redirected...</title><noscript>Javascript is \
                      required.</noscript><script>var s={},e=eval,sucuri_cloudproxy_js='',S='eA==';\
                      for(l=0;l<S.length;l++){}</script></html>";

const CHALLENGE: &str = "<script>(function(){window._cf_chl_opt = {}";

fn body(status: u16, body: &str) -> Script {
    ScriptedResponse::new(status).field("Content-Type", "text/html").body(body).script()
}
