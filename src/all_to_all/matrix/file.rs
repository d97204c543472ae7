//! Matrices in files.

use std::{
    fmt, io,
    path::{Path, PathBuf},
};

use thiserror::Error;

use super::{Matrix, MatrixError, MatrixReader};

impl Matrix {
    /// Reads a matrix of whole numbers of bytes from a file, in any format of [`MatrixReader`].
    ///
    /// # Errors
    ///
    /// [`MatrixFileError`] names the file and the reason why it cannot be read or parsed.
    pub fn from_file(path: impl AsRef<Path>) -> Result<Matrix, MatrixFileError> {
        MatrixReader::new().from_file(path)
    }

    /// Returns the matrix as CSV text, which [`from_file`](Matrix::from_file) reads.
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
    pub(super) fn new(file: &Path, problem: MatrixFileProblem) -> MatrixFileError {
        MatrixFileError { file: file.to_owned(), problem }
    }

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
}
