//! Interned sets of members: each set is stored once and identified by a number, so nodes with equal holdings share it.

use std::collections::BTreeMap;

/// The number of an interned set.
pub(super) type SetId = u32;

/// The empty set.
pub(super) const EMPTY: SetId = 0;

/// A set as half-open ranges of members, sorted, disjoint and not adjacent.
type Ranges = Vec<(u32, u32)>;

/// All interned sets.
#[derive(Debug)]
pub(super) struct Sets {
    numbers: BTreeMap<Ranges, SetId>,
    sets: Vec<Ranges>,
    sizes: Vec<u64>,
    /// The cached union of two sets, keyed by their numbers in ascending order.
    unions: BTreeMap<(SetId, SetId), SetId>,
    last: ((SetId, SetId), SetId),
}

impl Sets {
    pub(super) fn new() -> Sets {
        let numbers = BTreeMap::from([(Ranges::new(), EMPTY)]);
        let sets = vec![Ranges::new()];
        Sets { numbers, sets, sizes: vec![0], unions: BTreeMap::new(), last: ((EMPTY, EMPTY), EMPTY) }
    }

    /// Returns the set with one member.
    pub(super) fn one(&mut self, member: u32) -> SetId {
        self.number(vec![(member, member + 1)])
    }

    /// Returns the number of members of a set.
    pub(super) fn size(&self, set: SetId) -> u64 {
        self.sizes[set as usize]
    }

    /// Returns the union of two sets. Each union is computed once.
    pub(super) fn union(&mut self, one: SetId, other: SetId) -> SetId {
        if one == other || other == EMPTY {
            return one;
        }
        if one == EMPTY {
            return other;
        }
        let both = (one.min(other), one.max(other));
        // Fast path: the blocks of a message are often held by the same members.
        if self.last.0 == both {
            return self.last.1;
        }
        let union = match self.unions.get(&both) {
            Some(&union) => union,
            None => {
                let union = merged(&self.sets[one as usize], &self.sets[other as usize]);
                let union = self.number(union);
                self.unions.insert(both, union);
                union
            }
        };
        self.last = (both, union);
        union
    }

    fn number(&mut self, set: Ranges) -> SetId {
        if let Some(&number) = self.numbers.get(&set) {
            return number;
        }
        let number = self.sets.len() as SetId;
        self.sizes.push(set.iter().map(|&(from, to)| u64::from(to - from)).sum());
        self.sets.push(set.clone());
        self.numbers.insert(set, number);
        number
    }
}

/// Merges the ranges of two sets.
fn merged(one: &[(u32, u32)], other: &[(u32, u32)]) -> Ranges {
    let mut all: Ranges = one.iter().chain(other).copied().collect();
    all.sort_unstable();
    let mut union = Ranges::new();
    for (from, to) in all {
        match union.last_mut() {
            Some(last) if last.1 >= from => last.1 = last.1.max(to),
            _ => union.push((from, to)),
        }
    }
    union
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_sets_have_the_same_id() {
        let mut sets = Sets::new();
        let [one, two, three, nine] = [1, 2, 3, 9].map(|member| sets.one(member));
        let (low, high) = (sets.union(one, two), sets.union(three, nine));
        let (outer, inner) = (sets.union(one, nine), sets.union(three, two));
        let all = sets.union(low, high);
        assert_eq!(all, sets.union(inner, outer));
        assert_eq!([EMPTY, one, low, inner, high, all].map(|set| sets.size(set)), [0, 1, 2, 2, 2, 4]);
        assert_eq!((sets.union(all, two), sets.union(EMPTY, all), sets.one(9)), (all, all, nine));
        assert_eq!(sets.sets[all as usize], [(1, 4), (9, 10)]);
    }
}
