//! Checks of output: hostile text in a sink.

use super::entry::{Shown, Sink};
use super::output::unescaped;

/// Checks output that displays the pattern of a rule in a sink.
///
/// Output for people is inert and spells the pattern. A log is also one line. JSON contains a
/// string that decodes to the pattern, with U+FFFD for a byte that is not UTF-8.
///
/// # Errors
///
/// If it is wrong: the problem, in a sentence.
pub fn judge_text(shown: &Shown, output: &[u8]) -> Result<(), String> {
    if let Some(place) = unescaped(output) {
        return Err(format!("a live byte is at {place}"));
    }
    if shown.sink == Sink::Json {
        return judge_json(shown.pattern, output);
    }
    let text = String::from_utf8_lossy(output);
    if shown.sink == Sink::Log && text.trim_end_matches('\n').contains('\n') {
        return Err("expected one line, but found several".into());
    }
    if spellings(shown).any(|spelling| text.contains(&*spelling)) {
        Ok(())
    } else {
        Err(format!("expected `{}`, but it is not there", shown.spelt))
    }
}

fn judge_json(pattern: &[u8], output: &[u8]) -> Result<(), String> {
    let value: serde_json::Value = serde_json::from_slice(output)
        .map_err(|error| format!("expected JSON, but found {error}"))?;
    let pattern = as_json_text(pattern);
    if holds(&value, &pattern) {
        Ok(())
    } else {
        Err(format!("expected a string equal to {pattern:?}, but there is none"))
    }
}

/// The spelling of the entry, and the one with all of its non-ASCII characters escaped: marks may
/// remain or be escaped.
fn spellings(shown: &Shown) -> impl Iterator<Item = String> {
    let escaped = shown
        .spelt
        .chars()
        .map(|c| if c.is_ascii() { c.to_string() } else { c.escape_unicode().to_string() });
    [shown.spelt.to_owned(), escaped.collect()].into_iter()
}

/// The pattern as a JSON string can represent it.
fn as_json_text(pattern: &[u8]) -> String {
    pattern
        .utf8_chunks()
        .flat_map(|chunk| {
            let broken = chunk.invalid().iter().map(|_| char::REPLACEMENT_CHARACTER);
            chunk.valid().chars().chain(broken)
        })
        .collect()
}

/// Whether a JSON value contains this string at any depth.
fn holds(value: &serde_json::Value, wanted: &str) -> bool {
    match value {
        serde_json::Value::String(text) => text == wanted,
        serde_json::Value::Array(values) => values.iter().any(|value| holds(value, wanted)),
        serde_json::Value::Object(values) => values.values().any(|value| holds(value, wanted)),
        serde_json::Value::Null | serde_json::Value::Bool(_) | serde_json::Value::Number(_) => {
            false
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(sink: Sink, output: &str, is_right: bool) {
        let shown = Shown { sink, pattern: b"/\x1b\xff\xcc\x81", spelt: "/\\x1b\\xff\u{301}" };
        assert_eq!(judge_text(&shown, output.as_bytes()).is_ok(), is_right, "{output:?}");
    }

    #[test]
    fn text_sinks_must_show_the_escaped_spelling() {
        for sink in [Sink::Terminal, Sink::Error, Sink::Log] {
            check(sink, "rule /\\x1b\\xff\\u{301} here\n", true);
            check(sink, "rule /\\x1b\\xff\u{301} here", true);
            check(sink, "rule /\x1b here", false);
            check(sink, "rule / here", false);
        }
        check(Sink::Terminal, "a\n/\\x1b\\xff\\u{301}\n", true);
        check(Sink::Log, "a\n/\\x1b\\xff\\u{301}\n", false);
    }

    #[test]
    fn json_must_contain_the_unchanged_pattern() {
        check(Sink::Json, r#"[{"rule":{"pattern":"/\u001b\ufffd\u0301"}}]"#, true);
        check(Sink::Json, "{\"rule\":\"/\\u001b\u{fffd}\u{301}\"}", true);
        check(Sink::Json, r#"{"rule":"/"}"#, false);
        check(Sink::Json, "/", false);
    }
}
