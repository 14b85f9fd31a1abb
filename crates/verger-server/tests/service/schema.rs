//! A validator of the part of JSON Schema that the description of the API uses. Keys that a schema
//! does not have are errors here, so that the description stays complete.

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
    if let (Some(properties), Some(object)) = (schema["properties"].as_object(), value.as_object())
    {
        for name in schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str) {
            if !object.contains_key(name) {
                found.push(format!("{at}: expected key {name}"));
            }
        }
        for (name, value) in object {
            match properties.get(name) {
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
    }}});
    let schema = serde_json::json!({"$ref": "#/a"});
    let count = |value| problems(&root, &schema, &value).len();
    assert_eq!(count(serde_json::json!({"x": 1, "y": ["a"], "z": "b"})), 0);
    assert_eq!(count(serde_json::json!({"x": null, "any": "a", "object": {"b": 1}})), 0);
    assert_eq!(count(serde_json::json!({"x": null, "object": "a"})), 1);
    assert_eq!(count(serde_json::json!({})), 1);
    assert_eq!(count(serde_json::json!({"x": "1", "y": [1], "z": "c", "w": 1})), 4);
}
