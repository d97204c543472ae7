//! How a datatype was made: `MPI_Type_get_envelope` and `MPI_Type_get_contents`.

use crate::{
    error::{Class, Error, Result},
    process::Process,
    word::{Array, Handle, Integer, Out},
};

use super::{
    Datatype,
    basic::{Basic, Element, Named},
    construct::length,
};

/// The kinds of constructors, `MPI_COMBINER_*`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Combiner {
    Named = 101,
    Dup,
    Contiguous,
    Vector,
    Hvector,
    Indexed,
    Hindexed,
    IndexedBlock,
    HindexedBlock,
    Struct,
    Subarray,
    Darray,
    F90Real,
    F90Complex,
    F90Integer,
    Resized,
    ValueIndex,
}

/// The arguments of a constructor, in the order in which `MPI_Type_get_contents` returns them.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Contents {
    combiner: Combiner,
    /// Whether the function for large counts was called: counts and addresses are large counts then.
    is_large: bool,
    integers: Vec<i32>,
    addresses: Vec<i64>,
    large_counts: Vec<i64>,
    datatypes: Vec<Datatype>,
}

impl Contents {
    /// Contents of a constructor whose counts are integers `T`.
    pub(super) fn new<T: Integer>(combiner: Combiner) -> Contents {
        Contents {
            combiner,
            is_large: T::SIZE == i64::BITS as usize / 8,
            integers: Vec::new(),
            addresses: Vec::new(),
            large_counts: Vec::new(),
            datatypes: Vec::new(),
        }
    }

    /// Adds arguments that are `int`, or `MPI_Count` in functions for large counts.
    pub(super) fn counts(mut self, values: impl IntoIterator<Item = i64>) -> Contents {
        if self.is_large {
            self.large_counts.extend(values);
        } else {
            self.integers.extend(values.into_iter().map(|value| value as i32));
        }
        self
    }

    /// Adds arguments that are `MPI_Aint`, or `MPI_Count` in functions for large counts.
    pub(super) fn addresses(mut self, values: impl IntoIterator<Item = i64>) -> Contents {
        if self.is_large {
            self.large_counts.extend(values)
        } else {
            self.addresses.extend(values)
        }
        self
    }

    /// Adds arguments that are always `int`.
    pub(super) fn integers(mut self, values: impl IntoIterator<Item = i64>) -> Contents {
        self.integers.extend(values.into_iter().map(|value| value as i32));
        self
    }

    /// Adds a datatype.
    pub(super) fn of(mut self, datatype: &Datatype) -> Contents {
        self.datatypes.push(datatype.clone());
        self
    }
}

/// How a datatype was made.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Made {
    /// It is predefined.
    Named(&'static Named),
    /// By `MPI_Type_create_f90_real` and similar functions.
    Basic { element: Basic, contents: Contents },
    /// By `MPI_Type_get_value_index`.
    Pair { element: Element, contents: Contents },
    /// By another constructor.
    Derived(Contents),
}

impl Made {
    fn contents(&self) -> Option<&Contents> {
        match self {
            Made::Named(_) => None,
            Made::Basic { contents, .. } | Made::Pair { contents, .. } | Made::Derived(contents) => {
                Some(contents)
            }
        }
    }

    /// The function that makes such datatypes.
    pub(super) fn function(&self) -> &'static str {
        match self.contents().map_or(Combiner::Named, |contents| contents.combiner) {
            Combiner::Named => "MPI_Init",
            Combiner::Dup => "MPI_Type_dup",
            Combiner::Contiguous => "MPI_Type_contiguous",
            Combiner::Vector => "MPI_Type_vector",
            Combiner::Hvector => "MPI_Type_create_hvector",
            Combiner::Indexed => "MPI_Type_indexed",
            Combiner::Hindexed => "MPI_Type_create_hindexed",
            Combiner::IndexedBlock => "MPI_Type_create_indexed_block",
            Combiner::HindexedBlock => "MPI_Type_create_hindexed_block",
            Combiner::Struct => "MPI_Type_create_struct",
            Combiner::Subarray => "MPI_Type_create_subarray",
            Combiner::Darray => "MPI_Type_create_darray",
            Combiner::F90Real => "MPI_Type_create_f90_real",
            Combiner::F90Complex => "MPI_Type_create_f90_complex",
            Combiner::F90Integer => "MPI_Type_create_f90_integer",
            Combiner::Resized => "MPI_Type_create_resized",
            Combiner::ValueIndex => "MPI_Type_get_value_index",
        }
    }
}

/// Refuses to describe large counts to a function that has no place for them.
fn check_small(datatype: &Datatype) -> Result<()> {
    match datatype.made.contents() {
        Some(contents) if contents.is_large => {
            let name = datatype.made.function();
            let text = format!("the datatype was made by {name}_c: call the function whose name ends in _c");
            Err(Error::argument(Class::TYPE, "datatype", text))
        }
        _ => Ok(()),
    }
}

pub(super) fn get_envelope(
    process: &Process<'_>,
    datatype: Datatype,
    integers: Out<i32>,
    addresses: Out<i32>,
    datatypes: Out<i32>,
    combiner: Out<i32>,
) -> Result<()> {
    check_small(&datatype)?;
    let contents = datatype.made.contents();
    let number = |of: fn(&Contents) -> usize| contents.map_or(0, of) as i32;
    integers.set(process, number(|contents| contents.integers.len()));
    addresses.set(process, number(|contents| contents.addresses.len()));
    datatypes.set(process, number(|contents| contents.datatypes.len()));
    combiner.set(process, contents.map_or(Combiner::Named, |contents| contents.combiner) as i32);
    Ok(())
}

pub(super) fn get_envelope_c(
    process: &Process<'_>,
    datatype: Datatype,
    integers: Out<i64>,
    addresses: Out<i64>,
    large_counts: Out<i64>,
    datatypes: Out<i64>,
    combiner: Out<i32>,
) -> Result<()> {
    let contents = datatype.made.contents();
    let number = |of: fn(&Contents) -> usize| contents.map_or(0, of) as i64;
    integers.set(process, number(|contents| contents.integers.len()));
    addresses.set(process, number(|contents| contents.addresses.len()));
    large_counts.set(process, number(|contents| contents.large_counts.len()));
    datatypes.set(process, number(|contents| contents.datatypes.len()));
    combiner.set(process, contents.map_or(Combiner::Named, |contents| contents.combiner) as i32);
    Ok(())
}

/// The contents of a datatype that has any.
fn contents_of(datatype: &Datatype) -> Result<&Contents> {
    datatype.made.contents().ok_or_else(|| {
        let text = format!("{datatype} is predefined and has no contents");
        Error::argument(Class::TYPE, "datatype", text)
    })
}

/// Checks that an array has room.
fn check_room(needed: usize, room: i64, name: &'static str) -> Result<()> {
    if length(room, name)? < needed {
        let text = format!("{room} is too small: the datatype has {needed}");
        return Err(Error::argument(Class::ARG, name, text));
    }
    Ok(())
}

#[expect(clippy::too_many_arguments, reason = "arguments of MPI_Type_get_contents")]
pub(super) fn get_contents(
    process: &Process<'_>,
    datatype: Datatype,
    max_integers: i64,
    max_addresses: i64,
    max_datatypes: i64,
    integers: Array<i32>,
    addresses: Array<i64>,
    datatypes: Array<Handle>,
) -> Result<()> {
    check_small(&datatype)?;
    let contents = contents_of(&datatype)?;
    check_room(contents.integers.len(), max_integers, "max_integers")?;
    check_room(contents.addresses.len(), max_addresses, "max_addresses")?;
    check_room(contents.datatypes.len(), max_datatypes, "max_datatypes")?;
    integers.write(process, &contents.integers);
    addresses.write(process, &contents.addresses);
    datatypes.write(process, &handles(process, contents));
    Ok(())
}

#[expect(clippy::too_many_arguments, reason = "arguments of MPI_Type_get_contents_c")]
pub(super) fn get_contents_c(
    process: &Process<'_>,
    datatype: Datatype,
    max_integers: i64,
    max_addresses: i64,
    max_large_counts: i64,
    max_datatypes: i64,
    integers: Array<i32>,
    addresses: Array<i64>,
    large_counts: Array<i64>,
    datatypes: Array<Handle>,
) -> Result<()> {
    let contents = contents_of(&datatype)?;
    check_room(contents.integers.len(), max_integers, "max_integers")?;
    check_room(contents.addresses.len(), max_addresses, "max_addresses")?;
    check_room(contents.large_counts.len(), max_large_counts, "max_large_counts")?;
    check_room(contents.datatypes.len(), max_datatypes, "max_datatypes")?;
    integers.write(process, &contents.integers);
    addresses.write(process, &contents.addresses);
    large_counts.write(process, &contents.large_counts);
    datatypes.write(process, &handles(process, contents));
    Ok(())
}

/// Handles of the datatypes of which another one was made. Those of derived datatypes are new, and the program frees them.
fn handles(process: &Process<'_>, contents: &Contents) -> Vec<Handle> {
    contents.datatypes.iter().map(|datatype| handle_of_copy(process, datatype)).collect()
}

/// A handle of a datatype, which the program frees if the datatype is derived.
pub(crate) fn handle_of_copy(process: &Process<'_>, datatype: &Datatype) -> Handle {
    if datatype.is_permanent() {
        return datatype.handle();
    }
    let copy = Datatype::new(datatype.layout().clone(), datatype.made.clone());
    copy.is_committed.set(datatype.is_committed());
    process.datatypes.borrow_mut().insert(&copy)
}
