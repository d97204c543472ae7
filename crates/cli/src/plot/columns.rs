//! Names of columns that have a part in a chart.

/// Columns that can be to the right: that with the most different numbers is, of several the first. With the name and unit of
/// the axis.
pub(super) const ALONG: [(&str, &str, &str); 9] = [
    ("t", "traffic of a node", "bytes"),
    ("bytes", "length", "bytes"),
    ("sources", "sources", ""),
    ("nodes", "nodes", "nodes"),
    ("size", "nodes", "nodes"),
    ("k", "fan-out", ""),
    ("words", "length", "words"),
    ("l", "nonuniformity", ""),
    ("ports", "ports", ""),
];

/// Columns of names that tell lines apart if they are different, after the algorithm, or are to the right if no number is.
pub(super) const NAMES: [&str; 9] =
    ["operation", "distribution", "name", "matrix", "members", "machine", "in_order", "interval", "clock"];
