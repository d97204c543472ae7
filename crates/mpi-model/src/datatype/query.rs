//! Sizes, bounds and names of datatypes, and counts of elements in a status.

use crate::{
    error::{Class, Error, Result},
    process::Process,
    status::StatusAddress,
    word::{Address, Integer, Out, Text, store_text},
};

use super::{Datatype, construct::natural};

/// `MPI_MAX_OBJECT_NAME`.
const MAX_OBJECT_NAME: usize = 128;

pub(super) fn size<T: Integer>(process: &Process<'_>, datatype: Datatype, size: Out<T>) -> Result<()> {
    size.set_or_undefined(process, datatype.size() as i64);
    Ok(())
}

pub(super) fn get_extent(
    process: &Process<'_>,
    datatype: Datatype,
    lb: Out<i64>,
    extent: Out<i64>,
) -> Result<()> {
    lb.set(process, datatype.lb());
    extent.set(process, datatype.extent());
    Ok(())
}

pub(super) fn get_true_extent(
    process: &Process<'_>,
    datatype: Datatype,
    lb: Out<i64>,
    extent: Out<i64>,
) -> Result<()> {
    lb.set(process, datatype.true_lb());
    extent.set(process, datatype.true_extent());
    Ok(())
}

pub(super) fn extent_alone(process: &Process<'_>, datatype: Datatype, extent: Out<i64>) -> Result<()> {
    extent.set(process, datatype.extent());
    Ok(())
}

pub(super) fn lower_bound(process: &Process<'_>, datatype: Datatype, displacement: Out<i64>) -> Result<()> {
    displacement.set(process, datatype.lb());
    Ok(())
}

pub(super) fn upper_bound(process: &Process<'_>, datatype: Datatype, displacement: Out<i64>) -> Result<()> {
    displacement.set(process, datatype.ub());
    Ok(())
}

pub(super) fn set_name(_: &Process<'_>, datatype: Datatype, name: Text) -> Result<()> {
    if name.0.len() >= MAX_OBJECT_NAME {
        let text = format!("a name has {} bytes; at most {} are allowed", name.0.len(), MAX_OBJECT_NAME - 1);
        return Err(Error::argument(Class::ARG, "type_name", text));
    }
    *datatype.name.borrow_mut() = Some(name.0);
    Ok(())
}

pub(super) fn get_name(
    process: &Process<'_>,
    datatype: Datatype,
    name: Address,
    length: Out<i32>,
) -> Result<()> {
    if name.is_null() {
        return Err(Error::argument(Class::ARG, "type_name", "a null pointer was given for a string"));
    }
    let stored = store_text(process, name, &datatype.name(), MAX_OBJECT_NAME);
    length.set(process, stored as i32);
    Ok(())
}

pub(super) fn get_address(process: &Process<'_>, location: Address, address: Out<i64>) -> Result<()> {
    address.set(process, location.0 as i64);
    Ok(())
}

/// The status that a function reads or changes.
fn given(status: StatusAddress) -> Result<StatusAddress> {
    if status.0.is_null() {
        return Err(Error::argument(Class::ARG, "status", "MPI_STATUS_IGNORE was given"));
    }
    Ok(status)
}

pub(super) fn get_count<T: Integer>(
    process: &Process<'_>,
    status: StatusAddress,
    datatype: Datatype,
    count: Out<T>,
) -> Result<()> {
    let bytes = given(status)?.get(process).bytes;
    let value = match datatype.size() {
        // No bytes are no elements of any datatype.
        _ if bytes == 0 => 0,
        0 => crate::abi::UNDEFINED.into(),
        size if bytes % size == 0 => (bytes / size) as i64,
        _ => crate::abi::UNDEFINED.into(),
    };
    count.set_or_undefined(process, value);
    Ok(())
}

pub(super) fn get_elements<T: Integer>(
    process: &Process<'_>,
    status: StatusAddress,
    datatype: Datatype,
    count: Out<T>,
) -> Result<()> {
    let bytes = given(status)?.get(process).bytes;
    let value = match datatype.layout().elements_in(bytes) {
        (elements, 0) => elements as i64,
        _ => crate::abi::UNDEFINED.into(),
    };
    count.set_or_undefined(process, value);
    Ok(())
}

pub(super) fn set_elements<T: Integer>(
    process: &Process<'_>,
    status: StatusAddress,
    datatype: Datatype,
    count: i64,
) -> Result<()> {
    let elements = natural(count, "count", T::MAX)?;
    let mut value = given(status)?.get(process);
    value.bytes = datatype.layout().bytes_of(elements);
    status.set(process, &value, false);
    Ok(())
}
