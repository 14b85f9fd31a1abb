//! The length of answers: no text of a site fills the context of a model.

use serde_json::{Map, Value};
use verger::limits::QUOTED_CHARS;
use verger_json::Values;

use crate::limits::{FIELD_CHARS, PRICE_CHARS, RESULT_BYTES, ROOM};

/// The JSON of an answer.
pub(crate) fn written(answer: &Value) -> Vec<u8> {
    let mut text = Vec::new();
    // Writing to memory does not fail.
    let _ = Values::write_value(&mut text, answer);
    text
}

/// Cuts texts of an answer, and its lists if it has more than [`RESULT_BYTES`] without the text of
/// the page.
///
/// A cut text ends with `…`, and `KEY_cut` beside it is true. `KEY_omitted` is the number of items
/// that a list lacks.
pub(crate) fn bound(answer: &mut Value) {
    let page = answer.pointer_mut("/content/text").map(Value::take);
    for (items, characters) in ROOM {
        cut(answer, items, characters);
        if written(answer).len() <= RESULT_BYTES {
            break;
        }
    }
    if let Some((page, place)) = page.zip(answer.pointer_mut("/content/text")) {
        *place = page;
    }
}

fn cut(value: &mut Value, items: usize, characters: usize) {
    match value {
        Value::String(text) => _ = cut_text(text, characters),
        Value::Array(list) => list.iter_mut().for_each(|it| cut(it, items, characters)),
        Value::Object(keys) => cut_keys(keys, items, characters),
        _ => {}
    }
}

fn cut_keys(keys: &mut Map<String, Value>, items: usize, characters: usize) {
    let mut marks = Vec::<(String, Value)>::new();
    for (key, value) in keys.iter_mut() {
        match value {
            Value::String(text) => {
                let most = match key.strip_suffix("_b64").unwrap_or(key) {
                    // As in sentences.
                    "pattern" => characters.min(QUOTED_CHARS),
                    PRICE => PRICE_CHARS,
                    field if FIELDS.contains(&field) => characters.min(FIELD_CHARS),
                    // Texts of this server.
                    "hint" | "notice" => continue,
                    _ => characters,
                };
                if cut_text(text, most) {
                    marks.push((format!("{key}_cut"), true.into()));
                }
                continue;
            }
            // One for each URL of the call.
            Value::Array(list) if key != "answers" && list.len() > items => {
                marks.push((format!("{key}_omitted"), (list.len() - items).into()));
                list.truncate(items);
            }
            _ => {}
        }
        cut(value, items, characters);
    }
    for (key, mark) in marks {
        let before = keys.get(&key).and_then(Value::as_u64);
        let sum = before.zip(mark.as_u64()).map(|(before, more)| (before + more).into());
        keys.insert(key, sum.unwrap_or(mark));
    }
}

/// Header fields that say what a refusal asks for: prices of Cloudflare and x402, licences of RSL.
pub(crate) const FIELDS: [&str; 7] = [
    "crawler-price",
    "crawler-max-price",
    "link",
    PRICE,
    "price",
    "retry-after",
    "www-authenticate",
];

/// The header field with the price of x402.
const PRICE: &str = "payment-required";

/// Cuts a text at a number of characters. Returns whether it was longer.
fn cut_text(text: &mut String, most: usize) -> bool {
    let end = text.char_indices().nth(most).map(|(at, _)| at);
    if let Some(end) = end {
        text.truncate(end);
        text.push('…');
    }
    end.is_some()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_short_answer_is_left_alone() {
        let answer = json!({"url": "/é", "list": vec!["x"; 500], "content": {"text": "x"}});
        let mut bounded = answer.clone();
        bound(&mut bounded);
        assert_eq!(bounded, answer);
    }

    #[test]
    fn a_cut_text_or_list_is_marked_and_the_page_is_whole() {
        let page = "\0".repeat(2 * RESULT_BYTES);
        let long = "é*".repeat(300_000);
        let mut answer = json!({
            "rule": {"pattern": long, "pattern_b64": long},
            "url": long,
            "hint": "x".repeat(300),
            "answers": vec!["x"; 100],
            "findings": vec![json!({"message": "\u{e0061}".repeat(3_000)}); 1_000],
            "findings_omitted": 5,
            "content": {"text": page},
        });
        bound(&mut answer);
        for (place, key) in [("/rule", "pattern"), ("/rule", "pattern_b64"), ("", "url")] {
            let keys = answer.pointer(place).unwrap();
            let text = keys[key].as_str().unwrap();
            assert!(text.ends_with('…') && text.chars().count() <= QUOTED_CHARS + 1, "{text}");
            assert_eq!(keys[format!("{key}_cut")], true);
        }
        assert_eq!(answer["hint"].as_str().map(str::len), Some(300));
        assert_eq!(answer["answers"].as_array().map(Vec::len), Some(100));
        let left = answer["findings"].as_array().unwrap();
        assert_eq!(answer["findings_omitted"], 1_005 - left.len());
        assert!(left.iter().all(|it| it["message_cut"] == true));
        assert_eq!(answer["content"], json!({"text": page}));
        answer["content"].take();
        assert!(written(&answer).len() <= RESULT_BYTES, "{answer}");
    }

    #[test]
    fn nested_lists_are_bounded() {
        let nested = |inner, _| json!({"list": vec![inner; 10]});
        let mut answer = (0..5).fold(json!("a licence"), nested);
        bound(&mut answer);
        assert!(written(&answer).len() <= RESULT_BYTES);
        assert_eq!(answer["list_omitted"].as_u64(), Some(8), "{answer:.300}");
    }
}
