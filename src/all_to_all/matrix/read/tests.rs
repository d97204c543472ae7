use super::*;

fn read(text: &str) -> Result<Matrix, String> {
    MatrixReader::new().read(text).map_err(|error| error.to_string())
}

fn matrix(rows: &[&[u64]]) -> Result<Matrix, String> {
    let rows: Vec<Vec<u64>> = rows.iter().map(|row| row.to_vec()).collect();
    Ok(Matrix::new(&rows).unwrap())
}

#[test]
fn tables_have_any_separator() {
    let expected = matrix(&[&[0, 3], &[5, 0]]);
    for text in
        ["0,3\n5,0\n", "0;3\n5;0", "0\t3\r\n5\t0\r\n", "  0  3\n  5  0\n", "# loads\n0 3.0 # one\n\n5e0 0"]
    {
        assert_eq!(read(text), expected, "{text:?}");
    }
    assert_eq!(read(" 0 , 7\n,0"), matrix(&[&[0, 7], &[0, 0]]), "blanks and empty fields");
    assert_eq!(read("7\n"), matrix(&[&[7]]));
}

#[test]
fn errors_name_the_line_and_the_separator() {
    let error = |text: &str| read(text).unwrap_err();
    assert_eq!(error(""), "the matrix has no rows: give one row for each node");
    assert_eq!(
        error("0,1\n\n2\n"),
        "line 3 has 1 entry: a matrix of 2 rows needs 2 in each line, separated by commas as in its first line; the text after the last separator counts as an entry"
    );
    assert_eq!(
        error("0 1\n2,0\n"),
        "line 2, entry 1: `2,0` is not a number of bytes; allowed are numbers from 0, without a unit, separated by blanks as in the first line"
    );
    assert!(error("0;-3\n2;0\n").starts_with("line 1, entry 2: `-3` is not a number of bytes"));
    assert!(error("0\t1K\n2\t0\n").ends_with("without a unit, separated by tabs as in the first line"));
    assert_eq!(
        error("0,1\n99999999999999999999,0\n"),
        "line 2, entry 1: `99999999999999999999` bytes are too many: a node may send or receive less than 2^60 bytes in total"
    );
    assert_eq!(
        error("0,0.5\n0.5,0\n"),
        "line 1, entry 2: `0.5` is a fraction of a byte: give the total bytes of all messages (`--total`, `MatrixReader::total`) if entries are fractions of them"
    );
    let much = 1_u64 << 59;
    assert!(error(&format!("{much},{much}\n0,0\n")).starts_with("node 0 would send or receive 2^60 bytes"));
}

#[test]
fn edge_lists_name_pairs() {
    let expected = matrix(&[&[0, 3, 0, 0], &[0, 0, 0, 0], &[0, 0, 0, 0], &[7, 0, 0, 0]]);
    for text in ["0,1,3\n3,0,7\n", "source target weight\n0 1 3\n3 0 7", "0 1 1\n0 1 1\n0 1 1\n3 0 7\n"] {
        assert_eq!(read(text), expected, "{text:?}");
    }
    let of_8 = MatrixReader::new().nodes(8);
    assert_eq!(of_8.read("0 1 3\n3 0 7\n").unwrap().nodes(), 8);
    assert_eq!(of_8.read("from,to,bytes\n").unwrap().traffic(), 0);
    assert_eq!(read("0 1 2\n1 0 1\n2 2 0").unwrap().get(0, 2), 2, "three lines without a header: a table");
    assert_eq!(
        of_8.read("0 1 3\n8 0 7\n").unwrap_err().to_string(),
        "line 2: `8` is not a node; this is an edge list (three fields in each line: sender, receiver, bytes), and nodes are 0 to 7"
    );
    assert_eq!(
        read("0 1 3\n0 2\n").unwrap_err(),
        "line 2 has 2 fields: an edge list has three in each line, sender, receiver and bytes, separated by blanks as in its first line"
    );
    assert!(read("0 99999 3\n1 0 7\n").unwrap_err().contains("nodes are 0 to 16383"));
}

#[test]
fn market_files_are_sparse_or_full() {
    let market = |rest: &str| read(&format!("%%MatrixMarket matrix {rest}"));
    let expected = matrix(&[&[0, 3], &[5, 1]]);
    assert_eq!(market("coordinate integer general\n% a comment\n2 2 3\n1 2 3\n2 1 5\n2 2 1\n"), expected);
    assert_eq!(market("array real general\n2 2\n0.0\n5\n3.\n1\n"), expected, "column by column");
    assert_eq!(market("array integer symmetric\n2 2\n0\n5\n1\n"), matrix(&[&[0, 5], &[5, 1]]));
    assert_eq!(market("coordinate pattern symmetric\n2 2 1\n2 1\n"), matrix(&[&[0, 1], &[1, 0]]));
    for (rest, why) in [
        (
            "coordinate complex general\n",
            "line 1: the banner says `matrix coordinate complex general`; allowed are `matrix`, `coordinate` or `array`, `integer`, `real` or `pattern`, `general` or `symmetric`",
        ),
        (
            "array real general\n2 3\n",
            "line 2: the matrix has 2 rows and 3 columns; a communication matrix has as many rows as columns",
        ),
        (
            "array real general\n2\n",
            "line 2: the size line is `2`; allowed are the numbers of rows and columns",
        ),
        (
            "coordinate integer general\n2 2 1\n0 1 3\n",
            "line 3: `0` is not a row or a column; allowed are 1 to 2",
        ),
        ("coordinate integer general\n2 2 1\n1 2\n", "line 3: the value is missing"),
        (
            "coordinate integer general\n2 2 1\n1 2 3 4\n",
            "line 3: `4` follows the entry; allowed is one entry a line",
        ),
        (
            "coordinate integer general\n2 2 2\n1 2 3\n",
            "line 3: the size line promises 2 entries, and the file has 1",
        ),
        ("array integer general\n1 1\n1\n2\n", "line 4: there are more than the 1 entries of the size line"),
        ("coordinate real general\n99999 99999 0\n", "line 2: 99999 rows are too many; the maximum is 16384"),
    ] {
        assert_eq!(market(rest), Err(format!("MatrixMarket, {why}")));
    }
    assert!(market("array real general\n1 1\n0.5\n").unwrap_err().contains("`0.5` is a fraction of a byte"));
}

#[test]
fn fractions_share_a_total() {
    let reader = MatrixReader::new().total(1000);
    let rows = |text: &str| reader.read(text).unwrap().to_csv();
    assert_eq!(rows("0,0.25\n0.75,0\n"), "0,250\n750,0\n");
    assert_eq!(rows("0 1\n2 0\n"), "0,333\n667,0\n", "weights need not add up to 1");
    assert_eq!(reader.read("0,0\n0,0\n").unwrap_err(), MatrixError::NoWeight);
    assert!(reader.read("0,x\n0,0\n").is_err());
}
