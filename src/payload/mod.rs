//! The content of a message: [`Payload`], bytes that are moved, split and chained by reference.
//!
//! A payload is a chain of segments. A segment is either real data, a reference-counted [`Bytes`], or a *phantom*: a
//! length without data, for sweeps that would not fit in memory. Combining messages on the way (as gather, collect
//! and s-to-p broadcasting do) appends one chain to another; forwarding clones the chain; neither copies a byte of
//! data. Data is copied when a payload is made from a borrowed slice, and when it is read as a `Vec` or as contiguous
//! bytes from several segments.
//!
//! Invariants: no segment is empty, two phantoms are never neighbours, `len` is the sum of the segments, and an empty
//! payload has no element type, so that it is neutral in every concatenation.

use std::{
    borrow::Cow,
    fmt,
    ops::{Bound, RangeBounds},
    slice,
};

use bytemuck::checked;
use bytes::Bytes;
use smallvec::SmallVec;

mod convert;
mod element;
mod error;

pub use self::{
    element::{Element, ElementType},
    error::PayloadError,
};
pub use crate::wire::MAX_MESSAGE;

/// The bytes of a message, as a chain of segments; cloning copies no data.
///
/// A payload remembers the type of the slice or vector that it was made from, and reads only as that type
/// ([`Payload::to_vec`]) or as bytes. It is untyped, and reads as every type whose size divides its length, when it
/// was made from `u8`, text or [`Bytes`], by appending data of another type, or by a cut inside an element.
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
    /// The node on whose behalf another node passes this on. It is part of the header of every message, so it is not
    /// counted in the length.
    origin: Option<u32>,
    segments: SmallVec<[Segment; 1]>,
}

/// One segment of the chain of a [`Payload`]; never empty there.
#[derive(Clone)]
pub enum Segment {
    /// Bytes in memory.
    Data(Bytes),
    /// A number of bytes that have a length but no data.
    Phantom(u64),
}

impl Segment {
    /// The length of the segment in bytes.
    pub fn len(&self) -> u64 {
        match self {
            Segment::Data(bytes) => bytes.len() as u64,
            Segment::Phantom(len) => *len,
        }
    }

    /// Whether there are no bytes; never true for a segment of a [`Payload`].
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
    /// Creates a payload of no bytes.
    pub fn empty() -> Payload {
        Payload::default()
    }

    /// Creates a payload of `len` bytes that are counted, sent and timed like others, but do not exist: they take no
    /// memory and cannot be read.
    pub fn phantom(len: u64) -> Payload {
        Payload::from_segment(Segment::Phantom(len), None)
    }

    /// Concatenates `payloads`: [`append`](Payload::append) in their order.
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

    /// The length in bytes, phantom ones included.
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Whether there are no bytes at all.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Whether any part is phantom, so that the data cannot be read.
    pub fn is_phantom(&self) -> bool {
        self.phantom_len() > 0
    }

    /// The type of which all of the data was made; `None` when it is plain bytes, mixed, phantom or empty.
    pub fn element(&self) -> Option<ElementType> {
        self.element
    }

    /// Returns the same data as a message of node `origin`, whatever node sends it; `None` removes the origin.
    pub(crate) fn on_behalf_of(mut self, origin: Option<u32>) -> Payload {
        self.origin = origin;
        self
    }

    /// The node on whose behalf this was sent, if the sender set it.
    pub(crate) fn origin(&self) -> Option<u32> {
        self.origin
    }

    /// The data, if it is in one piece of at most `most` bytes and has no other origin than its sender.
    pub(crate) fn as_short(&self, most: usize) -> Option<&[u8]> {
        match &self.segments[..] {
            _ if self.origin.is_some() => None,
            [] => Some(&[]),
            [Segment::Data(bytes)] if bytes.len() <= most => Some(bytes),
            _ => None,
        }
    }

    /// A payload of these bytes, which are elements of a type.
    pub(crate) fn of_bytes(bytes: Bytes, element: Option<ElementType>) -> Payload {
        Payload::from_segment(Segment::Data(bytes), element)
    }

    /// The same data as elements of a type.
    #[cfg(feature = "mpi")]
    pub(crate) fn typed(mut self, element: Option<ElementType>) -> Payload {
        self.element = element.filter(|element| !element.is_plain() && !self.is_empty());
        self
    }

    /// The segments of the chain in their order, none of them empty.
    pub fn segments(&self) -> &[Segment] {
        &self.segments
    }

    /// Appends `other` to this payload. Copies no data; takes a time proportional to the number of segments of
    /// `other`.
    ///
    /// The result keeps its element type if both parts have the same one, or one part is empty. The length saturates:
    /// bytes beyond `u64::MAX` (far above [`MAX_MESSAGE`], so they must be phantom) are dropped.
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

    /// Cuts the payload in two: keeps the bytes before `at`, returns those from `at` on. Copies no data.
    ///
    /// Both parts keep the element type unless the cut is inside an element. It takes a time proportional to the
    /// number of segments of the returned part, so a payload of many blocks is best taken apart from its end.
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

    /// The bytes of a range, by reference: no data is copied. Takes a time proportional to the number of segments of
    /// the whole.
    ///
    /// The part keeps the element type unless one of its ends is inside an element.
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
    /// [`PayloadError::OutOfRange`] if the range ends past the end, or before it starts.
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

    /// All data as contiguous bytes, whatever their type. Copies nothing if there is one segment, otherwise all of it
    /// once.
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

    /// All data as elements of type `T`, copied once, whatever its place in memory.
    ///
    /// Typed data reads as its own type and as `u8`; untyped data as every type.
    ///
    /// # Errors
    ///
    /// [`PayloadError::Phantom`] if any part has no data, [`PayloadError::TypeMismatch`] if the data is of another
    /// type, [`PayloadError::PartialElement`] if the length is no multiple of the size of `T`,
    /// [`PayloadError::Invalid`] if the bytes of an element are no value of `T`, as 2 is no `bool`.
    pub fn to_vec<T: Element>(&self) -> Result<Vec<T>, PayloadError> {
        let mut elements = Vec::with_capacity(self.count::<T>()?);
        self.read(|part| elements.extend_from_slice(part))?;
        Ok(elements)
    }

    /// Copies all data, as elements of type `T`, into a slice of the same length.
    ///
    /// # Errors
    ///
    /// As [`to_vec`](Payload::to_vec), and [`PayloadError::OtherLength`] if the slice has another length. If an
    /// element is not valid for `T`, the elements before it have been copied.
    pub fn copy_to<T: Element>(&self, elements: &mut [T]) -> Result<(), PayloadError> {
        self.count::<T>()?;
        let room = size_of_val(elements) as u64;
        if room != self.len {
            return Err(PayloadError::OtherLength { len: self.len, room });
        }
        let mut done = 0;
        self.read(|part| {
            elements[done..done + part.len()].copy_from_slice(part);
            done += part.len();
        })
    }

    /// All data as elements of type `T`: borrowed, if it is contiguous and aligned for `T`; otherwise copied once.
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

    /// Calls `take` with all data, which is known to be whole elements, in pieces as large as possible without
    /// copying.
    fn read<T: Element>(&self, mut take: impl FnMut(&[T])) -> Result<(), PayloadError> {
        let size = size_of::<T>();
        if self.is_empty() {
            return Ok(());
        }
        if self.data().any(|bytes| !bytes.len().is_multiple_of(size)) {
            // Some elements lie in two segments.
            return read_part(&self.to_bytes()?, 0, &mut take);
        }
        let mut before = 0;
        for bytes in self.data() {
            read_part(bytes, before, &mut take)?;
            before += bytes.len() / size;
        }
        Ok(())
    }

    /// The number of elements of type `T` in the data, if it can be read as such.
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

    /// The data of all segments that are not phantom.
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

    /// Adds a segment at the end, keeping the invariants of the chain; the caller has made sure that the length does
    /// not overflow.
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
    /// Works from the end, so that a chain is taken apart block by block in linear time.
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
        let tail = Payload { len: self.len - at, element, origin: None, segments: tail };
        self.len = at;
        self.element = element.filter(|_| at > 0);
        tail
    }
}

/// Calls `take` with one segment of whole elements, before which there are `before` other elements.
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

/// The bytes of a slice; empty if its elements have size 0.
fn as_bytes<T: Element>(slice: &[T]) -> &[u8] {
    if size_of::<T>() == 0 { &[] } else { bytemuck::cast_slice(slice) }
}

/// Shows lengths, not data.
impl fmt::Debug for Payload {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Payload { len, element, segments, .. } = self;
        let mut shown = f.debug_struct("Payload");
        shown.field("len", len).field("element", element).field("segments", segments).finish()
    }
}

/// Shows the length, not the data.
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
