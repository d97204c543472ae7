//! Constructors of subarrays and of distributed arrays.

use std::sync::Arc;

use crate::{
    error::{Class, Error, Result},
    process::Process,
    word::{Array, Handle, Integer, Out},
};

use super::{
    Datatype,
    construct::{bytes, finish, integers, length},
    contents::{Combiner, Contents},
    layout::Layout,
};

const ORDER_C: i32 = 12;
const ORDER_FORTRAN: i32 = 15;

const DISTRIBUTE_NONE: i64 = 16;
const DISTRIBUTE_BLOCK: i64 = 17;
const DISTRIBUTE_CYCLIC: i64 = 18;
const DISTRIBUTE_DFLT_DARG: i64 = 19;

/// The dimensions from the one whose elements are adjacent to the one with the largest stride.
fn dimensions(count: usize, order: i32) -> Result<Vec<usize>> {
    match order {
        ORDER_FORTRAN => Ok((0..count).collect()),
        ORDER_C => Ok((0..count).rev().collect()),
        _ => {
            let text = format!("{order} is neither MPI_ORDER_C nor MPI_ORDER_FORTRAN");
            Err(Error::argument(Class::ARG, "order", text))
        }
    }
}

/// The number of dimensions, which is at least 1.
fn number_of_dimensions(ndims: i64) -> Result<usize> {
    match length(ndims, "ndims") {
        Ok(0) => Err(Error::argument(Class::ARG, "ndims", "0 was given; an array has at least 1 dimension")),
        Err(_) => Err(Error::argument(Class::ARG, "ndims", format!("{ndims} is negative"))),
        ok => ok,
    }
}

/// Requires `low <= value <= high` of an element of an array argument.
fn check(name: &'static str, at: usize, value: i64, low: i64, high: i64) -> Result<()> {
    if (low..=high).contains(&value) {
        return Ok(());
    }
    let text = if high == i64::MAX {
        format!("element {at} is {value}; it must be at least {low}")
    } else {
        format!("element {at} is {value}; it must be from {low} to {high}")
    };
    Err(Error::argument(Class::ARG, name, text))
}

/// The whole array as bounds of a part of it, at a displacement.
fn part_of(layout: Option<Arc<Layout>>, displacement: i64, extent: i64) -> Option<Arc<Layout>> {
    Layout::structure(vec![(displacement, 1, layout?)])?.resized(0, extent)
}

#[expect(clippy::too_many_arguments, reason = "arguments of MPI_Type_create_subarray")]
pub(super) fn subarray<T: Integer>(
    process: &Process<'_>,
    ndims: i64,
    sizes: Array<T>,
    subsizes: Array<T>,
    starts: Array<T>,
    order: i32,
    oldtype: Datatype,
    newtype: Out<Handle>,
) -> Result<()> {
    let count = number_of_dimensions(ndims)?;
    let sizes = integers(process, sizes, count, "array_of_sizes")?;
    let subsizes = integers(process, subsizes, count, "array_of_subsizes")?;
    let starts = integers(process, starts, count, "array_of_starts")?;
    for at in 0..count {
        check("array_of_sizes", at, sizes[at], 1, i64::MAX)?;
        check("array_of_subsizes", at, subsizes[at], 1, sizes[at])?;
        check("array_of_starts", at, starts[at], 0, sizes[at] - subsizes[at])?;
    }
    let mut layout = Some(oldtype.layout().clone());
    let (mut displacement, mut stride) = (0, oldtype.extent());
    for at in dimensions(count, order)? {
        layout = layout.and_then(|inner| Layout::repeat(subsizes[at] as u64, stride, &inner));
        displacement += bytes(starts[at], stride)?;
        stride = bytes(sizes[at], stride)?;
    }
    let contents = Contents::new::<T>(Combiner::Subarray)
        .integers([ndims])
        .counts(sizes)
        .counts(subsizes)
        .counts(starts)
        .integers([order.into()])
        .of(&oldtype);
    finish(process, part_of(layout, displacement, stride), contents, newtype)
}

/// One dimension of a distributed array: what one process has of it.
struct Dimension {
    /// Elements in all processes.
    size: i64,
    /// Elements of a block.
    block: i64,
    processes: i64,
    /// The coordinate of the process.
    process: i64,
}

impl Dimension {
    /// The blocks of the process, of elements `inner` at a stride in bytes.
    fn blocks(&self, stride: i64, inner: &Arc<Layout>) -> Option<Arc<Layout>> {
        let first = self.process.checked_mul(self.block)?;
        let round = self.processes.checked_mul(self.block)?;
        if first >= self.size {
            return Layout::repeat(0, stride, inner);
        }
        // Blocks at first, first + round, ..; the last one can be shorter.
        let count = (self.size - first - 1) / round + 1;
        let last = first + (count - 1) * round;
        let length = self.block.min(self.size - last);
        let whole = if length == self.block { count } else { count - 1 };
        let block = Layout::repeat(self.block as u64, stride, inner)?;
        let blocks = Layout::repeat(whole as u64, round.checked_mul(stride)?, &block)?;
        let mut members = vec![(first.checked_mul(stride)?, 1, blocks)];
        if whole < count {
            members.push((last.checked_mul(stride)?, 1, Layout::repeat(length as u64, stride, inner)?));
        }
        Layout::structure(members)
    }
}

#[expect(clippy::too_many_arguments, reason = "arguments of MPI_Type_create_darray")]
pub(super) fn darray<T: Integer>(
    process: &Process<'_>,
    size: i32,
    rank: i32,
    ndims: i64,
    sizes: Array<T>,
    distributions: Array<i32>,
    arguments: Array<i32>,
    processes: Array<i32>,
    order: i32,
    oldtype: Datatype,
    newtype: Out<Handle>,
) -> Result<()> {
    let count = number_of_dimensions(ndims)?;
    let sizes = integers(process, sizes, count, "array_of_gsizes")?;
    let distributions = integers(process, distributions, count, "array_of_distribs")?;
    let arguments = integers(process, arguments, count, "array_of_dargs")?;
    let processes = integers(process, processes, count, "array_of_psizes")?;
    if size < 1 {
        return Err(Error::argument(Class::ARG, "size", format!("{size} is less than 1")));
    }
    if !(0..size).contains(&rank) {
        let text = format!("{rank} is not a rank of {size} processes");
        return Err(Error::argument(Class::RANK, "rank", text));
    }
    for at in 0..count {
        check("array_of_gsizes", at, sizes[at], 1, i64::MAX)?;
        check("array_of_psizes", at, processes[at], 1, i64::MAX)?;
    }
    let grid = processes.iter().try_fold(1, |product: i64, &number| product.checked_mul(number));
    if grid != Some(size.into()) {
        let text = format!("the product of {processes:?} is not the number of processes, {size}");
        return Err(Error::argument(Class::ARG, "array_of_psizes", text));
    }
    // Coordinates are in row-major order whatever the order of the array is.
    let (mut rest, mut below) = (i64::from(rank), i64::from(size));
    let mut parts = Vec::with_capacity(count);
    for at in 0..count {
        below /= processes[at];
        let coordinate = rest / below;
        rest %= below;
        let block = block_size(at, sizes[at], processes[at], distributions[at], arguments[at])?;
        parts.push(Dimension { size: sizes[at], block, processes: processes[at], process: coordinate });
    }
    let mut layout = Some(oldtype.layout().clone());
    let mut stride = oldtype.extent();
    for at in dimensions(count, order)? {
        layout = layout.and_then(|inner| parts[at].blocks(stride, &inner));
        stride = bytes(sizes[at], stride)?;
    }
    let contents = Contents::new::<T>(Combiner::Darray)
        .integers([size.into(), rank.into(), ndims])
        .counts(sizes)
        .integers(distributions)
        .integers(arguments)
        .integers(processes)
        .integers([order.into()])
        .of(&oldtype);
    finish(process, part_of(layout, 0, stride), contents, newtype)
}

/// The number of elements of a block of a dimension.
fn block_size(at: usize, size: i64, processes: i64, distribution: i64, argument: i64) -> Result<i64> {
    let default = argument == DISTRIBUTE_DFLT_DARG;
    if distribution != DISTRIBUTE_NONE && !default {
        check("array_of_dargs", at, argument, 1, i64::MAX)?;
    }
    match distribution {
        DISTRIBUTE_NONE if processes == 1 => Ok(size),
        DISTRIBUTE_NONE => {
            let text =
                format!("element {at} is {processes}; a dimension with MPI_DISTRIBUTE_NONE has 1 process");
            Err(Error::argument(Class::ARG, "array_of_psizes", text))
        }
        DISTRIBUTE_BLOCK if default => Ok((size - 1) / processes + 1),
        DISTRIBUTE_BLOCK if argument.saturating_mul(processes) < size => {
            let text = format!(
                "element {at} is {argument}; {processes} blocks of this size are less than the {size} elements"
            );
            Err(Error::argument(Class::ARG, "array_of_dargs", text))
        }
        DISTRIBUTE_CYCLIC if default => Ok(1),
        DISTRIBUTE_BLOCK | DISTRIBUTE_CYCLIC => Ok(argument),
        _ => {
            let text =
                format!("element {at} is {distribution}; expected MPI_DISTRIBUTE_BLOCK, _CYCLIC or _NONE");
            Err(Error::argument(Class::ARG, "array_of_distribs", text))
        }
    }
}
