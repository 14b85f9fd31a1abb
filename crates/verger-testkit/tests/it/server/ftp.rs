//! Sessions with correct and incorrect FTP servers.

use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::TcpStream;
use verger_testkit::server::{
    Ftp, PUBLIC, Passive, RULES, Script, ServerAction, Service, Setup, World,
};

use super::client::{Heard, listen};
use super::soon;

struct Session {
    world: World,
    control: BufReader<TcpStream>,
}

impl Session {
    async fn start(ftp: Ftp) -> Self {
        let setup = Setup::new().host("shop.example").place(21, Service::Ftp(Box::new(ftp)));
        let world = setup.start().await.expect("a world");
        let control = BufReader::new(world.connect((PUBLIC, 21).into()).await.expect("a server"));
        Self { world, control }
    }

    async fn hear(&mut self) -> String {
        let mut line = String::new();
        soon(self.control.read_line(&mut line)).await.expect("a reply");
        line
    }

    async fn say(&mut self, line: &str) -> String {
        let said = self.control.write_all(format!("{line}\r\n").as_bytes()).await;
        said.expect("a server that listens");
        self.hear().await
    }

    async fn log_in(&mut self) {
        assert_eq!(self.hear().await, "220 ready\r\n");
        assert!(self.say("USER anonymous").await.starts_with("331 "));
        assert!(self.say("PASS a@").await.starts_with("230 "));
        assert!(self.say("TYPE I").await.starts_with("200 "));
    }

    /// Requests a data port.
    async fn port(&mut self) -> u16 {
        let reply = self.say("EPSV").await;
        reply.split('|').nth(3).and_then(|port| port.parse().ok()).expect("a port")
    }

    async fn data(&mut self, port: u16) -> Heard {
        let mut data = self.world.connect((PUBLIC, port).into()).await.expect("data");
        assert!(self.say("RETR /robots.txt").await.starts_with("150 "));
        soon(listen(&mut data)).await
    }
}

#[tokio::test]
async fn a_correct_session_returns_the_rules() {
    let mut session = Session::start(Ftp::new()).await;
    session.log_in().await;
    let port = session.port().await;
    assert_eq!(session.data(port).await, Heard::Closed(RULES.to_vec()));
    assert!(session.hear().await.starts_with("226 "));
    assert!(session.say("DELE x").await.starts_with("502 "));
    assert!(session.say("quit").await.starts_with("221 "));
    let record = session.world.record();
    assert_eq!((record.connections, record.data_connections, record.strays), (1, 1, Vec::new()));
    assert_eq!(record.commands[4], b"RETR /robots.txt");
    assert_eq!(record.commands.len(), 7);
}

#[tokio::test]
async fn pasv_names_the_public_address_and_a_port_that_works() {
    let mut session = Session::start(Ftp::new()).await;
    session.log_in().await;
    let reply = session.say("PASV").await;
    let inside = reply.split(['(', ')']).nth(1).unwrap();
    let numbers: Vec<u8> = inside.split(',').map(|number| number.parse().unwrap()).collect();
    assert_eq!(numbers[..4], [93, 184, 216, 34]);
    let port = u16::from_be_bytes([numbers[4], numbers[5]]);
    assert_eq!(session.data(port).await, Heard::Closed(RULES.to_vec()));
}

#[tokio::test]
async fn replies_are_those_of_the_script() {
    let ftp = Ftp::new()
        .greeting(Script::text("120 wait\r\n"))
        .on("USER", Script::text("331 a\r\n331 b\r\n"))
        .on("TYPE", Script::text("421 no\r\n").then(ServerAction::Close));
    let mut session = Session::start(ftp).await;
    assert_eq!(session.hear().await, "120 wait\r\n");
    assert_eq!(session.say("USER anonymous").await, "331 a\r\n");
    assert_eq!(session.hear().await, "331 b\r\n");
    assert_eq!(session.say("TYPE I").await, "421 no\r\n");
    assert_eq!(session.hear().await, "");
}

#[tokio::test]
async fn data_and_its_end_are_those_of_the_script() {
    let ftp =
        Ftp::new().data(Script::text("User").then_reset()).closing(Script::text("426 aborted\r\n"));
    let mut session = Session::start(ftp).await;
    session.log_in().await;
    let port = session.port().await;
    assert!(matches!(session.data(port).await, Heard::Failed(..)));
    assert_eq!(session.hear().await, "426 aborted\r\n");
}

#[tokio::test]
async fn a_data_port_can_refuse_and_a_dial_to_another_address_is_a_stray() {
    let mut session = Session::start(Ftp::new().passive(Passive::Refused)).await;
    session.log_in().await;
    let port = session.port().await;
    assert!(session.world.dial((PUBLIC, port).into()).await.is_err());
    assert_eq!(session.world.record().strays, []);
    // No port is open at another address.
    assert!(session.world.dial(([10, 0, 0, 1], port).into()).await.is_err());
    assert_eq!(session.world.record().strays, [([10, 0, 0, 1], port).into()]);
}
