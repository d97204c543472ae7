//! Packing and unpacking: copies between the program's memory, as a datatype lays data out, and contiguous bytes.

use std::ops::ControlFlow;

use bytes::Bytes;
use multicomputer::Payload;

use crate::{program::Program, word::Address};

use super::{Object, layout::Layout};

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
        self.for_each_run(count, |displacement, length| {
            program.read(address.offset(displacement).0, length as usize, into);
        });
    }

    /// Stores packed bytes as up to `count` elements at `address` and returns the number of bytes stored.
    pub fn unpack(&self, program: &dyn Program, address: Address, count: u64, bytes: &[u8]) -> u64 {
        self.scatter(count, bytes, |displacement, run| {
            program.write(address.offset(displacement).0, run);
        })
    }

    /// Calls `store` with displacements and the bytes that belong there, for up to `count` elements or all bytes. Returns the number of bytes.
    pub(crate) fn scatter(&self, count: u64, bytes: &[u8], mut store: impl FnMut(i64, &[u8])) -> u64 {
        let mut rest = bytes;
        // Fewer elements than the receiver has room for: the others need no visit.
        let count = if self.size() == 0 { 0 } else { count.min((bytes.len() as u64).div_ceil(self.size())) };
        let _ = self.runs(count, |displacement, length| {
            let (run, after) = rest.split_at((length as usize).min(rest.len()));
            if run.is_empty() {
                return ControlFlow::Break(());
            }
            store(displacement, run);
            rest = after;
            ControlFlow::Continue(())
        });
        (bytes.len() - rest.len()) as u64
    }
}
