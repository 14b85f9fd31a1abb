//! The JSON schema of `verger.toml`.

use std::fmt::Write as _;

use verger::Untrusted;

use super::key::{FILE, Key, Names, Value};
use super::serve::{SERVE, ServeKind};

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
fn table(out: &mut String, depth: usize, keys: &'static [Key]) {
    let keys = keys.iter().map(|key| (key.name, key.about, &key.value));
    object(out, depth, keys, value);
}

/// Writes the members of the schema of an object with these names, descriptions and types.
fn object<T>(
    out: &mut String,
    depth: usize,
    keys: impl ExactSizeIterator<Item = (&'static str, &'static str, T)>,
    value: fn(&mut String, usize, T),
) {
    line(out, depth, "\"type\": \"object\",");
    line(out, depth, "\"additionalProperties\": false,");
    line(out, depth, "\"properties\": {");
    let count = keys.len();
    for (at, (name, about, kind)) in keys.enumerate() {
        line(out, depth + 1, &format!("{}: {{", string(name)));
        line(out, depth + 2, &format!("\"description\": {},", string(about)));
        value(out, depth + 2, kind);
        line(out, depth + 1, if at + 1 < count { "}," } else { "}" });
    }
    line(out, depth, "}");
}

fn serve_value(out: &mut String, depth: usize, kind: ServeKind) {
    match kind {
        ServeKind::Text(_) => line(out, depth, "\"type\": \"string\""),
        ServeKind::Texts(_) => texts(out, depth),
        ServeKind::Number { least, most } => {
            line(out, depth, "\"type\": \"integer\",");
            line(out, depth, &format!("\"minimum\": {least},"));
            line(out, depth, &format!("\"maximum\": {most}"));
        }
        ServeKind::Name(names) => {
            let names: Vec<_> = names.iter().map(|name| string(name)).collect();
            line(out, depth, &format!("\"enum\": [{}]", names.join(", ")));
        }
    }
}

fn texts(out: &mut String, depth: usize) {
    line(out, depth, "\"type\": \"array\",");
    line(out, depth, "\"items\": {");
    line(out, depth + 1, "\"type\": \"string\"");
    line(out, depth, "}");
}

fn value(out: &mut String, depth: usize, value: &'static Value) {
    match *value {
        Value::Table(keys) => table(out, depth, keys),
        Value::Names(names, _) => {
            line(out, depth, "\"type\": \"array\",");
            line(out, depth, "\"uniqueItems\": true,");
            line(out, depth, "\"items\": {");
            one_of(out, depth + 1, names);
            line(out, depth, "}");
        }
        Value::Texts(_) => texts(out, depth),
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
        Value::Serve => {
            let keys = SERVE.iter().map(|key| (key.name, key.about, key.kind));
            object(out, depth, keys, serve_value);
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
