//! Summary figures of a matrix.

use std::fmt;

use super::{Class, Matrix};
use crate::units::format_bytes;

/// Figures of a matrix, under the paper's names. The data of nodes for themselves counts in all figures except `class` and `is_uniform`.
///
/// ```
/// use multicomputer::all_to_all::Matrix;
///
/// let text = "\
/// 8 nodes, all-to-many, not uniform: 38 messages, 80 B in all, the longest of 7 B
/// Traffic: r = 10 B, c = 10 B, t = 10 B; fan-out f = 6, fan-in g = 6, h = 6
/// ";
/// assert_eq!(Matrix::figure_1().figures().to_string(), text);
/// ```
///
/// Source: Ranka, Shankar, Alsabti, "Many-to-many Personalized Communication with Bounded Traffic", 1995, section 2.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Figures {
    /// The number of nodes, p.
    pub nodes: usize,
    /// Maximum bytes that any node sends, r.
    pub sent: u64,
    /// Maximum bytes that any node receives, c.
    pub received: u64,
    /// Maximum number of nodes that any node sends to, f.
    pub fan_out: u64,
    /// Maximum number of nodes that any node receives from, g.
    pub fan_in: u64,
    /// Number of messages that are not empty.
    pub messages: u64,
    /// Bytes of all messages.
    pub bytes: u128,
    /// Bytes of the longest message.
    pub longest: u64,
    /// Total bytes of nodes for themselves, which are not sent.
    pub own: u128,
    /// The kind of communication.
    pub class: Class,
    /// Whether all messages are equally long.
    pub is_uniform: bool,
}

impl Matrix {
    /// Returns the figures of the matrix. Host time is proportional to the square of the number of nodes.
    pub fn figures(&self) -> Figures {
        let sizes = || self.messages().map(|(.., bytes)| bytes);
        let (class, is_uniform) = self.class();
        Figures {
            nodes: self.nodes(),
            sent: self.most(|node| self.sent(node)),
            received: self.most(|node| self.received(node)),
            fan_out: self.most(|node| self.fan_out(node)),
            fan_in: self.most(|node| self.fan_in(node)),
            messages: sizes().count() as u64,
            bytes: sizes().map(u128::from).sum(),
            longest: sizes().max().unwrap_or(0),
            own: (0..self.nodes()).map(|node| u128::from(self.get(node, node))).sum(),
            class,
            is_uniform,
        }
    }
}

impl Figures {
    /// Returns the maximum bytes that any node sends or receives, t.
    pub fn traffic(&self) -> u64 {
        self.sent.max(self.received)
    }

    /// Returns the maximum number of messages that any node sends or receives, h.
    pub fn fan(&self) -> u64 {
        self.fan_out.max(self.fan_in)
    }
}

/// Formats the figures in two lines.
impl fmt::Display for Figures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count =
            |count: u64, of: &str| if count == 1 { format!("1 {of}") } else { format!("{count} {of}s") };
        // Saturates: sums above 64 bits are shown as the largest 64-bit number.
        let bytes = |bytes: u128| format_bytes(u64::try_from(bytes).unwrap_or(u64::MAX));
        let uniform = if self.is_uniform { "uniform" } else { "not uniform" };
        write!(
            f,
            "{}, {}, {uniform}: {}, {} in all, the longest of {}",
            count(self.nodes as u64, "node"),
            self.class,
            count(self.messages, "message"),
            bytes(self.bytes),
            bytes(self.longest.into())
        )?;
        if self.own > 0 {
            write!(f, "; {} stay on their node", bytes(self.own))?;
        }
        writeln!(
            f,
            "\nTraffic: r = {}, c = {}, t = {}; fan-out f = {}, fan-in g = {}, h = {}",
            bytes(self.sent.into()),
            bytes(self.received.into()),
            bytes(self.traffic().into()),
            self.fan_out,
            self.fan_in,
            self.fan()
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_figures_of_figure_1() {
        let figures = Matrix::figure_1().figures();
        let expected = Figures {
            nodes: 8,
            sent: 10,
            received: 10,
            fan_out: 6,
            fan_in: 6,
            messages: 38,
            bytes: 80,
            longest: 7,
            own: 0,
            class: Class::AllToMany,
            is_uniform: false,
        };
        assert_eq!(figures, expected);
        assert_eq!((figures.traffic(), figures.fan()), (10, 6));
    }

    #[test]
    fn figures_include_bytes_to_self() {
        let figures = Matrix::of(1, |_, _| 2048).unwrap().figures();
        let expected = "\
1 node, all-to-all, uniform: 1 message, 2 KiB in all, the longest of 2 KiB; 2 KiB stay on their node
Traffic: r = 2 KiB, c = 2 KiB, t = 2 KiB; fan-out f = 1, fan-in g = 1, h = 1
";
        assert_eq!(figures.to_string(), expected);
        let nothing = Matrix::of(2, |_, _| 0).unwrap().figures();
        assert!(nothing.to_string().starts_with("2 nodes, many-to-many, uniform: 0 messages, 0 B in all"));
        let most = Matrix::of(300, |from, to| if from == to { (1 << 60) - 1 } else { 0 }).unwrap().figures();
        assert_eq!(most.bytes, 300 * ((1 << 60) - 1));
    }
}
