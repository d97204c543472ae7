//! The layout of a datatype in memory: a tree that mirrors how the datatype was made.
//!
//! A layout is the *typemap* of the standard (MPI 5.0, section 5.1) without its enumeration: a sequence of basic types with displacements.
//! A node of the tree is a basic type, copies of one layout at a constant stride, copies of one layout at irregular places, or a
//! structure of several layouts. Sizes, bounds and whether the data is one *run* of bytes are computed when a node is made, so a vector of a
//! million blocks takes as much memory as a vector of two. Whoever copies data walks the tree and gets runs, in the order of the typemap,
//! adjacent runs merged.

mod walk;

use std::sync::{Arc, OnceLock};

pub use self::walk::Rows;
use super::basic::{Basic, Class, Element};

/// The layout of a datatype.
#[derive(Debug)]
pub struct Layout {
    /// Bytes of data.
    size: u64,
    /// Number of basic types.
    elements: u64,
    lb: i64,
    ub: i64,
    /// Whether a bound was set by `MPI_Type_create_resized`, of this layout or of one that it contains.
    is_resized: bool,
    true_lb: i64,
    true_ub: i64,
    /// The largest alignment of a basic type.
    alignment: i64,
    /// Whether the data is one run of bytes in the order of the typemap.
    is_run: bool,
    /// Whether `MPI_BYTE` or `MPI_PACKED` occurs.
    is_untyped: bool,
    /// The only basic type, if there is one.
    single: Option<Basic>,
    /// The hash of the signature of one element, once it was needed.
    pub(super) hash: OnceLock<u64>,
    pub(super) shape: Shape,
}

/// How a layout is made of others.
#[derive(Clone, Debug)]
pub(super) enum Shape {
    /// No data.
    Empty,
    /// One basic type at displacement 0.
    Basic(Basic),
    /// Copies whose displacements are 0, `stride`, 2 `stride`, and so on.
    Repeat { count: u64, stride: i64, of: Arc<Layout> },
    /// Blocks: a displacement in bytes, and a number of adjacent copies.
    Blocks { blocks: Arc<[(i64, u64)]>, of: Arc<Layout> },
    /// Members: a displacement in bytes, and a number of adjacent copies of a layout.
    Struct { members: Arc<[Member]> },
}

/// A member of a structure.
#[derive(Clone, Debug)]
pub(super) struct Member {
    pub(super) displacement: i64,
    pub(super) count: u64,
    pub(super) layout: Arc<Layout>,
}

/// Sizes and bounds of a layout that is being made.
struct Hull {
    size: i128,
    elements: i128,
    resized: Option<(i128, i128)>,
    truth: Option<(i128, i128)>,
    alignment: i64,
    is_run: bool,
    is_untyped: bool,
    single: Option<Basic>,
}

impl Hull {
    fn new() -> Hull {
        Hull {
            size: 0,
            elements: 0,
            resized: None,
            truth: None,
            alignment: 1,
            is_run: true,
            is_untyped: false,
            single: None,
        }
    }

    /// Adds copies of a layout at displacements from `first` to `last` that are `stride` apart.
    fn add(&mut self, first: i128, stride: i128, count: u64, layout: &Layout) {
        if count == 0 {
            return;
        }
        let last = first + stride * i128::from(count - 1);
        let (low, high) = (first.min(last), first.max(last));
        let join = |to: &mut Option<(i128, i128)>, lb: i64, ub: i64| {
            let (lb, ub) = (low + i128::from(lb), high + i128::from(ub));
            *to = Some(to.map_or((lb, ub), |(l, u)| (l.min(lb), u.max(ub))));
        };
        if layout.is_resized {
            join(&mut self.resized, layout.lb, layout.ub);
        }
        if layout.size == 0 {
            return;
        }
        self.single = if self.size == 0 || self.single == layout.single { layout.single } else { None };
        self.is_untyped |= layout.is_untyped;
        self.is_run &= layout.is_run
            && (count == 1 || stride == i128::from(layout.size))
            && self.truth.is_none_or(|(_, end)| end == first + i128::from(layout.true_lb));
        join(&mut self.truth, layout.true_lb, layout.true_ub);
        self.alignment = self.alignment.max(layout.alignment);
        self.size += i128::from(layout.size) * i128::from(count);
        self.elements += i128::from(layout.elements) * i128::from(count);
    }

    /// The layout, or `None` if a number is too large.
    fn finish(self, shape: Shape) -> Option<Arc<Layout>> {
        let (true_lb, true_ub) = self.truth.unwrap_or((0, 0));
        let (lb, ub) = self.resized.unwrap_or_else(|| {
            // The extent is a multiple of the strictest alignment.
            let alignment = i128::from(self.alignment);
            (true_lb, true_lb + (true_ub - true_lb + alignment - 1).div_euclid(alignment) * alignment)
        });
        // Differences of bounds are numbers of 64 bits as well.
        i64::try_from(ub - lb).ok()?;
        i64::try_from(true_ub - true_lb).ok()?;
        i64::try_from(self.size).ok()?;
        Some(Arc::new(Layout {
            size: self.size.try_into().ok()?,
            elements: self.elements.try_into().ok()?,
            lb: lb.try_into().ok()?,
            ub: ub.try_into().ok()?,
            is_resized: self.resized.is_some(),
            true_lb: true_lb.try_into().ok()?,
            true_ub: true_ub.try_into().ok()?,
            alignment: self.alignment,
            is_run: self.is_run,
            is_untyped: self.is_untyped,
            single: self.single,
            hash: OnceLock::new(),
            shape: if self.size == 0 { Shape::Empty } else { shape },
        }))
    }
}

/// Constructors. Those that return an `Option` return `None` if a size or a displacement exceeds 63 bits.
impl Layout {
    /// The layout of one basic type.
    pub fn basic(basic: Basic) -> Layout {
        Layout {
            size: basic.size.into(),
            elements: u64::from(basic.size > 0),
            lb: 0,
            ub: basic.size.into(),
            is_resized: false,
            true_lb: 0,
            true_ub: basic.size.into(),
            alignment: basic.alignment(),
            is_run: true,
            is_untyped: basic.class == Class::Packed,
            single: Some(basic),
            hash: OnceLock::new(),
            shape: if basic.size == 0 { Shape::Empty } else { Shape::Basic(basic) },
        }
    }

    /// The layout of a predefined datatype.
    pub fn of_element(element: Element) -> Arc<Layout> {
        let (value, index) = match element {
            Element::One(basic) => return Arc::new(Layout::basic(basic)),
            Element::Pair(value, index) => (Arc::new(Layout::basic(value)), Arc::new(Layout::basic(index))),
        };
        let place = value.ub.max(index.alignment);
        // All sizes are powers of two.
        Layout::structure(vec![(0, 1, value), (place, 1, index)]).expect("a pair is small")
    }

    /// Copies at displacements 0, `stride`, 2 `stride`, and so on.
    pub fn repeat(count: u64, stride: i64, of: &Arc<Layout>) -> Option<Arc<Layout>> {
        if count == 1 {
            return Some(of.clone());
        }
        let mut hull = Hull::new();
        hull.add(0, stride.into(), count, of);
        hull.finish(Shape::Repeat { count, stride, of: of.clone() })
    }

    /// Adjacent copies.
    pub fn contiguous(count: u64, of: &Arc<Layout>) -> Option<Arc<Layout>> {
        Layout::repeat(count, of.extent(), of)
    }

    /// Blocks of adjacent copies: displacements in bytes, and numbers of copies.
    pub fn blocks(blocks: Vec<(i64, u64)>, of: &Arc<Layout>) -> Option<Arc<Layout>> {
        let mut hull = Hull::new();
        for &(displacement, count) in &blocks {
            hull.add(displacement.into(), of.extent().into(), count, of);
        }
        hull.finish(Shape::Blocks { blocks: blocks.into(), of: of.clone() })
    }

    /// A structure: displacements in bytes, numbers of adjacent copies, layouts.
    pub fn structure(members: Vec<(i64, u64, Arc<Layout>)>) -> Option<Arc<Layout>> {
        let mut hull = Hull::new();
        for (displacement, count, layout) in &members {
            hull.add((*displacement).into(), layout.extent().into(), *count, layout);
        }
        let members = members
            .into_iter()
            .map(|(displacement, count, layout)| Member { displacement, count, layout })
            .collect();
        hull.finish(Shape::Struct { members })
    }

    /// The same data with other bounds.
    pub fn resized(&self, lb: i64, extent: i64) -> Option<Arc<Layout>> {
        Some(Arc::new(Layout {
            lb,
            ub: lb.checked_add(extent)?,
            is_resized: true,
            hash: self.hash.clone(),
            shape: self.shape.clone(),
            ..*self
        }))
    }
}

impl Layout {
    /// Bytes of data.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// The number of basic types.
    pub fn elements(&self) -> u64 {
        self.elements
    }

    /// The lower bound.
    pub fn lb(&self) -> i64 {
        self.lb
    }

    /// The upper bound.
    pub fn ub(&self) -> i64 {
        self.ub
    }

    /// The distance of consecutive elements.
    pub fn extent(&self) -> i64 {
        self.ub - self.lb
    }

    /// The displacement of the first byte of data.
    pub fn true_lb(&self) -> i64 {
        self.true_lb
    }

    /// The displacement after the last byte of data.
    pub fn true_ub(&self) -> i64 {
        self.true_ub
    }

    /// The bytes from the first to the last byte of data.
    pub fn true_extent(&self) -> i64 {
        self.true_ub - self.true_lb
    }

    /// Returns whether any number of elements is one run of bytes at displacement 0, like an array of a basic type.
    pub fn is_contiguous(&self) -> bool {
        self.is_run && self.true_lb == 0 && self.extent() == self.size as i64
    }

    /// Returns the displacement of the data of `count` elements if it is one run of bytes.
    pub fn run(&self, count: u64) -> Option<i64> {
        (self.is_run && (count <= 1 || self.extent() == self.size as i64)).then_some(self.true_lb)
    }

    /// The displacements of the first byte of data of `count` elements and after the last one.
    pub fn span(&self, count: u64) -> (i64, i64) {
        if count == 0 || self.size == 0 {
            return (0, 0);
        }
        let last = self.extent().wrapping_mul(count as i64 - 1);
        (self.true_lb.wrapping_add(last.min(0)), self.true_ub.wrapping_add(last.max(0)))
    }

    /// The basic type, if there is only one kind.
    pub fn single(&self) -> Option<Basic> {
        self.single
    }

    /// Returns whether `MPI_BYTE` or `MPI_PACKED` occurs.
    pub(super) fn is_untyped(&self) -> bool {
        self.is_untyped
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::datatype::basic::NAMED;

    fn of(name: &str) -> Arc<Layout> {
        let named = NAMED.iter().find(|named| named.name == name).unwrap();
        Layout::of_element(named.element)
    }

    fn runs(layout: &Layout, count: u64) -> Vec<(i64, u64)> {
        let mut runs = Vec::new();
        layout.for_each_run(count, |displacement, length| runs.push((displacement, length)));
        runs
    }

    #[test]
    fn layouts_go_to_other_threads() {
        fn check<T: Send + Sync>() {}
        check::<Layout>();
    }

    #[test]
    fn pairs_have_the_padding_of_c() {
        let facts = |name| {
            let layout = of(name);
            (layout.size(), layout.extent(), layout.is_contiguous())
        };
        assert_eq!(facts("MPI_FLOAT_INT"), (8, 8, true));
        assert_eq!(facts("MPI_DOUBLE_INT"), (12, 16, false));
        assert_eq!(facts("MPI_LONG_INT"), (12, 16, false));
        assert_eq!(facts("MPI_SHORT_INT"), (6, 8, false));
        assert_eq!(facts("MPI_LONG_DOUBLE_INT"), (20, 32, false));
        assert_eq!(facts("MPI_2DOUBLE_PRECISION"), (16, 16, true));
        assert_eq!(runs(&of("MPI_SHORT_INT"), 2), [(0, 2), (4, 6), (12, 4)].to_vec());
        // The index of one element and the value of the next are adjacent only without padding.
        assert_eq!(runs(&of("MPI_DOUBLE_INT"), 2), [(0, 12), (16, 12)].to_vec());
    }

    #[test]
    fn a_vector_of_a_million_blocks_is_one_node() {
        let double = of("MPI_DOUBLE");
        let row = Layout::contiguous(3, &double).unwrap();
        let vector = Layout::repeat(1_000_000, 80, &row).unwrap();
        assert_eq!((vector.size(), vector.extent()), (24_000_000, 79_999_944));
        assert_eq!(vector.elements(), 3_000_000);
        assert!(!vector.is_contiguous());
        let mut count = 0;
        vector.for_each_run(1, |_, length| count += length);
        assert_eq!(count, 24_000_000);
        assert_eq!(vector.elements_in(24 * 5 + 8 + 3), (16, 3));
        assert_eq!(vector.bytes_of(16), 24 * 5 + 8);
    }

    #[test]
    fn adjacent_runs_are_merged() {
        let int = of("MPI_INT");
        let blocks = Layout::blocks(vec![(8, 2), (16, 1), (0, 1), (4, 1)], &int).unwrap();
        assert_eq!(runs(&blocks, 1), [(8, 12), (0, 8)].to_vec());
        assert!(!blocks.is_contiguous());
        let ascending = Layout::blocks(vec![(0, 1), (4, 0), (4, 3)], &int).unwrap();
        assert!(ascending.is_contiguous());
        assert_eq!(runs(&ascending, 5), [(0, 80)].to_vec());
    }

    #[test]
    fn bounds_that_were_set_stay() {
        let int = of("MPI_INT");
        let wide = int.resized(-4, 16).unwrap();
        assert_eq!((wide.lb(), wide.extent(), wide.true_lb(), wide.true_extent()), (-4, 16, 0, 4));
        let pair = Layout::structure(vec![(0, 1, wide.clone()), (100, 1, int.clone())]).unwrap();
        assert_eq!((pair.lb(), pair.ub(), pair.true_ub()), (-4, 12, 104));
        assert_eq!(runs(&wide, 3), [(0, 4), (16, 4), (32, 4)].to_vec());
        // The extent of a structure is a multiple of the alignment of its members.
        let odd = Layout::structure(vec![(0, 1, of("MPI_DOUBLE")), (8, 1, of("MPI_CHAR"))]).unwrap();
        assert_eq!((odd.size(), odd.extent()), (9, 16));
    }

    #[test]
    fn negative_strides_and_too_large_numbers() {
        let int = of("MPI_INT");
        let back = Layout::repeat(3, -8, &int).unwrap();
        assert_eq!((back.lb(), back.ub()), (-16, 4));
        assert_eq!(runs(&back, 1), [(0, 4), (-8, 4), (-16, 4)].to_vec());
        assert!(Layout::repeat(1 << 62, 4, &int).is_none());
        assert!(Layout::repeat(3, i64::MAX, &int).is_none());
    }
}
