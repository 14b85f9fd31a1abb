//! The library's answers about scope, usage, extensions and pages. For access see `access.rs`.

use std::collections::BTreeMap;

use verger::extension::{Category, Extension as Value, RequestRate, Signals, Window};
use verger::{Crawler, Dialect, Origin, OriginError, Position, Robots};
use verger_page::{Combine, Directive, HtmlReader, Limit, Page, PageDirectives};

use super::case::{Question, compare};
use super::format::{
    Derive, Extension, Given, PageQuestion, Rate, Scope, Setting, Usage, WindowText,
};

/// Compares the library's answers, in each dialect or access profile with a known answer. An error
/// describes the difference.
pub(super) fn answers(question: &Question) -> Vec<(&str, Result<(), String>)> {
    let in_default = |answer| vec![(Dialect::RFC9309.name, answer)];
    match question {
        Question::Scope(scope) => in_default(compare(&scope.in_scope, &in_scope(scope))),
        Question::Derive(derive) => in_default(compare(&derive.robots_url, &robots_url(derive))),
        Question::Usage(usage) => in_default(about_usage(usage)),
        Question::Extension(extension) => {
            in_default(given(extension).and_then(|given| compare(&extension.expect, &given)))
        }
        Question::Fetch(fetch) => fetch.answers(),
        Question::Fresh(fresh) => fresh.answers(),
        Question::Retry(retry) => retry.answers(),
        Question::Page(page) => {
            in_default(page_directives(page).and_then(|found| compare(&page.expect, &found)))
        }
    }
}

fn in_scope(scope: &Scope) -> bool {
    let origin = Origin::of_robots_url(&scope.robots_url).ok().flatten();
    origin.is_some_and(|origin| origin.covers(&scope.url))
}

fn robots_url(derive: &Derive) -> Option<String> {
    let origin: Result<_, OriginError> = Origin::of(&derive.url);
    origin.ok().flatten().map(|origin| origin.robots_url())
}

fn about_usage(usage: &Usage) -> Result<(), String> {
    let robots = Robots::parse(&usage.robots);
    let (agent, url) = (usage.agent.as_str(), usage.url.as_str());
    compare(&usage.allowed, &robots.check(agent, url).is_allowed())?;
    let stated: Option<BTreeMap<String, String>> = match usage.field.as_str() {
        "content-usage" => robots.content_usage(agent, url).map(|usage| {
            let token = |key| usage.preference(key).token().map(str::to_owned);
            let keys = Category::ALL.map(|category| category.key);
            keys.into_iter().filter_map(|key| Some((key.to_owned(), token(key)?))).collect()
        }),
        "content-signal" => Some(signals(robots.content_signals(agent, url))),
        other => return Err(format!("expected a usage field, but found `{other}`")),
    };
    let expected = if usage.not_applicable { None } else { usage.expect.clone() };
    compare(&expected, &stated)
}

fn signals(signals: Signals) -> BTreeMap<String, String> {
    signals.stated().map(|(key, word)| (key.to_owned(), word.to_owned())).collect()
}

fn given(extension: &Extension) -> Result<Given, String> {
    let robots = Robots::parse(&extension.robots);
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
        }
        "agentmap" => {
            given.urls = some(robots.agentmaps().map(|map| text(map.raw())).collect());
        }
        "schemamap" => {
            given.urls = some(robots.schemamaps().map(|map| text(map.raw())).collect());
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

/// The effective directives of the page, by name.
fn page_directives(question: &PageQuestion) -> Result<BTreeMap<String, Setting>, String> {
    let name = question.combine.as_deref().unwrap_or(Combine::GOOGLE.name);
    let combine = Combine::named(name)
        .ok_or_else(|| format!("expected a way to combine, but found `{name}`"))?;
    let crawler = Crawler::chain(question.tokens().map(str::to_owned));
    Ok(settings(&read(question).directives(&crawler, &combine)))
}

/// The page of a question.
fn read(question: &PageQuestion) -> Page {
    let mut page = Page::new();
    for value in &question.headers {
        page.read_header("X-Robots-Tag", value);
    }
    for (line, meta) in (1..).zip(&question.meta) {
        page.read_meta(&meta.name, &meta.content, Position { line, column: 1 });
    }
    if let Some(html) = &question.html {
        let mut reader = HtmlReader::new(Some("text/html; charset=utf-8"));
        reader.feed(html);
        page.read_html(&reader.finish());
    }
    page
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
    let all = directives.iter().map(verger_page::Effective::directive);
    all.map(|directive| (directive.name().to_owned(), setting(directive))).collect()
}
