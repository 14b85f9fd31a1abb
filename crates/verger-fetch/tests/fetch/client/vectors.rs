//! The suite and the vectors through the client: the meaning of fetches, the place and scope of a
//! robots.txt, the directives of a page.

use std::path::Path;

use verger_testkit::generate::one_in;
use verger_testkit::shared::{Lacking, say, shared, skip_loudly};
use verger_testkit::suite::{Question, Suite, load, load_vectors};

#[cfg(feature = "html")]
use crate::client::directives;
use crate::client::world::{run, test_each};
use crate::client::{access, scope};

#[test]
fn the_suite_is_answered_through_the_client() {
    let testdata = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata");
    check("suite", load(&testdata).unwrap());
}

#[test]
fn the_vectors_are_answered_through_the_client() {
    let Some(vectors) = shared("spec/access-vectors.jsonl") else {
        let why = "../shared/spec/access-vectors.jsonl is not here";
        return skip_loudly("the vectors of access, scope and pages", Lacking::Data, why);
    };
    check("vectors", load_vectors(vectors.parent().unwrap()).unwrap());
}

/// Number of questions of each kind.
#[derive(Default)]
struct Tally {
    outcomes: usize,
    times: usize,
    retries: usize,
    scopes: usize,
    places: usize,
    pages: usize,
}

/// Asks each question that applies to a client, and reports their number.
fn check(source: &str, suite: Suite) {
    let mut tally = Tally::default();
    let mut questions = Vec::new();
    // Each starts servers, and a client for every access profile: the default suite asks one in
    // five.
    for statement in suite.statements.into_iter().step_by(one_in(5)) {
        let count = match &statement.question {
            Question::Fetch(_) => &mut tally.outcomes,
            Question::Fresh(_) => &mut tally.times,
            Question::Retry(_) => &mut tally.retries,
            Question::Scope(_) => &mut tally.scopes,
            Question::Derive(_) => &mut tally.places,
            Question::Page(_) if cfg!(feature = "html") => &mut tally.pages,
            // The content of files and pages needs no server.
            _ => continue,
        };
        *count += 1;
        questions.push(statement);
    }
    let Tally { outcomes, times, retries, scopes, places, pages } = tally;
    say(&format!(
        "through the client, {source}: {outcomes} outcomes, {times} times of freshness, \
         {retries} retries, {scopes} scopes, {places} places of robots.txt, {pages} pages"
    ));
    test_each(questions, |statement| {
        run(answer(&statement.question)).map_err(|error| format!("{}: {error}", statement.name))
    });
}

async fn answer(question: &Question) -> Result<(), String> {
    match question {
        Question::Fetch(fetch) => access::holds(fetch).await,
        Question::Fresh(fresh) => access::is_fresh(fresh).await,
        Question::Retry(retry) => access::is_tried_again(retry).await,
        Question::Scope(scope) => scope::covers(scope).await,
        Question::Derive(derive) => scope::asks(derive).await,
        #[cfg(feature = "html")]
        Question::Page(page) => directives::are_reported(page).await,
        _ => Err("expected a question for a client".to_owned()),
    }
}
