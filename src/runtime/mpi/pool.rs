//! Buffers for long messages, used again: memory that is fresh costs as much as the message itself.

use std::{mem::take, sync::Arc};

use bytes::Bytes;
use parking_lot::Mutex;

/// The most bytes that are kept.
const MOST: usize = 64 << 20;

/// The step in which long buffers grow.
const STEP: usize = 1 << 20;

/// Buffers that are not in use, the one used last at the end.
#[derive(Debug, Default)]
pub(super) struct Pool(Mutex<Free>);

#[derive(Debug, Default)]
struct Free {
    buffers: Vec<Vec<u8>>,
    bytes: usize,
}

impl Pool {
    /// A buffer of at least so many bytes, whose content means nothing.
    pub(super) fn take(&self, bytes: usize) -> Vec<u8> {
        let size = size(bytes);
        let free = &mut *self.0.lock();
        match free.buffers.iter().rposition(|buffer| buffer.len() == size) {
            Some(at) => {
                free.bytes -= size;
                free.buffers.remove(at)
            }
            None => vec![0; size],
        }
    }

    /// A buffer that has this data and nothing else.
    pub(super) fn copy(&self, data: &[u8]) -> Vec<u8> {
        let mut buffer = self.take(data.len());
        buffer.truncate(data.len());
        buffer.copy_from_slice(data);
        buffer
    }

    /// Keeps a buffer for later, as long as it may be.
    pub(super) fn give_back(&self, mut buffer: Vec<u8>) {
        buffer.resize(size(buffer.len()), 0);
        let free = &mut *self.0.lock();
        if free.bytes + buffer.len() <= MOST {
            free.bytes += buffer.len();
            free.buffers.push(buffer);
        }
    }

    /// The first `bytes` of a buffer as data that can be shared; the buffer comes back when nobody uses it any more.
    pub(super) fn lend(self: &Arc<Self>, buffer: Vec<u8>, bytes: usize) -> Bytes {
        Bytes::from_owner(Lent { buffer, pool: self.clone() }).slice(..bytes)
    }
}

/// The size of the buffers that take so many bytes.
fn size(bytes: usize) -> usize {
    if bytes < STEP { bytes.next_power_of_two() } else { bytes.next_multiple_of(STEP) }
}

/// A buffer in use.
struct Lent {
    buffer: Vec<u8>,
    pool: Arc<Pool>,
}

impl AsRef<[u8]> for Lent {
    fn as_ref(&self) -> &[u8] {
        &self.buffer
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        self.pool.give_back(take(&mut self.buffer));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_buffer_is_used_again_when_nobody_has_it_any_more() {
        let pool = Arc::new(Pool::default());
        let buffer = pool.take(5000);
        let place = buffer.as_ptr();
        assert_eq!(buffer.len(), 8192);
        let data = pool.lend(buffer, 5000);
        let part = data.slice(4000..);
        drop(data);
        assert!(pool.0.lock().buffers.is_empty(), "a part is in use");
        assert_eq!(part.len(), 1000);
        drop(part);
        let again = pool.take(4097);
        assert_eq!(again.as_ptr(), place);
        assert_eq!(pool.take((3 << 20) - 5).len(), 3 << 20);
        let copy = pool.copy(&[7; 3000]);
        let place = copy.as_ptr();
        assert_eq!(copy, [7; 3000]);
        pool.give_back(copy);
        let again = pool.take(2049);
        assert_eq!(again.as_ptr(), place);
    }
}
