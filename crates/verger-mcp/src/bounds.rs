//! The length of answers: no text of a site fills the context of a model.

use serde_json::Value;
use verger_json::Values;

use crate::limits::{RESULT_BYTES, ROOM};

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
/// A cut text ends with `…`. `KEY_omitted` is the number of items that a list lacks.
pub(crate) fn bound(answer: &mut Value) {
    let page = answer.pointer_mut("/content/text").map(Value::take);
    let whole = answer.take();
    for (items, characters) in ROOM {
        *answer = whole.clone();
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
        Value::String(text) => {
            if let Some((end, _)) = text.char_indices().nth(characters) {
                text.truncate(end);
                text.push('…');
            }
        }
        Value::Array(list) => list.iter_mut().for_each(|it| cut(it, items, characters)),
        Value::Object(keys) => {
            let mut omitted = Vec::<(String, Value)>::new();
            for (key, value) in keys.iter_mut() {
                // There is an answer for each URL of a call.
                if let Value::Array(list) = value
                    && key != "answers"
                    && let Some(more @ 1..) = list.len().checked_sub(items)
                {
                    omitted.push((format!("{key}_omitted"), more.into()));
                    list.truncate(items);
                }
                cut(value, items, characters);
            }
            keys.extend(omitted);
        }
        _ => {}
    }
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
            "answers": vec!["x"; 100],
            "findings": vec![json!({"message": "\u{e0061}".repeat(3_000)}); 1_000],
            "content": {"text": page},
        });
        bound(&mut answer);
        for (place, key) in [("/rule", "pattern"), ("/rule", "pattern_b64"), ("", "url")] {
            let text = answer.pointer(place).unwrap()[key].as_str().unwrap();
            assert!(text.ends_with('…') && text.chars().count() <= 401, "{text}");
        }
        assert_eq!(answer["answers"].as_array().map(Vec::len), Some(100));
        let left = answer["findings"].as_array().unwrap();
        assert_eq!(answer["findings_omitted"], 1_000 - left.len());
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
