//! Hostile text in the engine's output: escaped for people, exact in JSON.

use verger::{Dialect, Untrusted, limits};
use verger_testkit::hostile::{AGENT, Shown, Sink, judge_text};

use super::Complaints;

/// The rule of the entry, in its sink.
pub(super) fn rule(bytes: &[u8], expected: &Shown, complaints: &mut Complaints) {
    let robots = Dialect::RFC9309.parse(bytes);
    let pattern = robots.groups().flat_map(|group| group.rules()).next().map(|rule| rule.pattern());
    complaints.unless_equal("pattern", pattern, Some(expected.pattern));
    let Some(pattern) = pattern else { return };
    for written in written(&robots, pattern, expected.sink) {
        if let Err(wrong) = judge_text(expected, written.as_bytes()) {
            complaints.unless(false, || format!("{wrong}: {}", written.escape_debug()));
        }
    }
}

/// The engine's output about a file with one rule, for this kind of sink.
fn written(robots: &verger::Robots, pattern: &[u8], sink: Sink) -> Vec<String> {
    let foreign = Untrusted::new(pattern);
    let verdict = robots.check(AGENT, pattern);
    let Some(rule) = robots.groups().flat_map(|group| group.rules()).next() else {
        return Vec::new();
    };
    match sink {
        Sink::Terminal => vec![foreign.to_string(), rule.to_string(), verdict.to_string()],
        Sink::Log => vec![format!("{foreign:?}"), format!("{rule:?}"), format!("{verdict:?}")],
        Sink::Json => vec![foreign.json().to_string()],
        Sink::Error => {
            let quoted = foreign.limited_to(limits::QUOTED_CHARS);
            vec![format!("expected a rule, but found `{quoted}`")]
        }
    }
}

/// A hostile name is one line of inert text.
pub(super) fn name(bytes: &[u8], complaints: &mut Complaints) {
    let shown = Untrusted::new(bytes).to_string();
    complaints.unless(!shown.contains('\n'), || format!("more than a line: {shown}"));
    complaints.unless_equal(
        "live byte",
        verger_testkit::hostile::unescaped(shown.as_bytes()),
        None,
    );
}
