//! Arguments of calls. A program passes machine words: integers, addresses and handles.

use std::marker::PhantomData;

use crate::{
    error::{Class, Error, Result},
    process::Process,
};

/// An argument of an MPI function, decoded from one machine word.
pub trait Argument<'n>: Sized {
    /// Decodes the word.
    ///
    /// # Errors
    /// The class of an invalid argument. The caller adds the name of the argument.
    fn decode(process: &Process<'n>, word: usize) -> Result<Self>;
}

/// What a function gets as one value: a single argument, or several that belong together, such as the address, the count and the datatype of a
/// buffer.
pub(crate) trait Arguments<'n>: Sized {
    /// Decodes as many arguments as belong together.
    fn take(words: &mut Words<'_, 'n>) -> Result<Self>;
}

impl<'n, T: Argument<'n>> Arguments<'n> for T {
    fn take(words: &mut Words<'_, 'n>) -> Result<Self> {
        words.take()
    }
}

impl<'n, A: Argument<'n>, B: Argument<'n>> Arguments<'n> for (A, B) {
    fn take(words: &mut Words<'_, 'n>) -> Result<Self> {
        Ok((words.take()?, words.take()?))
    }
}

/// A handle of the standard ABI: a number, and the same number in C and Fortran.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Handle(pub usize);

/// An address in the program's memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Address(pub usize);

impl Address {
    /// `MPI_BOTTOM`, and the null pointer.
    pub const BOTTOM: Address = Address(0);
    /// `MPI_IN_PLACE`.
    pub const IN_PLACE: Address = Address(1);
    /// `MPI_BUFFER_AUTOMATIC`.
    pub const BUFFER_AUTOMATIC: Address = Address(2);

    /// Returns whether this is the null pointer.
    pub fn is_null(self) -> bool {
        self.0 == 0
    }

    /// Returns the address `offset` bytes away.
    #[must_use]
    pub fn offset(self, offset: i64) -> Address {
        Address(self.0.wrapping_add(offset as usize))
    }
}

impl<'n> Argument<'n> for Address {
    fn decode(_: &Process<'n>, word: usize) -> Result<Self> {
        Ok(Address(word))
    }
}

impl<'n> Argument<'n> for Handle {
    fn decode(_: &Process<'n>, word: usize) -> Result<Self> {
        Ok(Handle(word))
    }
}

impl<'n> Argument<'n> for i64 {
    fn decode(_: &Process<'n>, word: usize) -> Result<Self> {
        Ok(word as i64)
    }
}

impl<'n> Argument<'n> for i32 {
    fn decode(_: &Process<'n>, word: usize) -> Result<Self> {
        Ok(word as i32)
    }
}

/// A real number, given by its bits.
impl<'n> Argument<'n> for f64 {
    fn decode(_: &Process<'n>, word: usize) -> Result<Self> {
        Ok(f64::from_bits(word as u64))
    }
}

/// The largest size of a value in bytes.
pub(crate) const LARGEST: usize = 8;

/// A value in the program's memory.
pub trait Stored: Sized {
    /// The size of the value in bytes, at most 8.
    const SIZE: usize;

    /// Reads the value from `SIZE` bytes.
    fn load(bytes: &[u8]) -> Self;

    /// The `SIZE` bytes of the value.
    fn bytes(&self) -> impl AsRef<[u8]>;

    /// Appends the bytes of the value.
    fn store(&self, into: &mut Vec<u8>) {
        into.extend_from_slice(self.bytes().as_ref());
    }
}

macro_rules! stored {
    ($($number:ty),*) => {$(
        impl Stored for $number {
            const SIZE: usize = size_of::<$number>();

            fn load(bytes: &[u8]) -> Self {
                let mut own = [0; size_of::<$number>()];
                own.copy_from_slice(bytes);
                <$number>::from_ne_bytes(own)
            }

            fn bytes(&self) -> impl AsRef<[u8]> {
                self.to_ne_bytes()
            }
        }
    )*};
}

stored!(i32, u32, i64, u64, usize, f64);

impl Stored for Handle {
    const SIZE: usize = usize::SIZE;

    fn load(bytes: &[u8]) -> Self {
        Handle(usize::load(bytes))
    }

    fn bytes(&self) -> impl AsRef<[u8]> {
        self.0.to_ne_bytes()
    }
}

impl Stored for Address {
    const SIZE: usize = usize::SIZE;

    fn load(bytes: &[u8]) -> Self {
        Address(usize::load(bytes))
    }

    fn bytes(&self) -> impl AsRef<[u8]> {
        self.0.to_ne_bytes()
    }
}

/// An integer in the program's memory: `int`, or `MPI_Count`, `MPI_Aint` and `MPI_Offset` in functions for large counts.
pub trait Integer: Stored + Copy {
    /// The largest value.
    const MAX: i64;

    /// The value as a 64-bit integer.
    fn get(self) -> i64;

    /// The integer with a value; `None` if the value is too large.
    fn new(value: i64) -> Option<Self>;
}

impl Integer for i32 {
    const MAX: i64 = i32::MAX as i64;

    fn get(self) -> i64 {
        self.into()
    }

    fn new(value: i64) -> Option<Self> {
        value.try_into().ok()
    }
}

impl Integer for i64 {
    const MAX: i64 = i64::MAX;

    fn get(self) -> i64 {
        self
    }

    fn new(value: i64) -> Option<Self> {
        Some(value)
    }
}

/// The address of a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Out<T> {
    /// Where the result goes.
    pub address: Address,
    value: PhantomData<T>,
}

impl<'n, T> Argument<'n> for Out<T> {
    fn decode(_: &Process<'n>, word: usize) -> Result<Self> {
        if word == 0 {
            return Err(Error::new(Class::ARG, "a null pointer was given where a result is to be stored"));
        }
        Ok(Out { address: Address(word), value: PhantomData })
    }
}

impl<T: Stored> Out<T> {
    /// Stores the result.
    pub fn set(self, process: &Process<'_>, value: T) {
        process.program.write(self.address.0, value.bytes().as_ref());
    }

    /// Reads the value that the program has stored, of an argument that is both given and returned.
    pub fn get(self, process: &Process<'_>) -> T {
        let mut bytes = [0; LARGEST];
        process.program.read_into(self.address.0, &mut bytes[..T::SIZE]);
        T::load(&bytes[..T::SIZE])
    }
}

impl<T: Integer> Out<T> {
    /// Stores an integer, or `MPI_UNDEFINED` if it is too large.
    pub fn set_or_undefined(self, process: &Process<'_>, value: i64) {
        let undefined = || T::new(i64::from(crate::abi::UNDEFINED));
        if let Some(value) = T::new(value).or_else(undefined) {
            self.set(process, value);
        }
    }
}

impl Out<i32> {
    /// Stores a logical value.
    pub fn set_flag(self, process: &Process<'_>, flag: bool) {
        self.set(process, flag.into());
    }
}

/// The address of an array, whose length is another argument. The null pointer is an empty array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Array<T> {
    /// Where the array begins.
    pub address: Address,
    value: PhantomData<T>,
}

impl<'n, T> Argument<'n> for Array<T> {
    fn decode(_: &Process<'n>, word: usize) -> Result<Self> {
        Ok(Array { address: Address(word), value: PhantomData })
    }
}

impl<T: Stored> Array<T> {
    /// The array at an address.
    pub fn at(address: Address) -> Array<T> {
        Array { address, value: PhantomData }
    }

    /// Reads `length` elements.
    ///
    /// # Errors
    /// [`Class::ARG`] for a null pointer, unless the length is 0.
    pub fn read(self, process: &Process<'_>, length: usize) -> Result<Vec<T>> {
        if length == 0 {
            return Ok(Vec::new());
        }
        if self.address.is_null() {
            return Err(Error::new(Class::ARG, format!("a null pointer was given for an array of {length}")));
        }
        let mut bytes = Vec::with_capacity(length * T::SIZE);
        process.program.read(self.address.0, length * T::SIZE, &mut bytes);
        Ok(bytes.chunks_exact(T::SIZE).map(T::load).collect())
    }

    /// Reads `length` counts.
    ///
    /// # Errors
    /// [`Class::COUNT`] for a null pointer, unless the length is 0.
    pub fn read_counts(self, process: &Process<'_>, length: usize) -> Result<Vec<T>> {
        if length > 0 && self.address.is_null() {
            return Err(Error::new(Class::COUNT, format!("a null pointer was given for {length} counts")));
        }
        self.read(process, length)
    }

    /// Stores elements from the beginning of the array.
    pub fn write(self, process: &Process<'_>, values: &[T]) {
        if values.is_empty() || self.address.is_null() {
            return;
        }
        let mut bytes = Vec::with_capacity(values.len() * T::SIZE);
        values.iter().for_each(|value| value.store(&mut bytes));
        process.program.write(self.address.0, &bytes);
    }

    /// Stores the element at `index`.
    pub fn set(self, process: &Process<'_>, index: usize, value: T) {
        if !self.address.is_null() {
            process.program.write(self.address.offset((index * T::SIZE) as i64).0, value.bytes().as_ref());
        }
    }
}

/// A string that the program gives, up to its first zero byte. Bytes that are not UTF-8 are replaced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Text(pub String);

impl<'n> Argument<'n> for Text {
    fn decode(process: &Process<'n>, word: usize) -> Result<Self> {
        if word == 0 {
            return Err(Error::new(Class::ARG, "a null pointer was given for a string"));
        }
        Ok(Text(String::from_utf8_lossy(&process.program.read_string(word)).into_owned()))
    }
}

/// Stores a string and its zero byte at `address`, cut to `room` bytes in all, and returns its length.
pub fn store_text(process: &Process<'_>, address: Address, text: &str, room: usize) -> usize {
    let length = text.len().min(room.saturating_sub(1));
    let mut bytes = text.as_bytes()[..length].to_vec();
    bytes.push(0);
    if !address.is_null() && room > 0 {
        process.program.write(address.0, &bytes);
    }
    length
}

/// The words of a call, decoded one after the other.
#[derive(Debug)]
pub struct Words<'a, 'n> {
    process: &'a Process<'n>,
    words: &'a [usize],
    names: &'static [&'static str],
    next: usize,
}

impl<'a, 'n> Words<'a, 'n> {
    pub(crate) fn new(process: &'a Process<'n>, words: &'a [usize], names: &'static [&'static str]) -> Self {
        Words { process, words, names, next: 0 }
    }

    /// The names of the next arguments.
    pub(crate) fn names<const N: usize>(&self) -> [&'static str; N] {
        std::array::from_fn(|at| self.names[self.next + at])
    }

    /// Decodes the next argument.
    ///
    /// # Errors
    /// The error of the argument, with its name.
    pub fn take<T: Argument<'n>>(&mut self) -> Result<T> {
        let at = self.next;
        self.next += 1;
        T::decode(self.process, self.words[at]).map_err(|error| error.of(self.names[at]))
    }
}
