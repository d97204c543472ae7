//! The variables of a loaded file as they were before its constructors ran, so that the same copy can run again.

use std::{ops::Range, ptr, slice};

/// The variables of one loaded file: the parts that its program can write.
pub(crate) struct Image {
    parts: Vec<Part>,
}

/// Addresses of variables: the first ones have these bytes, all others are 0.
struct Part {
    addresses: Range<usize>,
    bytes: Vec<u8>,
}

impl Image {
    /// Reads the variables at these addresses. Of each part, the second number is the length of the part that may differ from 0.
    ///
    /// # Safety
    /// The addresses are those of variables of a file that is loaded and stays so. No constructor of it has run, and no thread uses it.
    pub(crate) unsafe fn new(parts: impl Iterator<Item = (Range<usize>, usize)>) -> Image {
        let part = |(addresses, length): (Range<usize>, usize)| {
            // SAFETY: see above; `length` bytes at the beginning are part of the addresses.
            let bytes = unsafe { slice::from_raw_parts(addresses.start as *const u8, length) }.to_vec();
            Part { addresses, bytes }
        };
        Image { parts: parts.map(part).collect() }
    }

    /// Gives the variables these values again.
    ///
    /// # Safety
    /// No thread uses the file, and none will use what it has allocated.
    pub(crate) unsafe fn restore(&self) {
        for Part { addresses, bytes } in &self.parts {
            let first = addresses.start as *mut u8;
            // SAFETY: the addresses are writable, as part of a file that stays loaded, and nothing else refers to them now.
            unsafe {
                ptr::copy_nonoverlapping(bytes.as_ptr(), first, bytes.len());
                ptr::write_bytes(first.add(bytes.len()), 0, addresses.len() - bytes.len());
            }
        }
    }
}
