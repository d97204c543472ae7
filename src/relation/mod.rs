//! Relations among operations: equal problems, and wider problems, whose results include those of the original problem. Schedules of
//! related problems also solve the original problem, and are candidates for it.
//!
//! The operations have InterCom's names: collect (all-gather), combine-to-one (reduce), combine-to-all (all-reduce), distributed combine
//! (reduce-scatter).
//!
//! | problem | equal | wider |
//! | --- | --- | --- |
//! | s-to-p broadcast | collect with blocks of the message lengths; broadcast, if there is one source | |
//! | broadcast | s-to-p broadcast of one source; collect with one block | |
//! | collect | s-to-p broadcast; with one block, broadcast | |
//! | combine-to-one | distributed combine with one block; dual of s-to-p broadcast of one source | combine-to-all; scan (root: last rank) |
//! | distributed combine | dual of s-to-p broadcast; combine-to-one, if there is one block | combine-to-all |
//! | operation without blocks, of a vector cut unevenly | the same operation with even blocks | |
//! | gather | | collect |
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
