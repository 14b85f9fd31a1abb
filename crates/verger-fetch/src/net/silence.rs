//! A stream that detects silence of the peer.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead, ReadBuf, ReadHalf, join, split};
use tokio::time::{Instant, Sleep, sleep};

use super::BoxStream;
use super::budget::Slot;
use super::pool::{Lend as _, PoolPermit};

/// The reading half of a stream, with its place and slot, which are lent while no data arrives.
struct Reader {
    stream: ReadHalf<BoxStream>,
    /// The place at the address.
    place: Option<PoolPermit>,
    /// The slot of the fetch.
    slot: Option<Slot>,
    silence: Duration,
    timer: Pin<Box<Sleep>>,
    waits: Wait,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Wait {
    None,
    /// The timer runs.
    Short,
    /// The timer has ended.
    Long,
}

/// A stream that lends its place and slot while no data arrives.
pub(super) fn watch(
    stream: BoxStream,
    place: Option<PoolPermit>,
    slot: Option<Slot>,
    silence: Duration,
) -> BoxStream {
    let (stream, writer) = split(stream);
    let timer = Box::pin(sleep(silence));
    let reader = Reader { stream, place, slot, silence, timer, waits: Wait::None };
    Box::new(join(reader, writer))
}

impl Reader {
    fn begin_silence(&self) {
        self.place.iter().for_each(|place| place.set_silent(true));
        self.slot.iter().for_each(|slot| slot.set_silent(true));
    }

    fn end_silence(&self, has_data: bool) {
        self.slot.iter().for_each(|slot| slot.set_silent(false));
        match &self.place {
            Some(place) if has_data => place.end_silence(),
            Some(place) => place.set_silent(false),
            None => {}
        }
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        if self.waits == Wait::Long {
            self.end_silence(false);
        }
    }
}

impl AsyncRead for Reader {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = &mut *self;
        let before = buffer.filled().len();
        let read = Pin::new(&mut this.stream).poll_read(context, buffer);
        if read.is_ready() {
            if this.waits == Wait::Long {
                this.end_silence(buffer.filled().len() > before);
            }
            this.waits = Wait::None;
            return read;
        }
        if this.waits == Wait::None {
            this.timer.as_mut().reset(Instant::now() + this.silence);
            this.waits = Wait::Short;
        }
        if this.waits == Wait::Short && this.timer.as_mut().poll(context).is_ready() {
            this.begin_silence();
            this.waits = Wait::Long;
        }
        Poll::Pending
    }
}
