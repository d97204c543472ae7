//! Relations among operations: equal problems, and wider problems, whose results include those of the original problem. Schedules of
//! related problems also solve the original problem, and are candidates for it.
//!
//! | problem | equal | wider |
//! | --- | --- | --- |
//! | s-to-p broadcast | all-gather with blocks of the message lengths; broadcast, if there is one source | |
//! | broadcast | s-to-p broadcast of one source; all-gather with one block | |
//! | all-gather | s-to-p broadcast; with one block, broadcast | |
//! | reduce | reduce-scatter with one block; dual of s-to-p broadcast of one source | all-reduce; scan (root: last rank) |
//! | reduce-scatter | dual of s-to-p broadcast; reduce, if there is one block | all-reduce |
//! | operation without blocks, of a vector cut unevenly | the same operation with even blocks | |
//! | gather | | all-gather |
//! | scatter | | broadcast |
//!
//! Operations made of two operations in sequence are in `collective::algorithm::composed`, because both belong to one library.
//!
//! No other module depends on several libraries of operations. An equal problem contributes only the variants of its own algorithms; a
//! wider problem also contributes the variants of its equal problems. Relations are therefore never followed in a cycle.
//!
//! **Source.** Träff, Gropp, Thakur, "Self-consistent MPI performance guidelines", IEEE TPDS 21(5), 2010, sections 3.1 and 3.3.

mod collective;
mod s_to_p;

#[cfg(test)]
mod tests;
