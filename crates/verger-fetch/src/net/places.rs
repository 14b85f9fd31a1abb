//! The limit of connections to one address.
//!
//! Many sites share an address, and its operator sees one visitor. A place is taken at the
//! connection, because the address is unknown before, and is held until the connection ends. Silent
//! connections lend their places ([`Pool`]).

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};

use super::pool::{Lends, Pool};
use crate::limits::PLACES_PRUNED_FROM;

/// The places at all addresses. Clones share them.
#[derive(Clone, Debug)]
pub(super) struct Places {
    most: usize,
    addresses: Arc<Mutex<Addresses>>,
}

#[derive(Debug)]
struct Addresses {
    places: HashMap<IpAddr, Pool>,
    pruned_at: usize,
}

impl Places {
    pub(super) fn new(most: usize) -> Self {
        let addresses = Addresses { places: HashMap::new(), pruned_at: PLACES_PRUNED_FROM };
        Self { most, addresses: Arc::new(Mutex::new(addresses)) }
    }

    /// The places at one address.
    pub(super) fn at(&self, address: IpAddr) -> Pool {
        let mut addresses = self.addresses.lock().unwrap_or_else(PoisonError::into_inner);
        let Addresses { places, pruned_at } = &mut *addresses;
        if places.len() >= *pruned_at {
            places.retain(|_, places| !places.is_idle());
            *pruned_at = (places.len() * 2).max(PLACES_PRUNED_FROM);
        }
        let new = || Pool::new(self.most, Lends::TwoUntilHeard);
        places.entry(address).or_insert_with(new).clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(at: usize) -> IpAddr {
        IpAddr::from(u32::try_from(at).unwrap().to_be_bytes())
    }

    #[test]
    fn places_at_each_address_are_limited() {
        let places = Places::new(2);
        let (a, b) = (address(1), address(2));
        let held = [places.at(a).try_take().unwrap(), places.at(a).try_take().unwrap()];
        assert!(places.at(a).try_take().is_none());
        assert!(places.at(b).try_take().is_some());
        drop(held);
        assert!(places.at(a).try_take().is_some());
    }

    #[test]
    fn only_addresses_without_a_connection_are_forgotten() {
        let places = Places::new(1);
        let held = places.at(address(0)).try_take().unwrap();
        for at in 1..PLACES_PRUNED_FROM * 4 {
            places.at(address(at)).try_take().unwrap();
            assert!(places.addresses.lock().unwrap().places.len() <= PLACES_PRUNED_FROM);
        }
        assert!(places.at(address(0)).try_take().is_none());
        drop(held);
        assert!(places.at(address(0)).try_take().is_some());
    }
}
