//! Datatypes (MPI 5.0, chapter 5).
//!
//! ```text
//!   basic       basic types, and the table of the predefined datatypes
//!   layout      the layout in memory: a tree that is walked without flattening
//!   transfer    packing and unpacking between the program's memory and contiguous bytes
//!   signature   the sequence of basic types, to compare a sender and a receiver
//!   construct, array    constructors; those of distributed arrays
//!   contents    how a datatype was made: MPI_Type_get_envelope, MPI_Type_get_contents
//!   query       sizes, bounds, names, and counts of elements in a status
//!   pack        MPI_Pack, MPI_Unpack, and the representation "external32"
//! ```
//!
//! A [`Datatype`] is a shared pointer: a handle that the program frees while a request uses its datatype does not matter. Its [`Layout`] can be
//! sent to other threads.

mod array;
pub mod basic;
mod construct;
mod contents;
pub(crate) mod external;
pub mod layout;
mod pack;
mod query;
pub mod signature;
mod transfer;

use std::{
    cell::{Cell, RefCell},
    fmt,
    ops::Deref,
    rc::Rc,
    sync::Arc,
};

use crate::{
    attribute::{self, Attributes},
    error::{Class, Error, Result},
    function::functions,
    process::Process,
    table::{Kind, Table},
    word::{Argument, Handle, Out},
};

pub(crate) use self::contents::handle_of_copy;
use self::{
    array::{darray, subarray},
    basic::Named,
    construct::{
        contiguous, dup, f90_complex, f90_integer, f90_real, hindexed, hindexed_block, hvector, indexed,
        indexed_block, match_size, resized, structure, value_index, vector,
    },
    contents::{Made, get_contents, get_contents_c, get_envelope, get_envelope_c},
    layout::Layout,
    pack::{external_size, pack_buffer, pack_external, pack_size, unpack_buffer, unpack_external},
    query::{
        extent_alone, get_address, get_count, get_elements, get_extent, get_name, get_true_extent,
        lower_bound, set_elements, set_name, size, upper_bound,
    },
};

/// A datatype. Clones are the same datatype.
#[derive(Clone)]
pub struct Datatype(Rc<Object>);

/// The properties of a datatype.
#[derive(Debug)]
pub struct Object {
    handle: Cell<Handle>,
    layout: Arc<Layout>,
    is_committed: Cell<bool>,
    /// The name that the program has given.
    name: RefCell<Option<String>>,
    /// The attributes that the program has attached.
    pub attributes: RefCell<Attributes>,
    made: Made,
}

impl Datatype {
    fn new(layout: Arc<Layout>, made: Made) -> Datatype {
        Datatype(Rc::new(Object {
            handle: Cell::new(basic::NULL),
            layout,
            is_committed: Cell::new(false),
            name: RefCell::default(),
            attributes: RefCell::default(),
            made,
        }))
    }

    fn named(named: &'static Named) -> Datatype {
        let datatype = Datatype::new(Layout::of_element(named.element), Made::Named(named));
        datatype.handle.set(named.handle);
        datatype.is_committed.set(true);
        datatype
    }

    /// Returns whether both are one datatype.
    pub fn is_same(&self, other: &Datatype) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }

    /// Accepts datatypes for communication.
    ///
    /// # Errors
    /// [`Class::TYPE`] if the datatype was not committed.
    pub fn committed(&self) -> Result<()> {
        if self.is_committed.get() {
            return Ok(());
        }
        Err(Error::new(Class::TYPE, format!("{self} was not committed: call MPI_Type_commit before")))
    }
}

impl Deref for Datatype {
    type Target = Object;

    fn deref(&self) -> &Object {
        &self.0
    }
}

impl Object {
    /// The layout in memory.
    pub fn layout(&self) -> &Arc<Layout> {
        &self.layout
    }

    /// The handle. Another object can have it after the program has freed the datatype.
    pub fn handle(&self) -> Handle {
        self.handle.get()
    }

    /// Bytes of data.
    pub fn size(&self) -> u64 {
        self.layout.size()
    }

    /// The distance of consecutive elements.
    pub fn extent(&self) -> i64 {
        self.layout.extent()
    }

    /// The lower bound.
    pub fn lb(&self) -> i64 {
        self.layout.lb()
    }

    /// The upper bound.
    pub fn ub(&self) -> i64 {
        self.layout.ub()
    }

    /// The displacement of the first byte of data.
    pub fn true_lb(&self) -> i64 {
        self.layout.true_lb()
    }

    /// The displacement after the last byte of data.
    pub fn true_ub(&self) -> i64 {
        self.layout.true_ub()
    }

    /// The bytes from the first to the last byte of data.
    pub fn true_extent(&self) -> i64 {
        self.layout.true_extent()
    }

    /// Returns whether any number of elements is one run of bytes at displacement 0, like an array of a basic type.
    pub fn is_contiguous(&self) -> bool {
        self.layout.is_contiguous()
    }

    /// Returns whether the datatype was committed. Predefined datatypes are.
    pub fn is_committed(&self) -> bool {
        self.is_committed.get()
    }

    /// The predefined datatype, unless this one is derived or made by `MPI_Type_get_value_index`.
    pub fn predefined(&self) -> Option<&'static Named> {
        match self.made {
            Made::Named(named) => Some(named),
            _ => None,
        }
    }

    /// What one element of a predefined datatype is.
    pub(crate) fn element(&self) -> Option<basic::Element> {
        match self.made {
            Made::Named(named) => Some(named.element),
            Made::Pair { element, .. } => Some(element),
            Made::Basic { element, .. } => Some(basic::Element::One(element)),
            Made::Derived(_) => None,
        }
    }

    /// Whether the program can neither free the datatype nor look at its contents.
    fn is_permanent(&self) -> bool {
        !matches!(self.made, Made::Derived(_))
    }

    /// The name: the one that the program has given, that of a predefined datatype, or an empty string.
    pub fn name(&self) -> String {
        let named = || self.predefined().map(|named| named.name.to_owned());
        self.name.borrow().clone().or_else(named).unwrap_or_default()
    }
}

/// The name, or how the datatype was made.
impl fmt::Display for Object {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.name() {
            name if !name.is_empty() => f.write_str(&name),
            _ => write!(f, "the datatype {:#x} (made by {})", self.handle.get().0, self.made.function()),
        }
    }
}

impl fmt::Display for Datatype {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

impl fmt::Debug for Datatype {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Datatype({self})")
    }
}

/// A committed datatype: an argument of communication.
#[derive(Clone, Debug)]
pub struct Committed(pub Datatype);

impl Deref for Committed {
    type Target = Datatype;

    fn deref(&self) -> &Datatype {
        &self.0
    }
}

impl<'n> Argument<'n> for Datatype {
    fn decode(process: &Process<'n>, word: usize) -> Result<Self> {
        process.datatype(Handle(word))
    }
}

impl<'n> Argument<'n> for Committed {
    fn decode(process: &Process<'n>, word: usize) -> Result<Self> {
        let datatype = process.datatype(Handle(word))?;
        datatype.committed()?;
        Ok(Committed(datatype))
    }
}

/// The datatypes of a process.
#[derive(Debug)]
pub struct State {
    pub(crate) derived: Table<Datatype>,
    /// Predefined datatypes by their handles from [`basic::NULL`]; made when they are first used.
    predefined: Vec<Option<Datatype>>,
    /// Datatypes of `MPI_Type_create_f90_real` and similar functions, which return one datatype for equal arguments.
    parametrized: Vec<Datatype>,
}

impl Default for State {
    fn default() -> State {
        State { derived: Table::new(Kind::Datatype), predefined: Vec::new(), parametrized: Vec::new() }
    }
}

impl State {
    fn get(&mut self, handle: Handle) -> Option<Datatype> {
        if handle.0 >= basic::END {
            return self.derived.get(handle);
        }
        let at = handle.0.checked_sub(basic::NULL.0)?;
        if let Some(Some(datatype)) = self.predefined.get(at) {
            return Some(datatype.clone());
        }
        let datatype = Datatype::named(basic::named(handle)?);
        if self.predefined.len() <= at {
            self.predefined.resize(at + 1, None);
        }
        self.predefined[at] = Some(datatype.clone());
        Some(datatype)
    }

    fn insert(&mut self, datatype: &Datatype) -> Handle {
        let handle = self.derived.insert(datatype.clone());
        datatype.handle.set(handle);
        handle
    }
}

impl Process<'_> {
    /// Returns the datatype of a handle.
    ///
    /// # Errors
    /// [`Class::TYPE`] if the handle is no datatype.
    pub fn datatype(&self, handle: Handle) -> Result<Datatype> {
        self.datatypes.borrow_mut().get(handle).ok_or_else(|| {
            Error::new(
                Class::TYPE,
                match handle {
                    basic::NULL => "MPI_DATATYPE_NULL was given".to_owned(),
                    Handle(number) => format!("{number:#x} is no datatype"),
                },
            )
        })
    }
}

functions! {
    MPI_Type_contiguous: contiguous::<i32>(count, oldtype, newtype);
    MPI_Type_contiguous_c: contiguous::<i64>(count, oldtype, newtype);
    MPI_Type_vector: vector::<i32>(count, blocklength, stride, oldtype, newtype);
    MPI_Type_vector_c: vector::<i64>(count, blocklength, stride, oldtype, newtype);
    MPI_Type_create_hvector: hvector::<i32>(count, blocklength, stride, oldtype, newtype);
    MPI_Type_create_hvector_c: hvector::<i64>(count, blocklength, stride, oldtype, newtype);
    MPI_Type_hvector: hvector::<i32>(count, blocklength, stride, oldtype, newtype);
    MPI_Type_indexed: indexed::<i32>(count, array_of_blocklengths, array_of_displacements, oldtype, newtype);
    MPI_Type_indexed_c: indexed::<i64>(count, array_of_blocklengths, array_of_displacements, oldtype, newtype);
    MPI_Type_create_hindexed: hindexed::<i32>(count, array_of_blocklengths, array_of_displacements, oldtype, newtype);
    MPI_Type_create_hindexed_c: hindexed::<i64>(count, array_of_blocklengths, array_of_displacements, oldtype, newtype);
    MPI_Type_hindexed: hindexed::<i32>(count, array_of_blocklengths, array_of_displacements, oldtype, newtype);
    MPI_Type_create_indexed_block: indexed_block::<i32>(count, blocklength, array_of_displacements, oldtype, newtype);
    MPI_Type_create_indexed_block_c: indexed_block::<i64>(count, blocklength, array_of_displacements, oldtype, newtype);
    MPI_Type_create_hindexed_block: hindexed_block::<i32>(count, blocklength, array_of_displacements, oldtype, newtype);
    MPI_Type_create_hindexed_block_c: hindexed_block::<i64>(count, blocklength, array_of_displacements, oldtype, newtype);
    MPI_Type_create_struct: structure::<i32>(count, array_of_blocklengths, array_of_displacements, array_of_types, newtype);
    MPI_Type_create_struct_c: structure::<i64>(count, array_of_blocklengths, array_of_displacements, array_of_types, newtype);
    MPI_Type_struct: structure::<i32>(count, array_of_blocklengths, array_of_displacements, array_of_types, newtype);
    MPI_Type_create_subarray: subarray::<i32>(ndims, array_of_sizes, array_of_subsizes, array_of_starts, order, oldtype, newtype);
    MPI_Type_create_subarray_c: subarray::<i64>(ndims, array_of_sizes, array_of_subsizes, array_of_starts, order, oldtype, newtype);
    MPI_Type_create_darray: darray::<i32>(size, rank, ndims, array_of_gsizes, array_of_distribs, array_of_dargs, array_of_psizes, order, oldtype, newtype);
    MPI_Type_create_darray_c: darray::<i64>(size, rank, ndims, array_of_gsizes, array_of_distribs, array_of_dargs, array_of_psizes, order, oldtype, newtype);
    MPI_Type_create_resized: resized::<i32>(oldtype, lb, extent, newtype);
    MPI_Type_create_resized_c: resized::<i64>(oldtype, lb, extent, newtype);
    MPI_Type_dup: dup(oldtype, newtype);
    MPI_Type_create_f90_real: f90_real(p, r, newtype);
    MPI_Type_create_f90_complex: f90_complex(p, r, newtype);
    MPI_Type_create_f90_integer: f90_integer(r, newtype);
    MPI_Type_match_size: match_size(typeclass, size, datatype);
    MPI_Type_get_value_index: value_index(value_type, index_type, pair_type);
    MPI_Type_commit: commit(datatype);
    MPI_Type_free: free(datatype);
    MPI_Type_size: size::<i32>(datatype, size);
    MPI_Type_size_c: size::<i64>(datatype, size);
    MPI_Type_size_x: size::<i64>(datatype, size);
    MPI_Type_get_extent: get_extent(datatype, lb, extent);
    MPI_Type_get_extent_c: get_extent(datatype, lb, extent);
    MPI_Type_get_extent_x: get_extent(datatype, lb, extent);
    MPI_Type_get_true_extent: get_true_extent(datatype, true_lb, true_extent);
    MPI_Type_get_true_extent_c: get_true_extent(datatype, true_lb, true_extent);
    MPI_Type_get_true_extent_x: get_true_extent(datatype, true_lb, true_extent);
    MPI_Type_extent: extent_alone(datatype, extent);
    MPI_Type_lb: lower_bound(datatype, displacement);
    MPI_Type_ub: upper_bound(datatype, displacement);
    MPI_Type_get_envelope: get_envelope(datatype, num_integers, num_addresses, num_datatypes, combiner);
    MPI_Type_get_envelope_c: get_envelope_c(datatype, num_integers, num_addresses, num_large_counts, num_datatypes, combiner);
    MPI_Type_get_contents: get_contents(datatype, max_integers, max_addresses, max_datatypes, array_of_integers, array_of_addresses, array_of_datatypes);
    MPI_Type_get_contents_c: get_contents_c(datatype, max_integers, max_addresses, max_large_counts, max_datatypes, array_of_integers, array_of_addresses, array_of_large_counts, array_of_datatypes);
    MPI_Type_set_name: set_name(datatype, type_name);
    MPI_Type_get_name: get_name(datatype, type_name, resultlen);
    MPI_Get_address: get_address(location, address);
    MPI_Address: get_address(location, address);
    MPI_Get_count: get_count::<i32>(status, datatype, count);
    MPI_Get_count_c: get_count::<i64>(status, datatype, count);
    MPI_Get_elements: get_elements::<i32>(status, datatype, count);
    MPI_Get_elements_c: get_elements::<i64>(status, datatype, count);
    MPI_Get_elements_x: get_elements::<i64>(status, datatype, count);
    MPI_Status_set_elements: set_elements::<i32>(status, datatype, count);
    MPI_Status_set_elements_c: set_elements::<i64>(status, datatype, count);
    MPI_Status_set_elements_x: set_elements::<i64>(status, datatype, count);
    MPI_Pack: pack_buffer::<i32>(inbuf/incount/datatype, outbuf/outsize/position, comm);
    MPI_Pack_c: pack_buffer::<i64>(inbuf/incount/datatype, outbuf/outsize/position, comm);
    MPI_Unpack: unpack_buffer::<i32>(inbuf/insize/position, outbuf/outcount/datatype, comm);
    MPI_Unpack_c: unpack_buffer::<i64>(inbuf/insize/position, outbuf/outcount/datatype, comm);
    MPI_Pack_size: pack_size::<i32>(incount, datatype, comm, size);
    MPI_Pack_size_c: pack_size::<i64>(incount, datatype, comm, size);
    MPI_Pack_external: pack_external(datarep, inbuf/incount/datatype, outbuf/outsize/position);
    MPI_Pack_external_c: pack_external(datarep, inbuf/incount/datatype, outbuf/outsize/position);
    MPI_Unpack_external: unpack_external(datarep, inbuf/insize/position, outbuf/outcount/datatype);
    MPI_Unpack_external_c: unpack_external(datarep, inbuf/insize/position, outbuf/outcount/datatype);
    MPI_Pack_external_size: external_size::<i32>(datarep, incount, datatype, size);
    MPI_Pack_external_size_c: external_size::<i64>(datarep, incount, datatype, size);
}

fn commit(process: &Process<'_>, datatype: Out<Handle>) -> Result<()> {
    let datatype = process.datatype(datatype.get(process)).map_err(|error| error.of("datatype"))?;
    datatype.is_committed.set(true);
    Ok(())
}

fn free(process: &Process<'_>, datatype: Out<Handle>) -> Result<()> {
    let found = process.datatype(datatype.get(process)).map_err(|error| error.of("datatype"))?;
    if found.is_permanent() {
        let text = format!("{found} is predefined and cannot be freed");
        return Err(Error::argument(Class::TYPE, "datatype", text));
    }
    attribute::delete_all(process, found.handle(), &found.attributes)?;
    process.datatypes.borrow_mut().derived.remove(found.handle());
    datatype.set(process, basic::NULL);
    Ok(())
}

impl PartialEq for Datatype {
    fn eq(&self, other: &Datatype) -> bool {
        self.is_same(other)
    }
}

#[cfg(test)]
mod tests;
