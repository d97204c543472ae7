//! Packing and unpacking: copies between the program's memory, as a datatype lays data out, and contiguous bytes.

use std::ops::ControlFlow;

use bytes::Bytes;
use multicomputer::Payload;

use crate::{program::Program, word::Address};

use super::{
    Object,
    layout::{Layout, Rows},
};

impl Object {
    /// Copies `count` elements at `address` to contiguous bytes.
    pub fn pack(&self, program: &dyn Program, address: Address, count: u64) -> Bytes {
        let mut bytes = Vec::new();
        self.layout.pack(program, address, count, &mut bytes);
        bytes.into()
    }

    /// Stores packed bytes as up to `count` elements at `address` and returns the number of bytes stored: all of them, or as many as the
    /// elements have room for.
    pub fn unpack(&self, program: &dyn Program, address: Address, count: u64, bytes: &[u8]) -> u64 {
        self.layout.unpack(program, address, count, bytes)
    }

    /// As [`unpack`](Object::unpack), for a chain of segments; phantom data leaves the memory as it is.
    pub fn unpack_payload(
        &self,
        program: &dyn Program,
        address: Address,
        count: u64,
        payload: &Payload,
    ) -> u64 {
        match payload.to_bytes() {
            Ok(bytes) => self.unpack(program, address, count, &bytes),
            Err(_) => payload.len().min(self.size() * count),
        }
    }
}

impl Layout {
    /// Appends `count` elements at `address` to contiguous bytes.
    pub fn pack(&self, program: &dyn Program, address: Address, count: u64, into: &mut Vec<u8>) {
        into.reserve_exact((self.size() * count) as usize);
        let _ = self.rows(count, |Rows { at, length, stride, count }| {
            let (address, length) = (address.offset(at).0, length as usize);
            if count == 1 {
                program.read(address, length, into);
            } else {
                program.read_rows(address, length, stride as isize, count as usize, into);
            }
            ControlFlow::Continue(())
        });
    }

    /// Stores packed bytes as up to `count` elements at `address` and returns the number of bytes stored.
    pub fn unpack(&self, program: &dyn Program, address: Address, count: u64, bytes: &[u8]) -> u64 {
        self.distribute(count, bytes, |Rows { at, length, stride, count }, bytes| {
            let address = address.offset(at).0;
            if count == 1 {
                program.write(address, bytes);
            } else {
                program.write_rows(address, length as usize, stride as isize, bytes);
            }
        })
    }

    /// Calls `store` with displacements and the bytes that belong there, for up to `count` elements or all bytes. Returns the number of bytes.
    pub(crate) fn scatter(&self, count: u64, bytes: &[u8], mut store: impl FnMut(i64, &[u8])) -> u64 {
        self.distribute(count, bytes, |rows, bytes| {
            for (row, run) in bytes.chunks(rows.length as usize).enumerate() {
                store(rows.at + row as i64 * rows.stride, run);
            }
        })
    }

    /// Calls `store` with rows and their bytes, of which there are fewer in the last call if the bytes end within the rows.
    fn distribute(&self, count: u64, bytes: &[u8], mut store: impl FnMut(Rows, &[u8])) -> u64 {
        let mut rest = bytes;
        // The bytes can be fewer elements than there is room for.
        let count = if self.size() == 0 { 0 } else { count.min((bytes.len() as u64).div_ceil(self.size())) };
        let _ = self.rows(count, |rows| {
            let (now, after) = rest.split_at(((rows.length * rows.count) as usize).min(rest.len()));
            if now.is_empty() {
                return ControlFlow::Break(());
            }
            store(rows, now);
            rest = after;
            ControlFlow::Continue(())
        });
        (bytes.len() - rest.len()) as u64
    }
}
