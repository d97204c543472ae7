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

/// Lists functions of NX by name with the function that carries them out and the names of their arguments, in the order of their words.
macro_rules! functions {
    (@function $name:ident: $function:path, ($($argument:ident),*)) => {
        $crate::function::Function {
            name: stringify!($name),
            arguments: &[$(stringify!($argument)),*],
            run: |process, nx, words| {
                #[allow(unused_mut, unused_variables, reason = "functions without arguments")]
                let mut words = words.iter().copied();
                $function(process, nx $(, $crate::function::decode(&mut words, &stringify!($argument))?)*)
            },
        }
    };
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

/// Decodes the next word.
pub(crate) fn decode<T: Argument>(
    words: &mut impl Iterator<Item = usize>,
    name: &'static &'static str,
) -> Result<T> {
    T::decode(words.next().unwrap_or(0)).map_err(|(code, text)| Error::Call {
        code,
        arguments: std::slice::from_ref(name),
        text,
    })
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
