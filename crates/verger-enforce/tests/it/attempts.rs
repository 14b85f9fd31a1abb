//! Attempts to pass the rules on real servers, and requests that must pass.

use std::process::Command;

use verger::Robots;
use verger::access::Timestamp;
use verger_enforce::{Choices, Options, Plan, Target, Unproved};
use verger_identity::Lists;
use verger_registry::{Purpose, Registry};
use verger_testkit::shared::{Lacking, skip_loudly};

use crate::hostile::SEEDS;
use crate::proof::{BROWSERS, NAMED, ORDINARY};
use crate::servers::{BROWSER, CHOICES, installed, written};

#[test]
#[ignore = "thorough suite: needs nginx, Apache, HAProxy and Caddy"]
fn attempts_to_pass_are_refused() {
    let robots = Robots::parse("User-agent: GPTBot\nDisallow: /private\n");
    let plan = Plan::of(&robots, &Options::default(), Lists::bundled(), Timestamp::EPOCH).unwrap();
    let deep = format!("{}{}/private", "/a".repeat(1_500), "/..".repeat(1_500));
    let attempts = [
        "/private",
        "/%70rivate",
        "/%70%72%69%76%61%74%65?x",
        "//private",
        "///private/x",
        "/./private",
        "/x/../private",
        "/x/%2e%2E/private",
        "/%2e/private",
        "/x%2f..%2fprivate",
        "/private%00",
        "/private?x",
        "/private/",
        "/private#x",
        "http://shop.example/private",
        "HTTP://shop.example/x/../%70rivate",
        &deep,
        "/a/b/../../private",
        "/a/../b/../private",
        "/../private",
        "/.well-known/../private",
        "/robots.txt/../private",
        "/private/../private",
    ];
    let allowed = [
        "/",
        "/x",
        "/Private",
        "/robots.txt",
        "/.well-known/private",
        "/x?/private",
        "/privat",
        "/robots.txt?x",
    ];
    for server in installed("attempts") {
        let output = plan.emit(server.target, &CHOICES).unwrap();
        let running = server.start(&output.text);
        for (targets, is_refused) in [(&attempts[..], true), (&allowed, false)] {
            for target in targets {
                let request = ("GPTBot/1.0".to_owned(), target.as_bytes().to_vec());
                let status = running.statuses(&[request])[0];
                let found = status >= 400;
                let shown = &target[..target.len().min(60)];
                assert_eq!(found, is_refused, "{} {shown}: {status}", server.target.name());
            }
        }
        for header in ["NotGPTBot/1.0", "GPTBot2/1.0", "x (+https://e.example/GPTBot)", BROWSER] {
            let request = (header.to_owned(), b"/private".to_vec());
            assert_eq!(running.statuses(&[request]), [204], "{} {header}", server.target.name());
        }
    }
}

#[test]
#[ignore = "thorough suite: needs nginx, Apache, HAProxy and Caddy"]
fn paths_of_http_2_are_read_in_the_same_way() {
    if Command::new("curl").arg("--version").output().is_err() {
        return skip_loudly("HTTP/2", Lacking::Tool, "curl is not installed");
    }
    let robots = Robots::parse("User-agent: GPTBot\nDisallow: /private\n");
    let plan = Plan::of(&robots, &Options::default(), Lists::bundled(), Timestamp::EPOCH).unwrap();
    for server in installed("HTTP/2") {
        let changed = match server.target {
            Target::Nginx => server.configuration.replace("PORT;", "PORT http2;"),
            Target::Apache => server.configuration.replace(
                "DocumentRoot",
                "LoadModule http2_module /usr/lib/apache2/modules/mod_http2.so\nProtocols h2c http/1.1\nDocumentRoot",
            ),
            Target::Caddy => server.configuration.replace(
                "admin off",
                "admin off\n\tservers {\n\t\tprotocols h1 h2c\n\t}",
            ),
            Target::Haproxy => server.configuration.to_owned(),
            _ => continue,
        };
        let running =
            server.start_with(&changed, &plan.emit(server.target, &CHOICES).unwrap().text);
        let status = |target: &str| {
            let url = format!("http://127.0.0.1:{}{target}", running.port);
            let arguments = ["-s", "--http2-prior-knowledge", "--path-as-is", "-A", "GPTBot/1.0"];
            let output = Command::new("curl")
                .args(arguments)
                .args(["-o", "/dev/null", "-w", "%{http_version} %{http_code}", &url])
                .output()
                .unwrap();
            String::from_utf8(output.stdout).unwrap()
        };
        let name = server.target.name();
        for target in [
            "/private",
            "/%70rivate",
            "//private",
            "/./private",
            "/x/../private",
            "/x/%2e%2e/private",
        ] {
            assert_eq!(status(target), "2 403", "{name} {target}");
        }
        for target in ["/", "/robots.txt", "/privat"] {
            assert_eq!(status(target), "2 204", "{name} {target}");
        }
    }
}

#[test]
#[ignore = "thorough suite: needs nginx, Apache, HAProxy and Caddy"]
fn names_count_from_published_addresses_only() {
    let robots =
        Robots::parse("User-agent: Googlebot\nDisallow: /a\n\nUser-agent: *\nDisallow: /b\n");
    let url = &Registry::bundled().find("Googlebot").unwrap().ip_ranges()[0];
    for (address, is_listed) in [("127.0.0.1/32", true), ("192.0.2.0/24", false)] {
        let mut lists = Lists::default();
        let copy = format!(r#"{{"urls":["{url}"],"copied":"2026-01-01","list":["{address}"]}}"#);
        lists.read(&copy).unwrap();
        for (others, expected) in
            [(Unproved::Refuse, [true, true, true]), (Unproved::Star, [false, true, false])]
        {
            let agents = vec!["Googlebot".to_owned()];
            let options = Options { agents, verified: Some(others), ..Options::default() };
            let now = Timestamp::from_seconds(1_790_000_000);
            let plan = Plan::of(&robots, &options, &lists, now).unwrap();
            assert_eq!(plan.addresses_date().unwrap().to_string(), "2026-01-01T00:00:00Z");
            for server in installed("addresses").into_iter().filter(|it| it.target != Target::Caddy)
            {
                let running = server.start(&plan.emit(server.target, &CHOICES).unwrap().text);
                let expected = if is_listed { [true, false, false] } else { expected };
                for (target, expected) in ["/a", "/b", "/c"].into_iter().zip(expected) {
                    let request = |header: &str| (header.to_owned(), target.as_bytes().to_vec());
                    let found = running.statuses(&[request("Googlebot/2.1"), request(BROWSER)]);
                    let refused = if expected { 403 } else { 204 };
                    assert_eq!(
                        found,
                        [refused, 204],
                        "{} {address} {others:?} {target}",
                        server.target.name()
                    );
                }
                if matches!(server.target, Target::Nginx | Target::Haproxy) {
                    // Host bits are no warning.
                    let proxies = ["10.1.2.3/8".parse().unwrap()];
                    let choices = Choices { proxies: (&proxies, "X-Forwarded-For"), ..CHOICES };
                    server.start(&plan.emit(server.target, &choices).unwrap().text);
                }
                let robots_txt = ("Googlebot/2.1".to_owned(), b"/robots.txt".to_vec());
                assert_eq!(running.statuses(&[robots_txt]), [204]);
            }
        }
    }
}

#[test]
#[ignore = "thorough suite: needs nginx, Apache, HAProxy and Caddy"]
fn the_usual_list_of_ai_crawlers_is_refused_by_whole_words() {
    let robots = Robots::parse("User-agent: *\nDisallow: /\n");
    let purposes = vec![Purpose::Training, Purpose::Dataset, Purpose::UserTriggered];
    let options = Options { purposes: purposes.clone(), ..Options::default() };
    let plan = Plan::of(&robots, &options, Lists::bundled(), Timestamp::EPOCH).unwrap();
    let crawlers = Registry::bundled().crawlers().iter();
    let listed =
        crawlers.filter(|it| purposes.contains(&it.purpose()) && !it.rules().ignores_star());
    let words: Vec<String> =
        listed.flat_map(verger_registry::Crawler::user_agents).cloned().collect();
    assert!(words.len() > 60 && words.iter().any(|it| it == "GPTBot"));
    for server in installed("the list") {
        let running = server.start(&plan.emit(server.target, &CHOICES).unwrap().text);
        let statuses = |form: &dyn Fn(&String) -> String| {
            let requests: Vec<_> = words.iter().map(|word| (form(word), b"/x".to_vec())).collect();
            running.statuses(&requests)
        };
        let name = server.target.name();
        let refused =
            statuses(&|word| format!("Mozilla/5.0 (compatible; {}/1.0)", word.to_uppercase()));
        let passed: Vec<_> =
            refused.iter().zip(&words).filter(|(status, _)| **status != 403).collect();
        assert!(passed.is_empty(), "{name} {passed:?}");
        for form in [
            (&|word: &String| format!("x{word}/1.0")) as &dyn Fn(&String) -> String,
            &|word| format!("{word}x/1.0"),
            &|word| format!("Mozilla/5.0 (compatible; +https://e.example/{word})"),
            &|word| format!("My-{word}/1.0"),
        ] {
            let statuses = statuses(form).into_iter();
            let refused: Vec<_> =
                statuses.zip(&words).filter(|(status, _)| *status != 204).collect();
            assert!(refused.is_empty(), "{name} {refused:?}");
        }
        assert_eq!(running.statuses(&[(BROWSER.to_owned(), b"/x".to_vec())]), [204]);
    }
}

#[test]
#[ignore = "thorough suite: needs nginx, Apache, HAProxy and Caddy"]
fn hostile_files_are_loaded_and_refuse_browsers_nothing() {
    for seed in SEEDS {
        let robots = Robots::parse(seed);
        let plan =
            Plan::of(&robots, &Options::default(), Lists::bundled(), Timestamp::EPOCH).unwrap();
        for server in installed("hostile files") {
            let Some(output) = written(&plan, server.target) else { continue };
            let running = server.start(&output.text);
            let long = format!("/{}", "ab".repeat(3_500)).into_bytes();
            let requests = [b"/".to_vec(), long].map(|target| (BROWSER.to_owned(), target));
            assert_eq!(running.statuses(&requests), [204, 204], "{} {seed}", server.target.name());
        }
    }
    // Forty stars: the first place of each text is the only one that is tried.
    let stars = format!("User-agent: GPTBot\nDisallow: /{}$\n", "*a".repeat(40));
    let robots = Robots::parse(&stars);
    let plan = Plan::of(&robots, &Options::default(), Lists::bundled(), Timestamp::EPOCH).unwrap();
    for server in installed("stars") {
        let running = server.start(&plan.emit(server.target, &CHOICES).unwrap().text);
        let status = |end: &str| {
            let target = format!("/{}{end}", "a".repeat(3_000)).into_bytes();
            running.statuses(&[("GPTBot/1.0".to_owned(), target)])[0]
        };
        assert_eq!((status(""), status("b")), (403, 204), "{}", server.target.name());
    }
}

#[test]
#[ignore = "thorough suite: needs nginx, Apache, HAProxy and Caddy"]
fn rules_for_everybody_are_for_browsers_too() {
    let robots = Robots::parse("User-agent: *\nDisallow: /a\n\nUser-agent: GPTBot\nDisallow: /b\n");
    let options = Options { star_for_all: true, ..Options::default() };
    let plan = Plan::of(&robots, &options, Lists::bundled(), Timestamp::EPOCH).unwrap();
    for server in installed("everybody") {
        let running = server.start(&plan.emit(server.target, &CHOICES).unwrap().text);
        for (header, expected) in [(BROWSER, [403, 204]), ("GPTBot/1.0", [204, 403])] {
            let requests = ["/a", "/b"].map(|it| (header.to_owned(), it.as_bytes().to_vec()));
            assert_eq!(running.statuses(&requests), expected, "{} {header}", server.target.name());
        }
    }
}

#[test]
#[ignore = "thorough suite: needs nginx, Apache, HAProxy and Caddy"]
fn the_configurations_of_the_page_work() {
    let page = include_str!("../../../../docs/enforce.md");
    let robots = Robots::parse("User-agent: GPTBot\nDisallow: /\nAllow: /press/\n");
    let plan = Plan::of(&robots, &Options::default(), Lists::bundled(), Timestamp::EPOCH).unwrap();
    for server in installed("the page") {
        let (fence, own, added) = match server.target {
            Target::Nginx => {
                ("nginx", "http {", server.configuration.split("include RULES").next().unwrap())
            }
            Target::Apache => (
                "apache",
                "<VirtualHost *:8080>",
                server.configuration.split("<VirtualHost").next().unwrap(),
            ),
            Target::Caddy => ("caddy", "{\n\torder", "{\n\tadmin off\n\tauto_https off\n"),
            Target::Haproxy => {
                ("haproxy", "frontend", server.configuration.split("frontend").next().unwrap())
            }
            _ => ("vcl", "vcl 4.1;\n", "vcl 4.1;\n"),
        };
        let block = page.split(&format!("```{fence}\n")).nth(1).expect("a block");
        let block = block.split("\n```").next().unwrap();
        let rest = block.split_once(own).expect("its beginning").1;
        let last = own.trim_start_matches("http {").trim_start_matches("vcl 4.1;\n");
        let last = last.trim_start_matches("{\n");
        let mut configuration = format!("{added}{last}{rest}\n");
        for (of_page, of_test) in [
            ("/etc/nginx/verger.conf", "RULES"),
            ("/etc/apache2/verger.conf", "RULES"),
            ("/etc/caddy/verger.caddy", "RULES"),
            ("/etc/varnish/verger.vcl", "RULES"),
            ("    # The output of verger enforce", "RULES"),
            ("listen 8080", "listen 127.0.0.1:8080"),
            ("http://:8080 {", "http://:8080 {\n\tbind 127.0.0.1"),
            ("8080", "PORT"),
        ] {
            configuration = configuration.replace(of_page, of_test);
        }
        let running =
            server.start_with(&configuration, &plan.emit(server.target, &CHOICES).unwrap().text);
        for (header, target, expected) in [
            ("GPTBot/1.2", "/shop", 403),
            ("GPTBot/1.2", "/press/%2e%2e/shop", 403),
            ("GPTBot/1.2", "/press/1", 204),
            (BROWSER, "/shop", 204),
        ] {
            let request = (header.to_owned(), target.as_bytes().to_vec());
            assert_eq!(running.statuses(&[request]), [expected], "{fence} {header} {target}");
        }
    }
}

#[test]
#[ignore = "thorough suite: needs nginx, Apache, HAProxy and Caddy"]
fn browsers_pass_with_words_that_are_also_names() {
    let plan =
        Plan::of(&Robots::parse(ORDINARY), &Options::default(), Lists::bundled(), Timestamp::EPOCH)
            .unwrap();
    for server in installed("browsers") {
        let running = server.start(&plan.emit(server.target, &CHOICES).unwrap().text);
        for (headers, expected) in [(BROWSERS, 204), (NAMED, 403)] {
            for header in headers {
                let request = ((*header).to_owned(), b"/x".to_vec());
                let name = server.target.name();
                assert_eq!(running.statuses(&[request]), [expected], "{name} {header}");
            }
        }
    }
}

#[test]
#[ignore = "thorough suite: needs nginx, Apache, HAProxy and Caddy"]
fn thousands_of_names_and_groups_are_loaded() {
    let names: Vec<_> = (0..2_000).map(|it| format!("User-agent: Name{it}Bot\n")).collect();
    let one = format!("{}Disallow: /private\n", names.concat());
    let groups: Vec<_> = (0..1_000)
        .map(|it| format!("User-agent: Name{it}Bot\nDisallow: /private{it}\n\n"))
        .collect();
    let many = groups.concat();
    let some: Vec<_> = (5..120).step_by(5).map(|it| groups[..it].concat()).collect();
    for server in installed("many names").into_iter().filter(|it| it.target == Target::Nginx) {
        for text in &some {
            let robots = Robots::parse(text);
            let plan = Plan::of(&robots, &Options::default(), Lists::bundled(), Timestamp::EPOCH);
            server.start(&plan.unwrap().emit(server.target, &CHOICES).unwrap().text);
        }
    }
    for server in installed("many names") {
        for (text, target) in [(&one, "/private"), (&many, "/private999")] {
            // Varnish compiles a program of C for each group: minutes.
            if server.target == Target::Varnish && target != "/private" {
                continue;
            }
            let plan = Plan::of(
                &Robots::parse(text),
                &Options::default(),
                Lists::bundled(),
                Timestamp::EPOCH,
            )
            .unwrap();
            let running = server.start(&plan.emit(server.target, &CHOICES).unwrap().text);
            for (name, expected) in [("Name999Bot", 403), ("Name9999Bot", 204)] {
                let request = (format!("{name}/1.0"), target.as_bytes().to_vec());
                assert_eq!(
                    running.statuses(&[request]),
                    [expected],
                    "{} {name}",
                    server.target.name()
                );
            }
        }
    }
}
