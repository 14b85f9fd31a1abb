//! The compiled policies of the agents that were asked about last.
//!
//! A crawl asks one file about many URLs for few agents. A policy answers several times faster than
//! the parsed file, but compiling it takes as long as about ten answers.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use pyo3::prelude::*;
use verger::{Policy, Robots};

use crate::crawler::Agent;
use crate::text::detached;

/// From this number of questions for the same agent on, compiling a policy pays.
const COMPILE_FROM: usize = 10;

/// Maximum number of agents that a file remembers: more than a crawler has names, and few enough to
/// be compared one by one.
const MOST_AGENTS: usize = 8;

/// The agents of the last questions, the last one first.
#[derive(Default)]
pub(crate) struct Recent(Mutex<Vec<Asked>>);

/// An agent, the number of its questions, and its policy.
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
    fn lock(&self) -> MutexGuard<'_, Vec<Asked>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Asked {
    /// The state for this agent, which moves to the front.
    fn of<'a>(recent: &'a mut Vec<Self>, agent: &Agent<'_>) -> &'a mut Self {
        match recent.iter().position(|asked| asked.agent.is(agent)) {
            Some(at) => recent[..=at].rotate_right(1),
            None => {
                recent.truncate(MOST_AGENTS - 1);
                recent.insert(0, Self { agent: Key::of(agent), questions: 0, policy: None });
            }
        }
        &mut recent[0]
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
