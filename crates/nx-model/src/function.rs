//! The functions of NX by name, and their arguments.

use multicomputer::nx::Nx;

use crate::{
    error::{Code, Error, Result},
    process::Process,
};

/// A function of NX: its name, the names of its arguments, and what it does.
#[derive(Clone, Copy)]
pub struct Function {
    /// The name in C, such as `csend`.
    pub name: &'static str,
    /// The names of the words that a call passes.
    pub arguments: &'static [&'static str],
    /// Carries out a call with these words.
    pub(crate) run: for<'a, 'n> fn(&Process<'a, 'n>, &Nx<'a, 'n>, &[usize]) -> Result<()>,
}

impl std::fmt::Debug for Function {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

/// A function as a program calls it.
#[derive(Clone, Copy, Debug)]
pub struct Called {
    /// The function.
    pub function: &'static Function,
    /// Whether the program has called it by its name with an underscore, which returns errors. Otherwise an error ends the program.
    pub returns_errors: bool,
}

/// Lists functions of NX by name with the function that carries them out and the names of their arguments, in the order of their words. Arguments
/// with slashes between them are one value. `-> result` is the address of the function's result.
macro_rules! functions {
    (@function $name:ident: $function:path, ($($argument:ident $(/ $more:ident)*),* $(-> $result:ident)?)) => {
        $crate::function::Function {
            name: stringify!($name),
            arguments: &[$(stringify!($argument), $(stringify!($more),)*)* $(stringify!($result))?],
            run: |process, nx, words| {
                #[allow(unused_mut, unused_variables, reason = "functions without arguments")]
                let mut words = $crate::function::Words::new(words, &[$(stringify!($argument), $(stringify!($more),)*)* $(stringify!($result))?]);
                let returned = $function(process, nx $(, functions!(@take words $argument))*)?;
                $crate::function::Returned::store(returned, process, &mut words)
            },
        }
    };
    (@take $words:ident $argument:ident) => { $crate::function::Arguments::take(&mut $words)? };
    ($($($name:ident),+: $function:path, $arguments:tt;)*) => {
        /// The functions of this module.
        pub(crate) const FUNCTIONS: &[$crate::function::Function] =
            &[$($(functions!(@function $name: $function, $arguments)),+),*];
    };
}

pub(crate) use functions;

/// All functions.
pub fn all() -> impl Iterator<Item = &'static Function> {
    crate::messages::FUNCTIONS.iter().chain(crate::global::FUNCTIONS)
}

/// Returns the function with a name, such as `csend` or `_csend`; `None` if there is none.
pub fn named(name: &str) -> Option<Called> {
    let plain = name.strip_prefix('_');
    let function = all().find(|function| function.name == plain.unwrap_or(name))?;
    Some(Called { function, returns_errors: plain.is_some() })
}

/// An argument, decoded from one machine word.
pub(crate) trait Argument: Sized {
    /// Decodes the word, or returns the number of an error and its text.
    fn decode(word: usize) -> std::result::Result<Self, (Code, String)>;
}

/// What a function gets as one value: a single argument, or several that belong together.
pub(crate) trait Arguments: Sized {
    /// Decodes as many arguments as belong together.
    fn take(words: &mut Words<'_>) -> Result<Self>;
}

impl<T: Argument> Arguments for T {
    fn take(words: &mut Words<'_>) -> Result<Self> {
        words.take()
    }
}

/// What a function returns. A result is stored at the address that the last word of the call has.
pub(crate) trait Returned {
    fn store(self, process: &Process<'_, '_>, words: &mut Words<'_>) -> Result<()>;
}

impl Returned for () {
    fn store(self, _: &Process<'_, '_>, _: &mut Words<'_>) -> Result<()> {
        Ok(())
    }
}

/// A `long`.
impl Returned for i64 {
    fn store(self, process: &Process<'_, '_>, words: &mut Words<'_>) -> Result<()> {
        process.host.set_long(words.take()?, 0, self, Count(8));
        Ok(())
    }
}

impl Returned for f64 {
    fn store(self, process: &Process<'_, '_>, words: &mut Words<'_>) -> Result<()> {
        let Address(at) = words.take()?;
        process.host.program.write(at, &self.to_ne_bytes());
        Ok(())
    }
}

/// The words of a call, decoded one after the other.
pub(crate) struct Words<'w> {
    left: std::iter::Zip<std::slice::Iter<'w, usize>, std::slice::Iter<'static, &'static str>>,
}

impl<'w> Words<'w> {
    pub(crate) fn new(words: &'w [usize], names: &'static [&'static str]) -> Words<'w> {
        Words { left: words.iter().zip(names) }
    }

    /// Decodes the next argument.
    pub(crate) fn take<T: Argument>(&mut self) -> Result<T> {
        let (&word, name) = self.left.next().unwrap_or((&0, &""));
        T::decode(word).map_err(|(code, text)| Error::Call {
            code,
            arguments: std::slice::from_ref(name),
            text,
        })
    }
}

/// An integer, which has 32 bits in NX.
impl Argument for i32 {
    fn decode(word: usize) -> std::result::Result<i32, (Code, String)> {
        let given = word as i64;
        i32::try_from(given).map_err(|_| (Code::PARAMETER, format!("{given} has more than 32 bits")))
    }
}

/// A type, or a mask of types: 32 bits with or without a sign.
pub(crate) struct Selector(pub(crate) i32);

impl Argument for Selector {
    fn decode(word: usize) -> std::result::Result<Selector, (Code, String)> {
        match u32::try_from(word) {
            Ok(mask) => Ok(Selector(mask as i32)),
            Err(_) => i32::decode(word).map(Selector),
        }
    }
}

/// A number of bytes or elements.
#[derive(Clone, Copy)]
pub(crate) struct Count(pub(crate) usize);

impl Argument for Count {
    fn decode(word: usize) -> std::result::Result<Count, (Code, String)> {
        match word as i64 {
            given @ ..0 => Err((Code::LENGTH, format!("{given} is negative"))),
            _ => Ok(Count(word)),
        }
    }
}

/// An address in the program's memory, or of a function of the program.
#[derive(Clone, Copy)]
pub(crate) struct Address(pub(crate) usize);

impl Argument for Address {
    fn decode(word: usize) -> std::result::Result<Address, (Code, String)> {
        Ok(Address(word))
    }
}

impl Address {
    /// The address, unless it is null although something is there: `length` bytes.
    pub(crate) fn of(self, length: usize) -> Result<usize> {
        if self.0 == 0 && length > 0 {
            return Err(Error::argument(Code::ADDRESS, &[], "a null pointer was given"));
        }
        Ok(self.0)
    }
}
