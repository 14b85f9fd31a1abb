//! The library's answers about scope, usage, extensions and pages. For access see `access.rs`.

use std::collections::{BTreeMap, BTreeSet};

use verger::extension::{Extension as Value, RecordKind, RequestRate, Window};
use verger::{Crawler, Dialect, Origin, Position, ProductToken, Robots, TokenProblem, UnknownName};
use verger_page::{Combine, Directive, HtmlReader, Limit, Page, PageDirectives};

use super::case::{Question, compare};
use super::format::{
    Derive, Extension, Given, PageQuestion, Rate, Reading, Scope, Setting, Target, Token, Usage,
    WindowText,
};
use super::text::Text;

/// Compares the library's answers, in each dialect or access profile with a known answer. An error
/// describes the difference.
pub(super) fn answers(question: &Question) -> Vec<(&str, Result<(), String>)> {
    let in_default = |answer| vec![(Dialect::RFC9309.name, answer)];
    match question {
        Question::Scope(scope) => in_default(compare(&scope.in_scope, &in_scope(scope))),
        Question::Derive(derive) => in_default(about_origin(derive)),
        Question::Usage(usage) => in_default(about_usage(usage)),
        Question::Extension(extension) => {
            let dialect = extension.dialect.as_deref().unwrap_or(Dialect::RFC9309.name);
            vec![(dialect, given(extension).and_then(|given| compare(&extension.expect, &given)))]
        }
        Question::Fetch(fetch) => fetch.answers(),
        Question::Fresh(fresh) => fresh.answers(),
        Question::Retry(retry) => retry.answers(),
        Question::Page(page) => in_default(about_page(page)),
        Question::Reading(reading) => in_default(about_reading(reading)),
        Question::Target(target) => about_target(target),
        Question::Token(token) => in_default(about_token(token)),
    }
}

fn in_scope(scope: &Scope) -> bool {
    let origin = Origin::of_robots_url(&scope.robots_url).ok().flatten();
    origin.is_some_and(|origin| origin.covers(&scope.url))
}

fn about_origin(derive: &Derive) -> Result<(), String> {
    let origin = Origin::of(&derive.url);
    let is_invalid = derive.invalid.map(|_| origin.is_err());
    let robots_url = origin.ok().flatten().map(|origin| origin.robots_url());
    compare(&(&derive.robots_url, derive.invalid), &(&robots_url, is_invalid))
}

/// Structure and diagnostics.
fn about_reading(reading: &Reading) -> Result<(), String> {
    let robots = Robots::parse(&reading.robots.0);
    compare(&reading.groups, &reading.groups.map(|_| robots.groups().len()))?;
    compare(&reading.truncated, &robots.is_truncated())?;
    let mut found = BTreeSet::new();
    robots.diagnose(|diagnostic| {
        found.insert(diagnostic.code());
    });
    match reading.notices.iter().find(|code| !found.contains(code.as_str())) {
        Some(code) => Err(format!("expected a diagnostic `{code}`, but found {found:?}")),
        None => Ok(()),
    }
}

/// A target is in normal form, so the rule `TARGET$` matches its URL and no longer one.
fn about_target(target: &Target) -> Vec<(&str, Result<(), String>)> {
    const FORBID_ALL: &str = "User-agent: *\nDisallow: /\n";
    let url = &target.url.0;
    let of = |dialect: Dialect| {
        let robots = dialect.parse(FORBID_ALL);
        let explained = robots.explain("f", url);
        (explained.target.map(Text), explained.verdict.reason().name().to_owned())
    };
    let (found, reason) = of(Dialect::RFC9309);
    let expected = target.reason.as_deref().unwrap_or("rule");
    let rfc9309 = compare(&(&target.rfc9309, expected), &(&found, &*reason)).and_then(|()| {
        let Some(Text(found)) = found else { return Ok(()) };
        let mut dialect = Dialect::RFC9309;
        dialect.byte_limit = None;
        let robots = dialect.parse(&[b"User-agent: *\nDisallow: ", &found[..], b"$\n"].concat());
        let longer = [&found[..], b"x"].concat();
        let allowed = [url, &longer].map(|url| robots.check("f", url).is_allowed());
        compare(&[false, true], &allowed)
    });
    let google = compare(&Some(&target.google), &of(Dialect::GOOGLE).0.as_ref());
    vec![("rfc9309", rfc9309), ("google", google)]
}

/// A token read from a header contains nothing that could end the header or a name (REP-AMB-13).
fn about_token(token: &Token) -> Result<(), String> {
    let agent = String::from_utf8_lossy(&token.agent.0);
    let found = ProductToken::new(&*agent);
    compare(&(&*agent, token.valid), &(found.as_str(), found.problem().is_none()))?;
    if let Some(TokenProblem::NeverNamed { at } | TokenProblem::Unusual { at }) = found.problem()
        && at >= agent.len()
    {
        return Err(format!("expected a problem inside the token, but found one at {at}"));
    }
    let header = format!("{agent}/1.0 (+http://h.example/{agent}) {agent}");
    let read = Crawler::from_user_agent(&header);
    let is_plain = |token: &&ProductToken| {
        token.as_str().bytes().all(|b| b.is_ascii_graphic() && !b"/,;()*#".contains(&b))
    };
    match read.iter().flat_map(Crawler::tokens).find(|token| !is_plain(token)) {
        Some(token) => Err(format!("expected plain tokens of the header, but found {token}")),
        None => Ok(()),
    }
}

fn about_usage(usage: &Usage) -> Result<(), String> {
    let robots = Robots::parse(&usage.robots);
    let (agent, url) = (usage.agent.as_str(), usage.url.as_str());
    compare(&usage.allowed, &robots.check(agent, url).is_allowed())?;
    let stated: Option<BTreeMap<String, String>> = match usage.field.as_str() {
        "content-usage" => robots.content_usage(agent, url).map(|it| words(it.stated())),
        "content-signal" => Some(words(robots.content_signals(agent, url).stated())),
        other => return Err(format!("expected a usage field, but found `{other}`")),
    };
    let expected = if usage.not_applicable { None } else { usage.expect.clone() };
    compare(&expected, &stated)
}

fn words(stated: impl Iterator<Item = (&'static str, &'static str)>) -> BTreeMap<String, String> {
    stated.map(|(key, word)| (key.to_owned(), word.to_owned())).collect()
}

fn given(extension: &Extension) -> Result<Given, String> {
    let name = extension.dialect.as_deref().unwrap_or(Dialect::RFC9309.name);
    let dialect = Dialect::named(name).ok_or_else(|| format!("no dialect `{name}`"))?;
    let robots = dialect.parse(&extension.robots.0);
    let agent = extension.agent.as_deref().unwrap_or_default();
    let mut given = Given::default();
    let some = |list: Vec<String>| (!list.is_empty()).then_some(list);
    match extension.field.as_str() {
        "crawl-delay" => {
            given.seconds = robots.crawl_delay(agent).map(|delay| delay.as_secs_f64());
        }
        "request-rate" => {
            let rates: Vec<_> = robots.request_rates(agent).into_iter().map(rate).collect();
            given.rates = (!rates.is_empty()).then_some(rates);
        }
        "visit-time" => {
            let windows: Vec<_> = robots.visit_times(agent).into_iter().map(window).collect();
            given.windows = (!windows.is_empty()).then_some(windows);
        }
        "sitemap" => {
            given.urls = some(robots.sitemaps().map(|sitemap| text(sitemap.raw())).collect());
            let urls = || robots.sitemaps().filter_map(|it| it.url().map(str::to_owned)).collect();
            given.absolute = extension.expect.absolute.as_ref().map(|_| urls());
        }
        "agentmap" => {
            given.urls =
                some(robots.maps(RecordKind::Agentmap).map(|map| text(map.raw())).collect());
        }
        "schemamap" => {
            given.urls =
                some(robots.maps(RecordKind::Schemamap).map(|map| text(map.raw())).collect());
        }
        "license" => {
            let uri = |license: verger::extension::License<'_>| license.uri.to_owned();
            given.urls = some(robots.licenses(agent).into_iter().map(uri).collect());
        }
        "host" => {
            given.host = robots.host().map(|host| match host.port {
                Some(port) => format!("{}:{port}", host.name),
                None => host.name.to_owned(),
            });
        }
        "clean-param" => {
            let url = extension.url.as_deref().unwrap_or_default();
            given.url = Some(robots.clean_url(url).into_owned());
        }
        "content-signal" => {
            let lines: Vec<_> = robots
                .records_for(agent)
                .filter_map(|record| match record.extension() {
                    Ok(Value::ContentSignal(line)) => Some(line),
                    _ => None,
                })
                .map(|line| {
                    let mut members: BTreeMap<_, _> =
                        line.entries.iter().map(|(key, word)| (text(key), text(word))).collect();
                    members.extend(line.path.map(|path| ("path".to_owned(), text(path))));
                    members
                })
                .collect();
            given.signals = (!lines.is_empty()).then_some(lines);
        }
        other => return Err(format!("expected an extension, but found `{other}`")),
    }
    Ok(given)
}

fn rate(rate: RequestRate) -> Rate {
    Rate {
        documents: rate.documents,
        seconds: rate.period.as_secs(),
        from: rate.window.map(|window| window.from.to_string()),
        to: rate.window.map(|window| window.to.to_string()),
    }
}

fn window(window: Window) -> WindowText {
    WindowText { from: window.from.to_string(), to: window.to.to_string() }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The effective directives of the page, and the end of its reading.
fn about_page(question: &PageQuestion) -> Result<(), String> {
    let name = question.combine.as_deref().unwrap_or(Combine::GOOGLE.name);
    let combine: Combine = name.parse().map_err(|error: UnknownName| error.to_string())?;
    let crawler = Crawler::chain(question.tokens().map(str::to_owned));
    let (page, stop) = read(question);
    compare(&question.expect, &settings(&page.directives(&crawler, &combine)))?;
    compare(&(&question.stop, question.truncated), &(&stop, page.is_truncated()))?;
    let unknown = page.statements().iter().filter(|it| it.error().is_some());
    let unknown = || unknown.map(|it| Text(it.text.to_vec())).collect();
    compare(&question.unknown, &question.unknown.as_ref().map(|_| unknown()))
}

/// The page of a question, and the reason that its scan ended early.
fn read(question: &PageQuestion) -> (Page, Option<String>) {
    let (mut page, mut stop) = (Page::new(), None);
    for value in &question.headers {
        page.read_header("X-Robots-Tag", &value.0);
    }
    for (line, meta) in (1..).zip(&question.meta) {
        page.read_meta(&meta.name, &meta.content, Position { line, column: 1 });
    }
    if let Some(html) = &question.html {
        let mut reader = HtmlReader::new(Some("text/html; charset=utf-8"));
        reader.feed(&html.0);
        let html = reader.finish();
        page.read_html(&html);
        stop = html.stop.map(|stop| stop.name().to_owned());
    }
    (page, stop)
}

/// The effective directives for a crawler, by name, in the format of the suite.
pub fn settings(directives: &PageDirectives<'_>) -> BTreeMap<String, Setting> {
    let setting = |directive| match directive {
        Directive::MaxSnippet(Limit::AtMost(number))
        | Directive::MaxVideoPreview(Limit::AtMost(number)) => Setting::Number(number),
        Directive::MaxImagePreview(preview) => Setting::Text(preview.name().to_owned()),
        Directive::UnavailableAfter(time) => Setting::Text(time.to_string()),
        _ => Setting::Holds(true),
    };
    let all = directives.effective.iter().map(|it| it.directive);
    all.map(|directive| (directive.name().to_owned(), setting(directive))).collect()
}
