//! The compiled policy of the agent that was asked about last.
//!
//! A crawl asks one file about many URLs for one agent. A policy answers several times faster than
//! the parsed file, but compiling it takes as long as about ten answers.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use pyo3::prelude::*;
use verger::{Policy, Robots};

use crate::crawler::Agent;
use crate::text::detached;

/// From this number of questions for the same agent on, compiling a policy pays.
const COMPILE_FROM: usize = 10;

/// The agent of the last question, the number of its questions, and its policy.
#[derive(Default)]
pub(crate) struct Recent(Mutex<Option<Asked>>);

struct Asked {
    agent: Key,
    questions: usize,
    policy: Option<Arc<Policy>>,
}

enum Key {
    Crawler(verger::Crawler),
    Text(Box<str>),
}

impl Recent {
    /// The policy, compiled now if it is not yet.
    ///
    /// It is compiled outside the lock, so other threads get answers meanwhile. Two threads may
    /// compile the same policy; both are right.
    pub(crate) fn policy(&self, py: Python<'_>, robots: &Robots, agent: &Agent<'_>) -> Arc<Policy> {
        if let Some(known) = &Asked::of(&mut self.lock(), agent).policy {
            return Arc::clone(known);
        }
        let crawler = agent.as_ref();
        let compiled = detached(py, robots.text().len(), || Arc::new(robots.policy(&crawler)));
        Asked::of(&mut self.lock(), agent).policy = Some(Arc::clone(&compiled));
        compiled
    }

    /// Counts questions, and returns the policy if it is compiled or compiling it pays now.
    pub(crate) fn policy_for(
        &self,
        py: Python<'_>,
        robots: &Robots,
        agent: &Agent<'_>,
        questions: usize,
    ) -> Option<Arc<Policy>> {
        let mut guard = self.lock();
        let asked = Asked::of(&mut guard, agent);
        asked.questions = asked.questions.saturating_add(questions);
        if asked.policy.is_some() || asked.questions < COMPILE_FROM {
            return asked.policy.clone();
        }
        drop(guard);
        Some(self.policy(py, robots, agent))
    }

    /// A panic of another thread leaves the last state, which is valid.
    fn lock(&self) -> MutexGuard<'_, Option<Asked>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Asked {
    /// The state for this agent, which replaces that for another.
    fn of<'a>(last: &'a mut Option<Self>, agent: &Agent<'_>) -> &'a mut Self {
        if last.as_ref().is_some_and(|asked| !asked.agent.is(agent)) {
            *last = None;
        }
        last.get_or_insert_with(|| Self { agent: Key::of(agent), questions: 0, policy: None })
    }
}

impl Key {
    fn of(agent: &Agent<'_>) -> Self {
        match agent {
            Agent::Crawler(crawler) => Self::Crawler(crawler.0.clone()),
            Agent::Text(text, _) => Self::Text(text.as_ref().into()),
        }
    }

    fn is(&self, agent: &Agent<'_>) -> bool {
        match (self, agent) {
            (Self::Crawler(known), Agent::Crawler(crawler)) => *known == crawler.0,
            (Self::Text(known), Agent::Text(text, _)) => **known == **text,
            _ => false,
        }
    }
}
