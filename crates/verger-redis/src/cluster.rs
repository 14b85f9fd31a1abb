//! The primaries of a Cluster and their ranges of slots.

use redis::Value;

use crate::link::Node;

/// The primaries in a reply to `CLUSTER SLOTS`, each once.
pub(crate) fn primaries(slots: Value) -> Vec<Node> {
    let Value::Array(ranges) = slots else { return Vec::new() };
    let mut found: Vec<(String, u16)> = ranges.into_iter().filter_map(primary).collect();
    found.sort();
    found.dedup();
    found.into_iter().map(|(host, port)| Node::Primary { host, port }).collect()
}

/// The first slots of the ranges in such a reply, in order.
pub(crate) fn first_slots(slots: &Value) -> Vec<u16> {
    let Value::Array(ranges) = slots else { return Vec::new() };
    let first = |range: &Value| match range {
        Value::Array(range) => redis::from_redis_value(range.first()?.clone()).ok(),
        _ => None,
    };
    let mut first: Vec<u16> = ranges.iter().filter_map(first).collect();
    first.sort_unstable();
    first
}

/// The first node of a range: `[first slot, last slot, [host, port, ...], replicas...]`.
fn primary(range: Value) -> Option<(String, u16)> {
    let Value::Array(range) = range else { return None };
    let Value::Array(node) = range.into_iter().nth(2)? else { return None };
    let mut node = node.into_iter();
    let host = redis::from_redis_value(node.next()?).ok()?;
    Some((host, redis::from_redis_value(node.next()?).ok()?))
}
