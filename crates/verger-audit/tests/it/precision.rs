//! Requests that nobody may be accused of, as [scripts](crate::script).

use verger_audit::Options;

use crate::script::play;

#[test]
fn an_accusation_is_never_a_guess() {
    for (name, script) in [
        (
            "robots.txt with a query is another page",
            "0 serves /old
             20 serves /new
             1 gptbot 200 /robots.txt = robots_txt
             21 gptbot 200 /robots.txt?utm_source=x = robots_txt
             22 gptbot 200 /new = grace @2
             24 gptbot 304 /robots.txt?utm_source=x = robots_txt
             25:01 gptbot 200 /new = disallowed_unread @2",
        ),
    ] {
        play(name, Options::default(), script);
    }
}
