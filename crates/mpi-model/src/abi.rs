//! Numbers of the standard ABI (MPI 5.0, appendix A) that are not the subject of another module.

use crate::word::Handle;

/// `MPI_COMM_NULL`.
pub const COMM_NULL: Handle = Handle(0x100);
/// `MPI_COMM_WORLD`.
pub const COMM_WORLD: Handle = Handle(0x101);
/// `MPI_COMM_SELF`.
pub const COMM_SELF: Handle = Handle(0x102);
/// `MPI_GROUP_NULL`.
pub const GROUP_NULL: Handle = Handle(0x108);
/// `MPI_GROUP_EMPTY`.
pub const GROUP_EMPTY: Handle = Handle(0x109);
/// `MPI_WIN_NULL`.
pub const WIN_NULL: Handle = Handle(0x110);
/// `MPI_FILE_NULL`.
pub const FILE_NULL: Handle = Handle(0x118);
/// `MPI_SESSION_NULL`.
pub const SESSION_NULL: Handle = Handle(0x120);
/// `MPI_INFO_NULL`.
pub const INFO_NULL: Handle = Handle(0x130);
/// `MPI_INFO_ENV`.
pub const INFO_ENV: Handle = Handle(0x131);
/// `MPI_ERRHANDLER_NULL`.
pub const ERRHANDLER_NULL: Handle = Handle(0x140);
/// `MPI_ERRORS_ARE_FATAL`.
pub const ERRORS_ARE_FATAL: Handle = Handle(0x141);
/// `MPI_ERRORS_ABORT`.
pub const ERRORS_ABORT: Handle = Handle(0x142);
/// `MPI_ERRORS_RETURN`.
pub const ERRORS_RETURN: Handle = Handle(0x143);
/// `MPI_MESSAGE_NULL`.
pub const MESSAGE_NULL: Handle = Handle(0x128);
/// `MPI_MESSAGE_NO_PROC`.
pub const MESSAGE_NO_PROC: Handle = Handle(0x129);
/// `MPI_REQUEST_NULL`.
pub const REQUEST_NULL: Handle = Handle(0x180);

/// `MPI_ANY_SOURCE`.
pub const ANY_SOURCE: i32 = -1;
/// `MPI_ANY_TAG`.
pub const ANY_TAG: i32 = -2;
/// `MPI_PROC_NULL`.
pub const PROC_NULL: i32 = -3;
/// `MPI_ROOT`.
pub const ROOT: i32 = -4;
/// `MPI_UNDEFINED`.
pub const UNDEFINED: i32 = -32766;

/// The largest tag (attribute `MPI_TAG_UB`).
pub const TAG_UB: i32 = i32::MAX;

/// `MPI_THREAD_SINGLE`.
pub const THREAD_SINGLE: i32 = 0;
/// `MPI_THREAD_FUNNELED`.
pub const THREAD_FUNNELED: i32 = 1024;
/// `MPI_THREAD_SERIALIZED`.
pub const THREAD_SERIALIZED: i32 = 2048;
/// `MPI_THREAD_MULTIPLE`.
pub const THREAD_MULTIPLE: i32 = 4096;

/// `MPI_IDENT`.
pub const IDENT: i32 = 201;
/// `MPI_CONGRUENT`.
pub const CONGRUENT: i32 = 202;
/// `MPI_SIMILAR`.
pub const SIMILAR: i32 = 203;
/// `MPI_UNEQUAL`.
pub const UNEQUAL: i32 = 204;

/// `MPI_CART`.
pub const CART: i32 = 211;
/// `MPI_GRAPH`.
pub const GRAPH: i32 = 212;
/// `MPI_DIST_GRAPH`.
pub const DIST_GRAPH: i32 = 213;

/// `MPI_UNWEIGHTED`.
pub const UNWEIGHTED: usize = 10;
/// `MPI_WEIGHTS_EMPTY`.
pub const WEIGHTS_EMPTY: usize = 11;

/// `MPI_KEYVAL_INVALID`.
pub const KEYVAL_INVALID: i32 = 0;
/// `MPI_ERR_LASTCODE`, the largest error code that is not the program's.
pub const ERR_LASTCODE: i32 = 16383;

/// `MPI_MAX_ERROR_STRING`, with the zero byte.
pub const MAX_ERROR_STRING: usize = 512;
/// `MPI_MAX_INFO_KEY`, with the zero byte.
pub const MAX_INFO_KEY: usize = 256;
/// `MPI_MAX_INFO_VAL`, with the zero byte.
pub const MAX_INFO_VAL: usize = 1024;
/// `MPI_MAX_LIBRARY_VERSION_STRING`, with the zero byte.
pub const MAX_LIBRARY_VERSION_STRING: usize = 8192;
/// `MPI_MAX_PROCESSOR_NAME`, with the zero byte.
pub const MAX_PROCESSOR_NAME: usize = 256;
