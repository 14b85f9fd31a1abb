//! The directives of a page, through the client: a site sends the header fields and elements of the
//! question.

use verger::Crawler;
use verger_page::Combine;
use verger_testkit::server::{ScriptedResponse, Setup, Site};
use verger_testkit::suite::{PageQuestion, settings};

use crate::client::world::{client_of, short, start};

const HOST: &str = "shop.example";

pub(crate) async fn are_reported(question: &PageQuestion) -> Result<(), String> {
    let page = ScriptedResponse::new(200).field("Content-Type", "text/html; charset=utf-8");
    let values = question.headers.iter().map(|value| &value.0);
    let page = values.fold(page, |page, value| page.field("X-Robots-Tag", value));
    let site = Site::new().path("/page", page.body(body(question)).script());
    let world = start(Setup::web(HOST, site)).await;

    let crawler = Crawler::chain(question.tokens().map(str::to_owned));
    let client = client_of(&world, crawler).limits(short()).build().unwrap();
    let url = format!("http://{HOST}/page");
    let page = client.get(&url).await.map_err(|error| error.to_string())?;
    let combine = question.combine.as_deref().unwrap_or(Combine::GOOGLE.name);
    let combine: Combine = combine.parse().map_err(|error| format!("{error}"))?;
    let found = settings(&page.directives(&combine));
    if !page.is_success() || found != question.expect {
        let (failure, expected) = (page.failure(), &question.expect);
        return Err(format!("expected {expected:?}, but found {found:?} ({failure:?})"));
    }
    Ok(())
}

/// The page of the question, or one with its elements only.
fn body(question: &PageQuestion) -> String {
    if let Some(html) = &question.html {
        return String::from_utf8_lossy(&html.0).into_owned();
    }
    let quoted = |text: &str| text.replace('&', "&amp;").replace('"', "&quot;");
    let element = |name: &str, content: &str| {
        format!("<meta name=\"{}\" content=\"{}\">\n", quoted(name), quoted(content))
    };
    let elements = question.meta.iter().map(|meta| element(&meta.name, &meta.content));
    format!("<!doctype html>\n<title>A page</title>\n{}<p>x", elements.collect::<String>())
}
