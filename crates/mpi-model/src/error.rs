//! Errors of MPI calls: an error class of the standard, the argument, and a text.

use std::fmt;

use multicomputer::error::CommError;

/// The result of an MPI call.
pub type Result<T> = std::result::Result<T, Error>;

/// The reason why an MPI call did not succeed.
#[derive(Clone, Debug, PartialEq)]
pub enum Error {
    /// An error of MPI, which goes to the error handler of the communicator, window or file of the call.
    Mpi(MpiError),
    /// The program of this rank ends: the run is over, the rank has called `MPI_Abort`, or an error handler has ended it.
    Leave,
}

/// An error of MPI.
#[derive(Clone, Debug, PartialEq)]
pub struct MpiError {
    /// The error class, or an error code that the program has added.
    pub class: Class,
    /// The name of the wrong argument, if one argument is wrong.
    pub argument: Option<&'static str>,
    /// What was given and what is wrong with it.
    pub text: String,
}

impl Error {
    /// An error that concerns no single argument, or the argument that is being decoded.
    pub fn new(class: Class, text: impl Into<String>) -> Error {
        Error::Mpi(MpiError { class, argument: None, text: text.into() })
    }

    /// An error of the argument with this name.
    pub fn argument(class: Class, argument: &'static str, text: impl Into<String>) -> Error {
        Error::Mpi(MpiError { class, argument: Some(argument), text: text.into() })
    }

    /// Names the wrong argument, unless it is named already.
    #[must_use]
    pub fn of(self, name: &'static str) -> Error {
        match self {
            Error::Mpi(error) => Error::Mpi(MpiError { argument: error.argument.or(Some(name)), ..error }),
            Error::Leave => Error::Leave,
        }
    }
}

impl From<CommError> for Error {
    fn from(error: CommError) -> Error {
        match error {
            CommError::NodeDied { .. } | CommError::LinkDied { .. } => {
                Error::new(Class::PROC_ABORTED, error.to_string())
            }
            CommError::TooLong { .. } => Error::argument(Class::COUNT, "count", error.to_string()),
            // The run is over, or this rank is dead.
            _ => Error::Leave,
        }
    }
}

impl fmt::Display for MpiError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.argument {
            Some(argument) => write!(f, "{}: argument `{argument}`: {}", self.class, self.text),
            None => write!(f, "{}: {}", self.class, self.text),
        }
    }
}

/// An error class or error code. The numbers are those of the standard ABI (MPI 5.0, appendix A).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Class(pub i32);

macro_rules! classes {
    ($($(#[$doc:meta])* $name:ident $number:literal $text:literal;)*) => {
        impl Class {
            $(#[doc = $text] pub const $name: Class = Class($number);)*

            /// The name of the class without `MPI_`, such as `ERR_RANK`, and its description; `None` for codes that are no class of the standard.
            pub fn describe(self) -> Option<(&'static str, &'static str)> {
                match self.0 {
                    0 => Some(("SUCCESS", "no error")),
                    $($number => Some((concat!("ERR_", stringify!($name)), $text)),)*
                    _ => None,
                }
            }
        }
    };
}

classes! {
    BUFFER 1 "invalid buffer pointer";
    COUNT 2 "invalid count";
    TYPE 3 "invalid datatype";
    TAG 4 "invalid tag";
    COMM 5 "invalid communicator";
    RANK 6 "invalid rank";
    REQUEST 7 "invalid request";
    ROOT 8 "invalid root";
    GROUP 9 "invalid group";
    OP 10 "invalid reduction operator";
    TOPOLOGY 11 "invalid topology";
    DIMS 12 "invalid dimensions";
    ARG 13 "invalid argument";
    UNKNOWN 14 "unknown error";
    TRUNCATE 15 "message truncated on receive";
    OTHER 16 "known error not in this list";
    INTERN 17 "internal error";
    PENDING 18 "pending request";
    IN_STATUS 19 "error code is in status";
    ACCESS 20 "permission denied";
    AMODE 21 "invalid access mode of a file";
    ASSERT 22 "invalid assertion";
    BAD_FILE 23 "invalid file name";
    BASE 24 "invalid base address";
    CONVERSION 25 "error in a data conversion function";
    DISP 26 "invalid displacement";
    DUP_DATAREP 27 "data representation is already defined";
    FILE_EXISTS 28 "file exists";
    FILE_IN_USE 29 "file is in use";
    FILE 30 "invalid file handle";
    INFO_KEY 31 "info key is too long";
    INFO_NOKEY 32 "info key is not defined";
    INFO_VALUE 33 "info value is too long";
    INFO 34 "invalid info object";
    IO 35 "error of input or output";
    KEYVAL 36 "invalid attribute key";
    LOCKTYPE 37 "invalid lock type";
    NAME 38 "service name is not published";
    NO_MEM 39 "out of memory";
    NOT_SAME 40 "arguments differ among processes";
    NO_SPACE 41 "not enough space";
    NO_SUCH_FILE 42 "file does not exist";
    PORT 43 "invalid port name";
    QUOTA 44 "quota exceeded";
    READ_ONLY 45 "file or file system is read-only";
    RMA_ATTACH 46 "memory cannot be attached";
    RMA_CONFLICT 47 "conflicting accesses to a window";
    RMA_RANGE 48 "target memory is not part of the window";
    RMA_SHARED 49 "memory cannot be shared";
    RMA_SYNC 50 "wrong synchronization of a window";
    SERVICE 51 "service name is not published";
    SIZE 52 "invalid size";
    SPAWN 53 "processes cannot be spawned";
    UNSUPPORTED_DATAREP 54 "unsupported data representation";
    UNSUPPORTED_OPERATION 55 "unsupported operation";
    WIN 56 "invalid window";
    RMA_FLAVOR 57 "wrong flavor of a window";
    PROC_ABORTED 58 "a process has died";
    VALUE_TOO_LARGE 59 "value is too large for its type";
    SESSION 60 "invalid session";
    ERRHANDLER 61 "invalid error handler";
    ABI 62 "the ABI is not supported";
}

impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.describe() {
            Some((name, text)) => write!(f, "MPI_{name} ({text})"),
            None => write!(f, "error code {}", self.0),
        }
    }
}
