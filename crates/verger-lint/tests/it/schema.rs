//! The JSON schema of `verger.toml` in `docs/` is current. `EXPORT=overwrite` writes it.

use std::path::Path;
use std::{env, fs};

#[test]
fn committed_schema_is_current() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/verger.schema.json");
    let schema = verger_lint::config::schema();
    if env::var_os("EXPORT").is_some_and(|value| value == "overwrite") {
        return fs::write(path, schema).unwrap();
    }
    let found = fs::read_to_string(path).unwrap_or_default();
    assert!(found == schema, "docs/verger.schema.json is out of date: run `cargo xtask generate`");
}
