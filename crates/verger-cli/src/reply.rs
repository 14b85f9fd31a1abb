//! What is said of one URL, before it is written.

use verger::access::Kind;
use verger::{Explanation, Verdict};
use verger_fetch::decision::Decision;
use verger_fetch::record::OriginRecord;
use verger_json::{Answer, Id};

use crate::asker::Asker;
use crate::robots_file::RobotsFile;

/// What the engine says of one URL, with what it was asked.
#[derive(Debug)]
pub(crate) struct Reply<'a> {
    /// What the asker calls the question.
    pub(crate) id: Option<&'a Id>,
    pub(crate) url: &'a [u8],
    pub(crate) asker: &'a Asker,
    pub(crate) file: &'a RobotsFile,
    pub(crate) verdict: Verdict<'a>,
    /// What else there is to say, when it was asked for.
    pub(crate) explanation: Option<Explanation<'a>>,
    /// What a live answer rests on.
    pub(crate) decision: Option<&'a Decision>,
}

impl<'a> Reply<'a> {
    /// Asks the engine. The URL has been found to be one.
    pub(crate) fn ask(
        url: &'a [u8],
        asker: &'a Asker,
        file: &'a RobotsFile,
        explain: bool,
    ) -> Self {
        let explanation = explain.then(|| file.robots().explain(asker.crawler(), url));
        let verdict = match &explanation {
            Some(explanation) => explanation.verdict,
            None => file.robots().check(asker.crawler(), url),
        };
        Self { id: None, url, asker, file, verdict, explanation, decision: None }
    }

    /// What a decision says of a URL.
    pub(crate) fn decided(
        url: &'a [u8],
        asker: &'a Asker,
        file: &'a RobotsFile,
        decision: &'a Decision,
        explain: bool,
    ) -> Self {
        let (verdict, decision) = (decision.verdict(), Some(decision));
        let reply = Self { id: None, url, asker, file, verdict, explanation: None, decision };
        let explains = explain && reply.asks_rules();
        let explanation =
            explains.then(|| file.robots().explain(asker.crawler(), reply.checked_url()));
        Self { explanation, ..reply }
    }

    /// The reply as JSON.
    pub(crate) fn answer(&'a self) -> Answer<'a> {
        Answer::new(self.url, self.asker.keys(), self.file.robots(), self.verdict)
            .with_id(self.id)
            .with_decision(self.decision)
            .with_explanation(self.explanation.as_ref())
    }

    /// What is known of the origin.
    pub(crate) fn record(&self) -> Option<&'a OriginRecord> {
        self.decision?.record().map(AsRef::as_ref)
    }

    /// Whether the question is not answered: the client itself could not request robots.txt, so nothing may
    /// be fetched, but the site has not said so.
    pub(crate) fn is_unanswered(&self) -> bool {
        self.decision.is_some_and(|decision| decision.fault().is_some())
    }

    /// Whether the rules of the file are asked, and not what the fetches mean.
    pub(crate) fn asks_rules(&self) -> bool {
        self.decision.is_none_or(|decision| decision.access().kind() == Kind::Rules)
    }

    /// The URL that the rules are asked about: what a client sends, where one does.
    pub(crate) fn checked_url(&self) -> &'a [u8] {
        self.decision.map_or(self.url, |decision| decision.url().as_str().as_bytes())
    }
}
