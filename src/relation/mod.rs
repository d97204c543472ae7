//! Relations among operations: the same problem in other words, and problems that want more. Their schedules carry out the problem
//! as well, and are candidates for it.
//!
//! | problem | equal | wants more |
//! | --- | --- | --- |
//! | s-to-p broadcast | collect with blocks of those lengths; of one source, broadcast | |
//! | broadcast | s-to-p broadcast of one source; collect with one block | |
//! | collect | s-to-p broadcast; with one block, broadcast | |
//! | combine-to-one | distributed combine with one block; backwards, s-to-p broadcast of one source | combine-to-all; to the last rank, scan |
//! | distributed combine | backwards, s-to-p broadcast; with one block, combine-to-one | combine-to-all |
//! | operation without blocks, of a vector cut unevenly | the same with even blocks | |
//! | gather | | collect |
//! | scatter | | broadcast |
//!
//! Operations that are two others in a row are in `collective::algorithm::composed`, as they stay in one library.
//!
//! No other module depends on several libraries of operations. An equal problem is asked for the variants of its own algorithms
//! alone, and a problem that wants more also for those of its equals; so no relation is followed in a circle.
//!
//! **Source.** Träff, Gropp, Thakur, "Self-consistent MPI performance guidelines", IEEE TPDS 21(5), 2010, sections 3.1 and 3.3.

mod collective;
mod s_to_p;

#[cfg(test)]
mod tests;
