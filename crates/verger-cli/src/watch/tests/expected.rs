//! Sites with an expected file.

use std::collections::HashSet;

use verger_testkit::server::ScriptedResponse;

use super::simulation::Simulation;
use super::{DAY, RULES, fact, facts, ok};
use crate::error::ExitStatus;
use crate::robots_place::RobotsPlace;

#[test]
fn status_media_type_and_redirect_are_not_as_expected() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("robots.txt");
    std::fs::write(&file, RULES).unwrap();
    let simulation = Simulation::new(|site, _, _| match site {
        0 => ok(RULES),
        1 => ScriptedResponse::new(203).body(RULES),
        2 => ScriptedResponse::new(200).field("Content-Type", "text/html").body(RULES),
        _ => ScriptedResponse::redirect(301, "http://s0.example/robots.txt"),
    });
    let expect = RobotsPlace::File(file);
    let (mut reports, status) = simulation.run(4, 3600, 0, &[], |_| Some(expect.clone()), true);
    assert_eq!(status, ExitStatus::Finding);
    reports.sort_by_key(|it| it["origin"].as_str().unwrap().to_owned());
    assert!(reports.iter().all(|it| it["as_expected"] == false), "{reports:?}");
    assert_eq!(
        facts(&reports),
        [
            fact("status", "", "203"),
            fact("media_type", "", "text/html"),
            fact("url", "", "http://s0.example/robots.txt"),
        ]
    );
}

#[test]
fn a_single_run_reports_each_difference_from_an_expected_file() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("robots.txt");
    std::fs::write(&file, "").unwrap();
    let simulation = Simulation::new(|_, _, _| ok(RULES));
    let run = |file: &std::path::Path| {
        let expect = RobotsPlace::File(file.to_owned());
        simulation.run(2, 3600, 0, &[], |at| (at == 0).then(|| expect.clone()), true)
    };
    let mut ids = HashSet::new();
    for _ in 0..2 {
        let (reports, status) = run(&file);
        assert_eq!((reports.len(), status), (1, ExitStatus::Finding));
        assert!(ids.insert(reports[0]["id"].to_string()), "the same at another time");
        simulation.time.wait_until(DAY);
    }
    // An expected file that cannot be read ends the check of its site only.
    let other = Simulation::new(|_, _, _| ok(RULES));
    let missing = RobotsPlace::File(folder.path().join("missing"));
    let expect = RobotsPlace::File(file.clone());
    let both = |at: usize| Some([&missing, &expect][at].clone());
    let (reports, status) = other.run(2, 3600, 0, &[], both, true);
    assert_eq!((reports.len(), status), (1, ExitStatus::Error));
}

#[test]
fn an_expected_file_is_compared_until_it_is_served() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("robots.txt");
    std::fs::write(&file, RULES).unwrap();
    let simulation = Simulation::new(|_, _, seconds| match seconds / DAY {
        1 => ok("User-agent: *\nDisallow: /\n"),
        _ => ok(RULES),
    });
    let expect = RobotsPlace::File(file);
    let reports = simulation.watch_for(1, 3600, 3 * DAY, &[], Some(&expect));
    let expected: Vec<_> = reports.iter().map(|it| it["as_expected"].as_bool()).collect();
    assert_eq!(expected, [Some(false), Some(true)]);
    assert_eq!(reports[1].get("diff"), None);
}

#[test]
fn a_known_site_is_compared_with_a_new_expected_file_and_reported_once() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("robots.txt");
    let simulation = Simulation::new(|_, _, _| ok(RULES));
    assert!(simulation.watch(1, 3600, 7200, &[]).is_empty());
    let expect = RobotsPlace::File(file.clone());
    // Also if another expected file replaces the first one.
    let other = "User-agent: *\nDisallow: /x\n";
    // The last ones are served.
    for (expected, answers) in [
        ("", &[false][..]),
        ("", &[]),
        (other, &[false]),
        (RULES, &[]),
        (&format!("# new\n{RULES}"), &[]),
    ] {
        std::fs::write(&file, expected).unwrap();
        let until = simulation.time.seconds() + 7200;
        let reports = simulation.watch_for(1, 3600, until, &[], Some(&expect));
        let found: Vec<_> = reports.iter().map(|it| it["as_expected"] == true).collect();
        assert_eq!(found, answers, "{expected}");
    }
}
