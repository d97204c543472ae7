//! Operators that the program defines.

use crate::{
    datatype::{Datatype, layout::Layout},
    error::Result,
    process::Process,
};

/// An operator of the program: a function `void (void *invec, void *inoutvec, int *len, MPI_Datatype *datatype)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct User {
    /// The function.
    pub function: usize,
    /// Whether the length is an `MPI_Count`.
    pub is_large: bool,
}

/// The strictest alignment of a basic type.
const ALIGNMENT: usize = 16;

/// Elements as the datatype lays them out, in aligned memory.
struct Elements {
    memory: Vec<u8>,
    /// The aligned beginning in `memory`.
    start: usize,
    /// The displacement of the data at `start`.
    low: i64,
}

impl Elements {
    fn new(layout: &Layout, count: u64, packed: &[u8]) -> Elements {
        let (low, high) = layout.span(count);
        // Displacements keep their alignment.
        let low = low - low.rem_euclid(ALIGNMENT as i64);
        let mut memory = vec![0; (high - low) as usize + ALIGNMENT];
        let start = memory.as_ptr().align_offset(ALIGNMENT).min(ALIGNMENT);
        let bytes = &mut memory[start..];
        layout.scatter(count, packed, |displacement, run| {
            let at = (displacement - low) as usize;
            bytes[at..at + run.len()].copy_from_slice(run);
        });
        Elements { memory, start, low }
    }

    fn pack(&self, layout: &Layout, count: u64, into: &mut [u8]) {
        let bytes = &self.memory[self.start..];
        let mut at = 0;
        layout.for_each_run(count, |displacement, length| {
            let (from, length) = ((displacement - self.low) as usize, length as usize);
            into[at..at + length].copy_from_slice(&bytes[from..from + length]);
            at += length;
        });
    }
}

impl User {
    /// Sets `right` to `left op right` for `count` elements, packed.
    pub(super) fn combine(
        &self,
        process: &Process<'_>,
        left: &[u8],
        right: &mut [u8],
        datatype: &Datatype,
        count: u64,
    ) -> Result<()> {
        let layout = datatype.layout();
        let size = layout.size() as usize;
        // Not more elements at a time than an `int` can count.
        let most = if self.is_large { count } else { count.min(i32::MAX as u64) };
        let mut done = 0;
        while done < count {
            let now = most.min(count - done);
            let part = done as usize * size..(done + now) as usize * size;
            let mut first = Elements::new(layout, now, &left[part.clone()]);
            let right = &mut right[part];
            if layout.is_contiguous() && right.as_ptr().align_offset(ALIGNMENT) == 0 {
                self.call(process, &mut first, (right, 0), datatype, now)?;
            } else {
                let mut second = Elements::new(layout, now, right);
                let (start, low) = (second.start, second.low);
                self.call(process, &mut first, (&mut second.memory[start..], low), datatype, now)?;
                second.pack(layout, now, right);
            }
            done += now;
        }
        Ok(())
    }

    /// Calls the function for elements in memory; for the right operand, the displacement of the data at its beginning is given.
    fn call(
        &self,
        process: &Process<'_>,
        left: &mut Elements,
        (right, low): (&mut [u8], i64),
        datatype: &Datatype,
        count: u64,
    ) -> Result<()> {
        let program = &*process.program;
        let mut result = Ok(0);
        let mut count = if self.is_large {
            (count as i64).to_ne_bytes().to_vec()
        } else {
            (count as i32).to_ne_bytes().to_vec()
        };
        let mut handle = datatype.handle().0.to_ne_bytes();
        // The buffers of the program begin where displacements are 0.
        let base = |address: usize, low: i64| address.wrapping_sub(low as usize);
        program.lend(&mut left.memory[left.start..], &mut |first| {
            program.lend(right, &mut |second| {
                program.lend(&mut count, &mut |count| {
                    program.lend(&mut handle, &mut |handle| {
                        let arguments = [base(first, left.low), base(second, low), count, handle];
                        result = process.call_back(self.function, &arguments);
                    });
                });
            });
        });
        result.map(drop)
    }
}
