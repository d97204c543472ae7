//! Element types of NumPy arrays, and operations that combine them.

use std::num::Wrapping;

use bytes::Bytes;
use multicomputer::{
    ElementType, Payload,
    collective::{
        BitAnd, BitOr, BitXor, Collective, Job, LogicalAnd, LogicalOr, LogicalXor, Max, Min, Operation,
        Operator, Product, Sum,
    },
    comm::Caller,
};

use crate::call_error::CallError;

/// Calls a macro with the element types and their NumPy names. Bytes in an array have a type of their own, because plain bytes have none.
macro_rules! for_all_types {
    ($then:ident) => {
        $then! {
            "float64" f64, "float32" f32, "int64" i64, "int32" i32, "int16" i16, "int8" i8,
            "uint64" u64, "uint32" u32, "uint16" u16, "bool" bool, "uint8" [u8; 1], "pickle" Wrapping<u8>,
            "complex128" [f64; 2], "complex64" [f32; 2]
        }
    };
}

macro_rules! named {
    ($($name:literal $of:ty),*) => {
        /// Returns the element type with a NumPy name; `None` for a name that has none.
        fn element_named(name: &str) -> Option<ElementType> {
            match name {
                $($name => Some(ElementType::of::<$of>()),)*
                _ => None,
            }
        }

        /// Returns the NumPy name of the elements of a payload; `None` for plain bytes.
        pub(crate) fn element_name(payload: &Payload) -> Option<&'static str> {
            let element = payload.element()?;
            $(if element == ElementType::of::<$of>() {
                return Some($name);
            })*
            None
        }
    };
}

for_all_types!(named);

/// Makes a payload of bytes, which are elements with a NumPy name, or plain.
///
/// # Errors
/// [`CallError::Elements`] if there is no type of this name.
pub(crate) fn payload(bytes: Bytes, name: Option<&str>) -> Result<Payload, CallError> {
    match name {
        None => Ok(Payload::from(bytes)),
        Some(name) => {
            let element = element_named(name).ok_or_else(|| CallError::Elements(name.to_owned()))?;
            Ok(Payload::of_elements(bytes, element))
        }
    }
}

/// A collective operation that combines vectors of NumPy elements by an operator of the library.
#[derive(Debug)]
pub(crate) struct Reduction {
    pub(crate) operation: Operation,
    pub(crate) root: usize,
    /// The name of the element type.
    pub(crate) element: String,
    /// The name of the operator, such as `sum`.
    pub(crate) operator: String,
    /// The length of the vector in elements, or of each rank's block in a reduce-scatter.
    pub(crate) elements: Vec<u64>,
}

/// The sum of complex numbers.
#[derive(Clone, Copy, Debug)]
struct ComplexSum;

/// The product of complex numbers.
#[derive(Clone, Copy, Debug)]
struct ComplexProduct;

macro_rules! complex {
    ($($part:ty),*) => {$(
        impl Operator<[$part; 2]> for ComplexSum {
            fn name(&self) -> &str {
                "sum"
            }

            fn combine(&self, left: [$part; 2], right: [$part; 2]) -> [$part; 2] {
                [left[0] + right[0], left[1] + right[1]]
            }
        }

        impl Operator<[$part; 2]> for ComplexProduct {
            fn name(&self) -> &str {
                "product"
            }

            fn combine(&self, [a, b]: [$part; 2], [c, d]: [$part; 2]) -> [$part; 2] {
                [a * c - b * d, a * d + b * c]
            }
        }
    )*};
}

complex!(f64, f32);

impl Reduction {
    fn job<T: multicomputer::Element>(&self) -> Job {
        let blocks: Vec<usize> = self.elements.iter().map(|&elements| elements as usize).collect();
        match blocks[..] {
            [elements] if self.operation != Operation::ReduceScatter => {
                Job::of::<T>(self.operation, self.root, elements)
            }
            _ => Job::of::<T>(self.operation, self.root, blocks),
        }
    }

    /// Carries out the operation on this rank's vector.
    ///
    /// # Errors
    /// [`CallError::Operator`] if the operator is not for these elements; the errors of the operation.
    pub(crate) fn carry_out(
        &self,
        group: &impl Caller<multicomputer::collective::Task>,
        mine: Payload,
    ) -> Result<Payload, CallError> {
        macro_rules! by {
            ($of:ty: $($name:literal $operator:expr),*) => {
                match self.operator.as_str() {
                    $($name => Ok(group.combine::<$of>(&self.job::<$of>(), mine, &$operator)?),)*
                    _ => Err(self.refused()),
                }
            };
        }
        macro_rules! whole {
            ($of:ty) => {
                by!($of: "sum" Sum, "product" Product, "min" Min, "max" Max, "logical and" LogicalAnd,
                    "logical or" LogicalOr, "logical xor" LogicalXor, "bitwise and" BitAnd, "bitwise or" BitOr,
                    "bitwise xor" BitXor)
            };
        }
        macro_rules! real {
            ($of:ty) => {
                by!($of: "sum" Sum, "product" Product, "min" Min, "max" Max, "logical and" LogicalAnd,
                    "logical or" LogicalOr, "logical xor" LogicalXor)
            };
        }
        match self.element.as_str() {
            "float64" => real!(f64),
            "float32" => real!(f32),
            "int64" => whole!(i64),
            "int32" => whole!(i32),
            "int16" => whole!(i16),
            "int8" => whole!(i8),
            "uint64" => whole!(u64),
            "uint32" => whole!(u32),
            "uint16" => whole!(u16),
            "uint8" => whole!(u8),
            "bool" => {
                by!(bool: "min" LogicalAnd, "max" LogicalOr, "logical and" LogicalAnd, "logical or" LogicalOr,
                "logical xor" LogicalXor, "bitwise and" LogicalAnd, "bitwise or" LogicalOr, "bitwise xor" LogicalXor)
            }
            "complex128" => by!([f64; 2]: "sum" ComplexSum, "product" ComplexProduct),
            "complex64" => by!([f32; 2]: "sum" ComplexSum, "product" ComplexProduct),
            _ => Err(self.refused()),
        }
    }

    fn refused(&self) -> CallError {
        CallError::Operator { operator: self.operator.clone(), element: self.element.clone() }
    }
}
