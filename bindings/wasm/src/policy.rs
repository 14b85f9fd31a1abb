//! Compiled policies, for module `verger`.

use verger::{Policy, Verdict};
use wasm_bindgen::prelude::*;

use crate::arguments::{Agent, answers, dialect};
use crate::input;
use crate::json::Json;
use crate::values;

/// A compiled policy; `Policy` of JavaScript wraps it.
#[wasm_bindgen]
pub struct NativePolicy(pub(crate) Policy);

#[wasm_bindgen]
impl NativePolicy {
    /// Compiles the rules of a file for an agent. Parsing only those would add two kilobytes to the
    /// module.
    #[wasm_bindgen(constructor)]
    pub fn new(index: usize, kind: u8, text: usize, agent: usize) -> Self {
        input::with([text, agent], |[text, agent]| {
            Self(dialect(index).parse(text).policy(&Agent::of(kind, agent).as_ref()))
        })
    }

    /// Reads the bytes of a policy; `None` if they are damaged ([`policy_error`]).
    pub fn read(bytes: usize) -> Option<Self> {
        input::with([bytes], |[bytes]| Policy::from_bytes(bytes.into()).ok().map(Self))
    }

    pub fn bytes(&self) -> Vec<u8> {
        self.0.as_bytes().to_vec()
    }

    pub fn without_explanation(&self) -> Self {
        Self(self.0.without_explanation())
    }

    pub fn is_allowed(&self, url: usize) -> bool {
        input::with([url], |[url]| self.0.is_allowed(url))
    }

    pub fn are_lines_allowed(&self, lines: usize) -> Vec<u8> {
        input::with([lines], |[lines]| answers(lines, |url| self.0.is_allowed(url)))
    }

    /// As [`NativeRobots::verdict`](crate::robots::NativeRobots::verdict).
    pub fn verdict(&self, url: usize) -> i32 {
        input::with([url], |[url]| code(&self.0.check(url)))
    }

    pub fn check(&self, url: usize) -> String {
        input::with([url], |[url]| Json::of(|json| values::verdict(json, &self.0.check(url))))
    }
}

/// The reason why [`NativePolicy::read`] rejects the bytes.
#[wasm_bindgen]
pub fn policy_error(bytes: usize) -> Option<String> {
    input::with([bytes], |[bytes]| Some(Policy::from_bytes(bytes).err()?.to_string()))
}

/// The number of a verdict for one agent: the line of the deciding rule, or a negative number for a
/// reason without a rule.
pub(crate) fn code(verdict: &Verdict<'_>) -> i32 {
    match verdict.line() {
        // The memory of a module has less than 2^32 bytes, and a file is there twice.
        Some(line) => i32::try_from(line).unwrap_or(i32::MAX),
        None => -1 - (2 * verdict.reason() as i32 + i32::from(verdict.is_allowed())),
    }
}
