//! The scripts that Redis runs: each decides and changes in one step.

use redis::Cmd;

/// A script, and its name in the cache of Redis.
#[derive(Debug)]
pub(crate) struct Script {
    text: &'static str,
    /// SHA-1 of the text.
    inner: redis::Script,
}

impl Script {
    fn new(text: &'static str) -> Self {
        Self { text, inner: redis::Script::new(text) }
    }

    /// The call by the cached name, and the call with the whole text.
    pub(crate) fn commands(&self, keys: &[String], arguments: &[&[u8]]) -> [Cmd; 2] {
        [("EVALSHA", self.inner.get_hash()), ("EVAL", self.text)].map(|(name, script)| {
            let mut command = redis::cmd(name);
            command.arg(script).arg(keys.len()).arg(keys);
            for argument in arguments {
                command.arg(*argument);
            }
            command
        })
    }
}

/// All scripts.
#[derive(Debug)]
pub(crate) struct Scripts {
    pub(crate) read: Script,
    pub(crate) replace: Script,
    pub(crate) set_back_off: Script,
    pub(crate) note_answer: Script,
    pub(crate) claim: Script,
    pub(crate) renew_lease: Script,
    pub(crate) release_lease: Script,
    pub(crate) turns: Script,
}

impl Scripts {
    pub(crate) fn new() -> Self {
        Self {
            read: Script::new(include_str!("scripts/read.lua")),
            set_back_off: Script::new(include_str!("scripts/set_back_off.lua")),
            replace: Script::new(include_str!("scripts/replace.lua")),
            note_answer: Script::new(include_str!("scripts/note_answer.lua")),
            claim: Script::new(include_str!("scripts/claim.lua")),
            renew_lease: Script::new(include_str!("scripts/renew_lease.lua")),
            release_lease: Script::new(include_str!("scripts/release_lease.lua")),
            turns: Script::new(include_str!("scripts/turns.lua")),
        }
    }
}
