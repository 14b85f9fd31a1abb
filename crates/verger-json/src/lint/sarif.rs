//! Findings as SARIF 2.1.0, the format of code scanning services.
//!
//! # References
//!
//! The OASIS standard "Static Analysis Results Interchange Format (SARIF) Version 2.1.0". Section
//! numbers in comments are its own.

use std::fmt::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use verger::{Span, Untrusted};
use verger_lint::{Edit, Finding, Fix, RULES, Report, Rule};

/// A log of one run, with all rules and the findings of these files. `errors` are messages about
/// files that could not be linted. Write it with [`Values`](crate::Values), which escapes it.
///
/// # Examples
///
/// ```
/// use verger_json::Values;
/// use verger_json::lint::sarif;
/// use verger_lint::{Settings, lint};
///
/// let reports = [lint(b"User-agent: *\nDissalow: /cart\n", &Settings::default())];
/// let mut out = Vec::new();
/// Values::lines().write(&mut out, &sarif(&reports, &[]))?;
/// let log: serde_json::Value = serde_json::from_slice(&out)?;
/// assert_eq!(log["version"], "2.1.0");
/// assert_eq!(log["runs"][0]["results"][0]["ruleId"], "misspelt-key");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn sarif<'a>(reports: impl IntoIterator<Item = &'a Report>, errors: &[String]) -> Value {
    let notification = |level, text: &str| json!({ "level": level, "message": message(text) });
    let mut notifications: Vec<Value> =
        errors.iter().map(|error| notification("error", error)).collect();
    let mut results = Vec::new();
    for report in reports {
        let (name, uri) = (Untrusted::new(&report.name), uri(&report.name));
        results.extend(report.findings.iter().map(|finding| result(finding, report, &uri)));
        for (rule, count) in &report.omitted {
            let text = format!("{name}: findings of rule {} left out: {count}", rule.code);
            notifications.push(notification("note", &text));
        }
    }
    let mut invocation = json!({ "executionSuccessful": errors.is_empty() });
    if !notifications.is_empty() {
        invocation["toolExecutionNotifications"] = notifications.into();
    }
    let mut log = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "verger",
                "semanticVersion": env!("CARGO_PKG_VERSION"),
                "informationUri": env!("CARGO_PKG_REPOSITORY"),
                "rules": RULES.iter().map(descriptor).collect::<Vec<_>>(),
            } },
            "columnKind": "utf16CodeUnits",
            "invocations": [invocation],
        }],
    });
    // `json!` would copy them.
    log["runs"][0]["results"] = results.into();
    log
}

/// A rule. The names of severities are those of levels.
fn descriptor(rule: &'static Rule) -> Value {
    let page = rule.page();
    json!({
        "id": rule.code,
        "shortDescription": message(&rule.summary()),
        "help": { "text": escaped(&page), "markdown": page },
        "helpUri": rule.url(),
        "defaultConfiguration": { "level": rule.severity.name() },
        "properties": { "tags": [rule.category.name()] },
    })
}

/// A finding, "result" in SARIF.
fn result(finding: &Finding, report: &Report, uri: &str) -> Value {
    let mut text = finding.message.clone();
    for detail in [&finding.help, &finding.url].into_iter().flatten() {
        // Writing to a string cannot fail.
        let _ = write!(text, ". {detail}");
    }
    let mut result = json!({
        "ruleId": finding.rule.code,
        "level": finding.severity.name(),
        "message": message(&text),
    });
    result["locations"] = vec![location(finding.span, report, uri)].into();
    if let Some(index) = RULES.iter().position(|rule| rule.code == finding.rule.code) {
        result["ruleIndex"] = index.into();
    }
    let labels = finding.labels.iter().map(|label| {
        let mut related = location(label.span, report, uri);
        related["message"] = message(&label.text);
        related
    });
    if labels.len() > 0 {
        result["relatedLocations"] = labels.collect();
    }
    if let Some(fix) = &finding.fix {
        result["fixes"] = vec![fix_change(fix, report, uri)].into();
    }
    result
}

/// A plain text message.
fn message(text: &str) -> Value {
    json!({ "text": escaped(text) })
}

/// Text in which nothing is a placeholder (3.11.5) or a link (3.11.6). Foreign text in a message
/// must not become a link.
fn escaped(text: &str) -> String {
    text.replace('{', "{{").replace('}', "}}").replace('[', "\\[")
}

fn location(span: Span, report: &Report, uri: &str) -> Value {
    json!({ "physicalLocation": {
        "artifactLocation": { "uri": uri },
        "region": region(span, report),
    } })
}

/// A part of a file, by lines and columns.
fn region(span: Span, report: &Report) -> Value {
    let (start, end) = (report.utf16_position(span.start), report.utf16_position(span.end));
    json!({
        "startLine": start.line,
        "startColumn": start.column,
        "endLine": end.line,
        "endColumn": end.column,
    })
}

fn fix_change(fix: &Fix, report: &Report, uri: &str) -> Value {
    let replacements = fix.edits.iter().map(|edit| replacement(edit, report));
    json!({
        "description": message(&format!("{} ({})", fix.title, fix.safety.name())),
        "artifactChanges": [{
            "artifactLocation": { "uri": uri },
            "replacements": replacements.collect::<Vec<_>>(),
        }],
    })
}

/// By text, unless the edit concerns a byte order mark, which is no column (3.30.2), or bytes that
/// are not UTF-8.
fn replacement(edit: &Edit, report: &Report) -> Value {
    let text = &report.text;
    let in_mark = text.starts_with(b"\xEF\xBB\xBF") && edit.span.start < 3;
    let removed = text.get(edit.span.range()).unwrap_or_default();
    let new = str::from_utf8(&edit.text).ok().filter(|_| str::from_utf8(removed).is_ok());
    let (deleted, inserted) = match new {
        Some(new) if !in_mark => (region(edit.span, report), json!({ "text": new })),
        _ => (
            json!({ "byteOffset": edit.span.start, "byteLength": edit.span.len() }),
            json!({ "binary": STANDARD.encode(&edit.text) }),
        ),
    };
    let mut replacement = json!({ "deletedRegion": deleted });
    if !edit.text.is_empty() {
        replacement["insertedContent"] = inserted;
    }
    replacement
}

/// The name of a file as a URI reference (3.4.3): a URL as it is, an absolute path as a `file` URI
/// (RFC 8089), another path with `/`, and octets that a URI cannot contain as escapes.
fn uri(name: &[u8]) -> String {
    let is_url = name
        .windows(3)
        .position(|part| part == b"://")
        .is_some_and(|at| at > 0 && name[..at].iter().all(u8::is_ascii_alphabetic));
    let mut out = String::with_capacity(name.len());
    for (at, &octet) in name.iter().enumerate() {
        match octet {
            b'\\' if cfg!(windows) => out.push('/'),
            b'%' | b':' | b'?' | b'#' | b'@' | b'[' | b']' if is_url => out.push(octet.into()),
            // A colon in the first segment would end a scheme.
            b':' if name[..at].contains(&b'/') => out.push(':'),
            b'/' | b'-' | b'.' | b'_' | b'~' | b'!' | b'$' | b'&' | b'\'' | b'(' | b')' | b'*'
            | b'+' | b',' | b';' | b'=' => out.push(octet.into()),
            _ if octet.is_ascii_alphanumeric() => out.push(octet.into()),
            _ => {
                let _ = write!(out, "%{octet:02X}");
            }
        }
    }
    let has_drive = cfg!(windows) && name.get(1..3).is_some_and(|it| matches!(it, b":\\" | b":/"));
    match out.as_bytes() {
        _ if is_url => out,
        // The colon of the drive is an escape.
        _ if has_drive => format!("file:///{}:{}", &out[..1], &out[4..]),
        [b'/', ..] => format!("file://{out}"),
        _ => out,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use verger_lint::{Settings, lint};

    fn results(name: &[u8], text: &[u8]) -> Vec<Value> {
        let mut report = lint(text, &Settings::default());
        report.name = name.to_vec();
        sarif([&report], &[])["runs"][0]["results"].as_array().unwrap().clone()
    }

    #[test]
    fn names_are_uri_references() {
        for (name, expected) in [
            (&b"a/robots.txt"[..], "a/robots.txt"),
            (b"a b%\xff\n", "a%20b%25%FF%0A"),
            (b"javascript:x", "javascript%3Ax"),
            (b"./a:b", "./a:b"),
            (b"/tmp/a b/robots.txt", "file:///tmp/a%20b/robots.txt"),
            (b"//host/x", "file:////host/x"),
            (b"<stdin>", "%3Cstdin%3E"),
            (b"https://shop.example:80/robots.txt", "https://shop.example:80/robots.txt"),
        ] {
            assert_eq!(uri(name), expected);
        }
    }

    #[cfg(windows)]
    #[test]
    fn a_drive_is_part_of_a_file_uri() {
        assert_eq!(uri(br"C:\a\robots.txt"), "file:///C:/a/robots.txt");
    }

    #[test]
    fn columns_are_in_utf_16() {
        let found = results(b"r", "User-agent: *\nDisallow: /\u{1f600}%4\n".as_bytes());
        let region = &found[0]["locations"][0]["physicalLocation"]["region"];
        assert_eq!(
            (&found[0]["ruleId"], &region["startColumn"]),
            (&json!("malformed-percent"), &json!(14))
        );
    }

    #[test]
    fn a_fix_of_a_byte_order_mark_is_in_bytes() {
        let found = results(b"r", b"User-agent: *\n\xef\xbb\xbfDisallow: /x\n");
        assert!(!found.is_empty());
        let found = results(b"r", b"\xef\xbb\xbfDissalow: /x\n");
        let fixes: Vec<_> = found.iter().filter_map(|it| it.get("fixes")).collect();
        let starts: Vec<_> = fixes
            .iter()
            .map(|it| it[0]["artifactChanges"][0]["replacements"][0]["deletedRegion"].clone())
            .collect();
        for start in &starts {
            let is_text = start.get("startColumn") == Some(&json!(1));
            assert!(is_text || start.get("byteOffset") == Some(&json!(0)), "{starts:?}");
        }
    }

    #[test]
    fn a_gathered_finding_has_its_lines_as_related_places_and_one_fix() {
        let found = results(b"r", b"User-agent: *\nDisallow: /a\nDisallow: /a/b\nDisallow: /a/c\n");
        let [result] = &*found else { panic!("{found:?}") };
        let line = |it: &Value| it["physicalLocation"]["region"]["startLine"].clone();
        let related = result["relatedLocations"].as_array().unwrap().iter().map(line);
        assert_eq!(related.collect::<Vec<_>>(), [2, 4]);
        let change = &result["fixes"][0]["artifactChanges"][0];
        let removed = change["replacements"].as_array().unwrap().iter();
        let starts = removed.map(|it| it["deletedRegion"]["startLine"].clone());
        assert_eq!(starts.collect::<Vec<_>>(), [3, 4]);
    }

    #[test]
    fn foreign_text_is_neither_a_link_nor_a_placeholder() {
        assert_eq!(escaped("`[x](1)` {0}"), "`\\[x](1)` {{0}}");
        let rule = "Disallow: /[a](http://evil){0}\n";
        let found = results(b"r", format!("User-agent: *\n{rule}{rule}").as_bytes());
        let mut messages = found.iter().filter_map(|it| it["message"]["text"].as_str());
        assert!(messages.any(|it| it.contains("/\\[a](http://evil){{0}}")), "{found:?}");
    }

    #[test]
    fn omitted_findings_are_counted_in_a_notification() {
        let text = format!("User-agent: *\n{}", "foo\n".repeat(10_000));
        let report = lint(text.as_bytes(), &Settings::default());
        let [(rule, count)] = &*report.omitted else { panic!("{:?}", report.omitted) };
        let invocation = &sarif([&report], &[])["runs"][0]["invocations"][0];
        assert_eq!(invocation["executionSuccessful"], true);
        let found = &invocation["toolExecutionNotifications"][0];
        assert_eq!(found["level"], "note");
        let text = found["message"]["text"].as_str().unwrap();
        let expected = format!("findings of rule {} left out: {count}", rule.code);
        assert!(text.ends_with(&expected), "{text}");
    }

    #[test]
    fn errors_are_notifications() {
        let log = sarif(&[], &["could not read `x`".to_owned()]);
        let invocation = &log["runs"][0]["invocations"][0];
        assert_eq!(invocation["executionSuccessful"], false);
        let notification = &invocation["toolExecutionNotifications"][0];
        assert_eq!(notification["message"]["text"], "could not read `x`");
    }
}
