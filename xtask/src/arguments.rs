//! The arguments of a command.

use std::collections::BTreeMap;
use std::str::FromStr;

use lexopt::{Arg, Parser, ValueExt};

use crate::shell::Result;

/// The arguments of one run.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Arguments {
    operand: Option<String>,
    /// Names without hyphens, and values; a switch has an empty one. A repeated option counts once,
    /// with its last value.
    options: BTreeMap<String, String>,
}

impl Arguments {
    /// Reads the rest of a command line. `operand` permits one argument that is no option.
    ///
    /// # Errors
    ///
    /// If an argument is not permitted, or an option lacks its value.
    pub(crate) fn read(
        parser: &mut Parser,
        operand: bool,
        switches: &[&str],
        values: &[&str],
    ) -> Result<Self> {
        let message = |error: lexopt::Error| error.to_string();
        let mut found = Self::default();
        while let Some(argument) = parser.next().map_err(message)? {
            match argument {
                Arg::Long(name) if switches.contains(&name) => {
                    found.options.insert(name.to_owned(), String::new());
                }
                Arg::Long(name) if values.contains(&name) => {
                    let name = name.to_owned();
                    let value = parser.value().and_then(ValueExt::string).map_err(message)?;
                    found.options.insert(name, value);
                }
                Arg::Value(value) if operand && found.operand.is_none() => {
                    found.operand = Some(value.string().map_err(message)?);
                }
                other => return Err(other.unexpected().to_string()),
            }
        }
        Ok(found)
    }

    /// The argument that is no option.
    pub(crate) fn operand(&self) -> Option<&str> {
        self.operand.as_deref()
    }

    /// Whether an option was given.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.options.contains_key(name)
    }

    /// The value of an option.
    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        self.options.get(name).map(String::as_str)
    }

    /// The value of an option that takes a number.
    ///
    /// # Errors
    ///
    /// If it is no number.
    pub(crate) fn number<N: FromStr>(&self, name: &str) -> Result<Option<N>> {
        let read = |text: &str| {
            text.parse()
                .map_err(|_| format!("expected a number for `--{name}`, but found {text:?}"))
        };
        self.text(name).map(read).transpose()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Result<Arguments> {
        let mut parser = Parser::from_args(line.split_whitespace());
        Arguments::read(&mut parser, true, &["setup"], &["seconds"])
    }

    #[test]
    fn options_and_operand_come_in_any_order() {
        for line in ["parse --seconds 7 --setup", "--setup --seconds=3 --seconds=7 parse"] {
            let found = read(line).unwrap();
            assert_eq!(found.operand(), Some("parse"));
            assert_eq!(found.number("seconds"), Ok(Some(7)));
            assert!(found.has("setup"));
        }
        assert_eq!(read(""), Ok(Arguments::default()));
    }

    #[test]
    fn errors_name_the_argument() {
        for (line, named) in [
            ("--second 1", "--second"),
            ("--seconds", "--seconds"),
            ("a b", "b"),
            ("--setup=1", "--setup"),
        ] {
            assert!(read(line).is_err_and(|error| error.contains(named)), "{line}");
        }
        let error = read("--seconds x").unwrap().number::<u64>("seconds").unwrap_err();
        assert_eq!(error, "expected a number for `--seconds`, but found \"x\"");
    }
}
