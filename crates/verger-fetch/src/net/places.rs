//! Places at addresses: so many connections to one address at a time.
//!
//! Many sites share an address, and whoever runs it sees one visitor. The bound is taken when a
//! connection is made, because only then the address is known, and holds as long as the connection.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::limits::PLACES_PRUNED_FROM;

/// The places at all addresses. Clones share them.
#[derive(Clone, Debug)]
pub(super) struct Places {
    most: usize,
    addresses: Arc<Mutex<Addresses>>,
}

#[derive(Debug)]
struct Addresses {
    places: HashMap<IpAddr, Arc<Semaphore>>,
    pruned_at: usize,
}

/// A place at an address, until it is dropped.
#[derive(Debug)]
pub(crate) struct Place(#[expect(dead_code, reason = "held")] OwnedSemaphorePermit);

impl Places {
    pub(super) fn new(most: usize) -> Self {
        let addresses = Addresses { places: HashMap::new(), pruned_at: PLACES_PRUNED_FROM };
        Self { most, addresses: Arc::new(Mutex::new(addresses)) }
    }

    /// A place that is free now.
    pub(super) fn try_take(&self, address: IpAddr) -> Option<Place> {
        self.at(address).try_acquire_owned().ok().map(Place)
    }

    /// A place as soon as there is one, in the order of asking.
    pub(super) async fn take(&self, address: IpAddr) -> Option<Place> {
        // It is never closed, so there always is one in the end.
        self.at(address).acquire_owned().await.ok().map(Place)
    }

    fn at(&self, address: IpAddr) -> Arc<Semaphore> {
        let mut addresses = self.addresses.lock().unwrap_or_else(PoisonError::into_inner);
        let Addresses { places, pruned_at } = &mut *addresses;
        if places.len() >= *pruned_at {
            // A place, and whoever waits for one, holds the semaphore.
            places.retain(|_, places| Arc::strong_count(places) > 1);
            *pruned_at = (places.len() * 2).max(PLACES_PRUNED_FROM);
        }
        let most = self.most;
        Arc::clone(places.entry(address).or_insert_with(|| Arc::new(Semaphore::new(most))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(at: usize) -> IpAddr {
        IpAddr::from(u32::try_from(at).unwrap().to_be_bytes())
    }

    #[test]
    fn each_address_has_so_many_places() {
        let places = Places::new(2);
        let (a, b) = (address(1), address(2));
        let held = [places.try_take(a).unwrap(), places.try_take(a).unwrap()];
        assert!(places.try_take(a).is_none());
        assert!(places.try_take(b).is_some());
        drop(held);
        assert!(places.try_take(a).is_some());
    }

    #[test]
    fn addresses_without_a_connection_are_forgotten_and_others_are_not() {
        let places = Places::new(1);
        let held = places.try_take(address(0)).unwrap();
        for at in 1..PLACES_PRUNED_FROM * 4 {
            places.try_take(address(at)).unwrap();
            assert!(places.addresses.lock().unwrap().places.len() <= PLACES_PRUNED_FROM);
        }
        assert!(places.try_take(address(0)).is_none());
        drop(held);
        assert!(places.try_take(address(0)).is_some());
    }
}
