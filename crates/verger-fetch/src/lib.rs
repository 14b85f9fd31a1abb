//! The robots client: fetches robots.txt as the standards ask, safely, and says exactly what happened.
//!
//! [`fetch`] asks for one robots.txt and follows its redirects; [`net`] resolves, connects and secures;
//! [`guard`] says where connections may go; [`limits`] has every number. What an answer means is the
//! engine's to say.
//!
//! # Promises
//!
//! - No connection to an address that the guard has not judged, on no hop, whatever DNS answers.
//! - Bounded time, bytes, memory and requests, whatever a server does.
//! - Only a whole and decodable 2xx is a [`Success`](fetch::Outcome::Success).
//! - Nothing is read from the environment: no proxies, no certificates.
//!
//! # Features
//!
//! - `ftp`, on by default: robots.txt over FTP.

pub mod fetch;
pub mod guard;
pub mod limits;
pub mod net;
