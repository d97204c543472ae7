//! Reusable buffers for long messages: touching fresh memory costs as much as the message itself.

use std::{mem::take, sync::Arc};

use bytes::Bytes;
use parking_lot::Mutex;

/// The maximum number of bytes kept.
const MAX_POOLED_BYTES: usize = 64 << 20;

/// The granularity of long buffers in bytes.
const STEP: usize = 1 << 20;

/// The free buffers, the most recently used one last.
#[derive(Debug, Default)]
pub(super) struct Pool(Mutex<Free>);

#[derive(Debug, Default)]
struct Free {
    buffers: Vec<Vec<u8>>,
    bytes: usize,
}

impl Pool {
    /// Returns a buffer of at least this number of bytes, with undefined content.
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

    /// Returns a buffer that contains exactly this data.
    pub(super) fn copy(&self, data: &[u8]) -> Vec<u8> {
        let mut buffer = self.take(data.len());
        buffer.truncate(data.len());
        buffer.copy_from_slice(data);
        buffer
    }

    /// Returns a buffer to the pool, unless the pool is full.
    pub(super) fn give_back(&self, mut buffer: Vec<u8>) {
        buffer.resize(size(buffer.len()), 0);
        let free = &mut *self.0.lock();
        if free.bytes + buffer.len() <= MAX_POOLED_BYTES {
            free.bytes += buffer.len();
            free.buffers.push(buffer);
        }
    }

    /// Returns the first `bytes` of a buffer as shared data. The buffer returns to the pool after its last use.
    pub(super) fn lend(self: &Arc<Self>, buffer: Vec<u8>, bytes: usize) -> Bytes {
        Bytes::from_owner(Lent { buffer, pool: self.clone() }).slice(..bytes)
    }
}

/// The size of the buffers for this number of bytes.
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
    fn a_buffer_is_reused_after_its_last_use() {
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
