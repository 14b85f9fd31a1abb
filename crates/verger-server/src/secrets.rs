//! Files with secrets: tokens and keys.

use std::path::Path;

use sha2::{Digest as _, Sha256};
use verger::quoted;
use verger_identity::net::check_secret;

use crate::error::{StartError, read_text};
use crate::limits::{TOKEN_BYTES, TOKEN_FILE_BYTES};

/// The text of a file with secrets.
fn read_secrets(path: &Path) -> Result<String, StartError> {
    if !is_credential(path) {
        check_secret(path).map_err(StartError::new)?;
    }
    read_text(path, TOKEN_FILE_BYTES)
}

/// Whether systemd has made the file (`LoadCredential`). Its mode can be 440 because of an access
/// control list, in a folder that only the service can enter.
fn is_credential(path: &Path) -> bool {
    let folder = std::env::var_os("CREDENTIALS_DIRECTORY").filter(|folder| !folder.is_empty());
    folder.is_some_and(|folder| path.parent() == Some(Path::new(&folder)))
}

/// A key of 32 bytes in hexadecimal digits.
pub(crate) fn read_key(path: &Path) -> Result<[u8; 32], StartError> {
    let text = read_secrets(path)?;
    let mut key = [0; 32];
    hex::decode_to_slice(text.trim(), &mut key).map(|()| key).map_err(|_| {
        let shown = quoted(path.as_os_str().as_encoded_bytes());
        let error = StartError::new(format!("expected 64 hexadecimal digits in {shown}"));
        error.with_hint("`openssl rand -hex 32` makes a key")
    })
}

/// The hashes of the tokens of a file.
pub(crate) fn read_tokens(path: &Path) -> Result<Vec<[u8; 32]>, StartError> {
    let shown = quoted(path.as_os_str().as_encoded_bytes());
    let text = read_secrets(path)?;
    let lines = text.lines().map(str::trim).enumerate();
    let mut tokens = Vec::new();
    for (at, token) in lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#')) {
        let is_token =
            token.len() >= TOKEN_BYTES && token.bytes().all(|byte| byte.is_ascii_graphic());
        if !is_token {
            let message = format!(
                "{shown}, line {}: expected a token of at least {TOKEN_BYTES} printable ASCII bytes",
                at + 1
            );
            return Err(StartError::new(message).with_hint("`openssl rand -hex 32` makes a token"));
        }
        tokens.push(Sha256::digest(token.as_bytes()).into());
    }
    if tokens.is_empty() {
        return Err(StartError::new(format!("{shown} contains no token")));
    }
    Ok(tokens)
}
