//! Failures: their kinds, and the party at fault.

use verger::Origin;
use verger::access::Profile;
use verger_fetch::failure::{Failure, NetworkError, TlsError};
use verger_testkit::server::{ScriptedResponse, Service, Setup, Site, Tls};

use crate::client::world::{HandClock, NOW, client, run, start};

#[test]
fn a_host_that_cannot_be_in_a_certificate_stays_disallowed() {
    for host in ["-shop.example", "shop-.example"] {
        for profile in [Profile::RFC9309, Profile::ARCHIVE, Profile::YANDEX] {
            run(async {
                let site = Site::always(ScriptedResponse::rules().script());
                let setup =
                    Setup::new().host(host).place(443, Service::Https(Tls::default(), site));
                let world = start(setup).await;
                let clock = HandClock::at(NOW);
                let client = client(&world).access(profile).clock(clock.clone()).build().unwrap();
                let origin = Origin::from_parts("https", host, None).unwrap();
                for day in 0..=31 {
                    clock.set(NOW + day * 24 * 60 * 60);
                    // REP-CACHE-28: the network works.
                    let other = Origin::from_parts("http", "other.example", None).unwrap();
                    client.report_available(&other, 200);
                    client.refresh(&origin).await.unwrap();
                }
                let decision = client.check(&format!("https://{host}/")).await.unwrap();
                assert!(!decision.is_allowed(), "{host}");
                let expected = Failure::Network(NetworkError::Tls(TlsError::Name));
                assert_eq!(decision.fault(), Some(&expected), "{host}");
            });
        }
    }
}

#[cfg(feature = "ftp")]
#[test]
fn a_missing_file_over_ftp_shows_the_reply() {
    use verger_fetch::failure::FtpStep;
    use verger_testkit::server::{Ftp, Script};

    run(async {
        let ftp = Ftp::new().on("RETR", Script::text("550 none\r\n"));
        let world =
            start(Setup::new().host("shop.example").place(21, Service::Ftp(Box::new(ftp)))).await;
        let decision = client(&world).build().unwrap().check("ftp://shop.example/x").await.unwrap();
        assert!(decision.is_allowed());
        let expected = NetworkError::Ftp { step: FtpStep::Retrieve, code: Some(550) };
        assert_eq!(decision.failure(), Some(&Failure::Network(expected)));
        assert_eq!(expected.to_string(), "the FTP server replied 550 to RETR");
    });
}
