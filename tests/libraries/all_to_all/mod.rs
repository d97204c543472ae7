//! Many-to-many communication.

mod algorithms;
mod calls;
mod random;
