//! Views: which bytes of a file a process accesses, and in which representation.
//!
//! The *filetype* of a view is repeated from a displacement on. The bytes of its typemap, one after the other, are the *stream* of the view, in
//! which offsets count. A view keeps the runs of one filetype with their places in the stream, so an access finds its first run by a binary
//! search.

use super::shared::Segment;
use crate::{
    datatype::Datatype,
    error::{Class, Error, Result},
    process::Process,
    word::Handle,
};

/// `MPI_BYTE`.
const BYTE: Handle = Handle(0x247);

/// The representation of data in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Representation {
    /// That of memory.
    Native,
    /// That of memory: all processes have the same one.
    Internal,
    /// "external32".
    External,
}

impl Representation {
    pub(super) fn named(name: &str) -> Option<Representation> {
        let all = [Representation::Native, Representation::Internal, Representation::External];
        all.into_iter().find(|representation| representation.name().eq_ignore_ascii_case(name))
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Representation::Native => "native",
            Representation::Internal => "internal",
            Representation::External => "external32",
        }
    }

    /// The bytes of data of a datatype in a file.
    pub(super) fn size(self, datatype: &Datatype) -> u64 {
        match self {
            Representation::External => datatype.layout().external_size(),
            _ => datatype.size(),
        }
    }

    /// The extent of a datatype in a file.
    ///
    /// # Errors
    /// [`Class::UNSUPPORTED_DATAREP`] if basic types have other sizes in the file, and the data has gaps.
    pub(super) fn extent(self, datatype: &Datatype) -> Result<i64> {
        let size = self.size(datatype);
        if size == datatype.size() {
            return Ok(datatype.extent());
        }
        if datatype.is_contiguous() {
            return Ok(size as i64);
        }
        let text = format!("{datatype} has gaps and elements that are shorter in external32");
        Err(Error::new(Class::UNSUPPORTED_DATAREP, text))
    }
}

/// A run of bytes of the filetype.
#[derive(Clone, Copy, Debug)]
struct Run {
    /// The bytes of the filetype before.
    before: u64,
    displacement: i64,
    length: u64,
    /// The largest end of this run and of those before.
    reach: i64,
}

/// A view of a file.
#[derive(Debug)]
pub(super) struct View {
    pub(super) displacement: i64,
    pub(super) etype: Datatype,
    pub(super) filetype: Datatype,
    pub(super) representation: Representation,
    /// Bytes of an etype in the file.
    pub(super) unit: u64,
    /// The places of the stream in the file.
    pub(super) tiles: Tiles,
}

/// Filetypes one after the other.
#[derive(Debug)]
pub(super) struct Tiles {
    /// Where the first one is.
    displacement: i64,
    /// Bytes of data of a filetype in the file.
    size: u64,
    /// The distance of filetypes.
    extent: i64,
    /// The runs of a filetype; none if its data has no gaps.
    runs: Vec<Run>,
}

/// The runs of a datatype; none if its data has no gaps.
///
/// # Errors
/// [`Class::IO`] if displacements are negative or decrease, or if data overlaps in a file that is written.
fn runs_of(datatype: &Datatype, is_written: bool) -> Result<Vec<Run>> {
    let (mut runs, mut wrong) = (Vec::<Run>::new(), None);
    if datatype.is_contiguous() {
        return Ok(runs);
    }
    datatype.layout().for_each_run(1, |displacement, length| {
        let last = runs.last().copied().unwrap_or(Run { before: 0, displacement: 0, length: 0, reach: 0 });
        if displacement < 0 {
            wrong = wrong.or(Some("has negative displacements"));
        } else if displacement < last.displacement {
            wrong = wrong.or(Some("has displacements that decrease"));
        } else if is_written && displacement < last.reach {
            wrong = wrong.or(Some("overlaps, and the file was opened for writing"));
        }
        let reach = last.reach.max(displacement + length as i64);
        runs.push(Run { before: last.before + last.length, displacement, length, reach });
    });
    match wrong {
        None => Ok(runs),
        Some(wrong) => Err(Error::new(Class::IO, format!("{datatype} {wrong}"))),
    }
}

impl View {
    /// The view of a file that was just opened: bytes.
    pub(super) fn initial(process: &Process<'_>) -> Result<View> {
        let byte = process.datatype(BYTE)?;
        View::new(0, byte.clone(), byte, Representation::Native, true)
    }

    /// Checks the arguments of a view. The data of the datatypes may overlap only in files that are not written.
    pub(super) fn new(
        displacement: i64,
        etype: Datatype,
        filetype: Datatype,
        representation: Representation,
        is_written: bool,
    ) -> Result<View> {
        if displacement < 0 {
            return Err(Error::argument(Class::ARG, "disp", format!("{displacement} is negative")));
        }
        for (name, datatype) in [("etype", &etype), ("filetype", &filetype)] {
            datatype.committed().map_err(|error| error.of(name))?;
        }
        let unit = representation.size(&etype);
        let size = representation.size(&filetype);
        if unit == 0 || !size.is_multiple_of(unit) {
            let text =
                format!("{filetype} has {size} bytes of data, which is no multiple of the etype's {unit}");
            return Err(Error::argument(Class::ARG, "filetype", text));
        }
        let extent = representation.extent(&filetype).map_err(|error| error.of("filetype"))?;
        runs_of(&etype, is_written).map_err(|error| error.of("etype"))?;
        let runs = runs_of(&filetype, is_written).map_err(|error| error.of("filetype"))?;
        let tiles = Tiles { displacement, size, extent, runs };
        Ok(View { displacement, etype, filetype, representation, unit, tiles })
    }

    /// The number of etypes up to the end of a file of this length.
    pub(super) fn end(&self, length: u64) -> i64 {
        self.tiles.bytes_before(length).div_ceil(self.unit) as i64
    }

    /// The position in the file of an offset in etypes.
    pub(super) fn position(&self, offset: i64) -> Result<i64> {
        let stream = self.stream(offset)?;
        let segments = self.tiles.segments(stream, 1);
        Ok(segments.first().map_or(self.displacement, |segment| segment.0 as i64))
    }

    /// The offset in the stream of an offset in etypes.
    ///
    /// # Errors
    /// [`Class::ARG`] if the offset is negative, or if its position has more than 63 bits.
    pub(super) fn stream(&self, offset: i64) -> Result<u64> {
        let stream = u64::try_from(offset).ok().and_then(|offset| offset.checked_mul(self.unit));
        stream.filter(|&stream| self.tiles.reaches(stream)).ok_or_else(|| {
            let what = if offset < 0 { "negative" } else { "too large" };
            Error::argument(Class::ARG, "offset", format!("{offset} is {what}"))
        })
    }
}

impl Tiles {
    /// Whether the positions up to an offset of the stream have at most 63 bits.
    fn reaches(&self, stream: u64) -> bool {
        let tiles = i128::from(stream / self.size.max(1)) + 2;
        let last = i128::from(self.displacement) + tiles * i128::from(self.extent.max(self.size as i64));
        last + i128::from(stream) <= i128::from(i64::MAX)
    }

    /// The segments of the file that are `length` bytes of the stream from an offset on.
    pub(super) fn segments(&self, offset: u64, length: u64) -> Vec<Segment> {
        let start = self.displacement as u64;
        if length == 0 || self.size == 0 {
            return Vec::new();
        }
        if self.runs.is_empty() {
            return vec![(start + offset, length)];
        }
        let (mut tile, within) = ((offset / self.size) as i64, offset % self.size);
        let mut at = self.runs.partition_point(|run| run.before <= within) - 1;
        let (mut skipped, mut left) = (within - self.runs[at].before, length);
        let mut segments: Vec<Segment> = Vec::new();
        while left > 0 {
            let run = self.runs[at];
            let position = (start as i64 + tile * self.extent + run.displacement) as u64 + skipped;
            let now = (run.length - skipped).min(left);
            match segments.last_mut() {
                Some(last) if last.0 + last.1 == position => last.1 += now,
                _ => segments.push((position, now)),
            }
            (skipped, left, at) = (0, left - now, at + 1);
            if at == self.runs.len() {
                (at, tile) = (0, tile + 1);
            }
        }
        segments
    }

    /// The bytes of the stream before its first byte that is not before a position of the file.
    pub(super) fn bytes_before(&self, position: u64) -> u64 {
        let Tiles { size, extent, .. } = *self;
        let Some(length) = position.checked_sub(self.displacement as u64) else { return 0 };
        let Some(last) = self.runs.last() else { return if size == 0 { 0 } else { length } };
        let length = length as i64;
        // Filetypes that end before the position.
        let tiles = match extent {
            _ if length < last.reach => 0,
            ..=0 => return size,
            _ => (length - last.reach) / extent + 1,
        };
        let rest = length - tiles * extent;
        let run = self.runs[self.runs.partition_point(|run| run.reach <= rest)];
        tiles as u64 * size + run.before + (rest - run.displacement).clamp(0, run.length as i64) as u64
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Filetypes of runs after gaps, and the positions of the first bytes of its stream.
    fn example(gaps: &[(i64, u64)], displacement: i64, end: u64, count: usize) -> (Tiles, Vec<u64>) {
        let (mut at, mut runs, mut bytes) = (0_u64, Vec::<Run>::new(), Vec::new());
        let mut reach = 0;
        for &(gap, length) in gaps {
            let lowest = runs.last().map_or(0, |run| run.displacement as u64);
            at = at.saturating_add_signed(gap).max(lowest);
            let before = bytes.len() as u64;
            bytes.extend(at..at + length);
            reach = reach.max(at + length);
            runs.push(Run { before, displacement: at as i64, length, reach: reach as i64 });
            at += length;
        }
        let (extent, before) = (reach + end, bytes.len() as u64);
        let positions =
            (0..).flat_map(|tile| bytes.iter().map(move |at| displacement as u64 + tile * extent + at));
        let positions = positions.take(count).collect();
        (Tiles { displacement, size: before, extent: extent as i64, runs }, positions)
    }

    proptest! {
        #[test]
        fn segments_are_those_of_the_typemap(
            gaps in prop::collection::vec((-3_i64..4, 1_u64..5), 1..5),
            displacement in 0_i64..10,
            end in 0_u64..5,
            offset in 0_usize..50,
            length in 0_usize..50,
        ) {
            let (tiles, positions) = example(&gaps, displacement, end, 100);
            let segments = tiles.segments(offset as u64, length as u64);
            let found: Vec<u64> = segments.iter().flat_map(|&(at, length)| at..at + length).collect();
            prop_assert_eq!(&found, &positions[offset..offset + length]);
            prop_assert!(segments.windows(2).all(|two| two[0].0 + two[0].1 != two[1].0));
            for file in 0..positions[60] {
                let before = positions.iter().take_while(|&&at| at < file).count();
                prop_assert_eq!(tiles.bytes_before(file), before as u64);
            }
        }
    }
}
