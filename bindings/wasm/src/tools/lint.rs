//! The linter and the formatter.

use verger::access::Timestamp;
use verger::diagnostic::Severity;
use verger::limits::QUOTED_CHARS;
use verger::{Dialect, LineIndex, Untrusted};
use verger_lint::{Finding, Formatted, Profile, RULES, Report, Safety, Settings, Skip};
use wasm_bindgen::prelude::*;

use crate::input;
use crate::json::Json;
use crate::values;

/// The result of [`lint`].
#[wasm_bindgen]
pub struct NativeReport(Report, Settings);

/// Lints a file. Each line of the settings is a key and a value: `select repeated-rule`, or
/// `severity error repeated-rule`. A profile comes first.
///
/// # Errors
///
/// A name in the settings is unknown; the error is a message.
#[wasm_bindgen]
pub fn lint(text: usize, settings: usize) -> Result<NativeReport, String> {
    input::with([text, settings], |[text, settings]| {
        let settings = read(&String::from_utf8_lossy(settings))?;
        Ok(NativeReport(verger_lint::lint(text, &settings), settings))
    })
}

#[wasm_bindgen]
impl NativeReport {
    pub fn findings(&self) -> String {
        let lines = LineIndex::new(&self.0.text);
        Json::object_of(|json| {
            json.key("findings")
                .array(&self.0.findings, |json, found| finding(json, found, &lines));
            json.key("omitted").array(&self.0.omitted, |json, (rule, count)| {
                json.object(|json| {
                    json.key("code").text(rule.code);
                    json.key("count").count(*count);
                });
            });
        })
    }

    pub fn text(&self) -> Vec<u8> {
        self.0.text.clone()
    }

    /// The text with all fixes, also with the unsafe ones on request; `None` without a fix.
    pub fn fixed(&self, unsafely: bool) -> Option<Vec<u8>> {
        let safety = if unsafely { Safety::Unsafe } else { Safety::Safe };
        self.0.fixed_until_none(&self.1, safety).map(|(text, ..)| text)
    }
}

/// A formatted file.
#[wasm_bindgen]
pub struct NativeFormatted(Formatted);

#[wasm_bindgen]
impl NativeFormatted {
    #[wasm_bindgen(constructor)]
    pub fn new(text: usize) -> Self {
        input::with([text], |[text]| Self(Formatted::of(text)))
    }

    pub fn text(&self) -> Vec<u8> {
        self.0.text.clone()
    }

    /// The lines that stay as they are, with the reason.
    pub fn skipped(&self) -> String {
        Json::of(|json| {
            json.array(&self.0.skipped, |json, (line, reason)| {
                json.object(|json| {
                    json.key("line").count(*line);
                    json.key("reason").text(match reason {
                        Skip::Meaning => "meaning",
                        Skip::Proofs => "proofs",
                        Skip::Unread => "unread",
                        _ => "other",
                    });
                });
            });
        })
    }
}

/// All rules of the linter.
#[wasm_bindgen]
pub fn lint_rules() -> String {
    Json::of(|json| {
        json.array(RULES, |json, rule| {
            json.object(|json| {
                json.key("code").text(rule.code);
                json.key("category").text(rule.category.name());
                json.key("severity").text(rule.severity.name());
                json.key("summary").text(rule.summary());
                json.key("page").text(rule.page());
            });
        });
    })
}

fn read(lines: &str) -> Result<Settings, String> {
    let mut settings = Settings::default();
    let (mut select, mut portable) = (Vec::new(), Vec::new());
    for (key, value) in lines.lines().filter_map(|line| line.split_once(' ')) {
        match key {
            "profile" => {
                let profile: Profile =
                    value.parse().map_err(|error| format!("profile: {error}"))?;
                settings = profile.settings();
            }
            "select" => select.push(value.to_owned()),
            "ignore" => settings.ignore.push(value.to_owned()),
            "portable" => {
                let dialect: Dialect =
                    value.parse().map_err(|error| format!("portable: {error}"))?;
                portable.push(dialect);
            }
            "origin" => {
                let origin = value.parse().map_err(|error| format!("origin: {error}"))?;
                settings.origin = Some(origin);
            }
            "now" => {
                let seconds = value.parse().map_err(|error| format!("now: {error}"))?;
                settings.now = Some(Timestamp::from_seconds(seconds));
            }
            "severity" => {
                let (name, code) = value.split_once(' ').unwrap_or((value, ""));
                settings.severity.insert(code.to_owned(), severity(name)?);
            }
            _ => return Err(format!("expected a setting, but found `{}`", quoted(key))),
        }
    }
    // A list of the caller replaces that of the profile.
    if !select.is_empty() {
        settings.select = select;
    }
    if !portable.is_empty() {
        settings.portable = portable;
    }
    if let Some(name) = settings.unknown_name() {
        let known = RULES.iter().map(|rule| rule.code).collect::<Vec<_>>().join(", ");
        let name = quoted(name);
        return Err(format!("expected a rule or a category, but found `{name}`; rules: {known}"));
    }
    Ok(settings)
}

fn severity(name: &str) -> Result<Severity, String> {
    let known = [Severity::Note, Severity::Warning, Severity::Error];
    known.into_iter().find(|severity| severity.name() == name).ok_or_else(|| {
        let known = known.map(Severity::name).join(", ");
        format!("severity: expected one of {known}, but found `{}`", quoted(name))
    })
}

/// A text of the caller in a message.
fn quoted(text: &str) -> Untrusted<'_> {
    Untrusted::new(text).limited_to(QUOTED_CHARS)
}

fn finding(json: &mut Json, found: &Finding, lines: &LineIndex) {
    json.object(|json| {
        json.key("code").text(found.rule.code);
        json.key("severity").text(found.severity.name());
        json.key("category").text(found.rule.category.name());
        json.key("message").text(&found.message);
        values::position(json, found.span, lines);
        json.key("labels").array(&found.labels, |json, label| {
            json.object(|json| {
                json.key("text").text(&label.text);
                values::position(json, label.span, lines);
            });
        });
        json.key("url").option(found.url.as_deref(), Json::text);
        json.key("help").option(found.help.as_deref(), Json::text);
        json.key("fix").option(found.fix.as_ref(), |json, fix| {
            json.object(|json| {
                json.key("title").text(&fix.title);
                json.key("safe").bool(fix.safety == Safety::Safe);
            });
        });
    });
}
