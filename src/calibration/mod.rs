//! Measurements of this host: the dilation that it keeps in real time, and the parameters of its own
//! [threads](host) as a machine.

pub(crate) mod dilation;
pub mod host;
