//! Keys and lists of addresses in files.

use std::fs;

use crate::common::run;

#[test]
fn a_key_is_in_a_new_file_and_its_set_is_printed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("key.json");
    let file = path.to_str().unwrap();
    let made = run(&["identity", "key", file], "");
    assert_eq!(made.status.code(), Some(0), "{made:?}");
    let thumbprint = String::from_utf8(made.stdout).unwrap();
    let secret = fs::read_to_string(&path).unwrap();
    let key: serde_json::Value = serde_json::from_str(&secret).unwrap();
    assert_eq!(key["kid"], thumbprint.trim_end());
    let printed = run(&["identity", "directory", file], "");
    assert_eq!(printed.status.code(), Some(0), "{printed:?}");
    let set: serde_json::Value = serde_json::from_slice(&printed.stdout).unwrap();
    assert_eq!((&set["keys"][0]["kid"], &set["keys"][0]["x"]), (&key["kid"], &key["x"]));
    assert!(!String::from_utf8_lossy(&printed.stdout).contains(key["d"].as_str().unwrap()));
    // A key is never replaced.
    let again = run(&["identity", "key", file], "");
    assert_eq!(again.status.code(), Some(2));
    assert_eq!(fs::read_to_string(&path).unwrap(), secret);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
        let open = run(&["identity", "directory", file], "");
        assert_eq!(open.status.code(), Some(2));
        let message = String::from_utf8_lossy(&open.stderr).into_owned();
        assert!(message.contains("expected a file that only its owner can read"), "{message}");
    }
}

#[test]
fn lists_of_a_directory_replace_those_of_the_release() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, copied: &str, list: &str| {
        let urls = r#"["https://openai.com/gptbot.json"]"#;
        let copy = format!(r#"{{"urls":{urls},"copied":"{copied}","list":{list}}}"#);
        fs::write(folder.path().join(name), copy).unwrap();
    };
    write("a.json", "2026-03-01", r#"{"prefixes":[{"ipv4Prefix":"203.0.113.0/24"}]}"#);
    write("b.json", "2026-06-01T12:00:00Z", r#""198.51.100.0/24\n""#);
    write("README.txt", "", "");
    let lists = folder.path().to_str().unwrap();
    for (at, ip, code) in [
        ("2026-04-01", "203.0.113.9", 0),
        ("2026-04-01", "198.51.100.1", 1),
        ("2026-06-01T12:00:00Z", "198.51.100.1", 0),
        ("2026-06-01T12:00:00Z", "20.171.206.10", 1),
    ] {
        let arguments = [
            "identify",
            "--offline",
            "--lists",
            lists,
            "--at",
            at,
            "--ip",
            ip,
            "--user-agent",
            "GPTBot/1.2",
        ];
        let found = run(&arguments, "");
        assert_eq!(found.status.code(), Some(code), "{at} {ip}: {found:?}");
    }
    write("c.json", "2026-07-01", r#""<html>""#);
    let found = run(&["identify", "--offline", "--lists", lists, "--ip", "203.0.113.9"], "");
    assert_eq!(found.status.code(), Some(2));
    let message = String::from_utf8_lossy(&found.stderr).into_owned();
    assert!(message.contains("c.json`: line 1: expected an address or a prefix"), "{message}");
    let empty = tempfile::tempdir().unwrap();
    let empty = empty.path().to_str().unwrap();
    let enforce = ["enforce", "-", "--target", "nginx", "--verified", "refuse", "--lists", empty];
    for arguments in
        [&["identify", "--offline", "--lists", empty, "--ip", "203.0.113.9"][..], &enforce]
    {
        let found = run(arguments, "User-agent: GPTBot\nDisallow: /\n");
        assert_eq!(found.status.code(), Some(2));
        let message = String::from_utf8_lossy(&found.stderr).into_owned();
        assert!(message.contains("hint: `verger identity update DIR` fetches lists"), "{message}");
    }
}
