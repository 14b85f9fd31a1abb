//! `--show-config`: all settings as a `verger.toml`, with their sources.

use std::fmt::Write as _;

use verger::Untrusted;

use super::keys::{SERVE, ServeKind};
use super::{SettingText, Source, variable};

/// The settings as a `verger.toml`; defaults are comments.
pub(super) fn shown(texts: &[SettingText]) -> String {
    let mut out = String::from("[serve]\n");
    // Writing to a string does not fail.
    for key in SERVE {
        let Some(given) = texts.iter().find(|text| text.name == key.name) else {
            let _ = writeln!(out, "# {}: default", key.name);
            continue;
        };
        let _ = match &given.source {
            Source::Flag => writeln!(out, "# by flag"),
            Source::Environment => writeln!(out, "# by {}", variable(key.name)),
            Source::File(path) => writeln!(out, "# in {}", Untrusted::new(path)),
        };
        let text = |text: &String| Untrusted::new(text).json().to_string();
        let first = given.texts.first().map(text).unwrap_or_default();
        let _ = match key.kind {
            ServeKind::Texts(_) => {
                let texts: Vec<_> = given.texts.iter().map(text).collect();
                writeln!(out, "{} = [{}]", key.name, texts.join(", "))
            }
            ServeKind::Number(..) => writeln!(out, "{} = {}", key.name, first.trim_matches('"')),
            ServeKind::Text(_) | ServeKind::Name(_) => writeln!(out, "{} = {first}", key.name),
        };
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::keys;

    #[test]
    fn shown_settings_are_a_valid_file_with_the_same_values() {
        let text = |name, texts: &[&str], source| SettingText {
            name,
            texts: texts.iter().map(|&text| text.to_owned()).collect(),
            source,
        };
        let shown = shown(&[
            text("listen", &["127.0.0.1:1", "[::1]:2"], Source::Flag),
            text("max_urls", &["7"], Source::Environment),
            text("user_agent", &["a \"b\""], Source::File("x.toml".to_owned())),
        ]);
        assert!(shown.contains("# by VERGER_SERVE_MAX_URLS\nmax_urls = 7\n"), "{shown}");
        assert!(shown.contains("# in x.toml\nuser_agent = "), "{shown}");
        assert!(shown.contains("# rate: default\n"), "{shown}");
        let read = keys::read(&shown).unwrap();
        assert_eq!(read["listen"], ["127.0.0.1:1", "[::1]:2"]);
        assert_eq!(read["user_agent"], ["a \"b\""]);
        assert_eq!(read.len(), 3);
    }
}
