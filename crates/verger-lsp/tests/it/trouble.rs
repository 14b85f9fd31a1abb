//! Wrong settings, files that vanish, versions in git, hostile texts, messages in a wrong order.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::thread;

use lsp_server::{Connection, Message, Notification, Request};
use serde_json::{Value, json};
use verger_testkit::generate::one_in;
use verger_testkit::hostile;

use crate::client::{Client, codes};

fn uri_of(path: &Path) -> String {
    url::Url::from_file_path(path).unwrap().to_string()
}

#[test]
fn settings_of_the_folder_count_and_wrong_ones_are_reported_in_each_file() {
    let folder = tempfile::tempdir().unwrap();
    let (file, settings) = (folder.path().join("robots.txt"), folder.path().join("verger.toml"));
    let uri = uri_of(&file);
    let mut client = Client::new();
    let text = "User-agent: *\nDissalow: /a\n";
    client.open(&uri, text);
    assert_eq!(codes(&client.diagnostics(&uri)), ["misspelt-key"]);
    fs::write(&settings, "lint.ignore = ['syntax']\n").unwrap();
    client.change(&uri, 2, json!([]));
    let found = client.diagnosed(&uri, 2);
    assert!(!codes(&found).contains(&"misspelt-key"), "{found:?}");
    fs::write(&settings, "lint.ignroe = ['syntax']\n").unwrap();
    client.change(&uri, 3, json!([]));
    for _ in ["one pass", "analysis"] {
        let found = client.diagnosed(&uri, 3);
        assert_eq!(codes(&found), ["misspelt-key", ""]);
        let message = found[1]["message"].as_str().unwrap();
        assert!(message.contains("verger.toml: line 1, column 6: expected a key"), "{message}");
        let end = "`ignroe` (did you mean `ignore`?); files are checked with the defaults";
        assert!(message.ends_with(end), "{message}");
    }
    fs::remove_file(&settings).unwrap();
    client.change(&uri, 5, json!([]));
    assert_eq!(codes(&client.diagnosed(&uri, 5)), ["misspelt-key"]);
    // A folder in its place is an error, too, and so is a folder of the file that vanishes.
    fs::create_dir(&settings).unwrap();
    client.change(&uri, 6, json!([]));
    assert!(format!("{:?}", client.diagnosed(&uri, 6)).contains("it is not a file"));
    drop(folder);
    client.change(&uri, 7, json!([]));
    assert_eq!(codes(&client.diagnosed(&uri, 7)), ["misspelt-key"]);
    client.end();
}

#[test]
fn tests_run_with_the_robots_txt_in_the_editor() {
    let folder = tempfile::tempdir().unwrap();
    let [robots, tests] =
        ["robots.txt", "robots.test.toml"].map(|it| uri_of(&folder.path().join(it)));
    let mut client = Client::new();
    let text = "[[test]]\nname = 'cart'\ndisallow = ['/cart']\n";
    let message = |found: &[Value]| found[0]["message"].as_str().unwrap().to_owned();
    let found = client.analysed(&tests, text);
    assert!(
        message(&found).contains("did not run with `robots.txt`: could not read it"),
        "{found:?}"
    );
    client.open(&robots, "User-agent: *\nDisallow: /a\n");
    client.change(&tests, 2, json!([]));
    let _ = client.diagnosed(&tests, 2);
    let found = client.diagnosed(&tests, 2);
    assert_eq!(
        message(&found),
        "for `*`: `/cart` is allowed: no rule matches in the group for `*` (line 1)"
    );
    assert_eq!(found[0]["range"]["start"]["line"], 2);
    client.change(&robots, 2, json!([{ "text": "User-agent: *\nDisallow: /cart\n" }]));
    let _ = client.diagnosed(&tests, 2);
    assert_eq!(client.diagnosed(&tests, 2), [Value::Null; 0]);
    // Closed without saving: the file in the folder counts.
    fs::write(folder.path().join("robots.txt"), "User-agent: *\n").unwrap();
    client.notify("textDocument/didClose", json!({ "textDocument": { "uri": robots } }));
    let _ = client.diagnosed(&tests, 2);
    assert!(message(&client.diagnosed(&tests, 2)).starts_with("for `*`: `/cart` is allowed"));
    client.open(&robots, "User-agent: *\nDisallow: /cart\n");
    let _ = client.diagnosed(&tests, 2);
    assert_eq!(client.diagnosed(&tests, 2), [Value::Null; 0]);
    let text = "[[test]]\nname = 'a'\ncrawlers = ['GPTBt', 'GPTBot']\ndisallow = ['/cart']\n";
    client.change(&tests, 3, json!([{ "text": text }]));
    let _ = client.diagnosed(&tests, 3);
    let found = client.diagnosed(&tests, 3);
    assert!(message(&found).ends_with("has the name `GPTBt`; did you mean `GPTBot`?"), "{found:?}");
    assert_eq!(found[0]["range"]["start"], json!({ "line": 2, "character": 12 }));
    client.change(&tests, 4, json!([{ "text": "[[test]]\nname = 'a'\nallow = [1]\n" }]));
    let found = client.diagnosed(&tests, 4);
    assert_eq!(found[0]["range"]["start"], json!({ "line": 2, "character": 9 }));
    client.change(&tests, 5, json!([{ "text": "[[test]]\nname = 'a'\nalow = ['/']\n" }]));
    let found = client.diagnosed(&tests, 5);
    assert!(
        message(&found).starts_with("expected a key, but found `alow`\nknown keys: "),
        "{found:?}"
    );
    assert_eq!(found[0]["range"]["start"]["line"], 2);
    assert_eq!(client.ask_about("formatting", &tests, None), Value::Null);
    let error = client.command("verger.check", json!([tests, "/"])).unwrap_err();
    assert_eq!(error, "expected a robots.txt, but found a file of tests");
    client.end();
}

#[test]
fn the_committed_version_is_compared() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("robots.txt");
    let git = |arguments: &[&str]| {
        let mut git = Command::new("git");
        git.args(["-c", "user.name=a", "-c", "user.email=a@b.example", "-C"]).arg(folder.path());
        let output = git.args(arguments).output().unwrap();
        assert!(output.status.success(), "{output:?}");
    };
    let uri = uri_of(&file);
    let mut client = Client::new();
    let text = "User-agent: *\nDisallow: /cart\nAllow: /cart/help\n";
    client.open(&uri, text);
    let compare = |client: &mut Client| client.command("verger.compare", json!([uri]));
    let error = compare(&mut client).unwrap_err();
    assert!(error.contains("could not read this file at `HEAD` in git: fatal: "), "{error}");
    fs::write(&file, "User-agent: *\nDisallow: /cart\nDisallow: /admin\n").unwrap();
    git(&["init", "--quiet"]);
    git(&["add", "."]);
    git(&["commit", "--quiet", "--message", "a"]);
    let answer = compare(&mut client).unwrap();
    assert_eq!(answer, "since HEAD: changes that open URLs: 2, that close: 0");
    let is_change = |it: &&Value| it["message"].as_str().unwrap().starts_with("opened since HEAD");
    // With the next analysis, too.
    let found = client.diagnostics(&uri);
    let changes: Vec<&Value> = found.iter().filter(is_change).collect();
    assert_eq!(changes.len(), 2);
    let message = changes[0]["message"].as_str().unwrap();
    assert!(message.contains("was disallowed by"), "{message}");
    assert!(changes.iter().all(|it| it["severity"] == 3));
    for revision in ["--output=/tmp/x", "HEAD:x", "no-such"] {
        let error = client.command("verger.compare", json!([uri, revision])).unwrap_err();
        assert!(error.contains(revision), "{error}");
    }
    client.open("untitled:Untitled-1", text);
    let error = client.command("verger.compare", json!(["untitled:Untitled-1"])).unwrap_err();
    assert!(error.contains("has no path"), "{error}");
    client.end();
}

#[test]
fn every_hostile_text_has_answers() {
    let mut client = Client::new();
    let uri = "file:///hostile/robots.txt";
    let texts: Vec<String> = hostile::inputs()
        .into_keys()
        .map(|(_, bytes)| String::from_utf8_lossy(&bytes).into_owned())
        .filter(|text| text.len() < 5_000)
        .collect();
    assert!(texts.len() > 20, "{}", texts.len());
    for text in texts.iter().step_by(one_in(3)) {
        client.open(uri, text);
        for method in ["hover", "completion"] {
            for line in 0..3 {
                let _ = client.ask_about(method, uri, Some((line, 2)));
            }
        }
        let _ = client.ask_about("documentSymbol", uri, None);
        let _ = client.ask_about("formatting", uri, None);
    }
    client.end();
}

#[test]
fn a_request_about_a_changed_file_is_an_error() {
    let mut client = Client::new();
    let uri = "file:///a/robots.txt";
    client.open(uri, "User-agent: *\nDisallow: /a\n");
    let params =
        json!({ "textDocument": { "uri": uri }, "position": { "line": 1, "character": 1 } });
    // The answer may be faster than the change.
    let id = client.request("textDocument/hover", params);
    client.change(uri, 2, json!([{ "text": "User-agent: *\nDisallow: /b\n" }]));
    match client.answer(&id) {
        Ok(hover) => assert!(hover["contents"].is_object()),
        Err(error) => assert_eq!(error, "the file was changed meanwhile"),
    }
    let hover = client.ask_about("hover", uri, Some((1, 1)));
    assert!(hover["contents"]["value"].as_str().unwrap().contains("`/b`"));
    client.end();
}

#[test]
fn changes_that_come_together_are_checked_once() {
    let (connection, server) = Connection::memory();
    let send = |method: &str, params: Value| {
        connection.sender.send(Notification::new(method.to_owned(), params).into()).unwrap();
    };
    let uri = "file:///a/robots.txt";
    let initialize = json!({ "capabilities": {} });
    let initialize = Request::new(1.into(), "initialize".to_owned(), initialize);
    connection.sender.send(initialize.into()).unwrap();
    send(
        "textDocument/didOpen",
        json!({ "textDocument": { "uri": uri, "version": 0, "text": "" } }),
    );
    let start = json!({ "line": 0, "character": 0 });
    for version in 1..=400 {
        let change = json!({ "range": { "start": start, "end": start }, "text": "x" });
        let document = json!({ "uri": uri, "version": version });
        send(
            "textDocument/didChange",
            json!({ "textDocument": document, "contentChanges": [change] }),
        );
    }
    let server = thread::spawn(move || verger_lsp::serve(&server));
    for expected in [None, Some(400), Some(400)] {
        let version = match connection.receiver.recv().unwrap() {
            Message::Notification(it) => it.params["version"].as_i64(),
            _ => None,
        };
        assert_eq!(version, expected);
    }
    drop(connection);
    assert!(!server.join().unwrap());
}

#[test]
fn requests_outside_of_a_session_are_errors_and_notifications_are_dropped() {
    let (connection, server) = Connection::memory();
    let server = thread::spawn(move || verger_lsp::serve(&server));
    let open = json!({ "textDocument": { "uri": "file:///a", "version": 0, "text": "" } });
    // The error code; 0 for an answer, `None` for a notification.
    for (method, expected) in [
        ("textDocument/hover", Some(-32002)),
        ("shutdown", Some(-32002)),
        ("textDocument/didOpen", None),
        ("initialized", None),
        ("initialize", Some(0)),
        // In any order.
        ("$/setTrace", None),
        ("textDocument/hover", Some(0)),
        ("initialize", Some(-32600)),
        ("initialized", None),
        ("shutdown", Some(0)),
        ("textDocument/didOpen", None),
        ("textDocument/hover", Some(-32600)),
        ("shutdown", Some(-32600)),
    ] {
        let (name, params) = (method.to_owned(), open.clone());
        let Some(expected) = expected else {
            connection.sender.send(Notification::new(name, params).into()).unwrap();
            continue;
        };
        connection.sender.send(Request::new(1.into(), name, params).into()).unwrap();
        let Message::Response(answer) = connection.receiver.recv().unwrap() else {
            panic!("{method}: no response");
        };
        assert_eq!(answer.response_result.map_or_else(|error| error.code, |_| 0), expected);
    }
    let exit = Notification::new("exit".to_owned(), Value::Null);
    connection.sender.send(exit.into()).unwrap();
    assert!(server.join().unwrap());
}

#[test]
fn an_exit_without_shutdown_is_not_in_order() {
    for messages in [&["exit"][..], &["initialize", "exit"]] {
        let (connection, server) = Connection::memory();
        for method in messages {
            let message = match *method {
                "exit" => Notification::new("exit".to_owned(), Value::Null).into(),
                name => Message::from(Request::new(1.into(), name.to_owned(), json!({}))),
            };
            connection.sender.send(message).unwrap();
        }
        assert!(!verger_lsp::serve(&server), "{messages:?}");
    }
}

#[test]
fn uris_that_are_not_escaped_are_files() {
    let folder = tempfile::tempdir().unwrap();
    let parent = folder.path().join("a b [c] {é} |^`");
    fs::create_dir(&parent).unwrap();
    fs::write(parent.join("verger.toml"), "lint.ignore = ['misspelt-key']\n").unwrap();
    let uri = format!("file://{}/robots.txt", parent.display());
    let mut client = Client::new();
    let text = "User-agent: *\nDissalow: /a\nDisallow: /b\nDisallow: /b/c\n";
    let found = client.analysed(&uri, text);
    assert_eq!(codes(&found), ["redundant-rule"]);
    let place = found[0]["relatedInformation"][0]["location"]["uri"].as_str().unwrap();
    assert_eq!(url::Url::parse(place).unwrap().to_file_path().unwrap(), parent.join("robots.txt"));
    client.end();
}

#[test]
fn settings_are_read_again_when_a_file_is_saved_or_they_change() {
    let folder = tempfile::tempdir().unwrap();
    let uri = uri_of(&folder.path().join("robots.txt"));
    let settings = folder.path().join("verger.toml");
    let mut client = Client::new();
    let text = "User-agent: *\nDissalow: /a\n";
    assert_eq!(codes(&client.analysed(&uri, text)), ["misspelt-key"]);
    for (method, ignored) in
        [("textDocument/didSave", "'syntax'"), ("workspace/didChangeWatchedFiles", "")]
    {
        fs::write(&settings, format!("lint.ignore = [{ignored}]\n")).unwrap();
        client.notify(method, json!({ "textDocument": { "uri": uri } }));
        let found = client.diagnostics(&uri);
        assert_eq!(codes(&found).contains(&"misspelt-key"), ignored.is_empty(), "{found:?}");
        let _ = client.diagnostics(&uri);
    }
    client.end();
}

#[test]
fn files_that_are_not_open_and_unknown_methods_have_an_answer() {
    let mut client = Client::new();
    assert_eq!(client.ask_about("hover", "file:///b/robots.txt", Some((0, 0))), Value::Null);
    let tests = "file:///b/robots.test.toml";
    client.open(tests, "");
    for (method, uri) in [
        ("workspace/symbol", ""),
        ("textDocument/rename", "file:///b/robots.txt"),
        ("textDocument/rename", tests),
    ] {
        let params = json!({ "query": "", "textDocument": { "uri": uri } });
        let error = client.ask(method, params).unwrap_err();
        assert!(error.contains("does not have this method"), "{error}");
    }
    client.notify("textDocument/didOpen", json!({ "textDocument": 1 }));
    client.change("file:///b/robots.txt", 3, json!([]));
    client.notify("$/setTrace", json!({ "value": "off" }));
    let uri = "file:///a/robots.txt";
    client.open(uri, "x");
    assert_eq!(codes(&client.diagnostics(uri)), ["no-record"]);
    client.notify("textDocument/didClose", json!({ "textDocument": { "uri": uri } }));
    while !client.diagnostics(uri).is_empty() {}
    client.end();
}
