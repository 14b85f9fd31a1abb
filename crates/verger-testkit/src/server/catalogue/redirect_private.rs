//! Redirects from a public host to forbidden destinations (D071 to D123).

use crate::server::{Answer, Site};

use super::dns_addresses::{FORBIDDEN, private_names};
use super::{Claim, Entry, HOST, REFUSED, Setup, ids};

pub(super) fn entries() -> Vec<Entry> {
    ids('D', 71)
        .zip(FORBIDDEN)
        .map(|(id, &(host, _))| {
            let location = format!("http://{host}/");
            let site = Site::always(Answer::redirect(302, &location).script());
            let setup = private_names(Setup::web(HOST, site));
            Entry::new(id, format!("Location: {location}"), setup, REFUSED.to_vec())
                .claim(Claim::Requests(1, 1))
                .claim(Claim::Dials(1))
        })
        .collect()
}
