//! The command line of `cargo xtask`.
//!
//! Without dependencies, so that no crate is compiled before a command starts.

use std::fmt::Write as _;

use crate::shell::Result;

/// A command of `cargo xtask`.
pub(crate) struct Command {
    pub(crate) name: &'static str,
    pub(crate) about: &'static str,
    pub(crate) run: Run,
}

/// The arguments that a command accepts.
pub(crate) enum Run {
    /// The listed options and at most one operand.
    Checked {
        /// Name and meaning of the operand, which may be omitted.
        operand: Option<(&'static str, &'static str)>,
        options: &'static [Flag],
        run: fn(&Arguments) -> Result,
    },
    /// Any arguments, including `--help`: another program parses them.
    Forwarded(fn(&[String]) -> Result),
}

/// An option of a command: its name, its value, its meaning.
pub(crate) struct Flag(pub(crate) &'static str, pub(crate) Takes, pub(crate) &'static str);

/// The value of an option.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Takes {
    Nothing,
    /// A whole number; help displays this name.
    Number(&'static str),
    /// Any text; help displays this name.
    Text(&'static str),
}

/// The arguments of one run.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Arguments {
    operand: Option<String>,
    options: Vec<(&'static str, String)>,
}

impl Arguments {
    /// Returns the operand.
    pub(crate) fn operand(&self) -> Option<&str> {
        self.operand.as_deref()
    }

    /// Whether an option was given.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.text(name).is_some()
    }

    /// Returns the value of an option, the last one if it was repeated.
    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        let mut given = self.options.iter().rev().filter(|(known, _)| *known == name);
        given.next().map(|(_, value)| value.as_str())
    }

    /// Returns the value of an option that takes a number.
    pub(crate) fn number(&self, name: &str) -> Option<u64> {
        self.text(name)?.parse().ok()
    }
}

/// The meaning of a command line.
pub(crate) enum Parsed<'c> {
    /// Print this text, and succeed.
    Help(String),
    Run(&'c Command, Arguments),
    Forward(fn(&[String]) -> Result, &'c [String]),
}

/// Reads a command line, without the name of the program.
///
/// # Errors
///
/// The error names the wrong argument, and a hint follows on the next line.
pub(crate) fn parse<'c>(commands: &'c [Command], given: &'c [String]) -> Result<Parsed<'c>> {
    let Some((name, rest)) = given.split_first() else {
        return Err(format!("expected a command\n\n{}", overview(commands).trim_end()));
    };
    let find = |name: &str| {
        commands.iter().find(|command| command.name == name).ok_or_else(|| {
            let names = commands.iter().map(|command| command.name);
            unknown("command", name, names, "`cargo xtask --help` lists the commands")
        })
    };
    if is_help(name) || name == "help" {
        let text = match rest.first() {
            Some(name) => find(name)?.help(),
            None => overview(commands),
        };
        return Ok(Parsed::Help(text));
    }
    let command = find(name)?;
    match &command.run {
        Run::Forwarded(run) => Ok(Parsed::Forward(*run, rest)),
        Run::Checked { .. } if rest.iter().any(|argument| is_help(argument)) => {
            Ok(Parsed::Help(command.help()))
        }
        Run::Checked { operand, options, .. } => {
            Ok(Parsed::Run(command, command.read(rest, operand.is_some(), options)?))
        }
    }
}

impl Command {
    fn read(&self, given: &[String], has_operand: bool, options: &[Flag]) -> Result<Arguments> {
        let mut arguments = Arguments::default();
        let mut given = given.iter();
        while let Some(argument) = given.next() {
            if !argument.starts_with('-') {
                if !has_operand || arguments.operand.is_some() {
                    return Err(self.hinted(&format!("expected no argument {argument:?}")));
                }
                arguments.operand = Some(argument.clone());
                continue;
            }
            let (name, attached) = match argument.split_once('=') {
                Some((name, value)) => (name, Some(value.to_owned())),
                None => (argument.as_str(), None),
            };
            let Some(&Flag(name, takes, _)) = options.iter().find(|option| option.0 == name) else {
                let names = options.iter().map(|option| option.0);
                return Err(unknown("option", name, names, &self.see_help()));
            };
            let value = match (takes, attached) {
                (Takes::Nothing, None) => String::new(),
                (Takes::Nothing, Some(_)) => {
                    return Err(self.hinted(&format!("expected no value for `{name}`")));
                }
                (Takes::Number(shown) | Takes::Text(shown), attached) => {
                    let value = attached.or_else(|| given.next().cloned());
                    let value =
                        value.ok_or_else(|| self.hinted(&format!("expected `{name} {shown}`")))?;
                    if matches!(takes, Takes::Number(_)) && value.parse::<u64>().is_err() {
                        let wrong = format!("expected a number for `{name}`, but found {value:?}");
                        return Err(self.hinted(&wrong));
                    }
                    value
                }
            };
            arguments.options.push((name, value));
        }
        Ok(arguments)
    }

    fn hinted(&self, error: &str) -> String {
        format!("{error}\nhint: {}", self.see_help())
    }

    fn see_help(&self) -> String {
        format!("see `cargo xtask {} --help`", self.name)
    }

    fn help(&self) -> String {
        let mut text = format!("{}\n\nUsage: cargo xtask {}", self.about, self.name);
        let Run::Checked { operand, options, .. } = &self.run else {
            return text + " [ARGUMENTS]\n\n`--help` after the command lists its arguments.\n";
        };
        let mut rows = Vec::new();
        if let Some((name, about)) = operand {
            text.extend([" [", name, "]"]);
            rows.push(((*name).to_owned(), *about));
        }
        for Flag(name, takes, about) in *options {
            let shown = match takes {
                Takes::Nothing => (*name).to_owned(),
                Takes::Number(value) | Takes::Text(value) => format!("{name} {value}"),
            };
            text.extend([" [", &shown, "]"]);
            rows.push((shown, *about));
        }
        text.push('\n');
        if !rows.is_empty() {
            text.push('\n');
        }
        text + &table(&rows)
    }
}

fn overview(commands: &[Command]) -> String {
    let rows: Vec<_> =
        commands.iter().map(|command| (command.name.to_owned(), command.about)).collect();
    let head = "The project's own commands.\n\nUsage: cargo xtask COMMAND [ARGUMENTS]\n\n";
    format!("{head}{}\n`cargo xtask COMMAND --help` explains a command.\n", table(&rows))
}

fn table(rows: &[(String, &str)]) -> String {
    let width = rows.iter().map(|(name, _)| name.len()).max().unwrap_or_default();
    rows.iter().fold(String::new(), |mut text, (name, about)| {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "  {name:width$}  {about}");
        text
    })
}

fn is_help(argument: &str) -> bool {
    argument == "--help" || argument == "-h"
}

/// An unknown name, with the nearest known one.
fn unknown(
    kind: &str,
    found: &str,
    known: impl Iterator<Item = &'static str>,
    hint: &str,
) -> String {
    let near = known
        .map(|name| (distance(name, found), name))
        .min()
        .filter(|(distance, name)| *distance * 2 <= name.trim_matches('-').len())
        .map(|(_, name)| format!("did you mean `{name}`? "))
        .unwrap_or_default();
    format!("unknown {kind} `{found}`\nhint: {near}{hint}")
}

/// Number of letters to insert, delete or replace (Levenshtein).
fn distance(one: &str, other: &str) -> usize {
    let other: Vec<char> = other.chars().collect();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (line, letter) in one.chars().enumerate() {
        let mut above = line;
        row[0] = line + 1;
        for (column, &wanted) in other.iter().enumerate() {
            let replaced = above + usize::from(letter != wanted);
            above = row[column + 1];
            row[column + 1] = replaced.min(above + 1).min(row[column] + 1);
        }
    }
    row[other.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    const COMMANDS: &[Command] = &[
        Command {
            name: "fuzz",
            about: "Fuzzes.",
            run: Run::Checked {
                operand: Some(("TARGET", "One target")),
                options: &[
                    Flag("--seconds", Takes::Number("N"), "Time"),
                    Flag("--setup", Takes::Nothing, "Installs"),
                ],
                run: |_| Ok(()),
            },
        },
        Command { name: "bench", about: "Measures.", run: Run::Forwarded(|_| Ok(())) },
    ];

    fn words(line: &str) -> Vec<String> {
        line.split_whitespace().map(str::to_owned).collect()
    }

    #[track_caller]
    fn arguments(line: &str) -> Arguments {
        match parse(COMMANDS, &words(line)) {
            Ok(Parsed::Run(_, arguments)) => arguments,
            Ok(_) => panic!("expected a run"),
            Err(error) => panic!("{error}"),
        }
    }

    #[track_caller]
    fn check_error(line: &str, expected: &str) {
        match parse(COMMANDS, &words(line)) {
            Err(error) => assert_eq!(error, expected),
            Ok(_) => panic!("expected an error for {line:?}"),
        }
    }

    #[test]
    fn options_and_operand_come_in_any_order() {
        for line in ["fuzz parse --seconds 7 --setup", "fuzz --setup --seconds=7 parse"] {
            let found = arguments(line);
            assert_eq!(found.operand(), Some("parse"));
            assert_eq!(found.number("--seconds"), Some(7));
            assert!(found.has("--setup"));
        }
        assert_eq!(arguments("fuzz"), Arguments::default());
        assert_eq!(arguments("fuzz --seconds 1 --seconds 2").number("--seconds"), Some(2));
    }

    #[test]
    fn errors_name_the_argument_and_give_a_hint() {
        check_error(
            "fuz",
            "unknown command `fuz`\nhint: did you mean `fuzz`? `cargo xtask --help` lists the commands",
        );
        check_error(
            "fuzz --second 1",
            "unknown option `--second`\nhint: did you mean `--seconds`? see `cargo xtask fuzz --help`",
        );
        check_error("x", "unknown command `x`\nhint: `cargo xtask --help` lists the commands");
        let hint = "\nhint: see `cargo xtask fuzz --help`";
        check_error("fuzz --seconds", &format!("expected `--seconds N`{hint}"));
        check_error("fuzz a b", &format!("expected no argument \"b\"{hint}"));
        check_error("fuzz --setup=1", &format!("expected no value for `--setup`{hint}"));
        check_error(
            "fuzz --seconds x",
            &format!("expected a number for `--seconds`, but found \"x\"{hint}"),
        );
    }

    #[test]
    fn help_lists_commands_options_and_operands() {
        for line in ["--help", "help", "-h"] {
            let given = words(line);
            let Ok(Parsed::Help(text)) = parse(COMMANDS, &given) else { panic!("expected help") };
            assert!(text.contains("\n  fuzz   Fuzzes.\n  bench  Measures.\n"), "{text}");
        }
        for line in ["fuzz --help", "help fuzz", "fuzz parse -h"] {
            let given = words(line);
            let Ok(Parsed::Help(text)) = parse(COMMANDS, &given) else { panic!("expected help") };
            let expected = "Fuzzes.\n\nUsage: cargo xtask fuzz [TARGET] [--seconds N] [--setup]\n\n  \
                            TARGET       One target\n  --seconds N  Time\n  --setup      Installs\n";
            assert_eq!(text, expected);
        }
        assert!(parse(COMMANDS, &[]).is_err_and(|error| error.contains("  bench  Measures.")));
    }

    #[test]
    fn a_forwarded_command_keeps_its_arguments() {
        let given = words("bench --help --only x");
        let Ok(Parsed::Forward(_, rest)) = parse(COMMANDS, &given) else { panic!("not forwarded") };
        assert_eq!(rest, ["--help", "--only", "x"]);
    }
}
