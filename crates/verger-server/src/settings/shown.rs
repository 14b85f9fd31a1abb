//! `--show-config`: all settings as a `verger.toml`, with their sources.

use std::fmt::{self, Display};

use verger::Untrusted;
use verger_lint::config::serve::{SERVE, ServeKind};

use super::{Settings, Source, variable};

impl Display for Settings {
    /// The settings as a `verger.toml`; defaults are comments.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "[serve]")?;
        for key in SERVE {
            let given = self.texts.iter().find(|text| text.name == key.name);
            let Some(given) = given else {
                writeln!(f, "# {}: default", key.name)?;
                continue;
            };
            match &given.source {
                Source::Flag => writeln!(f, "# by flag")?,
                Source::Environment => writeln!(f, "# by {}", variable(key.name))?,
                Source::File(path) => writeln!(f, "# in {}", Untrusted::new(path))?,
            }
            let text = |text: &String| Untrusted::new(text).json().to_string();
            let first = given.texts.first().map(text).unwrap_or_default();
            match key.kind {
                ServeKind::Texts(_) => {
                    let texts: Vec<_> = given.texts.iter().map(text).collect();
                    writeln!(f, "{} = [{}]", key.name, texts.join(", "))?;
                }
                ServeKind::Number { .. } => {
                    writeln!(f, "{} = {}", key.name, first.trim_matches('"'))?;
                }
                ServeKind::Text(_) | ServeKind::Name(_) => writeln!(f, "{} = {first}", key.name)?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::SettingText;
    use super::*;
    use verger_lint::config::Config;

    #[test]
    fn shown_settings_are_a_valid_file_with_the_same_values() {
        let text = |name, texts: &[&str], source| SettingText {
            name,
            texts: texts.iter().map(|&text| text.to_owned()).collect(),
            source,
        };
        let settings = Settings::of(vec![
            text("listen", &["127.0.0.1:1", "[::1]:2"], Source::Flag),
            text("max_urls", &["7"], Source::Environment),
            text("user_agent", &["a \"b\""], Source::File("x.toml".to_owned())),
        ]);
        let shown = settings.unwrap().to_string();
        assert!(shown.contains("# by VERGER_SERVE_MAX_URLS\nmax_urls = 7\n"), "{shown}");
        assert!(shown.contains("# in x.toml\nuser_agent = "), "{shown}");
        assert!(shown.contains("# rate: default\n"), "{shown}");
        let read = Config::parse(&shown).unwrap().serve;
        assert_eq!(read["listen"], ["127.0.0.1:1", "[::1]:2"]);
        assert_eq!(read["user_agent"], ["a \"b\""]);
        assert_eq!(read.len(), 3);
    }
}
