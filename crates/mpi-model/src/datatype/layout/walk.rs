//! Walks over a layout: runs of bytes, groups of basic types, and counts of basic types in a number of bytes.

use std::ops::ControlFlow;

use super::{Layout, Shape};
use crate::datatype::basic::Basic;

/// Runs of equal lengths at a constant stride, like a column of a matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rows {
    /// The displacement of the first run.
    pub at: i64,
    /// The length of each run in bytes.
    pub length: u64,
    /// The distance of the beginnings of two runs.
    pub stride: i64,
    /// The number of runs.
    pub count: u64,
}

impl Layout {
    /// Calls `visit` with all rows of `count` elements, in the order of the typemap, until it breaks. No row begins where the one before it ends.
    pub fn rows(&self, count: u64, mut visit: impl FnMut(Rows) -> ControlFlow<()>) -> ControlFlow<()> {
        // The last run, which can grow.
        let mut pending = Rows { at: 0, length: 0, stride: 0, count: 1 };
        self.copies(0, count, self.extent(), &mut |mut rows: Rows| {
            if pending.at + pending.length as i64 == rows.at {
                pending.length += rows.length;
                if rows.count == 1 {
                    return ControlFlow::Continue(());
                }
                rows = Rows { at: rows.at + rows.stride, count: rows.count - 1, ..rows };
            }
            if pending.length > 0 {
                visit(pending)?;
            }
            if rows.count > 1 {
                visit(Rows { count: rows.count - 1, ..rows })?;
            }
            pending = Rows { at: rows.at + rows.stride * (rows.count as i64 - 1), count: 1, ..rows };
            ControlFlow::Continue(())
        })?;
        if pending.length == 0 { ControlFlow::Continue(()) } else { visit(pending) }
    }

    /// Calls `visit` with the displacement and the length of every run of bytes of `count` elements, in the order of the typemap. Adjacent runs are
    /// merged.
    pub fn for_each_run(&self, count: u64, mut visit: impl FnMut(i64, u64)) {
        let _ = self.rows(count, |rows| {
            for row in 0..rows.count as i64 {
                visit(rows.at + row * rows.stride, rows.length);
            }
            ControlFlow::Continue(())
        });
    }

    fn copies<F>(&self, at: i64, count: u64, stride: i64, visit: &mut F) -> ControlFlow<()>
    where
        F: FnMut(Rows) -> ControlFlow<()>,
    {
        if self.size == 0 || count == 0 {
            return ControlFlow::Continue(());
        }
        if self.is_run {
            let at = at + self.true_lb;
            return visit(if count == 1 || stride == self.size as i64 {
                Rows { at, length: self.size * count, stride: 0, count: 1 }
            } else {
                Rows { at, length: self.size, stride, count }
            });
        }
        for copy in 0..count as i64 {
            let at = at + copy * stride;
            match &self.shape {
                Shape::Empty | Shape::Basic(_) => {}
                Shape::Repeat { count, stride, of } => of.copies(at, *count, *stride, visit)?,
                Shape::Blocks { blocks, of } => {
                    for &(displacement, count) in blocks.iter() {
                        of.copies(at + displacement, count, of.extent(), visit)?;
                    }
                }
                Shape::Struct { members } => {
                    for member in members.iter() {
                        let stride = member.layout.extent();
                        member.layout.copies(at + member.displacement, member.count, stride, visit)?;
                    }
                }
            }
        }
        ControlFlow::Continue(())
    }

    /// Calls `visit` with every group of equal basic types of `count` elements, in the order of the typemap, without their displacements, until
    /// it breaks.
    pub fn basics(
        &self,
        count: u64,
        visit: &mut impl FnMut(Basic, u64) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let of = match &self.shape {
            _ if count == 0 => return ControlFlow::Continue(()),
            Shape::Empty => return ControlFlow::Continue(()),
            Shape::Basic(basic) => return visit(*basic, count),
            Shape::Repeat { count, of, .. } => Some((*count, of)),
            Shape::Blocks { blocks, of } => Some((blocks.iter().map(|block| block.1).sum(), of)),
            Shape::Struct { .. } => None,
        };
        if let Some((copies, of)) = of {
            return of.basics(count * copies, visit);
        }
        if let Some(basic) = self.single() {
            return visit(basic, count * self.elements);
        }
        for _ in 0..count {
            if let Shape::Struct { members } = &self.shape {
                for member in members.iter() {
                    member.layout.basics(member.count, visit)?;
                }
            }
        }
        ControlFlow::Continue(())
    }

    /// The number of complete basic types in the first `bytes` bytes of data of any number of elements, and the number of bytes after them.
    pub fn elements_in(&self, bytes: u64) -> (u64, u64) {
        if self.size == 0 {
            return (0, bytes);
        }
        let (whole, rest) = (bytes / self.size, bytes % self.size);
        let (part, rest) = self.elements_of_part(rest);
        (whole * self.elements + part, rest)
    }

    /// As `elements_in`, for fewer bytes than one element has.
    fn elements_of_part(&self, bytes: u64) -> (u64, u64) {
        match &self.shape {
            _ if bytes == 0 => (0, 0),
            Shape::Empty | Shape::Basic(_) => (0, bytes),
            Shape::Repeat { of, .. } | Shape::Blocks { of, .. } => of.elements_in(bytes),
            Shape::Struct { members } => {
                let (mut elements, mut left) = (0, bytes);
                for member in members.iter() {
                    let size = member.layout.size * member.count;
                    if left < size {
                        let (part, rest) = member.layout.elements_in(left);
                        return (elements + part, rest);
                    }
                    elements += member.layout.elements * member.count;
                    left -= size;
                }
                (elements, left)
            }
        }
    }

    /// The bytes of the first `elements` basic types of any number of elements.
    pub fn bytes_of(&self, elements: u64) -> u64 {
        if self.elements == 0 {
            return 0;
        }
        let (whole, rest) = (elements / self.elements, elements % self.elements);
        let part = match &self.shape {
            _ if rest == 0 => 0,
            Shape::Empty | Shape::Basic(_) => 0,
            Shape::Repeat { of, .. } | Shape::Blocks { of, .. } => of.bytes_of(rest),
            Shape::Struct { members } => {
                let (mut bytes, mut left) = (0, rest);
                for member in members.iter() {
                    let elements = member.layout.elements * member.count;
                    if left < elements {
                        bytes += member.layout.bytes_of(left);
                        break;
                    }
                    bytes += member.layout.size * member.count;
                    left -= elements;
                }
                bytes
            }
        };
        whole * self.size + part
    }
}
