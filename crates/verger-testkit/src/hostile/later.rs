//! Rows of the catalogue without an entry, with the reason.

/// Returns the catalogue rows without an entry: first and last id, and the reason.
pub fn left_for_later() -> &'static [(&'static str, &'static str, &'static str)] {
    LATER
}

const LATER: &[(&str, &str, &str)] = &[
    ("S106", "S123", "content of sitemaps: Verger lists sitemaps and fetches none"),
    ("O121", "O135", "HTML: there is no report and no web page yet"),
    ("O136", "O150", "CSV: no command writes it yet"),
    ("O151", "O156", "answers to language models: there is no such tool yet"),
    ("O157", "O160", "metrics and traces: there is no service yet"),
    ("O161", "O161", "syslog: nothing writes to it"),
    ("O165", "O168", "SARIF, JUnit, GitHub annotations and diff: lint and diff come later"),
    ("O169", "O169", "pager: no command starts one"),
    ("H001", "H215", "HTTP answers: `server::catalogue`, for robots clients"),
    ("D001", "D155", "redirects: `server::catalogue`, for robots clients"),
    ("F001", "F135", "FTP: `server::catalogue`, for robots clients"),
    ("C001", "C136", "stores and clocks: in the tests of verger-fetch, which list them all"),
    ("P001", "P151", "API: belongs to the service"),
    ("N001", "N120", "DNS and addresses: `server::catalogue`, for robots clients"),
    ("X001", "X040", "process limits and signals: belong to the service and the client"),
    ("B001", "B040", "bindings: there are none yet"),
];
