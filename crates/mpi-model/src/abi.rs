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
