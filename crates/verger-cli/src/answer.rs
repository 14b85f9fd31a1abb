//! The answer for one URL.

use verger::access::Kind;
use verger::{Explanation, Verdict};
use verger_fetch::decision::Decision;
use verger_fetch::record::OriginRecord;
use verger_json::{Answer as AnswerKeys, Id, NamedCrawler};

use crate::robots_file::RobotsFile;

/// A question and its answer.
#[derive(Debug)]
pub(crate) struct Answer<'a> {
    /// Identifier of the question.
    pub(crate) id: Option<&'a Id>,
    pub(crate) url: &'a [u8],
    pub(crate) crawler: &'a NamedCrawler,
    pub(crate) file: &'a RobotsFile,
    pub(crate) verdict: Verdict<'a>,
    pub(crate) explanation: Option<Explanation<'a>>,
    /// Evidence of a live answer.
    pub(crate) decision: Option<&'a Decision>,
}

impl<'a> Answer<'a> {
    /// Answers by the rules of a file. `url` has passed [`check`](crate::url_check::check).
    pub(crate) fn of_file(
        url: &'a [u8],
        crawler: &'a NamedCrawler,
        file: &'a RobotsFile,
        explain: bool,
    ) -> Self {
        let explanation = explain.then(|| file.robots().explain(crawler.crawler(), url));
        let verdict = match &explanation {
            Some(explanation) => explanation.verdict,
            None => file.robots().check(crawler.crawler(), url),
        };
        Self { id: None, url, crawler, file, verdict, explanation, decision: None }
    }

    /// The answer of a decision.
    pub(crate) fn of_decision(
        url: &'a [u8],
        crawler: &'a NamedCrawler,
        file: &'a RobotsFile,
        decision: &'a Decision,
        explain: bool,
    ) -> Self {
        let (verdict, decision) = (decision.verdict(), Some(decision));
        let answer = Self { id: None, url, crawler, file, verdict, explanation: None, decision };
        let explains = explain && answer.uses_rules();
        let explanation =
            explains.then(|| file.robots().explain(crawler.crawler(), answer.checked_url()));
        Self { explanation, ..answer }
    }

    /// The answer as JSON.
    pub(crate) fn keys(&'a self) -> AnswerKeys<'a> {
        AnswerKeys::new(self.url, self.crawler.keys(), self.file.robots(), self.verdict)
            .with_id(self.id)
            .with_decision(self.decision)
            .with_explanation(self.explanation.as_ref())
    }

    /// The record of the origin.
    pub(crate) fn record(&self) -> Option<&'a OriginRecord> {
        self.decision?.record().map(AsRef::as_ref)
    }

    /// Whether the client itself failed to request robots.txt. Then nothing may be fetched, but the
    /// rules are unknown.
    pub(crate) fn is_unanswered(&self) -> bool {
        self.decision.is_some_and(|decision| decision.fault().is_some())
    }

    /// Whether the rules of the file decide, and not the result of the fetch.
    pub(crate) fn uses_rules(&self) -> bool {
        self.decision.is_none_or(|decision| decision.access().kind() == Kind::Rules)
    }

    /// The URL that is compared with the rules: of a live answer, the URL that a client sends.
    pub(crate) fn checked_url(&self) -> &'a [u8] {
        self.decision.map_or(self.url, |decision| decision.url().as_str().as_bytes())
    }
}
