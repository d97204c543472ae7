//! The blocks of a message.
//!
//! Most messages of long schedules have a single block. A single block is stored inline, so that such a message needs no allocation and
//! cloning it updates no shared reference count.

use std::{fmt, ops::Deref, sync::Arc};

/// The block numbers of a message, in message order. Cloning shares the list instead of copying it.
///
/// ```
/// use multicomputer::pattern::Blocks;
///
/// let blocks: Blocks = [4, 2].into();
/// assert_eq!(*blocks, [4, 2]);
/// assert_eq!((7..8).collect::<Blocks>(), Blocks::from([7]));
/// ```
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Blocks(Held);

/// The representation. A single block is always `One`, so that equal lists have equal representations.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Held {
    One(u32),
    Several(Arc<[u32]>),
}

impl Blocks {
    /// Creates a list of one block.
    pub(crate) const fn one(block: u32) -> Blocks {
        Blocks(Held::One(block))
    }
}

impl Deref for Blocks {
    type Target = [u32];

    fn deref(&self) -> &[u32] {
        match &self.0 {
            Held::One(block) => std::slice::from_ref(block),
            Held::Several(blocks) => blocks,
        }
    }
}

impl AsRef<[u32]> for Blocks {
    fn as_ref(&self) -> &[u32] {
        self
    }
}

impl Default for Blocks {
    /// Creates an empty list.
    fn default() -> Blocks {
        Blocks(Held::Several(Arc::default()))
    }
}

impl From<&[u32]> for Blocks {
    fn from(blocks: &[u32]) -> Blocks {
        match blocks {
            &[block] => Blocks::one(block),
            blocks => Blocks(Held::Several(blocks.into())),
        }
    }
}

impl<const N: usize> From<[u32; N]> for Blocks {
    fn from(blocks: [u32; N]) -> Blocks {
        blocks[..].into()
    }
}

impl From<Vec<u32>> for Blocks {
    fn from(blocks: Vec<u32>) -> Blocks {
        blocks[..].into()
    }
}

impl From<Arc<[u32]>> for Blocks {
    fn from(blocks: Arc<[u32]>) -> Blocks {
        match blocks[..] {
            [block] => Blocks::one(block),
            _ => Blocks(Held::Several(blocks)),
        }
    }
}

impl From<Blocks> for Arc<[u32]> {
    fn from(blocks: Blocks) -> Arc<[u32]> {
        match blocks.0 {
            Held::One(block) => [block].into(),
            Held::Several(blocks) => blocks,
        }
    }
}

impl FromIterator<u32> for Blocks {
    fn from_iter<I: IntoIterator<Item = u32>>(blocks: I) -> Blocks {
        let mut blocks = blocks.into_iter();
        match (blocks.next(), blocks.next()) {
            (None, _) => Blocks::default(),
            (Some(only), None) => Blocks::one(only),
            (Some(first), Some(second)) => {
                Blocks(Held::Several([first, second].into_iter().chain(blocks).collect()))
            }
        }
    }
}

impl<'a> IntoIterator for &'a Blocks {
    type Item = &'a u32;
    type IntoIter = std::slice::Iter<'a, u32>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl fmt::Debug for Blocks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self[..].fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tests that lists made from different sources are equal.
    #[test]
    fn the_same_blocks_are_equal() {
        for count in 0..5 {
            let list: Vec<u32> = (10..10 + count).rev().collect();
            let shared: Arc<[u32]> = list.as_slice().into();
            let blocks = Blocks::from(list.clone());
            assert_eq!(*blocks, *list);
            assert_eq!(format!("{blocks:?}"), format!("{list:?}"));
            for same in [list.as_slice().into(), list.iter().copied().collect(), shared.clone().into()] {
                assert_eq!(blocks, same);
            }
            assert_eq!(Arc::<[u32]>::from(blocks), shared);
        }
        assert_eq!(Blocks::default(), Blocks::from([]));
        assert_eq!(size_of::<Blocks>(), size_of::<Arc<[u32]>>(), "a message is not longer for it");
    }
}
