//! Errors of calls.

use multicomputer::{error::CommError, nx::NxError};

/// The result of a call.
pub type Result<T> = std::result::Result<T, Error>;

/// The reason why a call did not succeed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Error {
    /// A wrong call.
    Call {
        /// The number for `errno`.
        code: Code,
        /// Names of the wrong argument, of which a function has at most one.
        arguments: &'static [&'static str],
        /// What was given and what is wrong with it.
        text: String,
    },
    /// The program of this node ends: the run is over, or a function of the program has ended it.
    Leave,
}

/// The number of an error for `errno`, as in `nx.h`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Code(pub i32);

impl Code {
    /// `EQPBUF`: an invalid address.
    pub const ADDRESS: Code = Code(1001);
    /// `EQLEN`: an invalid length.
    pub const LENGTH: Code = Code(1002);
    /// `EQMSGLONG`: a message is longer than its buffer.
    pub const MESSAGE_LONG: Code = Code(1003);
    /// `EQPID`: an invalid process type.
    pub const PROCESS: Code = Code(1004);
    /// `EQNODE`: an invalid node.
    pub const NODE: Code = Code(1005);
    /// `EQTYPE`: an invalid type of messages.
    pub const TYPE: Code = Code(1006);
    /// `EQMID`: an invalid message number.
    pub const MID: Code = Code(1007);
    /// `EQPARAM`: another invalid argument.
    pub const PARAMETER: Code = Code(1008);
}

impl Error {
    /// An error of the argument with one of these names.
    pub fn argument(code: Code, arguments: &'static [&'static str], text: impl Into<String>) -> Error {
        Error::Call { code, arguments, text: text.into() }
    }
}

impl From<NxError> for Error {
    fn from(error: NxError) -> Error {
        let (code, arguments): (_, &[_]) = match &error {
            NxError::Comm(CommError::NodeDied { .. } | CommError::LinkDied { .. }) => (Code::NODE, &[]),
            NxError::Comm(CommError::TooLong { .. }) => (Code::LENGTH, &["count", "scount"]),
            // The run is over, or this node is dead.
            NxError::Comm(_) => return Error::Leave,
            NxError::Type { .. } => (Code::TYPE, &["type"]),
            NxError::TypeSelector { .. } => (Code::TYPE, &["typesel"]),
            NxError::Node { .. } => (Code::NODE, &["node", "nodes"]),
            NxError::NodeSelector { .. } => (Code::NODE, &["nodesel"]),
            NxError::ProcessType { .. } => (Code::PROCESS, &["ptype", "ptypesel"]),
            NxError::BufferTooShort { .. } => (Code::MESSAGE_LONG, &["count", "rcount"]),
            NxError::Lengths { .. } => (Code::LENGTH, &["n", "xlen"]),
            NxError::Part { .. } => (Code::LENGTH, &["xlens"]),
            NxError::ResultTooShort { .. } => (Code::MESSAGE_LONG, &["ylen"]),
            _ => (Code::PARAMETER, &[]),
        };
        Error::Call { code, arguments, text: error.to_string() }
    }
}

impl From<CommError> for Error {
    fn from(error: CommError) -> Error {
        NxError::Comm(error).into()
    }
}
