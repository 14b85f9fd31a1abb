//! `verger crawlers`: lists and shows known crawlers.

use std::ffi::OsStr;

use verger::access::Timestamp;
use verger::quoted;
use verger_fetch::client::{Clock as _, SystemClock};
use verger_json::Values;
use verger_json::known_crawler::KnownCrawlerKeys;
use verger_registry::{Crawler, Purpose, Registry, limits};

use crate::args::{Crawlers, CrawlersAction, ReportFormat};
use crate::console::{Console, Messages};
use crate::error::{Error, ExitStatus};
use crate::output::{write_crawler, write_crawlers};

pub(super) fn run(args: &Crawlers, console: &mut Console) -> ExitStatus {
    let registry = Registry::bundled();
    if let Some(warning) = outdated(registry, SystemClock.now()) {
        console.messages.warning(warning);
    }
    match &args.action {
        CrawlersAction::List { purpose, operator, all, format } => {
            let found = chosen(registry, purpose, operator.as_deref(), *all);
            if found.is_empty() {
                console.messages.note("no known crawler matches");
            }
            list(&found, format.format, console)
        }
        CrawlersAction::Show { name, format } => {
            let name = name.to_string_lossy();
            let found: Vec<&Crawler> = match registry.find(&name) {
                Some(crawler) => vec![crawler],
                None => registry.identify(&name).collect(),
            };
            if found.is_empty() {
                unknown(registry, &name, &mut console.messages);
                return ExitStatus::Finding;
            }
            show(&found, format.format, console)
        }
    }
}

pub(super) fn outdated(registry: &Registry, now: Timestamp) -> Option<String> {
    let days = limits::MAX_AGE.as_secs() / (24 * 60 * 60);
    registry.is_outdated(now).then(|| {
        let date = registry.date();
        format!("the data about crawlers is from {date}, more than {days} days ago; update Verger")
    })
}

/// The crawlers with one of these purposes, of an operator with this text in its name.
fn chosen<'r>(
    registry: &'r Registry,
    purposes: &[Purpose],
    operator: Option<&OsStr>,
    all: bool,
) -> Vec<&'r Crawler> {
    let operator = operator.map(|text| text.to_string_lossy().to_lowercase());
    let is_wanted = |crawler: &&Crawler| {
        (purposes.is_empty() || purposes.contains(&crawler.purpose()))
            && operator.as_ref().is_none_or(|wanted| {
                crawler.operator().is_some_and(|name| name.to_lowercase().contains(wanted))
            })
    };
    let further = if all { registry.further_crawlers() } else { &[] };
    let mut found: Vec<_> = registry.crawlers().iter().chain(further).filter(is_wanted).collect();
    found.sort_by_cached_key(|crawler| crawler.token().to_ascii_lowercase());
    found
}

fn unknown(registry: &Registry, name: &str, messages: &mut Messages) {
    messages.error(&Error::new(format!("found no known crawler for {}", quoted(name))));
    let further = registry.further_crawlers().iter().map(Crawler::token);
    let near = registry.similar(name, further);
    let near = near.map(|near| near.question() + " ").unwrap_or_default();
    messages.hint(format!("{near}`verger crawlers list` lists the known crawlers"));
}

fn list(found: &[&Crawler], format: ReportFormat, console: &mut Console) -> ExitStatus {
    console.finish(ExitStatus::Success, |out| match format {
        ReportFormat::Text => write_crawlers(out, found),
        ReportFormat::Json => {
            let mut json = Values::array();
            let mut crawlers = found.iter().copied();
            crawlers.try_for_each(|crawler| json.write(out, &KnownCrawlerKeys::of(crawler)))?;
            json.finish(out)
        }
    })
}

fn show(found: &[&Crawler], format: ReportFormat, console: &mut Console) -> ExitStatus {
    console.finish(ExitStatus::Success, |out| {
        let mut crawlers = found.iter().copied();
        crawlers.try_for_each(|crawler| match format {
            ReportFormat::Text => write_crawler(out, crawler),
            ReportFormat::Json => Values::lines().write(out, &KnownCrawlerKeys::of(crawler)),
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn old_data_is_warned_of() {
        let registry = Registry::bundled();
        let start = registry.date().start();
        assert_eq!(outdated(registry, start.after(limits::MAX_AGE)), None);
        let warning = outdated(registry, start.after(limits::MAX_AGE + Duration::from_secs(1)));
        let expected = format!(
            "the data about crawlers is from {}, more than 180 days ago; update Verger",
            registry.date()
        );
        assert_eq!(warning, Some(expected));
    }

    #[test]
    fn filters_are_combined() {
        let registry = Registry::bundled();
        let tokens = |purposes: &[Purpose], operator: Option<&str>| -> Vec<&str> {
            let found = chosen(registry, purposes, operator.map(OsStr::new), false);
            found.into_iter().map(Crawler::token).collect()
        };
        assert_eq!(tokens(&[], None).len(), registry.crawlers().len());
        assert_eq!(tokens(&[Purpose::ControlToken], Some("APPLE")), ["Applebot-Extended"]);
        assert_eq!(tokens(&[Purpose::ControlToken], Some("nobody")), [""; 0]);
        let both = tokens(&[Purpose::Training, Purpose::Dataset], None);
        assert!(both.contains(&"GPTBot") && both.contains(&"CCBot"), "{both:?}");
        let all = chosen(registry, &[Purpose::Seo], Some(OsStr::new("semrush")), true);
        assert!(all.iter().any(|it| it.is_name_only()) && all.iter().any(|it| !it.is_name_only()));
        assert!(all.is_sorted_by_key(|it| it.token().to_ascii_lowercase()));
    }
}
