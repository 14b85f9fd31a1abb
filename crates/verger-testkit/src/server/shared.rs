//! Shared data of a world's connections: locations of services, and the record.

use std::collections::HashMap;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::dns::{Lookup, Zone};
use super::record::Record;

/// Shared data of the connections.
#[derive(Debug)]
pub(super) struct Shared {
    record: Mutex<Record>,
    zone: Mutex<Zone>,
    places: HashMap<SocketAddr, Place>,
    data_ports: Mutex<HashMap<u16, DataPort>>,
}

/// Location of a service, for dials to its address and port.
#[derive(Clone, Copy, Debug)]
pub(super) enum Place {
    At { local: SocketAddr, is_ftp: bool },
    Refused,
    Silent,
}

/// Location of an FTP data port.
#[derive(Clone, Copy, Debug)]
pub(super) enum DataPort {
    Open,
    Refused,
    Silent,
}

impl Shared {
    pub(super) fn new(zone: Zone, places: HashMap<SocketAddr, Place>) -> Self {
        let zone = Mutex::new(zone);
        Self { record: Mutex::default(), zone, places, data_ports: Mutex::default() }
    }

    pub(super) fn seen(&self) -> Record {
        lock(&self.record).clone()
    }

    pub(super) fn look_up(&self, name: &str) -> Lookup {
        lock(&self.zone).next(name)
    }

    pub(super) fn record(&self, note: impl FnOnce(&mut Record)) {
        note(&mut lock(&self.record));
    }

    pub(super) fn open_data_port(&self, port: u16, what: DataPort) {
        lock(&self.data_ports).insert(port, what);
    }

    pub(super) fn place(&self, address: SocketAddr) -> Option<Place> {
        let address = SocketAddr::new(address.ip().to_canonical(), address.port());
        if let Some(&place) = self.places.get(&address) {
            return Some(place);
        }
        let is_ftp = |(there, place): (&SocketAddr, &Place)| {
            there.ip() == address.ip() && matches!(place, Place::At { is_ftp: true, .. })
        };
        if !self.places.iter().any(is_ftp) {
            return None;
        }
        lock(&self.data_ports).get(&address.port()).map(|port| match port {
            DataPort::Open => {
                let local = (Ipv4Addr::LOCALHOST, address.port()).into();
                Place::At { local, is_ftp: false }
            }
            DataPort::Refused => Place::Refused,
            DataPort::Silent => Place::Silent,
        })
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
