//! Constructors of datatypes.

use std::sync::Arc;

use crate::{
    attribute,
    error::{Class, Error, Result},
    process::Process,
    word::{Array, Handle, Integer, Out},
};

use super::{
    Datatype,
    basic::{self, Basic, Class as Of, Element},
    contents::{Combiner, Contents, Made},
    layout::Layout,
};

/// Returns a count, which is at least 0.
pub(super) fn natural(count: i64, name: &'static str, max: i64) -> Result<u64> {
    if count < 0 {
        return Err(Error::argument(Class::COUNT, name, format!("{count} is negative")));
    }
    debug_assert!(count <= max, "the word was decoded as another integer");
    Ok(count as u64)
}

/// Returns a number of blocks or dimensions.
pub(super) fn length(count: i64, name: &'static str) -> Result<usize> {
    Ok(natural(count, name, i64::MAX)? as usize)
}

/// Reads an array of integers.
pub(super) fn integers<T: Integer>(
    process: &Process<'_>,
    array: Array<T>,
    length: usize,
    name: &'static str,
) -> Result<Vec<i64>> {
    let values = array.read(process, length).map_err(|error| error.of(name))?;
    Ok(values.into_iter().map(T::get).collect())
}

/// Reads an array of block lengths.
fn lengths<T: Integer>(
    process: &Process<'_>,
    array: Array<T>,
    length: usize,
    name: &'static str,
) -> Result<Vec<i64>> {
    let values = integers(process, array, length, name)?;
    match values.iter().position(|&value| value < 0) {
        None => Ok(values),
        Some(at) => {
            Err(Error::argument(Class::ARG, name, format!("element {at} is negative: {}", values[at])))
        }
    }
}

/// The product of a number of elements and the extent.
pub(super) fn bytes(elements: i64, extent: i64) -> Result<i64> {
    elements.checked_mul(extent).ok_or_else(too_large)
}

fn too_large() -> Error {
    Error::new(Class::VALUE_TOO_LARGE, "the datatype spans 2^63 bytes or more")
}

/// Enters a derived datatype into the table and stores its handle.
pub(super) fn finish(
    process: &Process<'_>,
    layout: Option<Arc<Layout>>,
    contents: Contents,
    newtype: Out<Handle>,
) -> Result<()> {
    let datatype = Datatype::new(layout.ok_or_else(too_large)?, Made::Derived(contents));
    let handle = process.datatypes.borrow_mut().insert(&datatype);
    newtype.set(process, handle);
    Ok(())
}

pub(super) fn contiguous<T: Integer>(
    process: &Process<'_>,
    count: i64,
    oldtype: Datatype,
    newtype: Out<Handle>,
) -> Result<()> {
    let layout = Layout::contiguous(natural(count, "count", T::MAX)?, oldtype.layout());
    let contents = Contents::new::<T>(Combiner::Contiguous).counts([count]).of(&oldtype);
    finish(process, layout, contents, newtype)
}

/// Blocks of adjacent copies at a stride in bytes.
fn strided(count: u64, length: u64, stride: i64, of: &Datatype) -> Option<Arc<Layout>> {
    Layout::repeat(count, stride, &Layout::contiguous(length, of.layout())?)
}

pub(super) fn vector<T: Integer>(
    process: &Process<'_>,
    count: i64,
    blocklength: i64,
    stride: i64,
    oldtype: Datatype,
    newtype: Out<Handle>,
) -> Result<()> {
    let (blocks, length) = (natural(count, "count", T::MAX)?, natural(blocklength, "blocklength", T::MAX)?);
    let layout = strided(blocks, length, bytes(stride, oldtype.extent())?, &oldtype);
    let contents = Contents::new::<T>(Combiner::Vector).counts([count, blocklength, stride]).of(&oldtype);
    finish(process, layout, contents, newtype)
}

pub(super) fn hvector<T: Integer>(
    process: &Process<'_>,
    count: i64,
    blocklength: i64,
    stride: i64,
    oldtype: Datatype,
    newtype: Out<Handle>,
) -> Result<()> {
    let (blocks, length) = (natural(count, "count", T::MAX)?, natural(blocklength, "blocklength", T::MAX)?);
    let layout = strided(blocks, length, stride, &oldtype);
    let contents =
        Contents::new::<T>(Combiner::Hvector).counts([count, blocklength]).addresses([stride]).of(&oldtype);
    finish(process, layout, contents, newtype)
}

const LENGTHS: &str = "array_of_blocklengths";
const PLACES: &str = "array_of_displacements";

pub(super) fn indexed<T: Integer>(
    process: &Process<'_>,
    count: i64,
    blocklengths: Array<T>,
    displacements: Array<T>,
    oldtype: Datatype,
    newtype: Out<Handle>,
) -> Result<()> {
    let blocks = length(count, "count")?;
    let lengths = lengths(process, blocklengths, blocks, LENGTHS)?;
    let places = integers(process, displacements, blocks, PLACES)?;
    let layout = blocks_of(&places, &lengths, oldtype.extent(), &oldtype)?;
    let contents =
        Contents::new::<T>(Combiner::Indexed).counts([count]).counts(lengths).counts(places).of(&oldtype);
    finish(process, layout, contents, newtype)
}

pub(super) fn hindexed<T: Integer>(
    process: &Process<'_>,
    count: i64,
    blocklengths: Array<T>,
    displacements: Array<i64>,
    oldtype: Datatype,
    newtype: Out<Handle>,
) -> Result<()> {
    let blocks = length(count, "count")?;
    let lengths = lengths(process, blocklengths, blocks, LENGTHS)?;
    let places = integers(process, displacements, blocks, PLACES)?;
    let layout = blocks_of(&places, &lengths, 1, &oldtype)?;
    let contents =
        Contents::new::<T>(Combiner::Hindexed).counts([count]).counts(lengths).addresses(places).of(&oldtype);
    finish(process, layout, contents, newtype)
}

pub(super) fn indexed_block<T: Integer>(
    process: &Process<'_>,
    count: i64,
    blocklength: i64,
    displacements: Array<T>,
    oldtype: Datatype,
    newtype: Out<Handle>,
) -> Result<()> {
    let blocks = length(count, "count")?;
    natural(blocklength, "blocklength", T::MAX)?;
    let places = integers(process, displacements, blocks, PLACES)?;
    let layout = blocks_of(&places, &vec![blocklength; blocks], oldtype.extent(), &oldtype)?;
    let contents =
        Contents::new::<T>(Combiner::IndexedBlock).counts([count, blocklength]).counts(places).of(&oldtype);
    finish(process, layout, contents, newtype)
}

pub(super) fn hindexed_block<T: Integer>(
    process: &Process<'_>,
    count: i64,
    blocklength: i64,
    displacements: Array<i64>,
    oldtype: Datatype,
    newtype: Out<Handle>,
) -> Result<()> {
    let blocks = length(count, "count")?;
    natural(blocklength, "blocklength", T::MAX)?;
    let places = integers(process, displacements, blocks, PLACES)?;
    let layout = blocks_of(&places, &vec![blocklength; blocks], 1, &oldtype)?;
    let contents = Contents::new::<T>(Combiner::HindexedBlock)
        .counts([count, blocklength])
        .addresses(places)
        .of(&oldtype);
    finish(process, layout, contents, newtype)
}

/// Blocks at displacements of `unit` bytes.
fn blocks_of(places: &[i64], lengths: &[i64], unit: i64, of: &Datatype) -> Result<Option<Arc<Layout>>> {
    let block = |(&place, &length): (&i64, &i64)| Ok((bytes(place, unit)?, length as u64));
    let blocks: Result<Vec<_>> = places.iter().zip(lengths).map(block).collect();
    Ok(Layout::blocks(blocks?, of.layout()))
}

pub(super) fn structure<T: Integer>(
    process: &Process<'_>,
    count: i64,
    blocklengths: Array<T>,
    displacements: Array<i64>,
    types: Array<Handle>,
    newtype: Out<Handle>,
) -> Result<()> {
    let blocks = length(count, "count")?;
    let lengths = lengths(process, blocklengths, blocks, LENGTHS)?;
    let places = integers(process, displacements, blocks, PLACES)?;
    let handles = types.read(process, blocks).map_err(|error| error.of("array_of_types"))?;
    let types: Result<Vec<Datatype>> = handles.into_iter().map(|handle| process.datatype(handle)).collect();
    let types = types.map_err(|error| error.of("array_of_types"))?;
    let members = types.iter().zip(places.iter().zip(&lengths));
    let layout = Layout::structure(
        members.map(|(of, (&place, &length))| (place, length as u64, of.layout().clone())).collect(),
    );
    let marked = |marker| {
        let marks = types.iter().zip(&places).filter(move |(of, _)| of.handle() == marker);
        marks.map(|(_, &place)| place)
    };
    let (lb, ub) = (marked(basic::LB).min(), marked(basic::UB).max());
    let layout = match lb.or(ub) {
        None => layout,
        Some(_) => layout.and_then(|layout| {
            let lb = lb.unwrap_or(layout.lb());
            layout.resized(lb, ub.unwrap_or(layout.ub()).checked_sub(lb)?)
        }),
    };
    let contents = types.iter().fold(
        Contents::new::<T>(Combiner::Struct).counts([count]).counts(lengths).addresses(places),
        Contents::of,
    );
    finish(process, layout, contents, newtype)
}

pub(super) fn resized<T: Integer>(
    process: &Process<'_>,
    oldtype: Datatype,
    lb: i64,
    extent: i64,
    newtype: Out<Handle>,
) -> Result<()> {
    let layout = oldtype.layout().resized(lb, extent);
    let contents = Contents::new::<T>(Combiner::Resized).addresses([lb, extent]).of(&oldtype);
    finish(process, layout, contents, newtype)
}

pub(super) fn dup(process: &Process<'_>, oldtype: Datatype, newtype: Out<Handle>) -> Result<()> {
    newtype.set(process, super::basic::NULL);
    let contents = Contents::new::<i32>(Combiner::Dup).of(&oldtype);
    let datatype = Datatype::new(oldtype.layout().clone(), Made::Derived(contents));
    datatype.is_committed.set(oldtype.is_committed());
    *datatype.attributes.borrow_mut() = attribute::copied(process, oldtype.handle(), &oldtype.attributes)?;
    let handle = process.datatypes.borrow_mut().insert(&datatype);
    newtype.set(process, handle);
    Ok(())
}

/// Returns the one permanent datatype that was made in this way.
fn permanent(process: &Process<'_>, layout: Arc<Layout>, made: Made) -> Handle {
    let mut state = process.datatypes.borrow_mut();
    if let Some(datatype) = state.parametrized.iter().find(|datatype| datatype.made == made) {
        return datatype.handle();
    }
    let datatype = Datatype::new(layout, made);
    datatype.is_committed.set(true);
    state.parametrized.push(datatype.clone());
    state.insert(&datatype)
}

fn f90(
    process: &Process<'_>,
    combiner: Combiner,
    arguments: &[i32],
    found: Option<Basic>,
    newtype: Out<Handle>,
) -> Result<()> {
    let Some(element) = found else {
        let text = format!("no type of Fortran has the properties {arguments:?}");
        return Err(Error::argument(Class::ARG, "r", text));
    };
    let contents = Contents::new::<i32>(combiner).counts(arguments.iter().map(|&value| value.into()));
    let made = Made::Basic { element, contents };
    newtype.set(process, permanent(process, Arc::new(Layout::basic(element)), made));
    Ok(())
}

/// The size of the smallest real number with `p` decimal digits and a decimal exponent of `r`.
fn size_of_real(p: i32, r: i32) -> Option<u8> {
    // Of IEEE 754 with 4, 8 and 16 bytes. A value that is not given is MPI_UNDEFINED, which is negative.
    [(4, 6, 37), (8, 15, 307), (16, 33, 4931)]
        .into_iter()
        .find(|&(_, digits, exponent)| p <= digits && r <= exponent)
        .map(|(size, ..)| size)
}

pub(super) fn f90_real(process: &Process<'_>, p: i32, r: i32, newtype: Out<Handle>) -> Result<()> {
    let found = size_of_real(p, r).and_then(|size| of_size(Of::Real, size.into()));
    f90(process, Combiner::F90Real, &[p, r], found, newtype)
}

pub(super) fn f90_complex(process: &Process<'_>, p: i32, r: i32, newtype: Out<Handle>) -> Result<()> {
    let found = size_of_real(p, r).and_then(|size| of_size(Of::Complex, i64::from(size) * 2));
    f90(process, Combiner::F90Complex, &[p, r], found, newtype)
}

pub(super) fn f90_integer(process: &Process<'_>, r: i32, newtype: Out<Handle>) -> Result<()> {
    let found = [(1, 2), (2, 4), (4, 9), (8, 18), (16, 38)]
        .into_iter()
        .find(|&(_, digits)| r <= digits)
        .and_then(|(size, _)| of_size(Of::Signed, size));
    f90(process, Combiner::F90Integer, &[r], found, newtype)
}

fn of_size(class: Of, size: i64) -> Option<Basic> {
    match basic::sized(class, size)?.element {
        Element::One(basic) => Some(basic),
        Element::Pair(..) => None,
    }
}

/// `MPI_TYPECLASS_LOGICAL` of implementations, and those of the standard.
const TYPE_CLASSES: [(i32, Of, &str); 4] = [
    (191, Of::Logical, "logical type"),
    (192, Of::Signed, "integer type"),
    (193, Of::Real, "real type"),
    (194, Of::Complex, "complex type"),
];

pub(super) fn match_size(
    process: &Process<'_>,
    typeclass: i32,
    size: i32,
    datatype: Out<Handle>,
) -> Result<()> {
    let Some(&(_, class, name)) = TYPE_CLASSES.iter().find(|class| class.0 == typeclass) else {
        let text = format!("{typeclass} is none of MPI_TYPECLASS_INTEGER, _REAL and _COMPLEX");
        return Err(Error::argument(Class::ARG, "typeclass", text));
    };
    let Some(named) = basic::sized(class, size.into()) else {
        return Err(Error::argument(Class::ARG, "size", format!("no {name} has {size} bytes")));
    };
    datatype.set(process, named.handle);
    Ok(())
}

pub(super) fn value_index(
    process: &Process<'_>,
    value: Datatype,
    index: Datatype,
    pair: Out<Handle>,
) -> Result<()> {
    let pairs = [Of::Signed, Of::Unsigned, Of::Real, Of::LongDouble];
    let (value_type, index_type) = match (value.element(), index.element()) {
        (Some(Element::One(value)), Some(Element::One(index)))
            if pairs.contains(&value.class) && pairs[..2].contains(&index.class) =>
        {
            (value, index)
        }
        _ => {
            pair.set(process, basic::NULL);
            return Ok(());
        }
    };
    let name = |datatype: &Datatype| datatype.predefined().map_or("", |named| named.name);
    let named = match (name(&value), name(&index)) {
        ("MPI_FLOAT", "MPI_INT") => Some("MPI_FLOAT_INT"),
        ("MPI_DOUBLE", "MPI_INT") => Some("MPI_DOUBLE_INT"),
        ("MPI_LONG", "MPI_INT") => Some("MPI_LONG_INT"),
        ("MPI_INT", "MPI_INT") => Some("MPI_2INT"),
        ("MPI_SHORT", "MPI_INT") => Some("MPI_SHORT_INT"),
        ("MPI_LONG_DOUBLE", "MPI_INT") => Some("MPI_LONG_DOUBLE_INT"),
        ("MPI_INTEGER", "MPI_INTEGER") => Some("MPI_2INTEGER"),
        _ => None,
    };
    let named = named.and_then(|name| basic::NAMED.iter().find(|named| named.name == name));
    let handle = named.map_or_else(
        || {
            let element = Element::Pair(value_type, index_type);
            let contents = Contents::new::<i32>(Combiner::ValueIndex).of(&value).of(&index);
            permanent(process, Layout::of_element(element), Made::Pair { element, contents })
        },
        |named| named.handle,
    );
    pair.set(process, handle);
    Ok(())
}
