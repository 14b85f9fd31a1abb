//! `verger lint`: finds and fixes problems in robots.txt files.

use std::io::{self, Write as _};

use verger::diagnostic::Severity;
use verger::{Origin, quoted};
use verger_fetch::client::{Clock as _, SystemClock};
use verger_json::Values;
use verger_json::lint::RuleKeys;
use verger_lint::{
    Category, Config, Observation, RULES, Report, Rule, Safety, Settings, did_you_mean, lint,
    lint_responses,
};

use super::lint_as::observe_as;
use crate::args::{Lint, LintFormat};
use crate::config_file::ConfigFiles;
use crate::console::{Console, Messages, Out, output_status};
use crate::error::{Error, ExitStatus};
use crate::hints::failure_hint;
use crate::input::shown;
use crate::lint_output::LintOutput;
use crate::live::LiveClient;
use crate::output::write_edits;
use crate::record_report::copy_warning;
use crate::replace_file::write_back;
use crate::robots_sources::RobotsSource;
use crate::url_check::origin_of;

pub(super) fn run(args: &Lint, console: &mut Console) -> Result<ExitStatus, Error> {
    let explained = args.explain.as_ref();
    let category =
        explained.and_then(|name| Category::ALL.into_iter().find(|it| it.name() == name));
    if args.list_rules || category.is_some() {
        let is_listed = |rule: &&Rule| category.is_none_or(|it| rule.category == it);
        let rules: Vec<&'static Rule> = RULES.iter().filter(is_listed).collect();
        return Ok(console.finish(ExitStatus::Success, |out| list_rules(&rules, args.format, out)));
    }
    if let Some(name) = explained {
        let rule = verger_lint::rule(name).ok_or_else(|| unknown("a rule or category", name))?;
        let page = rule.page();
        return Ok(console.finish(ExitStatus::Success, |out| out.write_all(page.as_bytes())));
    }
    check_flags(args)?;
    let configs = ConfigFiles::new(args.config.as_deref(), args.no_config)?;
    let sources = RobotsSource::all(&args.files, args.stdin_filename.as_deref())?;
    let live = client(args, &sources)?;
    let has_text =
        args.fix && sources.iter().any(|source| matches!(source, RobotsSource::Stdin(_)));
    let output = LintOutput::new(args, has_text);
    let mut session = Session { args, configs, live, output, status: ExitStatus::Success };
    let result = session.run(&sources, console);
    if let Some(live) = session.live.take() {
        live.close(&mut console.messages);
    }
    let status = match session.status {
        ExitStatus::Finding if args.exit_zero => ExitStatus::Success,
        status => status,
    };
    Ok(output_status(result, status, &mut console.messages))
}

struct Session<'a> {
    args: &'a Lint,
    configs: ConfigFiles,
    /// For URLs.
    live: Option<LiveClient>,
    output: LintOutput,
    status: ExitStatus,
}

/// A file as it was linted.
struct Linted {
    /// The text before fixes.
    old: Vec<u8>,
    /// The text after fixes; `None` if there were none.
    fixed: Option<Vec<u8>>,
    /// The number of applied fixes.
    fixes: usize,
    /// The remaining problems.
    report: Report,
}

impl Session<'_> {
    fn run(&mut self, sources: &[RobotsSource], console: &mut Console) -> io::Result<()> {
        for source in sources {
            match self.lint(source, console) {
                Ok(None) => {}
                Ok(Some(linted)) => self.show(source, linted, console)?,
                Err(error) => {
                    self.status = ExitStatus::Error;
                    self.output.error(source.name(), &error, console)?;
                }
            }
        }
        self.output.finish(console)?;
        console.out.flush()
    }

    /// Lints a source, and writes its fixed text. `None` if its settings exclude it.
    fn lint(
        &mut self,
        source: &RobotsSource,
        console: &mut Console,
    ) -> Result<Option<Linted>, Error> {
        if let RobotsSource::Found(path) = source
            && !self.args.files.contains(path)
            && self.configs.excludes(path)?
        {
            return Ok(None);
        }
        let mut config = self.configs.of(source.path())?;
        change(&mut config, self.args)?;
        let (old, observation) = match (source, &self.live) {
            (RobotsSource::Url(url), Some(live)) => {
                let origin = origin_of(url.as_os_str().as_encoded_bytes())?;
                let messages = &mut console.messages;
                let (text, mut observation) = observe(live, &origin, messages)?;
                let (names, args) = (&self.args.as_crawlers, &self.args.live);
                observe_as(names, args, live, &origin, &mut observation, messages)?;
                if self.args.origin.is_none() {
                    config.origin = Some(origin);
                }
                (text, Some(observation))
            }
            _ => (source.read()?, None),
        };
        let mut settings = config.settings();
        settings.now = Some(SystemClock.now());
        let safety = (self.args.fix || self.args.diff).then_some(if self.args.unsafe_fixes {
            Safety::Unsafe
        } else {
            Safety::Safe
        });
        let mut linted = Linted::of(old, &settings, safety);
        if let Some(observation) = observation {
            let found = lint_responses(&observation, &settings);
            linted.report.findings.splice(0..0, found.findings);
            linted.report.omitted.splice(0..0, found.omitted);
        }
        if self.args.fix {
            let new = linted.fixed.as_ref().unwrap_or(&linted.old);
            write_back(source, &linted.old, new, &mut console.out)?;
        }
        Ok(Some(linted))
    }

    fn show(
        &mut self,
        source: &RobotsSource,
        linted: Linted,
        console: &mut Console,
    ) -> io::Result<()> {
        let Linted { old, fixed, fixes, mut report } = linted;
        if self.args.diff {
            self.output.report(report, fixes, console)?;
            let Some(fixed) = fixed else { return Ok(()) };
            self.status = self.status.max(ExitStatus::Finding);
            let palette = console.palette;
            return write_edits(&mut console.out, palette, usize::MAX, source.name(), &old, &fixed);
        }
        if report.findings.iter().any(|finding| finding.severity >= Severity::Warning) {
            self.status = self.status.max(ExitStatus::Finding);
        }
        report.name = match self.args.format {
            // Code scanning services look for the path in the repository.
            LintFormat::Sarif | LintFormat::Github => source.name_below(),
            _ => source.name().to_vec(),
        };
        self.output.report(report, fixes, console)
    }
}

impl Linted {
    /// Lints a text. With a safety, applies fixes until none is left.
    fn of(old: Vec<u8>, settings: &Settings, safety: Option<Safety>) -> Self {
        let report = lint(&old, settings);
        let fixed = safety.and_then(|safety| report.fixed_until_none(settings, safety));
        let Some((fixed, report, fixes)) = fixed else {
            return Self { old, fixed: None, fixes: 0, report };
        };
        Self { fixed: Some(fixed).filter(|fixed| *fixed != old), old, fixes, report }
    }
}

/// The text and the response of a site. After a failed fetch, the text is that of an earlier one,
/// or empty.
fn observe(
    live: &LiveClient,
    origin: &Origin,
    messages: &mut Messages,
) -> Result<(Vec<u8>, Observation), Error> {
    let record = live.record(origin)?;
    let url = origin.robots_url();
    if let Some(fault) = live.client.fault(&record) {
        // The site is not the reason.
        let error = Error::new(format!("could not read {}: {fault}", quoted(&url)));
        return Err(error.with_optional_hint(failure_hint(&record)));
    }
    if let Some(warning) = copy_warning(&live.client, &record) {
        messages.warning(warning);
    }
    let options = live.client.read_options();
    let last = record.last();
    let file = record.file_for(options);
    let text = file.map(|file| file.for_readers()).unwrap_or_default();
    let mut observation = Observation::new(url, last.and_then(|last| last.status));
    observation.failure = last.and_then(|last| last.failure.as_ref()).map(ToString::to_string);
    let redirects = last.map(|last| (&last.redirects, &last.final_url));
    if let Some((redirects, target)) = redirects {
        let targets = redirects.iter().skip(1).map(|next| &next.url).chain([target]);
        observation.redirects = targets.take(redirects.len()).cloned().collect();
    }
    observation.fresh_for = last.and_then(|last| last.lifetime).map(|it| it.stated);
    if last.is_some_and(|last| last.failure.is_none())
        && let Some(file) = file
    {
        let media_type = file.media_type.as_deref();
        observation.content_type = media_type.map(|it| String::from_utf8_lossy(it).into_owned());
        observation.body.clone_from(&text);
    }
    Ok((text, observation))
}

/// Flags replace values of a `verger.toml`.
fn change(config: &mut Config, args: &Lint) -> Result<(), Error> {
    config.profile = args.profile.or(config.profile);
    for (list, names) in [(&mut config.select, &args.select), (&mut config.ignore, &args.ignore)] {
        if !names.is_empty() {
            *list = Some(names.clone());
        }
    }
    if !args.portable.is_empty() {
        config.portable = Some(args.portable.clone());
    }
    if let Some(origin) = &args.origin {
        config.origin = Some(origin.parse::<Origin>().map_err(|error| {
            let error = Error::new(format!("bad origin {}: {error}", quoted(origin)));
            error.with_hint("an origin has a scheme and a host, as in `https://shop.example`")
        })?);
    }
    Ok(())
}

/// Checks the flags before a file is read.
fn check_flags(args: &Lint) -> Result<(), Error> {
    let mut config = Config::default();
    change(&mut config, args)?;
    match config.settings().unknown_name() {
        Some(name) => Err(unknown("a rule or category", name)),
        None => Ok(()),
    }
}

fn unknown(what: &str, name: &str) -> Error {
    let rules = RULES.iter().map(|rule| rule.code);
    let known = Category::ALL.iter().map(|it| it.name()).chain(rules);
    let error = Error::new(format!("expected {what}, but found {}", quoted(name)));
    let hint = did_you_mean(name, known);
    error.with_hint(hint.unwrap_or_else(|| "`verger lint --list-rules` lists all rules".to_owned()))
}

/// The client for URLs, if there are any. Its flags need a URL, and a site cannot be fixed.
fn client(args: &Lint, sources: &[RobotsSource]) -> Result<Option<LiveClient>, Error> {
    let url = sources.iter().find(|source| matches!(source, RobotsSource::Url(_)));
    let of_lint = (!args.as_crawlers.is_empty()).then(|| "--as".to_owned());
    match (url, of_lint.or(args.live.first_given())) {
        (None, Some(flag)) => {
            let found = args.files.first().map_or("no argument".into(), |path| shown(path));
            Err(Error::new(format!("expected a URL with `{flag}`, but found {found}")))
        }
        (None, None) => Ok(None),
        (Some(url), _) if args.fix => {
            let name = quoted(url.name());
            let error =
                Error::new(format!("expected a file with `--fix`, but found the URL {name}"));
            Err(error.with_hint("`--diff` shows the fixes"))
        }
        (Some(_), _) => LiveClient::open(&args.live, None, &verger::Dialect::RFC9309).map(Some),
    }
}

/// Lists rules with their summaries.
fn list_rules(rules: &[&'static Rule], format: LintFormat, out: &mut Out) -> io::Result<()> {
    if format == LintFormat::Json {
        let mut values = Values::array();
        for rule in rules {
            values.write(out, &RuleKeys::of(rule))?;
        }
        return values.finish(out);
    }
    let width = rules.iter().map(|rule| rule.code.len()).max().unwrap_or_default();
    for rule in rules {
        let (code, category) = (rule.code, rule.category.name());
        writeln!(out, "{code:width$}  {:7}  {category:11}  {}", rule.severity, rule.summary())?;
    }
    Ok(())
}
