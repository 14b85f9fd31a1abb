use super::*;

#[test]
fn names_begin_with_a_date_and_perhaps_a_time() {
    let day = Some("2026-02-28T10:00:00Z 2026-03-01T00:00:00Z 2026-03-02T14:00:00Z");
    let second = Some("2026-03-01T12:30:59Z 2026-03-01T12:30:59Z 2026-03-01T12:30:59Z");
    let local = Some("2026-02-28T22:30:59Z 2026-03-01T12:30:59Z 2026-03-02T02:30:59Z");
    let minute = Some("2026-03-01T12:30:00Z 2026-03-01T12:30:00Z 2026-03-01T12:31:00Z");
    for (name, expected) in [
        ("2026-03-01.txt", day),
        ("20260301.txt", day),
        ("2026-03-01", day),
        ("2026-03-01Z.txt", day),
        ("2026-03-01-robots.txt", day),
        ("2026-03-01T12:30:59Z.txt", second),
        ("2026-03-01T123059Z-robots.txt", second),
        ("20260301123059.txt", local),
        ("2026-03-01T12:30:59+02:00.txt", local),
        ("2026-03-01_12-30Z.txt", minute),
        ("2026-02-30.txt", None),
        ("2026-03-01T25:00.txt", None),
        ("202603011.txt", None),
        ("robots-2026-03-01.txt", None),
        ("", None),
    ] {
        let found = time_of_name(name);
        let found = found.map(|(time, gap)| format!("{} {time} {}", gap.start, gap.end));
        assert_eq!(found.as_deref(), expected, "{name}");
    }
}

fn history_of(seen: Vec<Seen>) -> History {
    let mut found = Found::default();
    add_seen(seen, &mut found);
    found.finish(&Origin::from_parts("https", "shop.example", None).unwrap()).unwrap()
}

#[test]
fn a_file_wins_over_a_removal_in_another_place() {
    let (rename, origin) = (Timestamp::from_seconds(200), "https://a.example".parse().unwrap());
    let old: &[(_, Option<&[u8]>, _)] = &[(100, Some(b"a"), "old"), (200, None, "removed")];
    let new: &[(_, Option<&[u8]>, _)] = &[(200, Some(b"a"), "new")];
    // One place knows in which order its versions of one second came.
    let both = &[(200, Some(b"a".as_slice()), "new"), (200, None, "removed")];
    for (places, expected, count) in [
        (&[old, new][..], "new", 2),
        (&[new, old], "new", 2),
        (&[old], "removed", 2),
        (&[both], "removed", 1),
        (&[old, old], "removed", 2),
    ] {
        let mut found = Found::default();
        for versions in places {
            found.place += 1;
            for (from, text, name) in *versions {
                let text = text.map(<[u8]>::to_vec);
                found.add(Timestamp::from_seconds(*from), text, (*name).to_owned());
            }
        }
        let history = found.finish(&origin).unwrap();
        assert_eq!(name_at(&history, rename), Some(expected), "{places:?}");
        assert_eq!(history.versions().len(), count, "{places:?}");
    }
}

/// The name of the version that was served at a time.
fn name_at(history: &History, time: Timestamp) -> Option<&str> {
    history.between(time, time).map(|it| &*history.versions()[it.start].name)
}

#[test]
fn a_file_that_was_seen_twice_was_served_in_between_for_a_day() {
    let at = Timestamp::from_seconds;
    for (apart, expected) in [(MOST_UNSEEN, true), (MOST_UNSEEN + 1, false)] {
        let seen = |time| Seen {
            from: at(time),
            until: at(time),
            text: Some(b"a".to_vec()),
            name: String::new(),
            is_again: false,
        };
        let history = history_of(vec![seen(0), seen(apart)]);
        assert_eq!(name_at(&history, at(1)).is_some(), expected, "{apart}");
        assert!(name_at(&history, at(apart)).is_some(), "{apart}");
    }
}

#[test]
fn between_two_files_that_were_seen_nothing_is_known() {
    let at = Timestamp::from_seconds;
    let seen = |from, until, text: &str| {
        let (from, until, name) = (at(from), at(until), text.to_owned());
        let is_again = text == "again";
        let text = Some(if is_again { "d" } else { text }.into()).filter(|_| text != "none");
        Seen { from, until, text, name, is_again }
    };
    let history = history_of(vec![
        seen(50, 60, "b"),
        seen(10, 20, "a"),
        seen(25, 30, "a"),
        seen(61, 61, "c"),
        seen(70, 90, "d"),
        seen(80, 82, "e"),
        seen(91, 92, "d"),
        seen(95, 95, "again"),
        seen(97, 97, "d"),
        seen(98, 98, "none"),
        seen(99, 99, "d"),
    ]);
    for (time, expected) in [
        (9, None),
        (10, Some("a")),
        (22, Some("a")),
        (30, Some("a")),
        (31, None),
        (49, None),
        (50, Some("b")),
        (61, Some("c")),
        (62, None),
        // Of two sources, one saw another file.
        (75, None),
        (81, None),
        (85, None),
        (91, Some("d")),
        (93, None),
        (95, Some("again")),
        (96, Some("again")),
        (98, Some("none")),
    ] {
        assert_eq!(name_at(&history, at(time)), expected, "{time}");
    }
    assert!(history.between(at(20), at(50)).is_none());
    assert_eq!(history.between(at(50), at(61)).map(|it| it.len()), Some(2));
}

#[test]
fn a_history_can_name_its_site() {
    let site = |spec: &str| {
        let (site, rest) = site_of(OsStr::new(spec)).unwrap();
        (site.map(|site| site.to_string()), rest.into_string().unwrap())
    };
    let shop = Some("https://shop.example".to_owned());
    assert_eq!(site("https://shop.example=git:robots.txt"), (shop, "git:robots.txt".into()));
    assert_eq!(site("a=b.txt"), (None, "a=b.txt".into()));
}
