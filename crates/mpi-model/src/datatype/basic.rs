//! Basic types, of which all datatypes consist, and the table of the predefined datatypes.

use std::fmt;

use crate::word::Handle;

/// What the values of a basic type are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    /// `MPI_PACKED`.
    Packed,
    /// `MPI_BYTE`.
    Byte,
    /// Printable characters.
    Character,
    /// Signed integers.
    Signed,
    /// Unsigned integers.
    Unsigned,
    /// Fortran's LOGICAL, C and C++ booleans: 0 is false.
    Logical,
    /// Binary floating-point numbers of IEEE 754 with 2, 4, 8 and 16 bytes.
    Real,
    /// `long double`: 80 bits in 16 bytes on x86-64, a number of IEEE 754 elsewhere.
    LongDouble,
    /// Two [`Class::Real`].
    Complex,
    /// Two [`Class::LongDouble`].
    LongDoubleComplex,
}

/// A basic type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Basic {
    /// What its values are.
    pub class: Class,
    /// The size in bytes.
    pub size: u8,
    /// The size in the representation "external32".
    pub external: u8,
}

impl Basic {
    const fn new(class: Class, size: u8) -> Basic {
        Basic { class, size, external: size }
    }

    const fn external(self, external: u8) -> Basic {
        Basic { external, ..self }
    }

    /// The alignment of a value in a structure of C.
    pub fn alignment(self) -> i64 {
        match self.class {
            Class::Complex | Class::LongDoubleComplex => i64::from(self.size / 2),
            _ => i64::from(self.size),
        }
    }
}

impl fmt::Display for Basic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.class {
            Class::Packed => write!(f, "MPI_PACKED"),
            Class::Byte => write!(f, "MPI_BYTE"),
            Class::Character => write!(f, "character of {} bytes", self.size),
            Class::Signed => write!(f, "integer of {} bytes", self.size),
            Class::Unsigned => write!(f, "unsigned integer of {} bytes", self.size),
            Class::Logical => write!(f, "logical value of {} bytes", self.size),
            Class::Real => write!(f, "real number of {} bytes", self.size),
            Class::LongDouble => write!(f, "long double"),
            Class::Complex => write!(f, "complex number of {} bytes", self.size),
            Class::LongDoubleComplex => write!(f, "complex long double"),
        }
    }
}

/// What one element of a predefined datatype is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Element {
    /// A value.
    One(Basic),
    /// A value and its index, for `MPI_MINLOC` and `MPI_MAXLOC`; in memory as a structure of C.
    Pair(Basic, Basic),
}

/// A predefined datatype.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Named {
    /// The handle in the standard ABI.
    pub handle: Handle,
    /// The name, such as `MPI_INT`.
    pub name: &'static str,
    /// What one element is.
    pub element: Element,
}

/// `MPI_DATATYPE_NULL`.
pub const NULL: Handle = Handle(0x200);
/// `MPI_BYTE`.
pub const BYTE_HANDLE: Handle = Handle(0x247);
/// Handles of predefined datatypes are less than this number and greater than [`NULL`].
pub const END: usize = 0x300;

const fn signed(size: u8) -> Basic {
    Basic::new(Class::Signed, size)
}

const fn unsigned(size: u8) -> Basic {
    Basic::new(Class::Unsigned, size)
}

const fn real(size: u8) -> Basic {
    Basic::new(Class::Real, size)
}

const fn complex(size: u8) -> Basic {
    Basic::new(Class::Complex, size)
}

const fn logical(size: u8) -> Basic {
    Basic::new(Class::Logical, size)
}

const fn character(size: u8) -> Basic {
    Basic::new(Class::Character, size)
}

/// The basic type of `MPI_BYTE`.
pub(crate) const BYTE: Basic = Basic::new(Class::Byte, 1);

/// The type without data of the markers of MPI-1, which the standard ABI does not have: the displacements in a structure set its bounds.
const MARKER: Basic = Basic::new(Class::Byte, 0);
/// `MPI_LB`.
pub(super) const LB: Handle = Handle(0x2f0);
/// `MPI_UB`.
pub(super) const UB: Handle = Handle(0x2f1);

const LONG_DOUBLE: Basic = Basic::new(Class::LongDouble, 16);
const LONG_DOUBLE_COMPLEX: Basic = Basic::new(Class::LongDoubleComplex, 32);

macro_rules! named {
    (@element $value:expr, $index:expr) => { Element::Pair($value, $index) };
    (@element $value:expr) => { Element::One($value) };
    ($($handle:literal $name:ident $value:expr $(=> $index:expr)?;)*) => {
        /// The predefined datatypes (MPI 5.0, appendix A), ordered by handles. `int` has 4 bytes, `long` and addresses have 8, Fortran's
        /// INTEGER, LOGICAL and REAL have 4.
        pub const NAMED: &[Named] = &[$(
            Named {
                handle: Handle($handle),
                name: stringify!($name),
                element: named!(@element $value $(, $index)?),
            },
        )*];
    };
}

named! {
    0x201 MPI_AINT signed(8);
    0x202 MPI_COUNT signed(8);
    0x203 MPI_OFFSET signed(8);
    0x207 MPI_PACKED Basic::new(Class::Packed, 1);
    0x208 MPI_SHORT signed(2);
    0x209 MPI_INT signed(4);
    0x20a MPI_LONG signed(8).external(4);
    0x20b MPI_LONG_LONG signed(8);
    0x20c MPI_UNSIGNED_SHORT unsigned(2);
    0x20d MPI_UNSIGNED unsigned(4);
    0x20e MPI_UNSIGNED_LONG unsigned(8).external(4);
    0x20f MPI_UNSIGNED_LONG_LONG unsigned(8);
    0x210 MPI_FLOAT real(4);
    0x212 MPI_C_COMPLEX complex(8);
    0x213 MPI_CXX_FLOAT_COMPLEX complex(8);
    0x214 MPI_DOUBLE real(8);
    0x216 MPI_C_DOUBLE_COMPLEX complex(16);
    0x217 MPI_CXX_DOUBLE_COMPLEX complex(16);
    0x218 MPI_LOGICAL logical(4);
    0x219 MPI_INTEGER signed(4);
    0x21a MPI_REAL real(4);
    0x21b MPI_COMPLEX complex(8);
    0x21c MPI_DOUBLE_PRECISION real(8);
    0x21d MPI_DOUBLE_COMPLEX complex(16);
    0x21e MPI_CHARACTER character(1);
    0x220 MPI_LONG_DOUBLE LONG_DOUBLE;
    0x224 MPI_C_LONG_DOUBLE_COMPLEX LONG_DOUBLE_COMPLEX;
    0x225 MPI_CXX_LONG_DOUBLE_COMPLEX LONG_DOUBLE_COMPLEX;
    0x228 MPI_FLOAT_INT real(4) => signed(4);
    0x229 MPI_DOUBLE_INT real(8) => signed(4);
    0x22a MPI_LONG_INT signed(8).external(4) => signed(4);
    0x22b MPI_2INT signed(4) => signed(4);
    0x22c MPI_SHORT_INT signed(2) => signed(4);
    0x22d MPI_LONG_DOUBLE_INT LONG_DOUBLE => signed(4);
    0x230 MPI_2REAL real(4) => real(4);
    0x231 MPI_2DOUBLE_PRECISION real(8) => real(8);
    0x232 MPI_2INTEGER signed(4) => signed(4);
    0x238 MPI_C_BOOL logical(1);
    0x239 MPI_CXX_BOOL logical(1);
    0x23c MPI_WCHAR character(4).external(2);
    0x240 MPI_INT8_T signed(1);
    0x241 MPI_UINT8_T unsigned(1);
    0x243 MPI_CHAR character(1);
    0x244 MPI_SIGNED_CHAR signed(1);
    0x245 MPI_UNSIGNED_CHAR unsigned(1);
    0x247 MPI_BYTE BYTE;
    0x248 MPI_INT16_T signed(2);
    0x249 MPI_UINT16_T unsigned(2);
    0x250 MPI_INT32_T signed(4);
    0x251 MPI_UINT32_T unsigned(4);
    0x258 MPI_INT64_T signed(8);
    0x259 MPI_UINT64_T unsigned(8);
    0x2c0 MPI_LOGICAL1 logical(1);
    0x2c1 MPI_INTEGER1 signed(1);
    0x2c8 MPI_LOGICAL2 logical(2);
    0x2c9 MPI_INTEGER2 signed(2);
    0x2ca MPI_REAL2 real(2);
    0x2d0 MPI_LOGICAL4 logical(4);
    0x2d1 MPI_INTEGER4 signed(4);
    0x2d2 MPI_REAL4 real(4);
    0x2d3 MPI_COMPLEX4 complex(4);
    0x2d8 MPI_LOGICAL8 logical(8);
    0x2d9 MPI_INTEGER8 signed(8);
    0x2da MPI_REAL8 real(8);
    0x2db MPI_COMPLEX8 complex(8);
    0x2e0 MPI_LOGICAL16 logical(16);
    0x2e1 MPI_INTEGER16 signed(16);
    0x2e2 MPI_REAL16 real(16);
    0x2e3 MPI_COMPLEX16 complex(16);
    0x2eb MPI_COMPLEX32 complex(32);
    0x2f0 MPI_LB MARKER;
    0x2f1 MPI_UB MARKER;
}

/// Returns the predefined datatype with a handle.
pub fn named(handle: Handle) -> Option<&'static Named> {
    let at = NAMED.binary_search_by_key(&handle, |named| named.handle).ok()?;
    Some(&NAMED[at])
}

/// Returns the first predefined datatype of Fortran's sized types with a class and a size.
pub(crate) fn sized(class: Class, size: i64) -> Option<&'static Named> {
    NAMED.iter().filter(|named| named.handle.0 >= 0x2c0).find(
        |named| matches!(named.element, Element::One(basic) if basic.class == class && i64::from(basic.size) == size),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn handles_are_ordered_and_names_are_distinct() {
        assert!(NAMED.is_sorted_by(|a, b| a.handle < b.handle));
        assert!(NAMED.iter().all(|named| named.handle > NULL && named.handle.0 < END));
        for (at, one) in NAMED.iter().enumerate() {
            assert!(NAMED[..at].iter().all(|other| other.name != one.name), "{}", one.name);
        }
        assert_eq!(named(Handle(0x214)).map(|named| named.name), Some("MPI_DOUBLE"));
        assert_eq!(named(Handle(0x204)), None);
    }

    #[test]
    fn sized_types_are_those_of_fortran() {
        assert_eq!(sized(Class::Real, 8).map(|named| named.name), Some("MPI_REAL8"));
        assert_eq!(sized(Class::Complex, 16).map(|named| named.name), Some("MPI_COMPLEX16"));
        assert_eq!(sized(Class::Signed, 3), None);
    }
}
