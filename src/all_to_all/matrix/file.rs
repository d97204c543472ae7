//! Matrices in CSV files.

use std::{
    fmt, io,
    path::{Path, PathBuf},
};

use thiserror::Error;

use super::{Matrix, MatrixError};
use crate::input;

impl Matrix {
    /// Reads a CSV file without a header. Line `i` holds the bytes that node `i` has for each node, as whole numbers without a unit. An
    /// empty field is 0.
    ///
    /// # Errors
    ///
    /// [`MatrixFileError`] names the file and the reason why it cannot be read or parsed.
    pub fn from_file(path: impl AsRef<Path>) -> Result<Matrix, MatrixFileError> {
        let path = path.as_ref();
        input::read(path)
            .map_err(MatrixFileProblem::Unreadable)
            .and_then(|text| Ok(text.parse()?))
            .map_err(|problem| MatrixFileError { file: path.to_owned(), problem })
    }

    /// Returns the matrix in the CSV format of [`from_file`](Matrix::from_file).
    ///
    /// ```
    /// use multicomputer::all_to_all::Matrix;
    ///
    /// let matrix = Matrix::figure_1();
    /// assert!(matrix.to_csv().starts_with("0,3,1,0,2,1,2,1\n1,0,2,"));
    /// assert_eq!(matrix.to_csv().parse(), Ok(matrix));
    /// ```
    pub fn to_csv(&self) -> String {
        let row = |from: usize| {
            let fields: Vec<String> = self.row(from).iter().map(u64::to_string).collect();
            fields.join(",") + "\n"
        };
        (0..self.nodes()).map(row).collect()
    }
}

/// Error for a file without a valid communication matrix.
#[derive(Debug)]
pub struct MatrixFileError {
    file: PathBuf,
    problem: MatrixFileProblem,
}

/// Fault of a matrix file.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum MatrixFileProblem {
    /// The file cannot be read.
    #[error("cannot be read: {0}")]
    Unreadable(io::Error),
    /// The text is not a matrix.
    #[error(transparent)]
    Matrix(#[from] MatrixError),
}

impl MatrixFileError {
    /// Returns the path of the file.
    pub fn file(&self) -> &Path {
        &self.file
    }

    /// Returns the fault.
    pub fn problem(&self) -> &MatrixFileProblem {
        &self.problem
    }
}

impl std::error::Error for MatrixFileError {}

impl fmt::Display for MatrixFileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "matrix file {}: {}", self.file.display(), self.problem)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figure_1_as_csv() {
        let expected = "\
0,3,1,0,2,1,2,1
1,0,2,2,1,1,3,0
4,1,0,2,0,2,0,1
0,2,0,0,0,3,1,4
3,0,4,0,0,2,1,0
1,2,1,2,0,0,0,4
0,2,1,0,7,0,0,0
1,0,1,4,0,1,3,0
";
        assert_eq!(Matrix::figure_1().to_csv(), expected);
    }

    #[test]
    fn errors_name_the_file() {
        let error = Matrix::from_file("no/such/matrix.csv").unwrap_err();
        assert!(error.to_string().starts_with("matrix file no/such/matrix.csv: cannot be read: "));
        assert_eq!(error.file(), Path::new("no/such/matrix.csv"));
        assert!(matches!(error.problem(), MatrixFileProblem::Unreadable(_)));
    }

    #[test]
    fn invalid_matrices_are_errors() {
        let error = |text: &str| text.parse::<Matrix>().unwrap_err().to_string();
        assert_eq!(error(""), "the matrix has no rows: give one row for each node");
        assert_eq!(
            error("0,1\n2\n"),
            "row 1 of the matrix (counted from 0) has 1 entry: a matrix of 2 rows needs 2 in each row; the text after the last comma counts as an entry"
        );
        assert!(
            error("0,-3\n2,0\n").starts_with(
                "`-3` in row 0, column 1 of the matrix (counted from 0) is not a number of bytes"
            )
        );
        assert!(
            error("0,x\n2,0\n").starts_with(
                "`x` in row 0, column 1 of the matrix (counted from 0) is not a number of bytes"
            )
        );
        assert!(error("0,1K\n2,0\n").ends_with(
            "is not a number of bytes; allowed are whole numbers from 0, without a unit, separated by commas"
        ));
        assert_eq!(
            error("0,1\n99999999999999999999,0\n"),
            "`99999999999999999999` bytes in row 1, column 0 of the matrix (counted from 0) are too many: a node may send or receive less than 2^60 bytes in total"
        );
        let much = 1_u64 << 59;
        assert!(
            error(&format!("{much},{much}\n0,0\n")).starts_with("node 0 would send or receive 2^60 bytes")
        );
        assert_eq!(" 0 , 7\n,0".parse(), Matrix::new(&[vec![0, 7], vec![0, 0]]), "blanks and empty fields");
    }
}
