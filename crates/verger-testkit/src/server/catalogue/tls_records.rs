//! Manually encoded records of TLS 1.2, for handshakes that no library produces.

/// Content types of records.
const ALERT: u8 = 21;
const HANDSHAKE: u8 = 22;

/// Maximum length of a record.
const LONGEST_RECORD: usize = 16 * 1024;

/// Returns a fatal alert.
pub(super) fn alert(description: u8) -> Vec<u8> {
    record(ALERT, &[2, description])
}

/// Returns the alert for a regular end of the connection.
pub(super) fn close_notify() -> Vec<u8> {
    record(ALERT, &[1, 0])
}

/// Returns a `ServerHello` of this version with these extensions, in a record.
pub(super) fn server_hello(version: u16, extensions: &[u8]) -> Vec<u8> {
    let mut body = version.to_be_bytes().to_vec();
    body.extend([7; 32]);
    // No session, ECDHE_ECDSA with AES_128_GCM_SHA256, no compression.
    body.extend([0, 0xc0, 0x2b, 0]);
    if !extensions.is_empty() {
        body.extend(length16(extensions));
        body.extend(extensions);
    }
    record(HANDSHAKE, &message(2, &body))
}

/// Returns the extension that chooses a protocol (ALPN).
pub(super) fn protocol(name: &[u8]) -> Vec<u8> {
    let mut one = vec![u8::try_from(name.len()).unwrap_or(u8::MAX)];
    one.extend(name);
    let mut list = length16(&one).to_vec();
    list.extend(one);
    let mut extension = vec![0, 16];
    extension.extend(length16(&list));
    extension.extend(list);
    extension
}

/// Returns the head of a certificates message with this claimed length, without a record.
pub(super) fn certificates_head(length: u32) -> Vec<u8> {
    let [_, a, b, c] = length.to_be_bytes();
    record(HANDSHAKE, &[11, a, b, c])
}

/// Returns a handshake record full of zeros.
pub(super) fn filler() -> Vec<u8> {
    record(HANDSHAKE, &[0; LONGEST_RECORD])
}

fn message(kind: u8, body: &[u8]) -> Vec<u8> {
    let [_, _, a, b] = u32::try_from(body.len()).unwrap_or(u32::MAX).to_be_bytes();
    let mut all = vec![kind, 0, a, b];
    all.extend(body);
    all
}

fn record(kind: u8, body: &[u8]) -> Vec<u8> {
    let mut all = vec![kind, 3, 3];
    all.extend(length16(body));
    all.extend(body);
    all
}

fn length16(bytes: &[u8]) -> [u8; 2] {
    u16::try_from(bytes.len()).unwrap_or(u16::MAX).to_be_bytes()
}
