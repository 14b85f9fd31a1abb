//! Findings as SARIF 2.1.0, the format of code scanning services.
//!
//! # References
//!
//! The OASIS standard "Static Analysis Results Interchange Format (SARIF) Version 2.1.0". Section
//! numbers in comments are its own.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Serialize;
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
pub fn sarif<'a>(reports: impl IntoIterator<Item = &'a Report>, errors: &[String]) -> SarifLog {
    let mut omitted = Vec::new();
    let results = reports.into_iter().flat_map(|report| {
        for (rule, count) in &report.omitted {
            let name = Untrusted::new(&report.name);
            omitted
                .push(format!("{name}: {count} more findings of rule {} are left out", rule.code));
        }
        let uri = uri(&report.name);
        report.findings.iter().map(move |finding| SarifResult::of(finding, report, &uri))
    });
    let results = results.collect();
    let notifications =
        errors.iter().map(|error| Notification { level: "error", message: Message::of(error) });
    let invocation = Invocation {
        execution_successful: errors.is_empty(),
        tool_execution_notifications: notifications.collect(),
    };
    let driver = Driver {
        name: "verger",
        semantic_version: env!("CARGO_PKG_VERSION"),
        information_uri: env!("CARGO_PKG_REPOSITORY"),
        rules: RULES.iter().map(Descriptor::of).collect(),
    };
    SarifLog {
        schema: "https://json.schemastore.org/sarif-2.1.0.json",
        version: "2.1.0",
        runs: [Run {
            tool: Tool { driver },
            column_kind: "utf16CodeUnits",
            invocations: [invocation],
            results,
        }],
    }
}

/// A log in the format SARIF 2.1.0.
#[derive(Clone, Debug, Serialize)]
pub struct SarifLog {
    #[serde(rename = "$schema")]
    schema: &'static str,
    version: &'static str,
    runs: [Run; 1],
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Run {
    tool: Tool,
    column_kind: &'static str,
    invocations: [Invocation; 1],
    results: Vec<SarifResult>,
}

#[derive(Clone, Debug, Serialize)]
struct Tool {
    driver: Driver,
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Driver {
    name: &'static str,
    semantic_version: &'static str,
    information_uri: &'static str,
    rules: Vec<Descriptor>,
}

/// A rule.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Descriptor {
    id: &'static str,
    short_description: Message,
    help: Help,
    help_uri: String,
    default_configuration: Configuration,
    properties: BTreeMap<&'static str, [&'static str; 1]>,
}

impl Descriptor {
    fn of(rule: &'static Rule) -> Self {
        let page = rule.page();
        Self {
            id: rule.code,
            short_description: Message::of(&rule.summary()),
            help: Help { text: escaped(&page), markdown: page },
            help_uri: rule.url(),
            default_configuration: Configuration { level: rule.severity.name() },
            properties: BTreeMap::from([("tags", [rule.category.name()])]),
        }
    }
}

#[derive(Clone, Debug, Serialize)]
struct Help {
    text: String,
    markdown: String,
}

/// The names of severities are those of levels.
#[derive(Clone, Debug, Serialize)]
struct Configuration {
    level: &'static str,
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Invocation {
    execution_successful: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tool_execution_notifications: Vec<Notification>,
}

#[derive(Clone, Debug, Serialize)]
struct Notification {
    level: &'static str,
    message: Message,
}

/// A finding, "result" in SARIF.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct SarifResult {
    rule_id: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    rule_index: Option<usize>,
    level: &'static str,
    message: Message,
    locations: [Location; 1],
    #[serde(skip_serializing_if = "Vec::is_empty")]
    related_locations: Vec<Location>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    fixes: Vec<FixChange>,
}

impl SarifResult {
    fn of(finding: &Finding, report: &Report, uri: &str) -> Self {
        let mut message = finding.message.clone();
        for detail in [&finding.help, &finding.url].into_iter().flatten() {
            // Writing to a string cannot fail.
            let _ = write!(message, ". {detail}");
        }
        let labels = finding.labels.iter();
        let related = labels.map(|label| {
            let message = Some(Message::of(&label.text));
            Location { message, ..Location::of(label.span, report, uri) }
        });
        let fix = finding.fix.as_ref().map(|fix| FixChange::of(fix, report, uri));
        Self {
            rule_id: finding.rule.code,
            rule_index: RULES.iter().position(|rule| rule.code == finding.rule.code),
            level: finding.severity.name(),
            message: Message::of(&message),
            locations: [Location::of(finding.span, report, uri)],
            related_locations: related.collect(),
            fixes: fix.into_iter().collect(),
        }
    }
}

/// A plain text message.
#[derive(Clone, Debug, Serialize)]
struct Message {
    text: String,
}

impl Message {
    fn of(text: &str) -> Self {
        Self { text: escaped(text) }
    }
}

/// Text in which nothing is a placeholder (3.11.5) or a link (3.11.6). Foreign text in a message
/// must not become a link.
fn escaped(text: &str) -> String {
    text.replace('{', "{{").replace('}', "}}").replace('[', "\\[")
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Location {
    physical_location: PhysicalLocation,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<Message>,
}

impl Location {
    fn of(span: Span, report: &Report, uri: &str) -> Self {
        let region = Region::of(span, report);
        let artifact_location = ArtifactLocation { uri: uri.to_owned() };
        let physical_location = PhysicalLocation { artifact_location, region };
        Self { physical_location, message: None }
    }
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct PhysicalLocation {
    artifact_location: ArtifactLocation,
    region: Region,
}

#[derive(Clone, Debug, Serialize)]
struct ArtifactLocation {
    uri: String,
}

/// A part of a file, by lines and columns, or by bytes.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase", untagged)]
enum Region {
    #[serde(rename_all = "camelCase")]
    Text { start_line: usize, start_column: usize, end_line: usize, end_column: usize },
    #[serde(rename_all = "camelCase")]
    Binary { byte_offset: usize, byte_length: usize },
}

impl Region {
    fn of(span: Span, report: &Report) -> Self {
        let (start, end) = (report.utf16_position(span.start), report.utf16_position(span.end));
        Self::Text {
            start_line: start.line,
            start_column: start.column,
            end_line: end.line,
            end_column: end.column,
        }
    }
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct FixChange {
    description: Message,
    artifact_changes: [ArtifactChange; 1],
}

impl FixChange {
    fn of(fix: &Fix, report: &Report, uri: &str) -> Self {
        let change = ArtifactChange {
            artifact_location: ArtifactLocation { uri: uri.to_owned() },
            replacements: fix.edits.iter().map(|edit| Replacement::of(edit, report)).collect(),
        };
        let description = Message::of(&format!("{} ({})", fix.title, fix.safety.name()));
        Self { description, artifact_changes: [change] }
    }
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct ArtifactChange {
    artifact_location: ArtifactLocation,
    replacements: Vec<Replacement>,
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Replacement {
    deleted_region: Region,
    #[serde(skip_serializing_if = "Option::is_none")]
    inserted_content: Option<Content>,
}

impl Replacement {
    /// By text, unless the edit concerns a byte order mark, which is no column (3.30.2), or bytes
    /// that are not UTF-8.
    fn of(edit: &Edit, report: &Report) -> Self {
        let text = &report.text;
        let in_mark = text.starts_with(b"\xEF\xBB\xBF") && edit.span.start < 3;
        let removed = text.get(edit.span.range()).unwrap_or_default();
        let new = str::from_utf8(&edit.text).ok().filter(|_| str::from_utf8(removed).is_ok());
        let has_new = !edit.text.is_empty();
        match new {
            Some(new) if !in_mark => Self {
                deleted_region: Region::of(edit.span, report),
                inserted_content: has_new.then(|| Content::Text { text: new.to_owned() }),
            },
            _ => Self {
                deleted_region: Region::Binary {
                    byte_offset: edit.span.start,
                    byte_length: edit.span.len(),
                },
                inserted_content: has_new
                    .then(|| Content::Binary { binary: STANDARD.encode(&edit.text) }),
            },
        }
    }
}

#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
enum Content {
    Text { text: String },
    Binary { binary: String },
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
    use serde_json::{Value, json};
    use verger_lint::{Settings, lint};

    fn results(name: &[u8], text: &[u8]) -> Vec<Value> {
        let mut report = lint(text, &Settings::default());
        report.name = name.to_vec();
        let log = serde_json::to_value(sarif([&report], &[])).unwrap();
        log["runs"][0]["results"].as_array().unwrap().clone()
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
    fn foreign_text_is_neither_a_link_nor_a_placeholder() {
        assert_eq!(escaped("`[x](1)` {0}"), "`\\[x](1)` {{0}}");
        let rule = "Disallow: /[a](http://evil){0}\n";
        let found = results(b"r", format!("User-agent: *\n{rule}{rule}").as_bytes());
        let mut messages = found.iter().filter_map(|it| it["message"]["text"].as_str());
        assert!(messages.any(|it| it.contains("/\\[a](http://evil){{0}}")), "{found:?}");
    }

    #[test]
    fn errors_are_notifications() {
        let log = sarif(&[], &["could not read `x`".to_owned()]);
        let log = serde_json::to_value(log).unwrap();
        let invocation = &log["runs"][0]["invocations"][0];
        assert_eq!(invocation["executionSuccessful"], false);
        let notification = &invocation["toolExecutionNotifications"][0];
        assert_eq!(notification["message"]["text"], "could not read `x`");
    }
}
