//! Names of the columns that charts use as axis or label.

/// Columns that can be the x axis, with the name and the unit of the axis. The default is the column with the most distinct values; of
/// several such columns the first.
pub(super) const X_COLUMNS: [(&str, &str, &str); 11] = [
    ("bytes", "length", "bytes"),
    ("sources", "sources", ""),
    ("nodes", "nodes", "nodes"),
    ("size", "nodes", "nodes"),
    ("words", "length", "words"),
    ("ports", "ports", ""),
    ("fan_out", "fan-out", ""),
    ("alpha_us", "start-up alpha", "us"),
    ("beta_ns_per_byte", "time per byte beta", "ns/B"),
    ("link_excess", "excess link bandwidth k", ""),
    ("gamma_us", "gamma", "us"),
];

/// Columns of names that label the lines of a chart, after the algorithm, if their values differ; the x axis if no number varies.
pub(super) const NAMES: [&str; 10] = [
    "operation",
    "distribution",
    "name",
    "matrix",
    "members",
    "kind",
    "machine",
    "in_order",
    "interval",
    "clock",
];
