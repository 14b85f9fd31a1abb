//! The JSON schema of `verger.toml`.

use std::fmt::Write as _;

use verger::Untrusted;

use super::key::{FILE, Key, Names, Value};

/// Writes the JSON schema of `verger.toml`, for editors: keys, names of rules and dialects.
///
/// # Examples
///
/// ```
/// let schema = verger_lint::config::schema();
/// assert!(schema.contains("\"misspelt-key\""));
/// ```
pub fn schema() -> String {
    let mut out = String::from("{\n");
    line(&mut out, 1, "\"$schema\": \"http://json-schema.org/draft-07/schema#\",");
    line(&mut out, 1, "\"title\": \"verger.toml\",");
    line(&mut out, 1, "\"description\": \"Settings of the program verger.\",");
    table(&mut out, 1, FILE);
    out.push_str("}\n");
    out
}

/// Writes the members of the schema of a table.
fn table(out: &mut String, depth: usize, keys: &[Key]) {
    line(out, depth, "\"type\": \"object\",");
    line(out, depth, "\"additionalProperties\": false,");
    line(out, depth, "\"properties\": {");
    for (at, key) in keys.iter().enumerate() {
        line(out, depth + 1, &format!("{}: {{", string(key.name)));
        line(out, depth + 2, &format!("\"description\": {},", string(key.about)));
        value(out, depth + 2, &key.value);
        line(out, depth + 1, if at + 1 < keys.len() { "}," } else { "}" });
    }
    line(out, depth, "}");
}

fn value(out: &mut String, depth: usize, value: &Value) {
    match *value {
        Value::Table(keys) => table(out, depth, keys),
        Value::Names(names, _) => {
            line(out, depth, "\"type\": \"array\",");
            line(out, depth, "\"uniqueItems\": true,");
            line(out, depth, "\"items\": {");
            one_of(out, depth + 1, names);
            line(out, depth, "}");
        }
        Value::Texts(_) => {
            line(out, depth, "\"type\": \"array\",");
            line(out, depth, "\"items\": {");
            line(out, depth + 1, "\"type\": \"string\"");
            line(out, depth, "}");
        }
        Value::Name(names, _) => one_of(out, depth, names),
        Value::Severities => {
            line(out, depth, "\"type\": \"object\",");
            line(out, depth, "\"propertyNames\": {");
            one_of(out, depth + 1, Names::Rules);
            line(out, depth, "},");
            line(out, depth, "\"additionalProperties\": {");
            one_of(out, depth + 1, Names::Severities);
            line(out, depth, "}");
        }
        Value::Origin => {
            line(out, depth, "\"type\": \"string\",");
            line(out, depth, "\"pattern\": \"^[a-z]+://[^/?#]+$\"");
        }
    }
}

fn one_of(out: &mut String, depth: usize, names: Names) {
    let names = names.all().into_iter().map(string).collect::<Vec<_>>().join(", ");
    line(out, depth, &format!("\"enum\": [{names}]"));
}

fn string(text: &str) -> String {
    Untrusted::new(text).json().to_string()
}

fn line(out: &mut String, depth: usize, text: &str) {
    let _ = writeln!(out, "{}{text}", "  ".repeat(depth));
}
