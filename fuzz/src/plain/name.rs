//! The name in a user-agent line (REP-AGENT-5, REP-AMB-11, REP-AMB-27).

use verger::dialect::AgentValue;

/// The name in a value: `*`, a name, or nothing.
pub(crate) fn agent_name(value: &[u8], reading: AgentValue) -> &[u8] {
    if reading == AgentValue::Whole {
        return value;
    }
    match value {
        [b'*'] => return value,
        [b'*', next, ..] if is_space(next) => return b"*",
        _ => {}
    }
    let belongs = |octet: u8| match reading {
        AgentValue::LeadingRun => octet.is_ascii_alphabetic() || b"-_".contains(&octet),
        _ => !is_space(&octet) && !b"/,;(*".contains(&octet),
    };
    let length = value.iter().take_while(|&&octet| belongs(octet)).count();
    &value[..length]
}

/// REP-AMB-42.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "iterators over bytes give references")]
pub(crate) fn is_space(octet: &u8) -> bool {
    matches!(octet, b' ' | b'\t' | 0x0B | 0x0C)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn readings_differ() {
        for (value, run, word) in [
            ("MJ12bot/1.4", "MJ", "MJ12bot"),
            ("* x", "*", "*"),
            ("*x", "", ""),
            ("a, b", "a", "a"),
            ("", "", ""),
        ] {
            let name = |reading| String::from_utf8_lossy(agent_name(value.as_bytes(), reading));
            assert_eq!(name(AgentValue::LeadingRun), run);
            assert_eq!(name(AgentValue::FirstWord), word);
            assert_eq!(name(AgentValue::Whole), value);
        }
    }
}
