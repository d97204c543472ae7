//! `MPI_Pack` and its relatives.
//!
//! Packed data is the data of the elements without gaps, in the order of the typemap.

use std::rc::Rc;

use crate::{
    communicator::Communicator,
    error::{Class, Error, Result},
    process::Process,
    word::{Address, Integer, Out, Text},
};

use super::{Committed, Datatype, construct::natural};

/// The bytes of `count` elements.
fn total(size: u64, count: u64, name: &'static str) -> Result<u64> {
    size.checked_mul(count).filter(|&total| i64::try_from(total).is_ok()).ok_or_else(|| {
        Error::argument(
            Class::COUNT,
            name,
            format!("{count} elements of {size} bytes are more than 2^63 bytes"),
        )
    })
}

/// A part of a buffer of packed data.
struct Room {
    /// Where it begins.
    address: Address,
    /// Bytes from there to the end of the buffer.
    bytes: u64,
    position: i64,
}

/// The rest of a buffer from a position.
fn room(buffer: Address, name: &'static str, size: i64, position: i64) -> Result<Room> {
    if size < 0 {
        return Err(Error::argument(Class::ARG, name, format!("{size} is negative")));
    }
    if !(0..=size).contains(&position) {
        let text = format!("{position} is outside of the buffer of {size} bytes");
        return Err(Error::argument(Class::ARG, "position", text));
    }
    Ok(Room { address: buffer.offset(position), bytes: (size - position) as u64, position })
}

impl Room {
    /// Takes bytes and returns the position after them.
    fn take(&self, bytes: u64, name: &'static str) -> Result<i64> {
        if bytes > self.bytes {
            let text =
                format!("the data has {bytes} bytes; the buffer has {} after the position", self.bytes);
            return Err(Error::argument(Class::TRUNCATE, name, text));
        }
        Ok(self.position + bytes as i64)
    }
}

/// Stores a position.
fn set_position<T: Integer>(process: &Process<'_>, position: Out<T>, value: i64) -> Result<()> {
    let value = T::new(value).ok_or_else(|| {
        Error::argument(Class::VALUE_TOO_LARGE, "position", format!("{value} does not fit the argument"))
    })?;
    position.set(process, value);
    Ok(())
}

#[expect(clippy::too_many_arguments, reason = "arguments of MPI_Pack")]
pub(super) fn pack_buffer<'n, T: Integer>(
    process: &Process<'n>,
    buffer: Address,
    count: i64,
    datatype: Committed,
    packed: Address,
    size: i64,
    position: Out<T>,
    _: Rc<Communicator<'n>>,
) -> Result<()> {
    let count = natural(count, "incount", T::MAX)?;
    let room = room(packed, "outsize", size, position.get(process).get())?;
    let after = room.take(total(datatype.size(), count, "incount")?, "outsize")?;
    let bytes = datatype.pack(&*process.program, buffer, count);
    process.program.write(room.address.0, &bytes);
    set_position(process, position, after)
}

#[expect(clippy::too_many_arguments, reason = "arguments of MPI_Unpack")]
pub(super) fn unpack_buffer<'n, T: Integer>(
    process: &Process<'n>,
    packed: Address,
    size: i64,
    position: Out<T>,
    buffer: Address,
    count: i64,
    datatype: Committed,
    _: Rc<Communicator<'n>>,
) -> Result<()> {
    let count = natural(count, "outcount", T::MAX)?;
    let room = room(packed, "insize", size, position.get(process).get())?;
    let length = total(datatype.size(), count, "outcount")?;
    let after = room.take(length, "insize")?;
    let mut bytes = Vec::with_capacity(length as usize);
    process.program.read(room.address.0, length as usize, &mut bytes);
    datatype.unpack(&*process.program, buffer, count, &bytes);
    set_position(process, position, after)
}

pub(super) fn pack_size<'n, T: Integer>(
    process: &Process<'n>,
    count: i64,
    datatype: Datatype,
    _: Rc<Communicator<'n>>,
    size: Out<T>,
) -> Result<()> {
    let count = natural(count, "incount", T::MAX)?;
    size.set_or_undefined(process, total(datatype.size(), count, "incount")? as i64);
    Ok(())
}

fn check_representation(datarep: &Text) -> Result<()> {
    if datarep.0 == "external32" {
        return Ok(());
    }
    let text = format!("`{}` was given; only \"external32\" is supported", datarep.0);
    Err(Error::argument(Class::ARG, "datarep", text))
}

#[expect(clippy::too_many_arguments, reason = "arguments of MPI_Pack_external")]
pub(super) fn pack_external<T: Integer>(
    process: &Process<'_>,
    datarep: Text,
    buffer: Address,
    count: i64,
    datatype: Committed,
    packed: Address,
    size: i64,
    position: Out<i64>,
) -> Result<()> {
    check_representation(&datarep)?;
    let count = natural(count, "incount", T::MAX)?;
    let room = room(packed, "outsize", size, position.get(process))?;
    let after = room.take(total(datatype.layout().external_size(), count, "incount")?, "outsize")?;
    let bytes = datatype.pack(&*process.program, buffer, count);
    process.program.write(room.address.0, &datatype.layout().to_external(count, &bytes)?);
    position.set(process, after);
    Ok(())
}

#[expect(clippy::too_many_arguments, reason = "arguments of MPI_Unpack_external")]
pub(super) fn unpack_external<T: Integer>(
    process: &Process<'_>,
    datarep: Text,
    packed: Address,
    size: i64,
    position: Out<i64>,
    buffer: Address,
    count: i64,
    datatype: Committed,
) -> Result<()> {
    check_representation(&datarep)?;
    let count = natural(count, "outcount", T::MAX)?;
    let room = room(packed, "insize", size, position.get(process))?;
    let length = total(datatype.layout().external_size(), count, "outcount")?;
    let after = room.take(length, "insize")?;
    let mut bytes = Vec::with_capacity(length as usize);
    process.program.read(room.address.0, length as usize, &mut bytes);
    datatype.unpack(&*process.program, buffer, count, &datatype.layout().of_external(count, &bytes));
    position.set(process, after);
    Ok(())
}

pub(super) fn external_size<T: Integer>(
    process: &Process<'_>,
    datarep: Text,
    count: i64,
    datatype: Datatype,
    size: Out<i64>,
) -> Result<()> {
    check_representation(&datarep)?;
    let count = natural(count, "incount", T::MAX)?;
    size.set(process, total(datatype.layout().external_size(), count, "incount")? as i64);
    Ok(())
}
