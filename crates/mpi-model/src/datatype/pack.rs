//! `MPI_Pack` and its relatives.
//!
//! Packed data is the data of the elements without gaps, in the order of the typemap.

use std::rc::Rc;

use crate::{
    buffer::Data,
    communicator::Communicator,
    error::{Class, Error, Result},
    process::Process,
    word::{Address, Arguments, Integer, Out, Text, Words},
};

use super::{Datatype, construct::natural};

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

/// The arguments for packed data: a buffer, its size in bytes, and a position in it, which is advanced.
#[derive(Clone, Copy)]
pub(super) struct Packed<T> {
    address: Address,
    size: i64,
    position: Out<T>,
    /// The name of the size.
    name: &'static str,
}

impl<'n, T> Arguments<'n> for Packed<T> {
    fn take(words: &mut Words<'_, 'n>) -> Result<Self> {
        let [_, name] = words.names();
        Ok(Packed { address: words.take()?, size: words.take()?, position: words.take()?, name })
    }
}

impl<T: Integer> Packed<T> {
    /// Advances the position by a number of bytes, and returns their address.
    fn advance(self, process: &Process<'_>, bytes: u64) -> Result<Address> {
        let Packed { address, size, position, name } = self;
        let before = position.get(process).get();
        if size < 0 {
            return Err(Error::argument(Class::ARG, name, format!("{size} is negative")));
        }
        if !(0..=size).contains(&before) {
            let text = format!("{before} is outside of the buffer of {size} bytes");
            return Err(Error::argument(Class::ARG, "position", text));
        }
        let room = (size - before) as u64;
        if bytes > room {
            let text = format!("the data has {bytes} bytes; the buffer has {room} after the position");
            return Err(Error::argument(Class::TRUNCATE, name, text));
        }
        let after = before + bytes as i64;
        let value = T::new(after).ok_or_else(|| {
            let text = format!("{after} does not fit the argument");
            Error::argument(Class::VALUE_TOO_LARGE, "position", text)
        })?;
        position.set(process, value);
        Ok(address.offset(before))
    }
}

pub(super) fn pack_buffer<'n, T: Integer>(
    process: &Process<'n>,
    data: Data,
    packed: Packed<T>,
    _: Rc<Communicator<'n>>,
) -> Result<()> {
    let buffer = data.buffer()?;
    let length = total(buffer.datatype.size(), buffer.count as u64, "incount")?;
    let address = packed.advance(process, length)?;
    process.program.write(address.0, &buffer.load_bytes(process));
    Ok(())
}

/// Copies packed data out of the program's memory.
fn load(process: &Process<'_>, packed: Packed<impl Integer>, length: u64) -> Result<Vec<u8>> {
    let address = packed.advance(process, length)?;
    let mut bytes = Vec::with_capacity(length as usize);
    process.program.read(address.0, length as usize, &mut bytes);
    Ok(bytes)
}

pub(super) fn unpack_buffer<'n, T: Integer>(
    process: &Process<'n>,
    packed: Packed<T>,
    data: Data,
    _: Rc<Communicator<'n>>,
) -> Result<()> {
    let buffer = data.buffer()?;
    let length = total(buffer.datatype.size(), buffer.count as u64, "outcount")?;
    buffer.store_bytes(process, &load(process, packed, length)?);
    Ok(())
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

pub(super) fn pack_external(
    process: &Process<'_>,
    datarep: Text,
    data: Data,
    packed: Packed<i64>,
) -> Result<()> {
    check_representation(&datarep)?;
    let buffer = data.buffer()?;
    let (layout, count) = (buffer.datatype.layout(), buffer.count as u64);
    let address = packed.advance(process, total(layout.external_size(), count, "incount")?)?;
    process.program.write(address.0, &layout.to_external(count, &buffer.load_bytes(process))?);
    Ok(())
}

pub(super) fn unpack_external(
    process: &Process<'_>,
    datarep: Text,
    packed: Packed<i64>,
    data: Data,
) -> Result<()> {
    check_representation(&datarep)?;
    let buffer = data.buffer()?;
    let (layout, count) = (buffer.datatype.layout(), buffer.count as u64);
    let bytes = load(process, packed, total(layout.external_size(), count, "outcount")?)?;
    buffer.store_bytes(process, &layout.of_external(count, &bytes));
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
