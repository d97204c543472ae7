//! Message contents: [`Payload`], a sequence of bytes that is moved, split and concatenated by reference.
//!
//! A payload is a chain of segments. A segment is either real data (a reference-counted [`Bytes`]) or a *phantom*: a length without data,
//! for sweeps that would not fit in memory. Concatenating received payloads (as gather, all-gather and s-to-p broadcasting do) appends one
//! chain to another; forwarding clones the chain. Neither operation copies data. Data is copied when a payload is made from a borrowed
//! slice, and when it is read as a `Vec` or as contiguous bytes from several segments.
//!
//! Invariants: no segment is empty, two phantoms are never adjacent, `len` is the sum of the segment lengths, and an empty payload has no
//! element type, so that it is neutral in every concatenation.

use std::{
    borrow::Cow,
    fmt,
    num::NonZeroU32,
    ops::{Bound, RangeBounds},
    slice,
};

use bytemuck::checked;
use bytes::Bytes;
use smallvec::SmallVec;

mod buffer;
mod convert;
mod element;
mod error;
mod pair;

pub use self::{
    buffer::Buffer,
    element::{Element, ElementType},
    error::PayloadError,
    pair::Pair,
};
pub use crate::wire::MAX_MESSAGE;

/// The bytes of a message, as a chain of segments; cloning copies no data.
///
/// A payload stores the type of the slice or vector that it was made from, and can be read only as this type ([`Payload::to_vec`]) or as
/// bytes. A payload is untyped if it was made from `u8`, text or [`Bytes`], if data of another type was appended, or if it was cut inside
/// an element. An untyped payload can be read as every type whose size divides its length.
///
/// ```
/// use multicomputer::Payload;
/// let mut message = Payload::from(vec![1.5, 2.5]);    // takes the vector, copies nothing
/// message.append(Payload::from(&[3.5]));              // chains, copies nothing
/// assert_eq!(message.len(), 24);
/// assert_eq!(message.to_vec::<f64>()?, [1.5, 2.5, 3.5]);
/// assert!(message.to_vec::<u32>().is_err());
///
/// let last = message.split_off(16)?;
/// assert_eq!(last.to_vec::<f64>()?, [3.5]);
/// # Ok::<(), multicomputer::PayloadError>(())
/// ```
#[derive(Clone, Default)]
pub struct Payload {
    len: u64,
    element: Option<ElementType>,
    /// The node on whose behalf another node forwards this payload. The origin is part of every message header and does not count towards
    /// the length.
    origin: Option<u32>,
    note: Option<NonZeroU32>,
    segments: SmallVec<[Segment; 1]>,
}

/// A segment of the chain of a [`Payload`], in which no segment is empty.
#[derive(Clone)]
pub enum Segment {
    /// Bytes in memory.
    Data(Bytes),
    /// Phantom bytes: a length without data.
    Phantom(u64),
}

impl Segment {
    /// Returns the length of the segment in bytes.
    pub fn len(&self) -> u64 {
        match self {
            Segment::Data(bytes) => bytes.len() as u64,
            Segment::Phantom(len) => *len,
        }
    }

    /// Returns whether there are no bytes; never true for a segment of a [`Payload`].
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Cuts the segment at byte `at <= len`: keeps the bytes before it, returns the rest.
    fn split_off(&mut self, at: u64) -> Segment {
        match self {
            Segment::Data(bytes) => Segment::Data(bytes.split_off(at as usize)),
            Segment::Phantom(len) => {
                let rest = *len - at;
                *len = at;
                Segment::Phantom(rest)
            }
        }
    }
}

impl Payload {
    /// Creates an empty payload.
    pub fn empty() -> Payload {
        Payload::default()
    }

    /// Creates a payload of `len` phantom bytes. They are counted, sent and timed like other bytes, but take no memory and cannot be read.
    pub fn phantom(len: u64) -> Payload {
        Payload::from_segment(Segment::Phantom(len), None)
    }

    /// Concatenates `payloads` in order, by [`append`](Payload::append).
    pub fn concat(payloads: impl IntoIterator<Item = Payload>) -> Payload {
        let mut payloads = payloads.into_iter();
        let mut whole = payloads.next().unwrap_or_default();
        whole.segments.reserve(payloads.size_hint().0);
        payloads.for_each(|payload| whole.append(payload));
        whole
    }

    fn from_segment(segment: Segment, element: Option<ElementType>) -> Payload {
        let mut payload = Payload::empty();
        payload.push(segment);
        payload.element = element.filter(|element| !element.is_plain() && !payload.is_empty());
        payload
    }

    fn from_slice<T: Element>(slice: &[T]) -> Payload {
        Payload::from_segment(
            Segment::Data(Bytes::copy_from_slice(as_bytes(slice))),
            Some(ElementType::of::<T>()),
        )
    }

    /// Returns the length in bytes, including phantom bytes.
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Returns whether there are no bytes.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns whether any part is phantom, so that the data cannot be read.
    pub fn is_phantom(&self) -> bool {
        self.phantom_len() > 0
    }

    /// Returns the element type; `None` if the data is plain bytes, mixed, phantom or empty.
    pub fn element(&self) -> Option<ElementType> {
        self.element
    }

    /// Returns the same data with `origin` as its original sender, for messages that another node forwards; `None` removes the origin.
    pub(crate) fn on_behalf_of(mut self, origin: Option<u32>) -> Payload {
        self.origin = origin;
        self
    }

    /// Returns the node on whose behalf this payload was sent, if the sender set it.
    pub(crate) fn origin(&self) -> Option<u32> {
        self.origin
    }

    /// Returns the same data with a number that the receiver gets with the message. It is part of the message's header and does not count towards
    /// the length; data that is cut from the payload does not have it. Over MPI it is lost.
    #[must_use]
    pub fn with_note(mut self, note: Option<NonZeroU32>) -> Payload {
        self.note = note;
        self
    }

    /// The number that the sender has added, see [`with_note`](Payload::with_note).
    pub fn note(&self) -> Option<NonZeroU32> {
        self.note
    }

    /// Returns the data if it is a single segment of at most `most` bytes and has no origin and no note.
    pub(crate) fn as_short(&self, most: usize) -> Option<&[u8]> {
        match &self.segments[..] {
            _ if self.origin.is_some() || self.note.is_some() => None,
            [] => Some(&[]),
            [Segment::Data(bytes)] if bytes.len() <= most => Some(bytes),
            _ => None,
        }
    }

    /// Creates a payload of these bytes, which are elements of the given type, without a copy. Readers check the length and the values.
    ///
    /// ```
    /// use multicomputer::{ElementType, Payload};
    /// let payload = Payload::of_elements(vec![0_u8; 4].into(), ElementType::of::<u32>());
    /// assert_eq!(payload.to_vec::<u32>()?, [0]);
    /// assert!(payload.to_vec::<f32>().is_err());
    /// # Ok::<(), multicomputer::PayloadError>(())
    /// ```
    pub fn of_elements(bytes: Bytes, element: ElementType) -> Payload {
        Payload::from_segment(Segment::Data(bytes), Some(element))
    }

    /// Creates a payload of these bytes, which are elements of the given type, or plain.
    pub(crate) fn of_bytes(bytes: Bytes, element: Option<ElementType>) -> Payload {
        Payload::from_segment(Segment::Data(bytes), element)
    }

    /// Returns the same data with the given element type.
    #[cfg(feature = "mpi")]
    pub(crate) fn typed(mut self, element: Option<ElementType>) -> Payload {
        self.element = element.filter(|element| !element.is_plain() && !self.is_empty());
        self
    }

    /// Returns the segments of the chain in order; none is empty.
    pub fn segments(&self) -> &[Segment] {
        &self.segments
    }

    /// Appends `other` to this payload without copying data, in time proportional to the number of segments of `other`.
    ///
    /// The result keeps its element type if both parts have the same type, or one part is empty. The length saturates: bytes beyond
    /// `u64::MAX` are dropped (a length far above [`MAX_MESSAGE`], so that such bytes must be phantom).
    pub fn append(&mut self, mut other: Payload) {
        if self.is_empty() {
            *self = other;
            return;
        }
        if other.is_empty() {
            return;
        }
        other.cut(u64::MAX - self.len);
        if self.element != other.element {
            self.element = None;
        }
        other.segments.into_iter().for_each(|segment| self.push(segment));
    }

    /// Cuts the payload in two: keeps the bytes before `at`, returns the bytes from `at` on. Copies no data.
    ///
    /// Both parts keep the element type unless the cut is inside an element. The time is proportional to the number of segments of the
    /// returned part, so a payload of many blocks should be split off block by block from its end.
    ///
    /// # Errors
    ///
    /// [`PayloadError::OutOfRange`] if `at` is past the end; the payload is then unchanged.
    pub fn split_off(&mut self, at: u64) -> Result<Payload, PayloadError> {
        if at > self.len {
            return Err(PayloadError::OutOfRange { start: at, end: at, len: self.len });
        }
        Ok(self.cut(at))
    }

    /// Returns a range of the bytes by reference, without copying data, in time proportional to the number of segments of the payload.
    ///
    /// The result keeps the element type unless an end of the range is inside an element.
    ///
    /// ```
    /// use multicomputer::Payload;
    /// let payload = Payload::from("hello, world");
    /// assert_eq!(payload.slice(7..)?.to_bytes()?, "world");
    /// # Ok::<(), multicomputer::PayloadError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`PayloadError::OutOfRange`] if the range extends past the end or is reversed.
    pub fn slice(&self, range: impl RangeBounds<u64>) -> Result<Payload, PayloadError> {
        let start = match range.start_bound() {
            Bound::Included(&start) => start,
            Bound::Excluded(&before) => before.saturating_add(1),
            Bound::Unbounded => 0,
        };
        let end = match range.end_bound() {
            Bound::Included(&last) => last.saturating_add(1),
            Bound::Excluded(&end) => end,
            Bound::Unbounded => self.len.max(start),
        };
        if start > end || end > self.len {
            return Err(PayloadError::OutOfRange { start, end, len: self.len });
        }
        let mut head = self.clone();
        head.cut(end);
        Ok(head.cut(start))
    }

    /// Returns all data as contiguous bytes, regardless of the element type. Copies nothing if there is one segment; otherwise copies all
    /// data once.
    ///
    /// # Errors
    ///
    /// [`PayloadError::Phantom`] if any part has no data.
    pub fn to_bytes(&self) -> Result<Bytes, PayloadError> {
        self.check_real()?;
        if let [Segment::Data(bytes)] = self.segments() {
            return Ok(bytes.clone());
        }
        let mut whole = Vec::with_capacity(self.len as usize);
        self.data().for_each(|bytes| whole.extend_from_slice(bytes));
        Ok(Bytes::from(whole))
    }

    /// Returns all data as elements of type `T`, copied once, regardless of alignment.
    ///
    /// Typed data can be read as its own type and as `u8`; untyped data can be read as every type.
    ///
    /// # Errors
    ///
    /// [`PayloadError::Phantom`] if any part has no data, [`PayloadError::TypeMismatch`] if the data has another type,
    /// [`PayloadError::PartialElement`] if the length is not a multiple of the size of `T`, [`PayloadError::Invalid`] if the bytes of an
    /// element are not a value of `T` (for example 2 for `bool`).
    pub fn to_vec<T: Element>(&self) -> Result<Vec<T>, PayloadError> {
        let mut elements = Vec::with_capacity(self.count::<T>()?);
        self.read(|part| elements.extend_from_slice(part))?;
        Ok(elements)
    }

    /// Returns the only element, of type `T`.
    ///
    /// ```
    /// use multicomputer::Payload;
    /// assert_eq!(Payload::from(3.5).to_value::<f64>()?, 3.5);
    /// # Ok::<(), multicomputer::PayloadError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`to_vec`](Payload::to_vec), and [`PayloadError::NotOne`] if there is no element or more than one.
    pub fn to_value<T: Element>(&self) -> Result<T, PayloadError> {
        if self.count::<T>()? == 1
            && let [value] = *self.elements::<T>()?
        {
            return Ok(value);
        }
        Err(PayloadError::NotOne { len: self.len, element: ElementType::of::<T>() })
    }

    /// Copies all data, as elements of type `T`, into a slice of the same length.
    ///
    /// # Errors
    ///
    /// As [`to_vec`](Payload::to_vec), and [`PayloadError::OtherLength`] if the slice has another length. If an element is not valid for
    /// `T`, the elements before it have already been copied.
    pub fn copy_to<T: Element>(&self, elements: &mut [T]) -> Result<(), PayloadError> {
        self.count::<T>()?;
        let room = size_of_val(elements) as u64;
        if room != self.len {
            return Err(PayloadError::OtherLength { len: self.len, room, element: ElementType::of::<T>() });
        }
        self.fill(elements).map(drop)
    }

    /// Copies the first elements, as many as the slice takes, and returns their number. Elements of the slice beyond the data are
    /// unchanged.
    ///
    /// ```
    /// use multicomputer::Payload;
    /// let mut two = [0; 2];
    /// assert_eq!(Payload::from(vec![1, 2, 3]).copy_prefix_to(&mut two)?, 2);
    /// assert_eq!(two, [1, 2]);
    /// # Ok::<(), multicomputer::PayloadError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`to_vec`](Payload::to_vec). If an element is not valid for `T`, the elements before it have already been copied.
    pub fn copy_prefix_to<T: Element>(&self, elements: &mut [T]) -> Result<usize, PayloadError> {
        if self.count::<T>()? > elements.len() {
            return self.slice(..size_of_val(elements) as u64)?.fill(elements);
        }
        self.fill(elements)
    }

    /// Copies all data to the beginning of a slice, which may be longer, and returns the number of elements.
    ///
    /// # Errors
    ///
    /// As [`to_vec`](Payload::to_vec), and [`PayloadError::TooLong`] if the slice is shorter; it is then unchanged.
    pub(crate) fn copy_into<T: Element>(&self, elements: &mut [T]) -> Result<usize, PayloadError> {
        if self.count::<T>()? > elements.len() {
            let (len, room, element) = (self.len, size_of_val(elements) as u64, ElementType::of::<T>());
            return Err(PayloadError::TooLong { len, room, element });
        }
        self.fill(elements)
    }

    /// Copies all data to the beginning of a slice, which is long enough.
    fn fill<T: Element>(&self, elements: &mut [T]) -> Result<usize, PayloadError> {
        let mut done = 0;
        self.read(|part| {
            elements[done..done + part.len()].copy_from_slice(part);
            done += part.len();
        })?;
        Ok(done)
    }

    /// Returns all data as elements of type `T`: borrowed if the data is contiguous and aligned for `T`, otherwise copied once.
    ///
    /// # Errors
    ///
    /// As [`to_vec`](Payload::to_vec).
    pub fn elements<T: Element>(&self) -> Result<Cow<'_, [T]>, PayloadError> {
        self.count::<T>()?;
        if let [Segment::Data(bytes)] = self.segments()
            && size_of::<T>() > 0
            && let Ok(elements) = checked::try_cast_slice(bytes)
        {
            return Ok(Cow::Borrowed(elements));
        }
        self.to_vec().map(Cow::Owned)
    }

    /// Calls `take` with all data, in pieces as large as possible without copying. The length must be a multiple of the size of `T`.
    fn read<T: Element>(&self, mut take: impl FnMut(&[T])) -> Result<(), PayloadError> {
        let size = size_of::<T>();
        if self.is_empty() {
            return Ok(());
        }
        if self.data().any(|bytes| !bytes.len().is_multiple_of(size)) {
            // Some elements extend over two segments.
            return read_part(&self.to_bytes()?, 0, &mut take);
        }
        let mut before = 0;
        for bytes in self.data() {
            read_part(bytes, before, &mut take)?;
            before += bytes.len() / size;
        }
        Ok(())
    }

    /// Returns the number of elements of type `T` in the data, if the data can be read as `T`.
    fn count<T: Element>(&self) -> Result<usize, PayloadError> {
        self.check_real()?;
        let asked = ElementType::of::<T>();
        if let Some(sent) = self.element
            && sent != asked
            && !asked.is_plain()
        {
            return Err(PayloadError::TypeMismatch { sent, asked });
        }
        if !self.len.is_multiple_of(asked.size() as u64) {
            return Err(PayloadError::PartialElement { len: self.len, element: asked });
        }
        Ok(if self.is_empty() { 0 } else { self.len as usize / asked.size() })
    }

    /// Returns the data of all segments that are not phantom.
    fn data(&self) -> impl Iterator<Item = &Bytes> {
        self.segments.iter().filter_map(|segment| match segment {
            Segment::Data(bytes) => Some(bytes),
            Segment::Phantom(_) => None,
        })
    }

    fn phantom_len(&self) -> u64 {
        let phantoms = self.segments.iter().filter(|segment| matches!(segment, Segment::Phantom(_)));
        phantoms.map(Segment::len).sum()
    }

    fn check_real(&self) -> Result<(), PayloadError> {
        match self.phantom_len() {
            0 => Ok(()),
            phantom => Err(PayloadError::Phantom { phantom, len: self.len }),
        }
    }

    /// Adds a segment at the end and keeps the invariants of the chain. The caller ensures that the length does not overflow.
    fn push(&mut self, segment: Segment) {
        self.len += segment.len();
        match (self.segments.last_mut(), segment) {
            (_, segment) if segment.is_empty() => {}
            (Some(Segment::Phantom(last)), Segment::Phantom(more)) => *last += more,
            (_, segment) => self.segments.push(segment),
        }
    }

    /// Cuts like [`Payload::split_off`]; a cut past the end returns an empty payload.
    ///
    /// Works from the end, so that splitting off all blocks of a chain, the last block first, takes linear time.
    fn cut(&mut self, at: u64) -> Payload {
        if at >= self.len {
            return Payload::empty();
        }
        let element = self.element.filter(|element| at.is_multiple_of(element.size() as u64));
        let mut tail = SmallVec::new();
        let mut start = self.len;
        while start > at
            && let Some(mut last) = self.segments.pop()
        {
            start -= last.len();
            if start < at {
                tail.push(last.split_off(at - start));
                self.segments.push(last);
            } else {
                tail.push(last);
            }
        }
        tail.reverse();
        let tail = Payload { len: self.len - at, element, origin: None, note: None, segments: tail };
        self.len = at;
        self.element = element.filter(|_| at > 0);
        tail
    }
}

/// Calls `take` with the elements of a segment. `before` is the number of elements before the segment, for errors.
fn read_part<T: Element>(
    bytes: &[u8],
    before: usize,
    take: &mut impl FnMut(&[T]),
) -> Result<(), PayloadError> {
    if let Ok(elements) = checked::try_cast_slice(bytes) {
        take(elements);
        return Ok(());
    }
    // The data is not aligned for `T`, or an element is not a value of `T`.
    for (nth, bytes) in bytes.chunks_exact(size_of::<T>()).enumerate() {
        let element = checked::try_pod_read_unaligned(bytes).map_err(|_| PayloadError::Invalid {
            at: (before + nth) as u64,
            bytes: bytes.to_vec(),
            element: ElementType::of::<T>(),
        })?;
        take(slice::from_ref(&element));
    }
    Ok(())
}

/// Returns the bytes of a slice; empty if its elements have size 0.
fn as_bytes<T: Element>(slice: &[T]) -> &[u8] {
    if size_of::<T>() == 0 { &[] } else { bytemuck::cast_slice(slice) }
}

/// Prints lengths instead of data.
impl fmt::Debug for Payload {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Payload { len, element, segments, .. } = self;
        let mut shown = f.debug_struct("Payload");
        shown.field("len", len).field("element", element).field("segments", segments).finish()
    }
}

/// Prints the length instead of the data.
impl fmt::Debug for Segment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Segment::Data(bytes) => write!(f, "Data({})", bytes.len()),
            Segment::Phantom(len) => write!(f, "Phantom({len})"),
        }
    }
}

#[cfg(test)]
mod tests;
