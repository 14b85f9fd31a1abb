//! Each feature, once in a plain case and in its surprising ones.

use lsp_server::Message;
use serde_json::{Value, json};

use crate::client::{Client, codes, edited};

const URI: &str = "file:///nowhere/robots.txt";

const SHOP: &str = "\
User-agent: *
Disallow: /cart
Allow: /cart/help
Disallow: /cart/help/x
Dissalow: /admin

User-agent: GPTBot
Disallow: /ai

Sitemap: https://shop.example/sitemap.xml
";

#[test]
fn findings_of_a_pass_come_at_once_and_those_of_the_analysis_later() {
    let mut client = Client::new();
    client.open(URI, "User-agent: *\nDissalow: /a\nDisallow: /b\nDisallow: /b/c\n");
    let quick = client.diagnostics(URI);
    assert_eq!(codes(&quick), ["misspelt-key"]);
    let all = client.diagnostics(URI);
    assert_eq!(codes(&all), ["misspelt-key", "redundant-rule"]);
    let rule = &all[1];
    assert_eq!(rule["severity"], 3);
    assert_eq!(rule["range"]["start"], json!({ "line": 3, "character": 10 }));
    assert!(rule["codeDescription"]["href"].as_str().unwrap().ends_with("lint.md#redundant-rule"));
    assert_eq!(rule["relatedInformation"][0]["location"]["range"]["start"]["line"], 2);
    assert_eq!(rule["tags"], json!([1]));
    client.end();
}

#[test]
fn findings_of_the_analysis_move_with_their_lines_until_the_next_one() {
    let mut client = Client::new();
    let found = client.analysed(URI, "User-agent: *\nDisallow: /b\nDisallow: /b/c\n");
    assert_eq!(codes(&found), ["redundant-rule"]);
    let insert = |line: u32, text: &str| {
        let place = json!({ "line": line, "character": 0 });
        json!([{ "range": { "start": place, "end": place }, "text": text }])
    };
    client.change(URI, 2, insert(0, "# a\n# b\n"));
    let moved = client.diagnostics(URI);
    assert_eq!(codes(&moved), ["redundant-rule"]);
    assert_eq!(moved[0]["range"]["start"]["line"], 4);
    let related = &moved[0]["relatedInformation"];
    assert_eq!(related[0]["location"]["range"]["start"]["line"], 3);
    // A place that is edited is not one of the diagnostic any more.
    client.change(URI, 3, insert(3, " "));
    let moved = client.diagnosed(URI, 3);
    assert_eq!(
        (codes(&moved), &moved[0]["relatedInformation"]),
        (vec!["redundant-rule"], &json!([]))
    );
    client.change(URI, 4, insert(4, "#"));
    assert_eq!(codes(&client.diagnosed(URI, 4)), [""; 0]);
    assert_eq!(codes(&client.diagnosed(URI, 4)), [""; 0]);
    client.end();
}

#[track_caller]
fn hover(text: &str, line: u32, expected: &[&str]) {
    let mut client = Client::new();
    client.open(URI, text);
    let found = client.ask_about("hover", URI, Some((line, 3)));
    let value = found["contents"]["value"].as_str().unwrap_or_else(|| panic!("{found}"));
    for part in expected {
        assert!(value.contains(part), "no {part} in {value}");
    }
    assert_eq!(found["range"]["start"]["line"], line);
    client.end();
}

#[test]
fn a_hover_of_a_rule_says_what_it_matches_and_to_which_rules_it_loses() {
    let loses = "It loses to `Allow: /cart/help` on line 3";
    hover(SHOP, 1, &["begins with `/cart`", "The rule decides such URLs", loses]);
    hover(
        "User-agent: a\nDisallow: /x\nAllow: /x\n",
        1,
        &["decides nothing", "`Allow: /x` on line 3"],
    );
    hover("User-agent: a\nDisallow: /*.pdf$\n", 1, &["is exactly `/*.pdf`, where `*` is any text"]);
    hover("User-agent: a\nDisallow: x\n", 1, &["none, it matches no URL"]);
    hover("User-agent: a\nDisallow:\nAllow: /\n", 1, &["no effect"]);
    let ends = "ends the `User-agent` lines of `a`";
    hover("User-agent: a\nDisallow:\n\nUser-agent: b\nDisallow: /\n", 1, &[ends]);
    hover("Disallow: /\n", 0, &["no `User-agent` line is above it"]);
    hover("User-agent: a\nDisallow: /\n", 1, &["Disallows all URLs", "`/` is disallowed by"]);
}

#[test]
fn a_hover_of_a_crawler_says_who_runs_it_and_what_it_may_fetch() {
    hover(
        SHOP,
        6,
        &["**`GPTBot`**: OpenAI; purpose: training", "may fetch a part", "line 7. Rules: 1."],
    );
    let twice = "User-agent: a\nDisallow: /x\n\nUser-agent: a\nDisallow: /y\n";
    hover(twice, 0, &["site. Groups: line 1, line 4. Rules: 2."]);
    hover(SHOP, 0, &["all crawlers that no other group names"]);
    hover(
        "User-agent: Applebot\nDisallow: /\n",
        0,
        &["obeys a group for `Googlebot` if it has none", "nothing but robots.txt"],
    );
    hover("User-agent: OurOwnBot\nDisallow:\n", 0, &["does not know", "It may fetch everything"]);
}

#[test]
fn a_hover_of_a_statement_says_its_meaning() {
    hover(SHOP, 9, &["**`Sitemap`**: absolute URL"]);
    let text = "User-agent: *\nContent-Signal: ai-train=no\nCrawl-delay: x\nFoo: 1\nNoindex: /\n";
    hover(text, 1, &["`ai-train`: no", "It applies to `*`"]);
    hover(text, 2, &["This value has no effect"]);
    hover(text, 3, &["no crawler that verger knows"]);
    hover(text, 4, &["Use the page directive"]);
}

#[track_caller]
fn completions(line: &str) -> Vec<(String, String)> {
    let mut client = Client::new();
    client.open(URI, &format!("User-agent: *\n{line}"));
    let column = u32::try_from(line.encode_utf16().count()).unwrap();
    let found = client.ask_about("completion", URI, Some((1, column)));
    client.end();
    let text = |it: &Value| it.as_str().unwrap_or_default().to_owned();
    let item = |it: &Value| {
        let edited = edited(line, &json!([moved(&it["textEdit"])]));
        assert_eq!(in_neovim(line, it), edited);
        (edited, text(&it["detail"]))
    };
    found.as_array().unwrap().iter().map(item).collect()
}

/// The line after a completion in Neovim 0.7, which ignores the range of an item with `filterText`.
fn in_neovim(line: &str, item: &Value) -> String {
    let others = line.trim_end_matches(|c: char| c.is_alphanumeric() || c == '_').encode_utf16();
    let range = item["textEdit"]["range"]["start"]["character"].as_u64();
    let range = range.filter(|_| item["filterText"].is_null());
    let start = range.map_or(others.count(), |it| usize::try_from(it).unwrap());
    let before: Vec<u16> = line.encode_utf16().take(start).collect();
    String::from_utf16(&before).unwrap() + item["textEdit"]["newText"].as_str().unwrap()
}

/// An edit of the second line as one of the first.
fn moved(edit: &Value) -> Value {
    let mut edit = edit.clone();
    for place in ["start", "end"] {
        assert_eq!(edit["range"][place]["line"], 1);
        edit["range"][place]["line"] = json!(0);
    }
    edit
}

#[test]
fn completions_are_keys_crawlers_and_values() {
    let has = |line: &str, expected: &str, detail: &str| {
        let found = completions(line);
        let is_it = |it: &(String, String)| it.0 == expected && it.1.contains(detail);
        assert!(found.iter().any(is_it), "{line}: {found:?}");
    };
    has("", "Disallow: ", "");
    has("dis", "Disallow: ", "");
    has("User-agent: gpt", "User-agent: GPTBot", "training, OpenAI");
    has("User-agent: ", "User-agent: *", "all other crawlers");
    has("Content-Signal: search=yes, ai", "Content-Signal: search=yes, ai-train=no", "training");
    has("Content-Usage: ", "Content-Usage: train-ai=n", "");
    has("User-agent: Googlebot-I", "User-agent: Googlebot-Image", "");
    has("Content-S", "Content-Signal: ", "");
    has("Content-Signal: ai-tr", "Content-Signal: ai-train=no", "");
    has("Crawl-delay: ", "Crawl-delay: 10", "seconds");
    has("# ver", "# verger-lint: ignore ", "");
    has("# verger-lint: ign", "# verger-lint: ignore-file ", "");
    has("# verger-lint: ignore nul, dead", "# verger-lint: ignore nul, dead-rule", "");
    assert_eq!(completions("Foo: "), []);
}

#[test]
fn a_sitemap_is_completed_with_the_site_of_another_one() {
    let line = "Sitemap: https://a.exa";
    assert_eq!(completions(line), []);
    let mut client = Client::new();
    client.open(URI, &format!("Sitemap: /b.xml\nSitemap: https://b.example/b.xml\n{line}"));
    let found = client.ask_about("completion", URI, Some((2, 22)));
    assert_eq!(found[0]["textEdit"]["newText"], "https://b.example/sitemap.xml");
    client.end();
}

#[track_caller]
fn in_tests(before: &str, method: &str) -> String {
    let mut client = Client::new();
    let folder = tempfile::tempdir().unwrap();
    let [robots, tests] = ["robots.txt", "robots.test.toml"]
        .map(|it| url::Url::from_file_path(folder.path().join(it)).unwrap().to_string());
    client.open(&robots, "User-agent: *\nDisallow: /cart\n\nUser-agent: GPTBot\nDisallow: /\n");
    client.open(&tests, &before.replace('|', ""));
    let before = before.split('|').next().unwrap();
    let line = before.rsplit('\n').next().unwrap();
    let [line, column] = [before.matches('\n').count(), line.len()];
    let place = (u32::try_from(line).unwrap(), u32::try_from(column).unwrap());
    let found = client.ask_about(method, &tests, Some(place));
    client.end();
    found.to_string()
}

#[test]
fn keys_crawlers_and_values_are_completed_in_a_file_of_tests() {
    for (text, expected) in [
        ("", r#""newText":"robots = ""#),
        ("", r#""newText":"[[test]]""#),
        ("[[test]]\nal", r#""newText":"allow = ","range":{"end":{"character":2,"line":1},"#),
        (
            "[[test]]\ncrawlers = [\"*\", 'GP",
            r#""newText":"GPTBot","range":{"end":{"character":20,"#,
        ),
        ("[[test]]\ncrawlers = [\n  \"", r#""label":"GPTBot""#),
        ("[[test]]\nstatements = [\"Cr", r#""newText":"Crawl-delay: ""#),
        ("[[test]]\nclosed = [\"", r#""newText":"/""#),
    ] {
        let found = in_tests(text, "completion");
        assert!(found.contains(expected), "{text}: {found}");
    }
    for text in ["[[test]]\nallow = [", "[[test]]\nname = \"", "[[test]]\n# al"] {
        assert_eq!(in_tests(text, "completion"), "[]", "{text}");
    }
}

#[test]
fn keys_crawlers_and_answers_are_explained_in_a_file_of_tests() {
    let first = "[[test]]\nname = 'a'\nallow = ['/']\n";
    for (text, expected) in [
        ("[[te|st]]\nname = 'a'\n", "**`test`**: A test"),
        ("[[test]]\nna|me = 'a'\n", "**`name`**: The name"),
        ("[[test]]\nname = 'a'\nopen = [\n  '|/x',\n]\n", "**`open`**: Patterns"),
        ("[[test]]\nname = 'a'\nallow = ['|/cart']\n", "`/cart` for `*`: disallowed by"),
        ("[[test]]\nname = 'a'\nallow = ['/']\ncrawlers = ['GPT|Bot']\n", "OpenAI"),
        (
            "[[test]]\nname = 'b'\nallow = [\"/|x\"]\ncrawlers = ['GPTBot']\n",
            "`/x` for `GPTBot`: disallowed",
        ),
        // A file that is not complete yet.
        ("[[test]]\nallow = ['/|x']\n", "**`allow`**: URLs"),
    ] {
        let is_second = text.contains("'b'");
        let text = format!("{}{text}", if is_second { first } else { "" });
        let found = in_tests(&text, "hover");
        assert!(found.contains(expected), "{text}: {found}");
    }
    assert_eq!(in_tests("|\n[[test]]\n", "hover"), "null");
}

#[test]
fn fixes_are_marked_as_safe_or_unsafe_and_all_safe_ones_are_one_action() {
    let mut client = Client::new();
    let text = "user-agent: *\nDisallow: /a\nDissalow: /b\nDisallow: /c\nDisallow: /c\n";
    let _ = client.analysed(URI, text);
    let title = |it: &Value| it["title"].as_str().unwrap().to_owned();
    let found = client.actions(URI, 2, &[]);
    let fix = &found[0];
    assert!(title(fix).ends_with("(unsafe: answers may change)"), "{fix}");
    assert_eq!(fix["isPreferred"], false);
    let fixed = edited(text, &fix["edit"]["changes"][URI]);
    assert!(fixed.contains("\nDisallow: /b\n"), "{fixed}");
    let suppressed = found.iter().find(|it| title(it).starts_with("Suppress")).unwrap();
    let suppressed = edited(text, &suppressed["edit"]["changes"][URI]);
    assert!(suppressed.contains("\n# verger-lint: ignore misspelt-key\nDissalow: /b\n"));
    assert_eq!(codes(&client.analysed("file:///b/robots.txt", &suppressed)), ["repeated-rule"]);
    let safe = client.actions(URI, 4, &["quickfix"]);
    assert_eq!(safe[0]["isPreferred"], true, "{safe:?}");
    let all = client.actions(URI, 0, &["source.fixAll"]);
    assert_eq!(all.len(), 1);
    assert_eq!(all[0]["kind"], "source.fixAll.verger");
    let fixed = edited(text, &all[0]["edit"]["changes"][URI]);
    assert_eq!(fixed, "user-agent: *\nDisallow: /a\nDissalow: /b\nDisallow: /c\n");
    assert_eq!(client.actions(URI, 0, &["source.organizeImports"]), [Value::Null; 0]);
    // After each move of the cursor, an editor asks for what belongs to its line.
    let place = json!({ "line": 0, "character": 0 });
    let range = json!({ "start": place, "end": place });
    let context = json!({ "diagnostics": [], "triggerKind": 2 });
    let params = json!({ "textDocument": { "uri": URI }, "range": range, "context": context });
    assert_eq!(client.ask("textDocument/codeAction", params).unwrap(), json!([]));
    client.end();
}

#[test]
fn a_fix_is_for_the_diagnostic_at_its_place_and_of_the_text_that_is_open() {
    let mut client = Client::new();
    let text = "User-agent: *\nDisalow: /a\nDisalow: /b\n";
    let found = client.analysed(URI, text);
    assert_eq!(codes(&found), ["misspelt-key", "misspelt-key"]);
    for (line, diagnostic) in [(1, &found[0]), (2, &found[1])] {
        let action = &client.actions_for(URI, line, &["quickfix"], &found)[0];
        assert_eq!(action["diagnostics"], serde_json::json!([diagnostic]));
    }
    client.notify("textDocument/didClose", serde_json::json!({ "textDocument": { "uri": URI } }));
    client.open(URI, "User-agent: *\nAllow: /a\nDisalow: /b\n");
    let actions = client.actions(URI, 1, &["quickfix"]);
    assert!(actions.iter().all(|it| it["title"] != found[0]["title"]), "{actions:?}");
    assert!(!client.actions(URI, 2, &["quickfix"]).is_empty());
    client.end();
}

#[test]
fn the_rules_of_the_star_are_repeated_in_a_group() {
    let mut client = Client::new();
    for (text, line, expected) in [
        (
            "User-agent: *\nDisallow: /a # why\nCrawl-delay: 5\n\nUser-agent: GPTBot\nDisallow: /b",
            5,
            "User-agent: *\nDisallow: /a # why\nCrawl-delay: 5\n\nUser-agent: GPTBot\nDisallow: /b\n\
             Disallow: /a\nCrawl-delay: 5\n",
        ),
        (
            "User-agent: GPTBot\r\nDisallow: /a\r\n\r\nUser-agent: *\r\nDisallow: /a\r\nDisallow: /b\r\n",
            0,
            "User-agent: GPTBot\r\nDisallow: /a\r\nDisallow: /b\r\n\r\nUser-agent: *\r\nDisallow: /a\r\n\
             Disallow: /b\r\n",
        ),
    ] {
        client.open(URI, text);
        let found = client.actions(URI, line, &["refactor"]);
        let title = "Repeat the rules of `*` in the group of `GPTBot` (unsafe: answers may change)";
        assert_eq!(found[0]["title"], title);
        assert_eq!(edited(text, &found[0]["edit"]["changes"][URI]), expected);
        let star = u32::try_from(text.lines().position(|it| it.contains('*')).unwrap()).unwrap();
        assert_eq!(client.actions(URI, star, &["refactor"]), [Value::Null; 0]);
    }
    client.open(URI, "User-agent: *\nDisallow: /a\n\nUser-agent: GPTBot\nDisallow: /\n");
    assert_eq!(client.actions(URI, 3, &["refactor"]), [Value::Null; 0], "it closes everything");
    client.end();
}

#[test]
fn the_formatter_changes_only_the_lines_that_differ() {
    let mut client = Client::new();
    let text = "# é😀\r\nUSER-AGENT:*\r\nDisallow: /a\r\n\r\n\r\nuser-agent: b\r\nDisallow:/";
    client.open(URI, text);
    let edits = client.ask_about("formatting", URI, None);
    let expected = "# é😀\r\nUser-agent: *\r\nDisallow: /a\r\n\r\nUser-agent: b\r\nDisallow: /\r\n";
    assert_eq!(edited(text, &edits), expected);
    let touched = |edit: &Value| edit["range"]["start"]["line"].as_u64().unwrap();
    assert!(edits.as_array().unwrap().iter().all(|edit| ![0, 2].contains(&touched(edit))));
    client.open(URI, expected);
    assert_eq!(client.ask_about("formatting", URI, None), json!([]));
    client.end();
}

#[test]
fn other_answers_do_not_wait_until_a_long_file_is_formatted() {
    let mut client = Client::new();
    let formatting = client.format_long(URI, 15_000);
    let place = json!({ "line": 0, "character": 0 });
    let params = json!({ "textDocument": { "uri": URI }, "position": place });
    let completion = client.request("textDocument/completion", params);
    let first = client.wait(|message| match message {
        Message::Response(it) => Some(it.id.clone()),
        _ => None,
    });
    assert_eq!(first, completion);
    assert_ne!(client.answer(&formatting).unwrap(), json!([]));
    client.end();
}

#[test]
fn a_file_is_formatted_if_only_settings_change_meanwhile() {
    let mut client = Client::new();
    let formatting = client.format_long(URI, 5_000);
    client.notify("textDocument/didSave", json!({ "textDocument": { "uri": URI } }));
    client.notify("workspace/didChangeWatchedFiles", json!({ "changes": [] }));
    assert_ne!(client.answer(&formatting).unwrap(), json!([]));
    client.end();
}

#[test]
fn every_request_before_the_end_has_an_answer() {
    let mut client = Client::new();
    let formatting = client.format_long(URI, 15_000);
    client.request("shutdown", Value::Null);
    client.notify("exit", Value::Null);
    let answer = client.answer(&formatting);
    assert!(answer.is_ok() || answer == Err("the session has ended".to_owned()), "{answer:?}");
}

#[test]
fn symbols_are_groups_with_their_rules_and_records_of_the_file() {
    let mut client = Client::new();
    client.open(URI, SHOP);
    let found = client.ask_about("documentSymbol", URI, None);
    let name = |it: &Value| it["name"].as_str().unwrap().to_owned();
    let names: Vec<String> = found.as_array().unwrap().iter().map(name).collect();
    assert_eq!(names, ["`*`", "`GPTBot`", "Sitemap `https://shop.example/sitemap.xml`"]);
    let rules: Vec<String> = found[0]["children"].as_array().unwrap().iter().map(name).collect();
    assert_eq!(rules[..2], ["Disallow `/cart`", "Allow `/cart/help`"]);
    assert_eq!(found[1]["range"]["end"]["line"], 7);
    client.end();
}

#[test]
fn a_url_is_checked_with_an_explanation() {
    let mut client = Client::new();
    client.open(URI, SHOP);
    let check = |client: &mut Client, url: &str, crawler: &str| {
        client.command("verger.check", json!([URI, url, crawler]))
    };
    let answer = check(&mut client, "/cart/help/1", "Googlebot").unwrap();
    let expected = "`/cart/help/1` for `Googlebot`: allowed by `Allow: /cart/help` on line 3, in the \
                    group for `*` (line 1)\nalso matches: `Disallow: /cart` on line 2 (shorter)";
    assert_eq!(answer, expected);
    let answer = check(&mut client, "https://shop.example/ai", "gptbot").unwrap();
    assert!(answer.as_str().unwrap().contains("disallowed by `Disallow: /ai` on line 8"));
    let note = "\nnote: no known crawler and no group has the name `GPTBt`; did you mean `GPTBot`?";
    for (crawler, is_typo) in [("GPTBt", true), ("GPTBt/1.0", true), ("GPTBot/1.0", false)] {
        let answer = check(&mut client, "/ai", crawler).unwrap();
        assert_eq!(answer.as_str().unwrap().ends_with(note), is_typo, "{answer}");
    }
    for (command, arguments, message) in [
        ("verger.check", json!([URI, "cart"]), "or a path such as `/cart`"),
        ("verger.check", json!([URI, ""]), "expected a URL"),
        ("verger.check", json!([URI, "/", "A", "B"]), "at most one crawler"),
        ("verger.check", json!(["file:///other", "/"]), "with the URI of an open file first"),
        ("verger.nothing", json!([]), "expected `verger.check` or `verger.compare`"),
        ("verger.nothing", json!([URI]), "expected a command of verger-lsp"),
    ] {
        let error = client.command(command, arguments).unwrap_err();
        assert!(error.ends_with(message) || error.starts_with(message), "{error}");
    }
    client.end();
}

#[test]
fn columns_are_utf_16_code_units_unless_the_editor_knows_bytes() {
    let text = "\u{feff}User-agent: *\n# é😀 \u{0}\nDisallow: /é😀 /b\n";
    for (offered, kind, column) in [
        (json!(["utf-16"]), "utf-16", 17),
        (json!(["utf-16", "utf-8"]), "utf-8", 20),
        (json!([]), "utf-16", 17),
        (Value::Null, "utf-16", 17),
    ] {
        let mut client = Client::with(&offered);
        assert_eq!(client.capabilities["positionEncoding"], kind);
        client.open(URI, text);
        let found = client.diagnostics(URI);
        let all = codes(&found);
        assert!(all.contains(&"nul"), "{all:?}");
        let blank = found.iter().find(|it| it["code"] == "pattern-list").unwrap();
        let range = &blank["range"];
        assert_eq!(range["end"]["character"], column, "{range}");
        client.end();
    }
}
