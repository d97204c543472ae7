//! Groups: ordered sets of processes.
//!
//! A process is known by its rank in the world, of which there is one. Most groups are regular: their world ranks have equal distances, so
//! they take no memory whatever their size.

mod function;
#[cfg(test)]
mod tests;

use std::{cell::OnceCell, rc::Rc};

pub(crate) use self::function::FUNCTIONS;
use crate::{
    abi,
    error::{Class, Error, Result},
    process::Process,
    table::{Kind, Table},
    word::{Argument, Handle},
};

/// World ranks in the order of the group.
#[derive(Clone, Debug)]
enum Ranks {
    /// The world ranks `first`, `first + stride`, ..; the stride may be negative.
    Strided { first: usize, stride: isize, size: usize },
    /// Any world ranks, and pairs of a world rank and its rank in the group sorted by world rank, made on first use.
    Listed { ranks: Rc<[usize]>, sorted: OnceCell<Rc<[(usize, usize)]>> },
}

/// A group.
#[derive(Clone, Debug)]
pub struct Group {
    ranks: Ranks,
    /// The rank of this process.
    rank: Option<usize>,
}

impl Group {
    /// Makes the group of processes with these world ranks, which are distinct. `this` is the world rank of this process.
    pub fn new(ranks: &[usize], this: usize) -> Group {
        let stride = match *ranks {
            [] | [_] => Some(1),
            [first, second, ..] => Some(second as isize - first as isize)
                .filter(|&stride| ranks.windows(2).all(|pair| pair[1] as isize - pair[0] as isize == stride)),
        };
        let ranks = match stride {
            Some(stride) => {
                Ranks::Strided { first: ranks.first().copied().unwrap_or(0), stride, size: ranks.len() }
            }
            None => Ranks::Listed { ranks: ranks.into(), sorted: OnceCell::new() },
        };
        let mut group = Group { ranks, rank: None };
        group.rank = group.rank_of(this);
        group
    }

    /// The number of processes.
    pub fn size(&self) -> usize {
        match &self.ranks {
            Ranks::Strided { size, .. } => *size,
            Ranks::Listed { ranks, .. } => ranks.len(),
        }
    }

    /// The rank of this process; `None` if it is no member.
    pub fn rank(&self) -> Option<usize> {
        self.rank
    }

    /// The world rank of the member with a rank; `None` if there is no such member.
    pub fn world_rank(&self, rank: usize) -> Option<usize> {
        match &self.ranks {
            Ranks::Strided { first, stride, size } => {
                (rank < *size).then(|| first.wrapping_add_signed(stride * rank as isize))
            }
            Ranks::Listed { ranks, .. } => ranks.get(rank).copied(),
        }
    }

    /// The rank of the process with a world rank; `None` if it is no member.
    pub fn rank_of(&self, world_rank: usize) -> Option<usize> {
        match &self.ranks {
            Ranks::Strided { first, stride, size } => {
                let distance = world_rank as isize - *first as isize;
                let rank = distance / stride;
                (distance % stride == 0 && (0..*size as isize).contains(&rank)).then_some(rank as usize)
            }
            Ranks::Listed { ranks, sorted } => {
                let sorted = sorted.get_or_init(|| {
                    let mut sorted: Vec<(usize, usize)> = ranks.iter().copied().zip(0..).collect();
                    sorted.sort_unstable();
                    sorted.into()
                });
                let found = sorted.binary_search_by_key(&world_rank, |&(world_rank, _)| world_rank);
                found.ok().map(|at| sorted[at].1)
            }
        }
    }

    /// Whether the process with a world rank is a member.
    pub fn contains(&self, world_rank: usize) -> bool {
        self.rank_of(world_rank).is_some()
    }

    /// The world ranks in the order of the group.
    pub fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.size()).filter_map(|rank| self.world_rank(rank))
    }

    /// The world ranks in the order of the group, as a list.
    pub fn nodes(&self) -> Vec<usize> {
        self.iter().collect()
    }

    /// Compares two groups: `MPI_IDENT`, `MPI_SIMILAR` or `MPI_UNEQUAL`.
    pub fn compare(&self, other: &Group) -> i32 {
        if self.size() != other.size() {
            abi::UNEQUAL
        } else if self.iter().eq(other.iter()) {
            abi::IDENT
        } else if self.iter().all(|world_rank| other.contains(world_rank)) {
            abi::SIMILAR
        } else {
            abi::UNEQUAL
        }
    }
}

impl<'n> Argument<'n> for Rc<Group> {
    fn decode(process: &Process<'n>, word: usize) -> Result<Self> {
        process.groups.borrow().table.get(Handle(word)).ok_or_else(|| {
            let text = if Handle(word) == abi::GROUP_NULL {
                "MPI_GROUP_NULL was given".to_owned()
            } else {
                format!("{word:#x} is no group")
            };
            Error::new(Class::GROUP, text)
        })
    }
}

/// The groups of a process.
#[derive(Debug)]
pub struct State {
    pub(crate) table: Table<Rc<Group>>,
}

impl Default for State {
    fn default() -> State {
        let mut table = Table::new(Kind::Group);
        table.predefine(abi::GROUP_EMPTY, Rc::new(Group::new(&[], 0)));
        State { table }
    }
}

/// Enters the group of processes with these world ranks for the program and returns its handle. A group without members is
/// `MPI_GROUP_EMPTY`.
pub(crate) fn enter(process: &Process<'_>, world_ranks: &[usize]) -> Handle {
    match world_ranks {
        [] => abi::GROUP_EMPTY,
        _ => {
            let group = Group::new(world_ranks, process.node.rank());
            process.groups.borrow_mut().table.insert(Rc::new(group))
        }
    }
}
