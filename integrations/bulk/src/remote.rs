//! Objects of servers, S3 and HTTP. The only file with an asynchronous runtime.
//!
//! The crate `object_store` signs requests, repeats failed ones, reads pieces and uploads parts.
//! The threads of tasks wait for it.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::time::UNIX_EPOCH;

use bytes::Bytes;
use futures_util::stream::{self, BoxStream, StreamExt as _, TryStreamExt as _};
use object_store::aws::AmazonS3Builder;
use object_store::buffered::BufWriter;
use object_store::http::HttpBuilder;
use object_store::path::Path as Key;
use object_store::{
    ClientConfigKey, Error, GetOptions, ObjectMeta, ObjectStore, ObjectStoreExt as _,
};
use tokio::runtime::Runtime;
use tokio_util::io::SyncIoBridge;

use crate::limits::{LOOKUPS, PIECE_BYTES, REQUESTS, UPLOAD_BYTES, UPLOADS};

/// The schemes of URLs of objects.
const S3: &str = "s3://";
const HTTP: [&str; 2] = ["https://", "http://"];

static RUNTIME: LazyLock<io::Result<Runtime>> = LazyLock::new(Runtime::new);

/// Whether a path is the URL of an object.
pub(crate) fn is_remote(path: &Path) -> bool {
    let text = path.to_string_lossy();
    text.starts_with(S3) || HTTP.iter().any(|scheme| text.starts_with(scheme))
}

/// Whether an object can be written, and its folder listed.
pub(crate) fn is_in_s3(path: &Path) -> bool {
    path.to_string_lossy().starts_with(S3)
}

/// A file or object that is read from any place.
pub(crate) trait ReadSeek: Read + Seek {}

impl<T: Read + Seek> ReadSeek for T {}

/// Opens a file or object.
pub(crate) fn open(path: &Path, version: &Version) -> io::Result<Box<dyn ReadSeek>> {
    if !is_remote(path) {
        return Ok(Box::new(File::open(path)?));
    }
    let (path, bytes) = (path.to_owned(), version.bytes);
    Ok(Box::new(Object { path, bytes, position: 0, start: 0, piece: Bytes::new() }))
}

/// An object that is read in pieces.
struct Object {
    path: PathBuf,
    bytes: u64,
    position: u64,
    /// The last piece that was read, and its offset.
    start: u64,
    piece: Bytes,
}

impl Read for Object {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.position >= self.bytes {
            return Ok(0);
        }
        let piece = self.start..self.start + self.piece.len() as u64;
        if !piece.contains(&self.position) {
            let end = self.position.saturating_add(PIECE_BYTES as u64).min(self.bytes);
            self.piece = Bytes::new();
            self.piece = wait(get(&self.path, self.position..end))??;
            self.start = self.position;
        }
        let mut rest = io::Cursor::new(&self.piece);
        rest.set_position(self.position - self.start);
        let read = rest.read(buffer)?;
        self.position += read as u64;
        Ok(read)
    }
}

impl Seek for Object {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let target = match to {
            SeekFrom::Start(at) => Some(at),
            SeekFrom::End(by) => self.bytes.checked_add_signed(by),
            SeekFrom::Current(by) => self.position.checked_add_signed(by),
        };
        self.position = target.ok_or(io::ErrorKind::InvalidInput)?;
        Ok(self.position)
    }
}

/// Reads a range of an object, and checks its version.
async fn get(path: &Path, range: Range<u64>) -> io::Result<Bytes> {
    let (store, key) = place(path)?;
    let options = GetOptions { range: Some(range.into()), ..GetOptions::default() };
    let found = store.get_opts(&key, options).await?;
    Version::require(path, &found.meta)?;
    let length = found.range.end - found.range.start;
    let bytes = found.bytes().await?;
    // Otherwise a record would seem to be cut.
    if bytes.len() as u64 == length { Ok(bytes) } else { Err(other(CUT)) }
}

/// An object in S3 that is written. It is visible after [`SyncIoBridge::shutdown`].
type Upload = SyncIoBridge<BufWriter>;

/// Begins an object in S3.
pub(crate) fn upload(path: &Path) -> io::Result<Upload> {
    let (store, key) = place(path)?;
    let writer = BufWriter::with_capacity(store, key, UPLOAD_BYTES).with_max_concurrency(UPLOADS);
    Ok(SyncIoBridge::new_with_handle(writer, runtime()?.handle().clone()))
}

/// Removes the parts of an upload after a failure. If that fails too, they remain, as after a kill.
pub(crate) fn abort(mut upload: Upload) {
    let _ = wait(upload.as_mut().abort());
}

/// Begins an upload and ends it without an object: fails if an object cannot be written.
pub(crate) fn try_upload(path: &Path) -> io::Result<()> {
    let (store, key) = place(path)?;
    let mut upload = wait(store.put_multipart(&key))??;
    // Without the permission to remove it, an upload without parts remains.
    let _ = wait(upload.abort())?;
    Ok(())
}

/// The version of a file or object.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Version {
    pub(crate) bytes: u64,
    /// The entity tag, or else the time of the last change.
    pub(crate) tag: String,
}

/// The versions of objects that the run has found first.
static FIRST: Mutex<BTreeMap<PathBuf, Version>> = Mutex::new(BTreeMap::new());

impl Version {
    /// The version of an object. Fails if it is not the first one: pieces of two versions could
    /// make rules that neither has.
    fn require(path: &Path, meta: &ObjectMeta) -> io::Result<Self> {
        let tag = meta.e_tag.clone().unwrap_or_else(|| meta.last_modified.to_rfc3339());
        let version = Self { bytes: meta.size, tag };
        let mut all = FIRST.lock().unwrap_or_else(PoisonError::into_inner);
        let first = all.entry(path.to_owned()).or_insert_with(|| version.clone());
        if first.may_be(&version) { Ok(version) } else { Err(other(CHANGED)) }
    }

    /// Whether nothing shows that it is another version. Some servers send entity tags with some
    /// responses only.
    fn may_be(&self, other: &Self) -> bool {
        let has_tag = |it: &Self| it.tag.contains('"');
        self.bytes == other.bytes && (self.tag == other.tag || has_tag(self) != has_tag(other))
    }
}

const CUT: &str = "the server sent only a part of the range";

const CHANGED: &str = "the object has changed during the run";

/// The versions of files and objects, in their order.
pub(crate) fn versions<'p>(
    paths: impl Iterator<Item = &'p Path> + Send + 'p,
) -> impl Iterator<Item = io::Result<Version>> {
    let version = async |path: &'p Path| {
        if is_remote(path) {
            // Known of objects in a folder.
            let known = FIRST.lock().unwrap_or_else(PoisonError::into_inner).get(path).cloned();
            if let Some(version) = known {
                return Ok(version);
            }
            let (store, key) = place(path)?;
            return Version::require(path, &store.head(&key).await?);
        }
        let metadata = fs::metadata(path)?;
        let changed = metadata.modified().ok().and_then(|it| it.duration_since(UNIX_EPOCH).ok());
        let tag = changed.map(|time| time.as_nanos().to_string()).unwrap_or_default();
        Ok(Version { bytes: metadata.len(), tag })
    };
    blocking(stream::iter(paths).map(version).buffered(LOOKUPS).boxed())
}

/// Reads ranges of files and objects, several at a time, in their order. They end with the file.
pub(crate) fn ranges<'r>(
    ranges: impl Iterator<Item = (PathBuf, Range<u64>)> + Send + 'r,
) -> impl Iterator<Item = io::Result<Bytes>> {
    let read = |(path, range): (PathBuf, Range<u64>)| async move {
        if range.is_empty() {
            return Ok(Bytes::new());
        }
        if is_remote(&path) {
            let is_after_the_end = |error: &io::Error| {
                explain(error).is_some_and(|(text, _)| text.starts_with(AFTER_THE_END))
            };
            return match get(&path, range).await {
                Err(error) if is_after_the_end(&error) => Ok(Bytes::new()),
                found => found,
            };
        }
        let (mut file, mut bytes) = (File::open(&path)?, Vec::new());
        file.seek(SeekFrom::Start(range.start))?;
        file.take(range.end - range.start).read_to_end(&mut bytes)?;
        Ok(Bytes::from(bytes))
    };
    blocking(stream::iter(ranges).map(read).buffered(REQUESTS).boxed())
}

/// The objects below a folder in S3.
pub(crate) fn list(folder: &Path) -> io::Result<impl Iterator<Item = io::Result<PathBuf>>> {
    if !is_in_s3(folder) {
        return Err(other("an HTTP server has no list of files"));
    }
    let (store, key) = place(folder)?;
    let text = folder.to_string_lossy();
    let bucket = text[S3.len()..].split('/').next().unwrap_or_default().to_owned();
    let found = store.list(Some(&key)).map(move |meta| {
        let meta = meta?;
        let path = PathBuf::from(format!("{S3}{bucket}/{}", meta.location));
        Version::require(&path, &meta)?;
        Ok(path)
    });
    Ok(blocking(found.boxed()))
}

/// Removes an object of S3. Returns whether it existed: servers delete what does not exist, too.
pub(crate) fn remove(path: &Path) -> io::Result<bool> {
    let (store, key) = place(path)?;
    let is_known = match wait(store.head(&key))? {
        Err(Error::NotFound { .. }) => return Ok(false),
        // Without the permission to list, this is also the answer for a missing object.
        Err(Error::PermissionDenied { .. }) => false,
        found => found.map(|_| true)?,
    };
    wait(store.delete(&key))??;
    Ok(is_known)
}

fn runtime() -> io::Result<&'static Runtime> {
    RUNTIME.as_ref().map_err(|error| io::Error::new(error.kind(), error.to_string()))
}

fn wait<F: Future>(future: F) -> io::Result<F::Output> {
    Ok(runtime()?.block_on(future))
}

/// The results of a stream, each of which a thread waits for.
fn blocking<'s, T: 's>(
    mut results: BoxStream<'s, io::Result<T>>,
) -> impl Iterator<Item = io::Result<T>> + 's {
    std::iter::from_fn(move || wait(results.try_next()).flatten().transpose())
}

/// The store of an object and its key. The environment variables of AWS are the settings.
fn place(path: &Path) -> io::Result<(Arc<dyn ObjectStore>, Key)> {
    static STORES: Mutex<BTreeMap<String, Arc<dyn ObjectStore>>> = Mutex::new(BTreeMap::new());
    let text = path.to_str().ok_or_else(|| other("expected UTF-8"))?;
    let host = text.find("://").map_or(0, |at| at + 3);
    let (root, key) = text.split_at(text[host..].find('/').map_or(text.len(), |at| host + at));
    let key = if is_in_s3(path) {
        Key::parse(key)
    } else if root.contains('@') || text.contains(['?', '#']) {
        return Err(other("expected a URL without a user, query or fragment"));
    } else {
        Key::from_url_path(key)
    };
    let key = key.map_err(Error::from)?;
    let mut stores = STORES.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(store) = stores.get(root) {
        return Ok((Arc::clone(store), key));
    }
    // Fails if a provider is installed already, which is as good.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let store: Arc<dyn ObjectStore> = if is_in_s3(path) {
        let builder = AmazonS3Builder::from_env().with_url(root).with_disable_bulk_delete(true);
        Arc::new(builder.build()?)
    } else {
        let is_allowed = std::env::var("AWS_ALLOW_HTTP").unwrap_or_else(|_| "false".to_owned());
        let builder = HttpBuilder::new().with_url(root);
        let builder = builder.with_config(ClientConfigKey::AllowHttp, is_allowed);
        Arc::new(builder.build()?)
    };
    stores.insert(root.to_owned(), Arc::clone(&store));
    Ok((store, key))
}

fn other(message: &str) -> io::Error {
    Error::Generic { store: "", source: message.into() }.into()
}

const CREDENTIALS: &str = "in S3, `AWS_ACCESS_KEY_ID` and `AWS_SECRET_ACCESS_KEY` are the credentials; \
    with `AWS_SKIP_SIGNATURE=true`, public buckets need none";
const REGION: &str = "`AWS_REGION` has the region of the bucket";

/// Remedies for errors with a text.
const HINTS: [(&str, &str); 10] = [
    (CHANGED, "`--restart` begins again with its new version"),
    ("status code: 301", REGION),
    ("AuthorizationHeaderMalformed", REGION),
    ("Received redirect", REGION),
    ("status code: 401", CREDENTIALS),
    ("status code: 403", CREDENTIALS),
    // The address of the service that has the credentials of a machine in EC2.
    ("169.254.169.254", CREDENTIALS),
    ("scheme is not allowed", "`AWS_ALLOW_HTTP=true` permits unencrypted connections"),
    ("Range request not supported", "an HTTP server must support requests for ranges"),
    ("no list of files", "a file that ends with `.paths` can be the list"),
];

/// The response to a range that begins after the end of an object.
const AFTER_THE_END: &str = "the server answered 416";

/// The cause of an error in short, and a remedy, if it is a failed request.
pub(crate) fn explain(error: &io::Error) -> Option<(String, Option<&'static str>)> {
    let error = error.get_ref()?.downcast_ref::<Error>()?;
    let mut cause: &dyn std::error::Error = error;
    while let Some(source) = cause.source() {
        cause = source;
    }
    let mut text = cause.to_string();
    if let Some((_, answer)) = text.split_once("status code: ") {
        let line = answer.split([':', '\n']).next().unwrap_or_default().trim();
        // The code of an error in the response of S3.
        let code = answer.split_once("<Code>").and_then(|(_, rest)| rest.split('<').next());
        let code = code.map(|code| format!(", {code}")).unwrap_or_default();
        text = format!("the server answered {line}{code}");
    }
    let whole = error.to_string() + &text + &cause.to_string();
    let hint = HINTS.iter().find(|(part, _)| whole.contains(part)).map(|(_, hint)| *hint);
    Some((text, hint))
}
