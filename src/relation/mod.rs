//! Relations among operations: the same problem in other words, and problems that want more. Their schedules carry out the problem
//! as well, and are candidates for it.
//!
//! | problem | equal | wants more |
//! | --- | --- | --- |
//! | s-to-p broadcast | collect with blocks of those lengths; of one source, broadcast | |
//! | broadcast | s-to-p broadcast of one source; collect with one block | |
//! | collect | s-to-p broadcast; with one block, broadcast | |
//! | combine-to-one | distributed combine with one block; backwards, s-to-p broadcast of one source | combine-to-all |
//! | distributed combine | backwards, s-to-p broadcast; with one block, combine-to-one | |
//! | gather | | collect |
//!
//! It is the only module that knows several libraries. So that no relation is followed around in a circle, a problem has the variants of
//! the own algorithms of a related problem, and not those that come there from relations.
//!
//! **Source.** Träff, Gropp, Thakur, "Self-consistent MPI performance guidelines", IEEE TPDS 21(5), 2010, sections 3.1 and 3.3.

mod collective;
mod s_to_p;
