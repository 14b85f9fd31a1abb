//! Calls of Redis with a time limit, over one connection for each process and node.
//!
//! # Flow
//!
//! A call uses the open connection, or opens one. After a timeout or a broken connection, calls
//! fail at once for a while (`breaker.rs`), then one call tries again. So a Redis that is down
//! costs little, and one that works again is used without a restart.

use std::fmt;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use redis::aio::{ConnectionLike as _, MultiplexedConnection};
use redis::cluster::ClusterClient;
use redis::cluster_async::ClusterConnection;
use redis::{
    AsyncConnectionConfig, Cmd, ErrorKind, FromRedisValue, RedisResult, ServerErrorKind, Value,
};
use tokio::sync::Mutex;
use tokio::time::{Instant, timeout};
use verger_fetch::store::{StoreError, StoreErrorKind};

use crate::breaker::Breakers;
use crate::failure::{is_of_connection, is_wrong_type, store_error};
use crate::keys::slot;
use crate::limits::{CLUSTER_FAILURES, SLOT_RANGES};
use crate::scripts::Script;
use crate::telemetry::{self, Call};

/// The connection to Redis.
pub(crate) struct Link {
    server: Server,
    call_timeout: Duration,
    open: Mutex<Option<Connection>>,
    breakers: Breakers,
    /// First slots of the ranges of a Cluster, each with a separate breaker.
    ranges: std::sync::RwLock<Vec<u16>>,
    /// Failures since the last success.
    failures: AtomicU32,
}

pub(crate) enum Server {
    Single(Box<redis::Client>),
    Cluster(Box<ClusterClient>),
}

#[derive(Clone)]
enum Connection {
    Single(MultiplexedConnection),
    Cluster(ClusterConnection),
}

impl Link {
    pub(crate) fn new(server: Server, call_timeout: Duration) -> Self {
        let parts = if server.is_cluster() { SLOT_RANGES } else { 1 };
        Self {
            server,
            call_timeout,
            open: Mutex::default(),
            breakers: Breakers::new(parts),
            ranges: std::sync::RwLock::default(),
            failures: AtomicU32::new(0),
        }
    }

    /// Sends a command for this key.
    pub(crate) async fn send<T: FromRedisValue>(
        &self,
        call: Call,
        key: &str,
        command: &Cmd,
    ) -> Result<T, StoreError> {
        let send = async |mut connection: Connection| connection.send(command).await;
        self.guarded(call, Some(slot(key)), send).await
    }

    /// The first `most` bytes of the value of a key, none if it is absent; `None` for a value of
    /// another type.
    pub(crate) async fn value(
        &self,
        call: Call,
        key: &str,
        most: usize,
    ) -> Result<Option<Vec<u8>>, StoreError> {
        let command = redis::cmd("GETRANGE").arg(key).arg(0).arg(most).clone();
        match self.send(call, key, &command).await {
            Err(error) if is_wrong_type(&error) => Ok(None),
            value => value.map(Some),
        }
    }

    /// Runs a script for keys of the same origin.
    pub(crate) async fn run<T: FromRedisValue>(
        &self,
        call: Call,
        script: &Script,
        keys: &[String],
        arguments: &[&[u8]],
    ) -> Result<T, StoreError> {
        let [short, full] = script.commands(keys, arguments);
        let slot = keys.first().map(|key| slot(key));
        let run = async |mut connection: Connection| {
            match connection.send(&short).await {
                // After a restart or a failover; the whole script is sent, and cached there.
                Err(error) if error.kind() == ErrorKind::Server(ServerErrorKind::NoScript) => {
                    connection.send(&full).await
                }
                done => done,
            }
        };
        self.guarded(call, slot, run).await
    }

    /// The values of a command that each primary runs, or the only server.
    pub(crate) async fn nodes(&self) -> Result<Vec<Node>, StoreError> {
        match &self.server {
            Server::Single(_) => Ok(vec![Node::Only]),
            Server::Cluster(_) => {
                let command = redis::cmd("CLUSTER").arg("SLOTS").clone();
                let slots: Value = self.send_to(&Node::Only, &command).await?;
                let node = |(host, port, slot)| Node::Primary { host, port, slot };
                Ok(crate::cluster::primaries(slots).into_iter().map(node).collect())
            }
        }
    }

    /// Sends a command to one node.
    pub(crate) async fn send_to<T: FromRedisValue>(
        &self,
        node: &Node,
        command: &Cmd,
    ) -> Result<T, StoreError> {
        let send = async |mut connection: Connection| connection.send_to(node, command).await;
        self.guarded("list", node.slot(), send).await
    }

    /// Calls Redis within the time limit, unless the breaker of this part is open.
    async fn guarded<T: FromRedisValue>(
        &self,
        call: Call,
        slot: Option<u16>,
        send: impl AsyncFnOnce(Connection) -> RedisResult<Value>,
    ) -> Result<T, StoreError> {
        let Self { breakers, call_timeout, .. } = self;
        let part = self.part(slot);
        if !breakers.may_call(part, *call_timeout) {
            telemetry::called(call, "refused", None);
            let message = "Redis failed recently and is not called for up to two seconds";
            return Err(StoreError::new(StoreErrorKind::Stalled, message));
        }
        let begun = Instant::now();
        let done = timeout(*call_timeout, async {
            match self.connection().await {
                Ok(connection) => send(connection).await,
                Err(error) => Err(error),
            }
        });
        let failure = match done.await {
            Ok(Err(error)) if is_of_connection(&error) => store_error(error),
            Ok(reply) => {
                self.failures.store(0, Ordering::Relaxed);
                if breakers.succeeded(part) {
                    tracing::info!("Redis answers again");
                }
                let result = if reply.is_ok() { "ok" } else { "error" };
                telemetry::called(call, result, Some(begun.elapsed()));
                return reply
                    .and_then(|value| Ok(T::from_redis_value(value)?))
                    .map_err(store_error);
            }
            Err(_) => {
                let message = format!("Redis did not answer within {call_timeout:?}");
                StoreError::new(StoreErrorKind::Stalled, message)
            }
        };
        telemetry::called(call, "failed", Some(begun.elapsed()));
        if breakers.failed(part, begun) {
            tracing::warn!(error = %failure, "Redis fails; records of other processes are not visible");
        }
        self.disconnect();
        Err(failure)
    }

    /// The open connection, or a new one.
    async fn connection(&self) -> RedisResult<Connection> {
        let mut open = self.open.lock().await;
        if let Some(connection) = &*open {
            return Ok(connection.clone());
        }
        let connection = self.server.connect(self.call_timeout).await?;
        if self.server.is_cluster() {
            let slots = connection.clone().send(redis::cmd("CLUSTER").arg("SLOTS")).await?;
            let mut ranges = self.ranges.write().unwrap_or_else(PoisonError::into_inner);
            *ranges = crate::cluster::first_slots(slots);
        }
        *open = Some(connection.clone());
        Ok(connection)
    }

    /// The part of Redis that has a slot. Part 0 is for commands without a key, which any node may
    /// get, and for a single server.
    fn part(&self, slot: Option<u16>) -> usize {
        let ranges = self.ranges.read().unwrap_or_else(PoisonError::into_inner);
        slot.map_or(0, |slot| ranges.partition_point(|&first| first <= slot))
    }

    /// Closes the connection after a failure, with the rest of any reply. A Cluster reconnects to
    /// its nodes itself, unless all of them fail.
    fn disconnect(&self) {
        let failures = self.failures.fetch_add(1, Ordering::Relaxed) + 1;
        if !self.server.is_cluster() || failures.is_multiple_of(CLUSTER_FAILURES) {
            // Whoever holds the lock is connecting.
            if let Ok(mut open) = self.open.try_lock() {
                *open = None;
            }
        }
    }
}

impl fmt::Debug for Link {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The URL may contain a password.
        f.debug_struct("Link")
            .field("is_cluster", &self.server.is_cluster())
            .finish_non_exhaustive()
    }
}

/// Chooses ring for rustls, unless the program has chosen.
#[cfg_attr(not(feature = "tls"), expect(unused_variables, reason = "there is no TLS"))]
pub(crate) fn choose_cryptography(url: &str) {
    #[cfg(feature = "tls")]
    if url.starts_with("rediss:") && rustls::crypto::CryptoProvider::get_default().is_none() {
        // Another thread may have been faster.
        drop(rustls::crypto::ring::default_provider().install_default());
    }
}

/// A node of Redis with keys.
#[derive(Clone, Debug)]
pub(crate) enum Node {
    /// The only one, or any one.
    Only,
    /// A primary of a Cluster.
    Primary {
        host: String,
        port: u16,
        /// The first of its slots.
        slot: u16,
    },
}

impl Node {
    /// A slot of this node.
    fn slot(&self) -> Option<u16> {
        match self {
            Self::Only => None,
            Self::Primary { slot, .. } => Some(*slot),
        }
    }
}

impl Server {
    fn is_cluster(&self) -> bool {
        !matches!(self, Self::Single(_))
    }

    async fn connect(&self, call_timeout: Duration) -> RedisResult<Connection> {
        match self {
            Self::Single(client) => {
                let config = AsyncConnectionConfig::new()
                    .set_connection_timeout(Some(call_timeout))
                    .set_response_timeout(Some(call_timeout));
                let open = client.get_multiplexed_async_connection_with_config(&config);
                Ok(Connection::Single(open.await?))
            }
            Self::Cluster(client) => Ok(Connection::Cluster(client.get_async_connection().await?)),
        }
    }
}

impl Connection {
    async fn send(&mut self, command: &Cmd) -> RedisResult<Value> {
        let reply = match self {
            Self::Single(connection) => connection.req_packed_command(command).await,
            Self::Cluster(connection) => connection.req_packed_command(command).await,
        };
        reply?.extract_error()
    }

    async fn send_to(&mut self, node: &Node, command: &Cmd) -> RedisResult<Value> {
        match (self, node) {
            (Self::Cluster(connection), Node::Primary { host, port, .. }) => {
                use redis::cluster_routing::{RoutingInfo, SingleNodeRoutingInfo};
                let route = SingleNodeRoutingInfo::ByAddress { host: host.clone(), port: *port };
                let route = RoutingInfo::SingleNode(route);
                connection.route_command(command.clone(), route).await?.extract_error()
            }
            (connection, _) => connection.send(command).await,
        }
    }
}
