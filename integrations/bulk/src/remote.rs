//! Objects of servers, S3 and HTTP. The only file with an asynchronous runtime.
//!
//! The crate `object_store` signs requests and repeats failed ones. They run on threads of the runtime,
//! and the threads of tasks wait for them.

use std::collections::{BTreeMap, VecDeque};
use std::future::Future;
use std::io::{self, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock, Mutex, OnceLock, PoisonError};

use bytes::Bytes;
use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use object_store::aws::AmazonS3Builder;
use object_store::client::{HttpClient, HttpConnector, ReqwestConnector};
use object_store::http::HttpBuilder;
use object_store::path::Path as Key;
use object_store::{
    ClientConfigKey, ClientOptions, GetOptions, GetRange, MultipartUpload, ObjectMeta, ObjectStore,
    ObjectStoreExt as _,
};
use tokio::runtime::{Builder, Runtime};
use tokio::task::JoinHandle;
use verger_fetch::url::Url;

use crate::error::{BASE_HINT, Error, RequestError, Result};
use crate::limits::{UPLOAD_BYTES, UPLOAD_PARTS, UPLOADS, VERSION_REQUESTS};

/// Threads of the runtime: decryption of one does not delay the requests of the others.
const THREADS: usize = 2;

/// The schemes of URLs of objects.
const S3: &str = "s3://";
const HTTP: [&str; 2] = ["https://", "http://"];

static RUNTIME: LazyLock<io::Result<Runtime>> = LazyLock::new(|| {
    // Fails if a provider is installed already, which is as good.
    let _ = rustls::crypto::ring::default_provider().install_default();
    Builder::new_multi_thread().worker_threads(THREADS).enable_all().build()
});

/// Whether a path is the URL of an object.
pub(crate) fn is_remote(path: &Path) -> bool {
    let text = path.to_string_lossy();
    text.starts_with(S3) || HTTP.iter().any(|scheme| text.starts_with(scheme))
}

/// Whether an object can be written.
pub(crate) fn is_writable(path: &Path) -> bool {
    path.to_string_lossy().starts_with(S3)
}

/// An object, or the folder of some.
#[derive(Clone, Debug)]
pub(crate) struct Object {
    store: Arc<dyn ObjectStore>,
    key: Key,
    is_s3: bool,
}

/// The version of an object.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Version {
    pub(crate) bytes: u64,
    /// The entity tag, or else the time of the last change.
    pub(crate) tag: String,
}

impl From<&ObjectMeta> for Version {
    fn from(meta: &ObjectMeta) -> Self {
        let tag = meta.e_tag.clone().unwrap_or_else(|| meta.last_modified.to_rfc3339());
        Self { bytes: meta.size, tag }
    }
}

impl Object {
    pub(crate) fn of(path: &Path) -> io::Result<Self> {
        let text = path.to_str().ok_or_else(|| RequestError::new("expected UTF-8"))?;
        let Some(rest) = text.strip_prefix(S3) else {
            return Ok(Self { store: http(text)?, key: Key::ROOT, is_s3: false });
        };
        let (bucket, key) = rest.split_once('/').unwrap_or((rest, ""));
        let key = Key::parse(key).map_err(|error| RequestError::new(error.to_string()))?;
        Ok(Self { store: bucket_of(bucket)?, key, is_s3: true })
    }

    pub(crate) fn version(&self) -> io::Result<Version> {
        wait(self.clone().head())?
    }

    async fn head(self) -> io::Result<Version> {
        let meta = self.store.head(&self.key).await;
        Ok((&meta.map_err(|error| failed(&error))?).into())
    }

    /// Requests a range, of this version if one is given.
    pub(crate) fn request(
        &self,
        range: Range<u64>,
        version: Option<&Version>,
    ) -> io::Result<Pending> {
        let (object, version) = (self.clone(), version.cloned());
        Ok(Pending(runtime()?.spawn(async move {
            let options =
                GetOptions { range: Some(GetRange::Bounded(range)), ..GetOptions::default() };
            let found = match object.store.get_opts(&object.key, options).await {
                // The range begins after the end.
                Err(error) if status(&error).is_some_and(|status| status.starts_with("416")) => {
                    return Ok(Bytes::new());
                }
                found => found.map_err(|error| failed(&error))?,
            };
            if version.is_some_and(|version| version != Version::from(&found.meta)) {
                let error = RequestError::new("the object has changed during the run");
                return Err(error.with_hint("`--restart` begins again").into());
            }
            found.bytes().await.map_err(|error| failed(&error))
        })))
    }

    pub(crate) fn delete(&self) -> io::Result<()> {
        wait(async { self.store.delete(&self.key).await })?.map_err(|error| failed(&error))
    }
}

/// A requested range.
#[derive(Debug)]
pub(crate) struct Pending(JoinHandle<io::Result<Bytes>>);

impl Pending {
    pub(crate) fn wait(mut self) -> io::Result<Bytes> {
        joined(wait(&mut self.0)?)?
    }
}

impl Drop for Pending {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// The versions of objects.
pub(crate) fn versions(paths: &[&PathBuf]) -> Result<Vec<Version>> {
    let one = async |path: &&PathBuf| -> Result<Version> {
        let head = match Object::of(path) {
            Ok(object) => object.head().await,
            Err(error) => Err(error),
        };
        head.map_err(|error| Error::io("read", path, &error))
    };
    let all = stream::iter(paths).map(one).buffered(VERSION_REQUESTS).try_collect();
    wait(all).map_err(|error| Error::new(error.to_string()))?
}

/// The objects below a folder in S3, in the order of their names.
pub(crate) fn list(folder: &Path) -> io::Result<Vec<(PathBuf, Version)>> {
    let Object { store, key, is_s3 } = Object::of(folder)?;
    if !is_s3 {
        let error = RequestError::new("an HTTP server has no list of files");
        return Err(error.with_hint("a file that ends with `.paths` can be the list").into());
    }
    let found = wait(store.list(Some(&key)).try_collect::<Vec<ObjectMeta>>())?;
    let text = folder.to_string_lossy();
    let bucket = text.trim_start_matches(S3).split('/').next().unwrap_or_default();
    let of = |meta: &ObjectMeta| (format!("{S3}{bucket}/{}", meta.location).into(), meta.into());
    let mut found: Vec<(PathBuf, Version)> =
        found.map_err(|error| failed(&error))?.iter().map(of).collect();
    found.sort_by(|one, other| one.0.as_os_str().cmp(other.0.as_os_str()));
    Ok(found)
}

/// A new object in S3. It is visible after [`Self::finish`].
#[derive(Debug)]
pub(crate) struct Upload {
    object: Object,
    part: Vec<u8>,
    part_bytes: usize,
    /// Sends the parts of an object that is larger than one.
    parts: Option<Box<dyn MultipartUpload>>,
    sending: VecDeque<JoinHandle<object_store::Result<()>>>,
}

impl Upload {
    /// Begins an object of about this number of bytes.
    pub(crate) fn new(path: &Path, bytes: u64) -> io::Result<Self> {
        let object = Object::of(path)?;
        let part_bytes = usize::try_from(bytes / UPLOAD_PARTS).unwrap_or(usize::MAX);
        let part_bytes = part_bytes.max(UPLOAD_BYTES);
        Ok(Self { object, part: Vec::new(), part_bytes, parts: None, sending: VecDeque::new() })
    }

    pub(crate) fn finish(mut self) -> io::Result<()> {
        let part = std::mem::take(&mut self.part);
        if self.parts.is_none() {
            let Object { store, key, .. } = &self.object;
            let put = wait(store.put(key, part.into()))?;
            return put.map(drop).map_err(|error| failed(&error));
        }
        if !part.is_empty() {
            self.send(part)?;
        }
        while !self.sending.is_empty() {
            self.wait_for_part()?;
        }
        if let Some(parts) = &mut self.parts {
            wait(parts.complete())?.map_err(|error| failed(&error))?;
        }
        self.parts = None;
        Ok(())
    }

    fn send(&mut self, part: Vec<u8>) -> io::Result<()> {
        while self.sending.len() >= UPLOADS {
            self.wait_for_part()?;
        }
        let parts = match &mut self.parts {
            Some(parts) => parts,
            none => {
                let Object { store, key, .. } = &self.object;
                let begun = wait(store.put_multipart(key))?;
                none.insert(begun.map_err(|error| failed(&error))?)
            }
        };
        self.sending.push_back(runtime()?.spawn(parts.put_part(part.into())));
        Ok(())
    }

    fn wait_for_part(&mut self) -> io::Result<()> {
        let Some(part) = self.sending.pop_front() else { return Ok(()) };
        joined(wait(part)?)?.map_err(|error| failed(&error))
    }
}

impl Write for Upload {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let taken = bytes.len().min(self.part_bytes - self.part.len());
        self.part.extend_from_slice(&bytes[..taken]);
        if self.part.len() == self.part_bytes {
            let part = std::mem::take(&mut self.part);
            self.send(part)?;
        }
        Ok(taken)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Drop for Upload {
    fn drop(&mut self) {
        if let Some(mut parts) = self.parts.take() {
            self.sending.iter().for_each(JoinHandle::abort);
            let _ = wait(parts.abort());
        }
    }
}

fn runtime() -> io::Result<&'static Runtime> {
    RUNTIME.as_ref().map_err(|error| io::Error::new(error.kind(), error.to_string()))
}

fn wait<F: Future>(future: F) -> io::Result<F::Output> {
    Ok(runtime()?.block_on(future))
}

fn joined<T>(result: std::result::Result<T, tokio::task::JoinError>) -> io::Result<T> {
    result.map_err(|error| RequestError::new(error.to_string()).into())
}

/// The store of a bucket, by the environment variables of AWS.
fn bucket_of(bucket: &str) -> io::Result<Arc<dyn ObjectStore>> {
    static BUCKETS: Mutex<BTreeMap<String, Arc<dyn ObjectStore>>> = Mutex::new(BTreeMap::new());
    let mut buckets = BUCKETS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(store) = buckets.get(bucket) {
        return Ok(Arc::clone(store));
    }
    runtime()?;
    let builder = AmazonS3Builder::from_env().with_bucket_name(bucket);
    let store = builder.with_disable_bulk_delete(true).build();
    let store: Arc<dyn ObjectStore> = Arc::new(store.map_err(|error| failed(&error))?);
    buckets.insert(bucket.to_owned(), Arc::clone(&store));
    Ok(store)
}

/// The store of the one object with this URL.
fn http(url: &str) -> io::Result<Arc<dyn ObjectStore>> {
    static CLIENT: OnceLock<Shared> = OnceLock::new();
    let is_plain = |url: &Url| {
        let parts = [url.query(), url.fragment(), url.password()];
        url.has_host() && parts == [None; 3] && url.username().is_empty()
    };
    if !Url::parse(url).is_ok_and(|url| is_plain(&url)) {
        return Err(RequestError::new("expected a URL with a host and without a query").into());
    }
    runtime()?;
    let options = match std::env::var("AWS_ALLOW_HTTP") {
        Ok(value) => ClientOptions::new().with_config(ClientConfigKey::AllowHttp, value),
        Err(_) => ClientOptions::new(),
    };
    if CLIENT.get().is_none() {
        let client = ReqwestConnector::default().connect(&options);
        let _ = CLIENT.set(Shared(client.map_err(|error| failed(&error))?));
    }
    let client = CLIENT.wait().clone();
    let store = HttpBuilder::new().with_url(url).with_http_connector(client).build();
    Ok(Arc::new(store.map_err(|error| failed(&error))?))
}

/// One client, and so one pool of connections, for all URLs.
#[derive(Clone, Debug)]
struct Shared(HttpClient);

impl HttpConnector for Shared {
    fn connect(&self, _: &ClientOptions) -> object_store::Result<HttpClient> {
        Ok(self.0.clone())
    }
}

/// The cause of an error: the answer of the server, or the innermost error.
fn cause(error: &object_store::Error) -> String {
    let mut cause: &dyn std::error::Error = error;
    while let Some(source) = cause.source() {
        cause = source;
        let text = cause.to_string();
        if text.starts_with("Server returned") || text.starts_with("Received redirect") {
            return text;
        }
    }
    cause.to_string()
}

/// The status of the response to a failed request, with its name.
fn status(error: &object_store::Error) -> Option<String> {
    let text = cause(error);
    let (_, rest) = text.split_once("status code: ")?;
    Some(rest.split([':', '\n']).next().unwrap_or_default().trim().to_owned())
}

/// An error with its cause in short, and a hint.
fn failed(error: &object_store::Error) -> io::Error {
    let (cause, status, whole) = (cause(error), status(error), error.to_string());
    // The code of an error in the response of S3.
    let code = cause.split_once("<Code>").and_then(|(_, rest)| rest.split('<').next());
    let text = match (&status, code) {
        (Some(status), Some(code)) => format!("the server answered {status}, {code}"),
        (Some(status), None) => format!("the server answered {status}"),
        _ if cause.starts_with("Range request not supported") => {
            "the server does not support requests for ranges".to_owned()
        }
        _ => cause.clone(),
    };
    let number = status.as_deref().and_then(|status| status.get(..3));
    let is_region = number == Some("301") || code == Some("AuthorizationHeaderMalformed");
    let (kind, hint) = match number {
        Some("404") => (io::ErrorKind::NotFound, BASE_HINT),
        _ if is_region || cause.starts_with("Received redirect") => {
            (io::ErrorKind::PermissionDenied, "`AWS_REGION` has the region of the bucket")
        }
        Some("401" | "403") if !whole.starts_with("Generic HTTP") => {
            (io::ErrorKind::PermissionDenied, CREDENTIALS)
        }
        // The address of the service that has the credentials of a machine in EC2.
        None if whole.contains("169.254.169.254") => (io::ErrorKind::PermissionDenied, CREDENTIALS),
        None if cause.contains("scheme is not allowed") => (
            io::ErrorKind::PermissionDenied,
            "`AWS_ALLOW_HTTP=true` permits unencrypted connections",
        ),
        _ => (
            io::ErrorKind::ConnectionAborted,
            "the same command continues after the finished tasks",
        ),
    };
    io::Error::new(kind, RequestError::new(text).with_hint(hint))
}

const CREDENTIALS: &str = "`AWS_ACCESS_KEY_ID` and `AWS_SECRET_ACCESS_KEY` are the credentials; with \
    `AWS_SKIP_SIGNATURE=true`, public buckets need none";
