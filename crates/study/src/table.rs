//! Tables of rows: CSV with one header line, or JSON lines; continued tables, and tables merged from parts.

use std::{
    cmp::Reverse,
    collections::{BTreeSet, BinaryHeap},
    fs::File,
    io::{BufRead, BufReader, Write},
    path::{Path, PathBuf},
};

use crate::{Row, StudyError};

/// The format of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Format {
    /// A header line, then a line for each row.
    Csv,
    /// A JSON object for each row, one a line.
    JsonLines,
}

impl Format {
    /// Returns JSON lines for a file that ends in `.json`, `.jsonl` or `.ndjson`, and CSV for every other file.
    pub fn of(path: &Path) -> Format {
        let is_json = path
            .extension()
            .is_some_and(|ending| ending == "json" || ending == "jsonl" || ending == "ndjson");
        if is_json { Format::JsonLines } else { Format::Csv }
    }
}

/// Writes rows as they come. Each row is written as a whole.
#[derive(Debug)]
pub struct TableWriter<W> {
    out: W,
    format: Format,
    has_header: bool,
}

impl<W: Write> TableWriter<W> {
    /// Creates a table without rows.
    pub fn new(out: W, format: Format) -> TableWriter<W> {
        TableWriter { out, format, has_header: false }
    }

    /// Creates the rest of a table whose first rows have been written.
    pub fn continued(out: W, format: Format) -> TableWriter<W> {
        TableWriter { out, format, has_header: true }
    }

    /// Writes a row.
    ///
    /// # Errors
    ///
    /// [`StudyError::Write`].
    pub fn write(&mut self, row: &Row) -> Result<(), StudyError> {
        let line = match self.format {
            Format::JsonLines => {
                let mut line = serde_json::to_vec(row).map_err(|cause| StudyError::Write(cause.into()))?;
                line.push(b'\n');
                line
            }
            Format::Csv => {
                let mut line =
                    csv::WriterBuilder::new().has_headers(!self.has_header).from_writer(Vec::new());
                line.serialize(row).map_err(|cause| StudyError::Write(cause.into()))?;
                line.into_inner().map_err(|cause| StudyError::Write(cause.into_error()))?
            }
        };
        self.has_header = true;
        self.out.write_all(&line).map_err(StudyError::Write)
    }

    /// Writes what is buffered, and returns the writer.
    ///
    /// # Errors
    ///
    /// [`StudyError::Write`].
    pub fn finish(mut self) -> Result<W, StudyError> {
        self.out.flush().map_err(StudyError::Write)?;
        Ok(self.out)
    }
}

/// Reads the rows of a table one at a time.
pub struct TableReader {
    path: PathBuf,
    rows: Box<dyn Iterator<Item = Result<Row, String>>>,
}

impl std::fmt::Debug for TableReader {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TableReader").field("path", &self.path).finish_non_exhaustive()
    }
}

impl TableReader {
    /// Opens a table of rows in CSV or JSON lines, which is told by its first character.
    ///
    /// # Errors
    ///
    /// [`StudyError::Unreadable`].
    pub fn open(path: impl AsRef<Path>) -> Result<TableReader, StudyError> {
        let path = path.as_ref().to_owned();
        let unreadable = |cause| StudyError::Unreadable { path: path.clone(), cause };
        let mut file = BufReader::new(File::open(&path).map_err(unreadable)?);
        let is_json = file.fill_buf().map_err(unreadable)?.first() == Some(&b'{');
        let rows: Box<dyn Iterator<Item = Result<Row, String>>> = if is_json {
            let read = |line: std::io::Result<String>| {
                let line = line.map_err(|cause| cause.to_string())?;
                serde_json::from_str(&line).map_err(|cause| cause.to_string())
            };
            Box::new(file.lines().map(read))
        } else {
            let rows = csv::Reader::from_reader(file).into_deserialize::<Row>();
            Box::new(rows.map(|row| row.map_err(|cause| cause.to_string())))
        };
        Ok(TableReader { path, rows })
    }
}

impl Iterator for TableReader {
    type Item = Result<Row, StudyError>;

    fn next(&mut self) -> Option<Result<Row, StudyError>> {
        let row = self.rows.next()?;
        Some(row.map_err(|cause| StudyError::Table {
            path: self.path.clone(),
            cause: format!("not a row of a study: {cause}"),
        }))
    }
}

/// Prepares an unfinished table for its next rows: cuts off everything behind the last finished case, and returns the number of that case;
/// `None` if no case is finished. The rows of the last case in the table are cut off, too, because some of them may be missing.
///
/// # Errors
///
/// [`StudyError`] if the file cannot be read or changed, or if a row belongs to another study.
pub fn cut_unfinished(path: &Path, format: Format, study: &str) -> Result<Option<u64>, StudyError> {
    let unreadable = |cause| StudyError::Unreadable { path: path.to_owned(), cause };
    let table = |cause: String| StudyError::Table { path: path.to_owned(), cause };
    let file = File::options().read(true).write(true).open(path).map_err(unreadable)?;
    let mut text = BufReader::new(&file);
    let mut line = String::new();
    let (mut position, mut keep, mut finished, mut last) = (0_u64, 0_u64, None, None);
    let mut header: Option<csv::StringRecord> = None;
    loop {
        line.clear();
        let length = text.read_line(&mut line).map_err(unreadable)?;
        // A line without its end was being written.
        if length == 0 || !line.ends_with('\n') {
            break;
        }
        if line.starts_with('{') != (format == Format::JsonLines) {
            let (is, other) = if format == Format::Csv { ("JSON", "--json") } else { ("CSV", "--csv") };
            return Err(table(format!("the unfinished rows are {is}: continue them with {other}")));
        }
        let row: Option<Row> = if line.starts_with('{') {
            serde_json::from_str(&line).ok()
        } else {
            let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(line.as_bytes());
            let record = reader.records().next().and_then(Result::ok).unwrap_or_default();
            match &header {
                None => {
                    header = Some(record);
                    position += length as u64;
                    continue;
                }
                Some(header) => record.deserialize(Some(header)).ok(),
            }
        };
        let Some(row) = row else {
            return Err(table(format!(
                "`{}` is not a row of a study: choose another file, or remove this one",
                line.trim()
            )));
        };
        if row.study != study {
            return Err(table(format!(
                "the rows are of the study {}, and this study is {study}: choose another file",
                row.study
            )));
        }
        if last != Some(row.case) {
            (finished, last, keep) = (last, Some(row.case), position);
        }
        position += length as u64;
    }
    drop(text);
    // Without a finished case not even the header stays.
    let keep = if finished.is_some() { keep } else { 0 };
    file.set_len(keep).map_err(unreadable)?;
    Ok(finished)
}

/// Merges the parts of a study: calls `take` with every row, in the order of the cases, and returns the number of rows.
///
/// # Errors
///
/// [`StudyError::Merge`] if the parts belong to different studies, if a part is unfinished, if two parts have the same case, or if cases are
/// missing, with the numbers of the missing parts; the errors of reading; and those of `take`.
pub fn merge<E: From<StudyError>>(
    parts: &[PathBuf],
    mut take: impl FnMut(&Row) -> Result<(), E>,
) -> Result<u64, E> {
    let refusal = |text: String| Err(E::from(StudyError::Merge(text)));
    let mut readers = parts.iter().map(TableReader::open).collect::<Result<Vec<_>, _>>()?;
    let mut heads: Vec<Option<Row>> = Vec::new();
    for reader in &mut readers {
        heads.push(reader.next().transpose()?);
    }
    let Some(first) = heads.iter().flatten().next().cloned() else {
        return refusal("no part has a row".to_owned());
    };
    let name = |part: usize| parts[part].display().to_string();
    for (part, row) in heads.iter().enumerate().filter_map(|(part, head)| Some((part, head.as_ref()?))) {
        if parts[part].extension().is_some_and(|ending| ending == "partial") {
            return refusal(format!(
                "{} is unfinished: repeat the command of its part with --resume, and merge the finished file",
                name(part)
            ));
        }
        if row.study != first.study {
            return refusal(format!(
                "{} has rows of the study {}, and other parts of the study {}: merge parts of one study",
                name(part),
                row.study,
                first.study
            ));
        }
    }
    // The part with the smallest case is on top.
    let key = |row: &Row, part: usize| (Reverse(row.case), Reverse(part));
    let heap = heads.iter().enumerate().filter_map(|(part, head)| Some(key(head.as_ref()?, part)));
    let mut heap: BinaryHeap<_> = heap.collect();
    let (mut next, mut rows) = (0, 0);
    while let Some((Reverse(case), Reverse(part))) = heap.pop() {
        if case < next {
            return refusal(format!(
                "case {case} is in {} and in another part: give each part once",
                name(part)
            ));
        }
        if case > next {
            return refusal(missing(parts, next, first.cases)?);
        }
        // All rows of the case are in one part.
        while let Some(row) = heads[part].take_if(|row| row.case == case) {
            take(&row)?;
            rows += 1;
            heads[part] = readers[part].next().transpose()?;
        }
        heap.extend(heads[part].as_ref().map(|row| key(row, part)));
        next = case + 1;
    }
    if next < first.cases {
        return refusal(missing(parts, next, first.cases)?);
    }
    Ok(rows)
}

/// Maximum number of missing parts that are listed.
const MAX_LISTED: usize = 20;

/// The error for a missing case: which parts are missing, or which part is incomplete.
fn missing(parts: &[PathBuf], case: u64, cases: u64) -> Result<String, StudyError> {
    let mut strides = BTreeSet::new();
    let mut firsts = Vec::new();
    for part in parts {
        let mut rows = TableReader::open(part)?;
        let Some(first) = rows.next().transpose()?.map(|row| row.case) else { continue };
        firsts.push((first, part));
        // Every `of`-th case is in a part of `of` parts.
        let next = rows.find(|row| row.as_ref().is_ok_and(|row| row.case != first)).transpose()?;
        strides.extend(next.and_then(|row| row.case.checked_sub(first)));
    }
    let of = match strides.first() {
        Some(&of) if strides.len() == 1 => of,
        _ => return Ok(format!("case {case} is missing, of {cases} cases: give all parts")),
    };
    let is_given = |index: u64| firsts.iter().any(|(first, _)| first % of == index);
    let absent: Vec<String> = (0..of.min(cases))
        .filter(|&index| !is_given(index))
        .map(|index| format!("{}/{of}", index + 1))
        .collect();
    let incomplete = firsts.iter().find(|(first, _)| first % of == case % of);
    Ok(match (&absent[..], incomplete) {
        ([], Some((_, path))) => format!(
            "case {case} of {cases} is missing in {}, which is incomplete: compute this part again (--shard {}/{of})",
            path.display(),
            case % of + 1
        ),
        (listed, _) => {
            let more = if listed.len() > MAX_LISTED { ", .." } else { "" };
            let listed = listed[..listed.len().min(MAX_LISTED)].join(", ");
            format!("parts are missing: {listed}{more}; compute each of them (--shard), and merge all parts")
        }
    })
}
