//! The stop of the service, as its tasks see it.

use std::time::Duration;

use tokio::sync::watch;
use tokio::time::{Instant, sleep, sleep_until, timeout};

/// Whether the service stops, and how long it has been stopping.
#[derive(Clone, Debug)]
pub(crate) struct Stopping {
    /// `None` until it begins.
    begun: watch::Receiver<Option<Instant>>,
    /// Time to finish what was accepted.
    time: Duration,
}

impl Stopping {
    /// That of a service, and the sender of its beginning.
    pub(crate) fn new(time: Duration) -> (watch::Sender<Option<Instant>>, Self) {
        let (sender, begun) = watch::channel(None);
        (sender, Self { begun, time })
    }

    pub(crate) fn has_begun(&self) -> bool {
        self.begun.borrow().is_some()
    }

    /// Returns when the service stops, with the time at which that began.
    pub(crate) async fn begins(&mut self) -> Instant {
        // An error: the service has ended.
        let begun = self.begun.wait_for(Option::is_some).await;
        begun.ok().and_then(|begun| *begun).unwrap_or_else(Instant::now)
    }

    /// Waits; false if the service stops meanwhile.
    pub(crate) async fn sleep(&self, time: Duration) -> bool {
        timeout(time, self.clone().begins()).await.is_err()
    }

    /// Waits for a time, but ends early enough for an answer if the service stops.
    pub(crate) async fn pause(&self, time: Duration) {
        let mut stopping = self.clone();
        let is_late = async { sleep_until(stopping.begins().await + self.time * 3 / 4).await };
        tokio::select! {
            () = sleep(time) => {}
            () = is_late => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn waits_end_with_the_service() {
        let second = Duration::from_secs(1);
        let (sender, stopping) = Stopping::new(second * 4);
        let start = Instant::now();
        assert!(stopping.sleep(second).await && !stopping.has_begun());
        stopping.pause(second).await;
        assert_eq!(start.elapsed(), second * 2);
        sender.send_replace(Some(Instant::now()));
        assert!(stopping.has_begun() && !stopping.sleep(second).await);
        stopping.pause(second * 30).await;
        assert_eq!(start.elapsed(), second * 5, "three quarters of the time");
        // A wait that begins later ends at the same time.
        stopping.pause(second * 30).await;
        assert_eq!(start.elapsed(), second * 5);
    }
}
