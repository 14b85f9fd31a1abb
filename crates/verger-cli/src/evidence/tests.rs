use super::*;

#[test]
fn only_the_addresses_of_the_client_are_cut() {
    let clients = ["66.249.66.17", "2001:db8:1:2::7", "192.0.2.7"];
    let clients = clients.map(|text| Some(text.parse().unwrap()));
    for (line, expected) in [
        ("66.249.66.17 - - [x]", "66.249.66.x - - [x]"),
        ("2001:db8:1:2::7 - -", "2001:db8:1::x - -"),
        ("2001:0DB8:1:2:0::7 - -", "2001:db8:1::x - -"),
        ("http h 192.0.2.7:2817 10.0.0.1:80", "http h 192.0.2.x:2817 10.0.0.1:80"),
        ("\"192.0.2.7, 198.51.100.255\"", "\"192.0.2.x, 198.51.100.255\""),
        ("for=\"[2001:db8:1:2::7]:4711\"", "for=\"[2001:db8:1::x]:4711\""),
        ("::ffff:192.0.2.7", "192.0.2.x"),
        ("/std::deque /10.0.3.7.zip v1.2.3.4", "/std::deque /10.0.3.7.zip v1.2.3.4"),
        ("10/Mar/2026:13:55:36 /a.b.c HTTP/1.1", "10/Mar/2026:13:55:36 /a.b.c HTTP/1.1"),
        ("é 192.0.2.7", "é 192.0.2.x"),
        ("", ""),
    ] {
        assert_eq!(without_addresses(line, &clients), expected);
    }
    assert_eq!(without_addresses("192.0.2.7", &[None]), "192.0.2.7");
}
