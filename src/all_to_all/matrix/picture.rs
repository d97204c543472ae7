//! Text output of matrices: a table with sums, as in figure 1 of the paper, and a picture.

use std::fmt;

use super::Matrix;
use crate::rank::Rank;

/// Characters for message lengths, from no message to the longest.
const SHADES: [char; 10] = [' ', '.', ':', '-', '=', '+', '*', '#', '%', '@'];

/// Maximum number of columns of a picture.
const MAX_COLUMNS: usize = 64;

impl Matrix {
    /// Returns the matrix as a picture with a legend: a line for each sender and a character for each receiver. A blank means no message,
    /// and darker characters mean longer messages, in nine steps of equal width up to the longest message. A matrix of more than 64 nodes
    /// is condensed: a character stands for the sum over several senders and receivers.
    ///
    /// ```
    /// use multicomputer::all_to_all::Matrix;
    ///
    /// let matrix: Matrix = "0,30,1\n20,0,0\n0,40,0\n".parse()?;
    /// let picture = "\
    /// | #.|
    /// |+  |
    /// | @ |
    /// Bytes: `.` 1 to 4, `+` 18 to 22, `#` 27 to 31, `@` 36 to 40.
    /// ";
    /// assert_eq!(matrix.picture(), picture);
    /// # Ok::<(), multicomputer::all_to_all::MatrixError>(())
    /// ```
    pub fn picture(&self) -> String {
        let side = self.nodes().div_ceil(MAX_COLUMNS);
        let cells = self.nodes().div_ceil(side);
        let mut sums = vec![0_u128; cells * cells];
        for (from, to, bytes) in self.messages() {
            sums[from / side * cells + to / side] += u128::from(bytes);
        }
        let most = sums.iter().copied().max().unwrap_or(0);
        let mut text = String::new();
        for row in sums.chunks(cells) {
            text.push('|');
            text.extend(row.iter().map(|&sum| SHADES[shade(sum, most)]));
            text.push_str("|\n");
        }
        text.push_str(&legend(&sums, most));
        if side > 1 {
            text.push_str(&format!(
                "Each character stands for the messages of {side} senders to {side} receivers.\n"
            ));
        }
        text
    }
}

/// Returns the shade of a sum: 0 for no message, otherwise 1 to 9 in proportion to the largest sum.
fn shade(sum: u128, most: u128) -> usize {
    let steps = SHADES.len() as u128 - 1;
    if sum == 0 { 0 } else { (sum * steps).div_ceil(most) as usize }
}

/// Returns the byte range of each shade that occurs.
fn legend(sums: &[u128], most: u128) -> String {
    let steps = SHADES.len() as u128 - 1;
    let ranges = (1..SHADES.len()).filter(|&level| sums.iter().any(|&sum| shade(sum, most) == level));
    let texts: Vec<String> = ranges
        .map(|level| {
            let (first, last) = ((level as u128 - 1) * most / steps + 1, level as u128 * most / steps);
            let name = SHADES[level];
            if first == last { format!("`{name}` {first}") } else { format!("`{name}` {first} to {last}") }
        })
        .collect();
    if texts.is_empty() { "Nothing is sent.\n".to_owned() } else { format!("Bytes: {}.\n", texts.join(", ")) }
}

/// Formats the matrix as in figure 1 of the paper. The bytes that each node sends are at the end of its row, and the bytes that each node
/// receives are below its column. Entries of 0 are blank.
impl fmt::Display for Matrix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let nodes = || 0..self.nodes();
        let name = |node: Rank| format!("P{node}");
        let label = name(self.nodes() - 1).len();
        let largest = nodes().map(|node| self.sent(node).max(self.received(node))).max().unwrap_or(0);
        let width = label.max(largest.to_string().len());
        let mut line = |label_text: String, cells: Vec<String>| {
            let cells: String = cells.iter().map(|cell| format!("  {cell:>width$}")).collect();
            writeln!(f, "{}", format!("{label_text:label$}{cells}").trim_end())
        };
        line(String::new(), nodes().map(name).collect())?;
        for from in nodes() {
            let number = |&bytes: &u64| if bytes == 0 { String::new() } else { bytes.to_string() };
            let sum = self.sent(from).to_string();
            line(name(from), self.row(from).iter().map(number).chain([sum]).collect())?;
        }
        line(String::new(), nodes().map(|to| self.received(to).to_string()).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::all_to_all::Generator;

    #[test]
    fn figure_1_as_a_table() {
        let expected = "    \
    P0  P1  P2  P3  P4  P5  P6  P7
P0       3   1       2   1   2   1  10
P1   1       2   2   1   1   3      10
P2   4   1       2       2       1  10
P3       2               3   1   4  10
P4   3       4           2   1      10
P5   1   2   1   2               4  10
P6       2   1       7              10
P7   1       1   4       1   3      10
    10  10  10  10  10  10  10  10
";
        assert_eq!(Matrix::figure_1().to_string(), expected);
    }

    #[test]
    fn figure_1_as_a_picture() {
        let expected = "\
| =: -:-:|
|: --::= |
|*: - - :|
| -   =:*|
|= *  -: |
|:-:-   *|
| -: @   |
|: :* := |
Bytes: `:` 1, `-` 2, `=` 3, `*` 4, `@` 7.
";
        assert_eq!(Matrix::figure_1().picture(), expected);
    }

    #[test]
    fn large_matrices_are_condensed() {
        let matrix = Matrix::of(130, |from, to| if from == to { 0 } else { 10 }).unwrap();
        let picture = matrix.picture();
        let lines: Vec<&str> = picture.lines().collect();
        assert_eq!(lines.len(), 44 + 2, "{picture}");
        assert!(lines[..44].iter().all(|line| line.len() == 46), "{picture}");
        assert_eq!(&lines[0][..4], "|*@@", "{picture}");
        assert_eq!(lines[44], "Bytes: `-` 21 to 30, `*` 51 to 60, `@` 81 to 90.");
        assert_eq!(lines[45], "Each character stands for the messages of 3 senders to 3 receivers.");
    }

    #[test]
    fn every_shade_covers_what_the_legend_says() {
        for most in [1, 2, 7, 8, 9, 10, 1000, 12_345] {
            for sum in 1..=most {
                let level = shade(sum, most) as u128;
                assert!((level - 1) * most / 9 < sum && sum <= level * most / 9, "{sum} of {most}");
            }
        }
    }

    #[test]
    fn no_and_long_messages_have_pictures() {
        assert_eq!(Matrix::of(1, |_, _| 0).unwrap().picture(), "| |\nNothing is sent.\n");
        assert_eq!(Matrix::of(1, |_, _| 0).unwrap().to_string(), "    P0\nP0       0\n     0\n");
        let long = Matrix::of(1, |_, _| (1 << 60) - 1).unwrap();
        assert!(long.picture().starts_with("|@|\nBytes: `@` 1024819115206086201 to 1152921504606846975."));
        let generator = Generator { nodes: 65, fan_out: 2, traffic: 9, nonuniformity: 0.5, seed: 1 };
        assert!(generator.matrix().unwrap().picture().lines().count() == 33 + 2);
    }
}
