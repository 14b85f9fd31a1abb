//! A validator of the part of JSON Schema that the description of the API uses. Keys that a schema
//! does not have are errors here, so that the description stays complete.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

/// The problems of a value.
pub(crate) fn problems(root: &Value, schema: &Value, value: &Value) -> Vec<String> {
    let mut found = Vec::new();
    check(root, schema, value, "", &mut found);
    found
}

fn check(root: &Value, schema: &Value, value: &Value, at: &str, found: &mut Vec<String>) {
    if let Some(name) = schema["$ref"].as_str() {
        let target = root.pointer(name.trim_start_matches('#'));
        return check(root, target.unwrap_or_else(|| panic!("{name}")), value, at, found);
    }
    for key in ["oneOf", "anyOf"] {
        if let Some(choices) = schema[key].as_array() {
            let fits = choices.iter().any(|choice| problems(root, choice, value).is_empty());
            if !fits {
                found.push(format!("{at}: none of {schema}"));
            }
            return;
        }
    }
    let types: Vec<&str> = match &schema["type"] {
        Value::String(name) => vec![name],
        Value::Array(names) => names.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    if !types.is_empty() && !types.iter().any(|name| is(name, value)) {
        found.push(format!("{at}: expected {types:?}, but found {value}"));
        return;
    }
    let mut keys = Keys::default();
    keys.add(root, schema);
    if let (false, Some(object)) = (keys.known.is_empty(), value.as_object()) {
        for name in keys.required.iter().filter(|name| !object.contains_key(**name)) {
            found.push(format!("{at}: expected key {name}"));
        }
        for (name, value) in object {
            match keys.known.get(name.as_str()) {
                Some(schema) => check(root, schema, value, &format!("{at}/{name}"), found),
                None => found.push(format!("{at}: undescribed key {name}")),
            }
        }
    }
    if let (Some(items), Some(values)) = (schema.get("items"), value.as_array()) {
        for (number, value) in values.iter().enumerate() {
            check(root, items, value, &format!("{at}/{number}"), found);
        }
    }
    if let Some(names) = schema["enum"].as_array()
        && !names.contains(value)
    {
        found.push(format!("{at}: expected one of {names:?}, but found {value}"));
    }
}

/// The keys of an object, also by all parts of its schema.
#[derive(Default)]
struct Keys<'s> {
    known: BTreeMap<&'s str, &'s Value>,
    required: BTreeSet<&'s str>,
}

impl<'s> Keys<'s> {
    fn add(&mut self, root: &'s Value, schema: &'s Value) {
        if let Some(name) = schema["$ref"].as_str() {
            return self.add(root, root.pointer(name.trim_start_matches('#')).unwrap());
        }
        let parts = schema["allOf"].as_array().into_iter().flatten();
        parts.for_each(|part| self.add(root, part));
        let known = schema["properties"].as_object().into_iter().flatten();
        self.known.extend(known.map(|(name, schema)| (name.as_str(), schema)));
        let required = schema["required"].as_array().into_iter().flatten();
        self.required.extend(required.filter_map(Value::as_str));
    }
}

fn is(name: &str, value: &Value) -> bool {
    match name {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_u64() || value.is_i64(),
        "number" => value.is_number(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        _ => panic!("{name}"),
    }
}

#[test]
fn wrong_values_are_found() {
    let root = serde_json::json!({"a": {"type": "object", "required": ["x"], "properties": {
        "x": {"type": ["integer", "null"]}, "y": {"type": "array", "items": {"type": "string"}},
        "z": {"enum": ["b"]}, "any": {}, "object": {"type": "object"}
    }}, "b": {"allOf": [{"$ref": "#/a"}, {"properties": {"v": {"type": "string"}}}]}});
    let schema = serde_json::json!({"$ref": "#/a"});
    let count = |value| problems(&root, &schema, &value).len();
    assert_eq!(count(serde_json::json!({"x": 1, "y": ["a"], "z": "b"})), 0);
    assert_eq!(count(serde_json::json!({"x": null, "any": "a", "object": {"b": 1}})), 0);
    assert_eq!(count(serde_json::json!({"x": null, "object": "a"})), 1);
    assert_eq!(count(serde_json::json!({})), 1);
    let all = serde_json::json!({"$ref": "#/b"});
    let count_all = |value| problems(&root, &all, &value).len();
    assert_eq!(count_all(serde_json::json!({"x": 1, "v": "a"})), 0);
    assert_eq!(count_all(serde_json::json!({"v": 1, "w": 1})), 3);
    assert_eq!(count(serde_json::json!({"x": "1", "y": [1], "z": "c", "w": 1})), 4);
}
