//! The primaries of a Cluster and their ranges of slots.

use redis::Value;

/// Hosts, ports and first slots of the primaries in a reply to `CLUSTER SLOTS`, each primary once.
pub(crate) fn primaries(slots: Value) -> Vec<(String, u16, u16)> {
    let mut found: Vec<_> = ranges(slots).collect();
    found.sort();
    found.dedup_by(|one, other| (&one.0, one.1) == (&other.0, other.1));
    found
}

/// The first slots of the ranges in such a reply, in order.
pub(crate) fn first_slots(slots: Value) -> Vec<u16> {
    let mut first: Vec<u16> = ranges(slots).map(|(.., slot)| slot).collect();
    first.sort_unstable();
    first
}

fn ranges(slots: Value) -> impl Iterator<Item = (String, u16, u16)> {
    let ranges = if let Value::Array(ranges) = slots { ranges } else { Vec::new() };
    ranges.into_iter().filter_map(primary)
}

/// The first node of a range, `[first slot, last slot, [host, port, ...], replicas...]`, and the
/// first slot.
fn primary(range: Value) -> Option<(String, u16, u16)> {
    let Value::Array(range) = range else { return None };
    let mut range = range.into_iter();
    let slot = redis::from_redis_value(range.next()?).ok()?;
    let Value::Array(node) = range.nth(1)? else { return None };
    let mut node = node.into_iter();
    let host = redis::from_redis_value(node.next()?).ok()?;
    Some((host, redis::from_redis_value(node.next()?).ok()?, slot))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_primary_of_several_ranges_is_listed_once_with_its_first_slot() {
        let range = |first, last, host: &str| {
            let node = vec![Value::BulkString(host.into()), Value::Int(6379)];
            Value::Array(vec![Value::Int(first), Value::Int(last), Value::Array(node)])
        };
        let ranges = [range(200, 299, "a"), range(100, 199, "b"), range(0, 99, "a")];
        let slots = Value::Array(ranges.to_vec());
        assert_eq!(first_slots(slots.clone()), [0, 100, 200]);
        assert_eq!(primaries(slots), [("a".to_owned(), 6379, 0), ("b".to_owned(), 6379, 100)]);
    }
}
