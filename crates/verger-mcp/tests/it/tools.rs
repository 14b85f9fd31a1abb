//! Tools without sites, and the list of tools.

use serde_json::{Value, json};
use verger_testkit::server::Site;

use crate::session::{Place, run};

#[track_caller]
fn call(name: &str, arguments: &Value) -> (Value, bool) {
    run(async {
        let place = Place::start(Site::new()).await;
        let result = place.session().await.call(name, arguments.clone()).await;
        assert_eq!(place.world.record().requests.len(), 0);
        result
    })
}

#[test]
fn every_tool_is_read_only_and_has_schemas() {
    let tools = run(async {
        let place = Place::start(Site::new()).await;
        place.session().await.ask("tools/list", json!({})).await["result"]["tools"].take()
    });
    let tools = tools.as_array().unwrap();
    let names: Vec<_> = tools.iter().map(|it| it["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["check", "fetch", "explain", "rights", "lint", "diff", "crawlers"]);
    for tool in tools {
        assert_eq!(tool["annotations"]["readOnlyHint"], true, "{tool}");
        for key in ["inputSchema", "outputSchema"] {
            assert_eq!(tool[key]["type"], "object", "{tool}");
        }
        assert_eq!(tool["inputSchema"]["additionalProperties"], false, "{tool}");
        // Each definition is there that is referred to.
        let result = tool["outputSchema"].to_string();
        let mut used = result.split("#/$defs/").skip(1).filter_map(|it| it.split('"').next());
        assert!(used.all(|it| tool["outputSchema"]["$defs"].get(it).is_some()), "{tool}");
        for argument in tool["inputSchema"]["properties"].as_object().unwrap().values() {
            assert!(argument["type"].is_string() && argument["description"].is_string(), "{tool}");
        }
        // The identity and the networks are not arguments.
        let properties = tool["inputSchema"]["properties"].to_string();
        for key in ["user_agent", "from", "allow_net", "token", "key", "dialect"] {
            assert!(!properties.contains(&format!("\"{key}\"")), "{tool}");
        }
    }
}

#[test]
fn a_model_cannot_change_what_the_operator_fixed() {
    let url = "http://shop.example/";
    for (name, arguments) in [
        ("check", json!({"urls": [url], "agent": "Googlebot"})),
        ("fetch", json!({"url": url, "user_agent": "Mozilla/5.0"})),
        ("fetch", json!({"url": url, "allow_net": "10.0.0.0/8"})),
        ("explain", json!({"url": url, "agent": "Googlebot"})),
        ("explain", json!({"url": "/", "robots": "", "dialect": "google"})),
        ("rights", json!({"url": url, "agent": "Googlebot"})),
        ("fetch", json!({"url": url, "max_bytes": 0})),
        ("fetch", json!({"url": url, "max_bytes": -1})),
        ("check", json!({"urls": []})),
        ("check", json!({"urls": vec![url; 101]})),
        ("lint", json!({})),
        ("lint", json!({"url": url, "robots": ""})),
        ("diff", json!({"before": "x".repeat(600_000), "after": ""})),
    ] {
        is_refused(name, &arguments, "");
    }
    is_refused("no_tool", &json!({}), "expected one of `check`, `fetch`");
}

#[track_caller]
fn is_refused(name: &str, arguments: &Value, message: &str) {
    let (result, is_error) = call(name, arguments);
    let Value::Object(error) = &result["error"] else { panic!("{name}: {result}") };
    assert!(is_error && error["kind"] == "invalid_arguments", "{name}: {result}");
    assert!(
        error["hint"].is_string()
            && error["message"].as_str().is_some_and(|it| it.contains(message)),
        "{result}"
    );
}

#[test]
fn a_wrong_argument_is_named_with_what_is_expected() {
    let address = "has no line of a robots.txt: pass its text, not its address";
    for (name, arguments, message) in [
        ("fetch", json!({"url": 5}), "`url`: invalid type: integer `5`, expected a string"),
        ("fetch", json!({"url": null}), "missing field `url`"),
        ("fetch", json!({"url": "/", "max_bytes": "5"}), "`max_bytes`: invalid type: string \"5\""),
        ("fetch", json!({"url": "/", "max_bytes": 0}), "`max_bytes`: invalid value: integer `0`"),
        ("fetch", json!({"url": "/", "agent": "x"}), "unknown field `agent`, expected `url` or"),
        ("check", json!({}), "missing field `urls`"),
        ("check", json!({"urls": [5]}), "`urls[0]`: invalid type: integer `5`, expected a string"),
        ("check", json!({"urls": []}), "`urls`: expected 1 to 100 URLs, but found 0"),
        ("explain", json!({"url": "/", "agent": "x"}), "`agent` and `dialect` need `robots`"),
        (
            "explain",
            json!({"url": "/", "dialect": "google"}),
            "`agent` and `dialect` need `robots`",
        ),
        (
            "explain",
            json!({"url": "/", "robots": "", "agent": " "}),
            "`agent`: expected a name, but found an empty text",
        ),
        ("explain", json!({"url": "/", "robots": "https://a.example/robots.txt"}), address),
        ("lint", json!({"robots": "C:\\robots.txt"}), address),
        ("diff", json!({"before": "/etc/passwd", "after": ""}), address),
        ("diff", json!({"before": "", "after": "robots.txt"}), address),
        (
            "diff",
            json!({"before": "", "after": "", "agents": [""]}),
            "`agents`: expected at most 16 names",
        ),
        ("crawlers", json!({"purpose": "x"}), "`purpose`: expected one of `search`, `training`, "),
    ] {
        is_refused(name, &arguments, message);
    }
    for text in ["Disallow:/x", "Sitemap: https://a.example/", "#x", " "] {
        let (result, is_error) = call("lint", &json!({"robots": text, "url": null}));
        assert!(!is_error, "{text}: {result}");
    }
}

#[test]
fn a_text_is_explained_linted_and_compared() {
    let robots = "User-agent: GPTBot\nDisallow: /a\nAllow: /a/b\n\nUser-agent: *\nDisalow: /\n";
    let (answer, _) = call("explain", &json!({"url": "/a/b", "robots": robots, "agent": "GPTBot"}));
    assert_eq!((&answer["allowed"], &answer["rule"]["line"]), (&json!(true), &json!(3)));
    assert_eq!(answer["matches"].as_array().map(Vec::len), Some(2));
    // The crawler of the operator.
    let (answer, _) = call("explain", &json!({"url": "/a", "robots": robots}));
    assert_eq!((&answer["allowed"], &answer["agent"]), (&json!(false), &json!("ExampleBot")));
    let (report, _) = call("lint", &json!({"robots": robots}));
    assert!(!report["findings"].as_array().unwrap().is_empty(), "{report}");
    let after = "User-agent: *\nDisallow: /\n";
    let (difference, _) = call("diff", &json!({"before": robots, "after": after}));
    assert!(!difference["crawlers"].as_array().unwrap().is_empty(), "{difference}");
    for (length, is_cut) in [(499_900, false), (515_000, true)] {
        let after = format!("User-agent: *\n#{}\nDisallow: /secret\n", "x".repeat(length));
        let (difference, _) = call("diff", &json!({"before": "", "after": after}));
        let is_same = difference["crawlers"] == json!([]);
        assert_eq!((&difference["truncated"], is_same), (&json!(is_cut), is_cut));
    }
    for arguments in [
        json!({"url": "no URL", "robots": ""}),
        json!({"url": "data:text/html,x"}),
        json!({"url": "javascript:alert(1)", "robots": ""}),
        json!({"url": "file:///etc/passwd", "robots": ""}),
        json!({"url": "ftp://shop.example/x", "robots": ""}),
        json!({"url": "javascript://h:99999/x", "robots": ""}),
    ] {
        let (result, is_error) = call("explain", &arguments);
        assert!(is_error && result["error"]["kind"] == "invalid_url", "{result}");
    }
}

#[test]
fn crawlers_are_found_by_name_and_purpose() {
    let count = |arguments: Value| {
        let (result, is_error) = call("crawlers", &arguments);
        assert!(!is_error, "{result}");
        result["crawlers"].as_array().unwrap().len()
    };
    assert_eq!(count(json!({"name": "gptbot"})), 1);
    let (one, _) = call("crawlers", &json!({"name": "gptbot"}));
    assert!(one["crawlers"][0]["sources"].is_object(), "{one}");
    // Without arguments, the names and purposes.
    let (list, _) = call("crawlers", &json!({}));
    assert!(list.to_string().len() < 32 * 1024, "{list}");
    let names = list["crawlers"].as_array().unwrap().iter();
    let names = names.filter(|it| it["purpose"] == "training").map(|it| it["token"].clone());
    let (training, _) = call("crawlers", &json!({"purpose": "training"}));
    let training = training["crawlers"].as_array().unwrap();
    assert!(training.iter().all(|it| it["robots"].is_string() && it["purpose"] == "training"));
    let tokens: Vec<_> = training.iter().map(|it| it["token"].clone()).collect();
    assert!(names.eq(tokens));
    assert_eq!(count(json!({"name": "Mozilla/5.0 (compatible; GPTBot/1.2)"})), 1);
    for (arguments, message) in [
        (json!({"name": "Gogglebot"}), "has the name `Gogglebot`; did you mean `Googlebot`?"),
        (
            json!({"name": "GPTBot", "purpose": "seo"}),
            "has the name `GPTBot` and the purpose `seo`",
        ),
    ] {
        let (result, is_error) = call("crawlers", &arguments);
        let error = &result["error"];
        assert!(is_error && error["kind"] == "not_found", "{result}");
        assert!(error["message"].as_str().unwrap().ends_with(message), "{result}");
    }
}

#[test]
fn lint_needs_either_a_url_or_a_text() {
    let both = json!({"url": "http://shop.example/", "robots": "User-agent: *"});
    is_refused("lint", &both, "expected either `url` or `robots`");
    is_refused("lint", &json!({}), "expected either `url` or `robots`");
}
