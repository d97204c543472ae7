//! The exchange calls of programs.

use std::sync::Arc;

use super::{Algorithm, CallError, Instance, Matrix, MatrixError, Plan, plan::EXCHANGE, sparse};
use crate::{
    collective::Collective,
    comm::{Call, Caller, Group, MAX_MESSAGE},
    payload::{Element, ElementType, Payload},
    plan::Cache,
    rank::Rank,
    text::count,
};

/// All-to-all and many-to-many communication in a group: every member has a distinct vector for each, or some, of the other members.
///
/// All members make the same calls with the same algorithm in the same order. Otherwise they get
/// [`CommError::Mismatch`](crate::error::CommError::Mismatch). *Auto* chooses the algorithm unless one is [given](Group::using).
///
/// | call | input known to a member | traffic besides the data |
/// | --- | --- | --- |
/// | [`all_to_all`](ManyToMany::all_to_all) | its outgoing blocks, all of one length | nothing |
/// | [`all_to_allv`](ManyToMany::all_to_allv) | its outgoing vectors | an all-gather of all send vectors |
/// | [`all_to_allv_known`](ManyToMany::all_to_allv_known) | the whole matrix | nothing |
/// | [`sparse_exchange`](ManyToMany::sparse_exchange) | its outgoing vectors, to few ranks | one number for each member |
///
/// Each call has a form on payloads, which moves data by reference and accepts phantom payloads. The other forms copy each vector once on
/// input and once on output.
///
/// All calls but the last plan each new matrix, and cache the plan with the machine. Planning takes some milliseconds of host time on about
/// ten nodes and is not charged. Message headers are modeled and charged.
///
/// ```
/// use multicomputer::{Machine, all_to_all::{Algorithm, ManyToMany}, prelude::*};
///
/// let machine = Machine::paragon(2, 3).build()?;
/// let run = machine.run(|node| {
///     // Node i has i numbers for every node after it, in one stage with as few rounds as possible.
///     let (rank, size) = (node.rank(), node.world().size());
///     let mine: Vec<Vec<u32>> =
///         (0..size).map(|to| vec![rank as u32; if to > rank { rank } else { 0 }]).collect();
///     Ok(node.world().using(Algorithm::COLORED).all_to_allv(&mine)?)
/// })?;
/// assert_eq!(run.outputs[3], [vec![], vec![1], vec![2, 2], vec![], vec![], vec![]]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// This trait is sealed: every [`Caller`] has these calls, and no other crate can implement it.
///
/// # Errors
///
/// Every call fails with [`CallError`] if its arguments do not match the group or the arguments of other members, or if a message cannot
/// be sent or received.
pub trait ManyToMany: Caller<Instance> {
    /// Exchanges blocks of one length: every member gives one block for each rank, one after the other in one slice, and gets one block from
    /// each rank, in rank order. The number of elements must be a multiple of the number of ranks, and the same on all members. Nothing but
    /// the data is sent.
    ///
    /// ```
    /// use multicomputer::prelude::*;
    ///
    /// let run = Machine::paragon(1, 3).build()?.run(|node| {
    ///     let mine: Vec<usize> = (0..6).map(|element| 10 * node.rank() + element).collect();
    ///     Ok(node.world().all_to_all(&mine)?)
    /// })?;
    /// assert_eq!(run.outputs[1], [2, 3, 12, 13, 22, 23]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[doc(alias = "MPI_Alltoall")]
    #[doc(alias = "alltoall")]
    #[track_caller]
    fn all_to_all<T: Element + Send>(&self, outgoing: &[T]) -> Result<Vec<T>, CallError> {
        self.group().note_call();
        let (element, given, size) = (element::<T>()?, outgoing.len(), self.group().size());
        if !given.is_multiple_of(size) {
            return Err(CallError::Blocks { given, size });
        }
        let (block, all) = (given / size, Payload::from(outgoing));
        let bytes = (block * element.size()) as u64;
        let what = format!("blocks of {block} {element}");
        let blocks = (0..size as u64).map(|to| all.slice(to * bytes..(to + 1) * bytes));
        let incoming =
            exchange_blocks(self.group(), self.algorithm(), &what, bytes, blocks.collect::<Result<_, _>>()?)?;
        Ok(Payload::concat(incoming).to_vec()?)
    }

    /// Exchanges payloads of one length by reference, as [`all_to_all`](ManyToMany::all_to_all) does blocks of a slice.
    #[track_caller]
    fn all_to_all_payloads(&self, outgoing: Vec<Payload>) -> Result<Vec<Payload>, CallError> {
        self.group().note_call();
        check_number(self.group(), &outgoing)?;
        let bytes = outgoing[0].len();
        if let Some(to) = outgoing.iter().position(|payload| payload.len() != bytes) {
            return Err(CallError::Unequal { to, given: outgoing[to].len(), expected: bytes });
        }
        let what = format!("payloads of {}", count(bytes, "byte"));
        exchange_blocks(self.group(), self.algorithm(), &what, bytes, outgoing)
    }

    /// Exchanges vectors: every member gives one vector for each rank, and gets one vector from each rank. The receivers need not know the
    /// lengths: an all-gather of the lengths comes first, with four bytes for each pair of ranks.
    #[doc(alias = "MPI_Alltoallv")]
    #[doc(alias = "alltoallv")]
    #[track_caller]
    fn all_to_allv<T: Element + Send, S: AsRef<[T]>>(
        &self,
        outgoing: &[S],
    ) -> Result<Vec<Vec<T>>, CallError> {
        self.group().note_call();
        let (element, payloads) = typed(outgoing)?;
        vectors(exchange_unknown_lengths(self.group(), self.algorithm(), &element.to_string(), payloads)?)
    }

    /// Exchanges vectors whose lengths are known to all members. All members give the same matrix of bytes, and only the data is sent.
    #[doc(alias = "alltoallv")]
    #[track_caller]
    fn all_to_allv_known<T: Element + Send, S: AsRef<[T]>>(
        &self,
        matrix: &Arc<Matrix>,
        outgoing: &[S],
    ) -> Result<Vec<Vec<T>>, CallError> {
        self.group().note_call();
        let (element, payloads) = typed(outgoing)?;
        vectors(exchange_with_matrix(self.group(), self.algorithm(), &element.to_string(), matrix, payloads)?)
    }

    /// Exchanges payloads by reference, as [`all_to_allv`](ManyToMany::all_to_allv) does vectors.
    ///
    /// ```
    /// use multicomputer::{Machine, Payload, all_to_all::ManyToMany, prelude::*};
    ///
    /// let machine = Machine::paragon(2, 2).build()?;
    /// let run = machine.run(|node| {
    ///     let mine = (0..4).map(|to| Payload::phantom((node.rank() + to) as u64 * 1_000_000)).collect();
    ///     let got = node.world().all_to_allv_payloads(mine)?;
    ///     Ok(got.iter().map(Payload::len).sum::<u64>())
    /// })?;
    /// assert_eq!(run.outputs, [6_000_000, 10_000_000, 14_000_000, 18_000_000]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[track_caller]
    fn all_to_allv_payloads(&self, outgoing: Vec<Payload>) -> Result<Vec<Payload>, CallError> {
        exchange_unknown_lengths(self.group(), self.algorithm(), "payloads", outgoing)
    }

    /// Exchanges payloads by reference, as [`all_to_allv_known`](ManyToMany::all_to_allv_known) does vectors.
    #[track_caller]
    fn all_to_allv_payloads_known(
        &self,
        matrix: &Arc<Matrix>,
        outgoing: Vec<Payload>,
    ) -> Result<Vec<Payload>, CallError> {
        exchange_with_matrix(self.group(), self.algorithm(), "payloads", matrix, outgoing)
    }

    /// Sends vectors to some ranks, and returns the received vectors ordered by sender. A rank may occur several times in `outgoing`; it
    /// gets the vectors of one sender, including empty ones, in the order in which the sender lists them.
    ///
    /// A reduce-scatter of message counts gives each member its number of incoming messages. Then each member starts all sends and receives
    /// from any source. This is fast if few pairs of ranks have messages. There is no schedule that avoids contention, and the
    /// [algorithm](Group::using) is ignored.
    ///
    /// ```
    /// use multicomputer::{Machine, all_to_all::ManyToMany, prelude::*};
    ///
    /// let machine = Machine::paragon(2, 2).build()?;
    /// let run = machine.run(|node| {
    ///     let mine: &[(Rank, &[u8])] = if node.rank() % 2 == 1 { &[(0, b"one"), (2, b"two")] } else { &[] };
    ///     Ok(node.world().sparse_exchange(mine)?)
    /// })?;
    /// assert_eq!(run.outputs[2], [(1, b"two".to_vec()), (3, b"two".to_vec())]);
    /// assert!(run.outputs[1].is_empty());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// Source: the personalized census of T. Hoefler, C. Siebert, A. Lumsdaine, "Scalable communication protocols for
    /// dynamic sparse data exchange", PPoPP 2010.
    #[track_caller]
    fn sparse_exchange<T: Element + Send, S: AsRef<[T]>>(
        &self,
        outgoing: &[(Rank, S)],
    ) -> Result<Vec<(Rank, Vec<T>)>, CallError> {
        self.group().note_call();
        let element = element::<T>()?;
        let payloads = outgoing.iter().map(|(to, data)| (*to, Payload::from(data.as_ref()))).collect();
        let incoming = sparse::carry_out(self.group(), &element.to_string(), payloads)?;
        incoming.into_iter().map(|(from, payload)| Ok((from, payload.to_vec()?))).collect()
    }

    /// Exchanges payloads by reference, as [`sparse_exchange`](ManyToMany::sparse_exchange) does vectors.
    #[track_caller]
    fn sparse_exchange_payloads(
        &self,
        outgoing: Vec<(Rank, Payload)>,
    ) -> Result<Vec<(Rank, Payload)>, CallError> {
        sparse::carry_out(self.group(), "payloads", outgoing)
    }

    /// Returns the plan for a matrix, with its algorithm and prediction. All members get the same plan. A call of this method before a
    /// real-time measurement keeps planning out of the measured time.
    #[track_caller]
    fn all_to_allv_plan(&self, matrix: &Arc<Matrix>) -> Result<Arc<Plan>, CallError> {
        self.group().note_call();
        plan(self.group(), &self.algorithm(), matrix)
    }
}

impl<C: Caller<Instance>> ManyToMany for C {}

/// Carries out an exchange in which every member has only its own row of the matrix.
#[track_caller]
fn exchange_unknown_lengths(
    group: &Group<'_>,
    algorithm: Algorithm,
    what: &str,
    outgoing: Vec<Payload>,
) -> Result<Vec<Payload>, CallError> {
    // Numbered calls: this exchange, the all-gather of the lengths, and the execution of the plan.
    let calls = 3;
    group.library_call(EXCHANGE, || {
        group.numbered(calls, || {
            let text = format_args!("an all-to-all of {what}, algorithm {algorithm}");
            group.agree(&Call::new(EXCHANGE, &text, &algorithm))?;
            check_number(group, &outgoing)?;
            let lengths = outgoing.iter().enumerate().map(|(to, payload)| match payload.len() {
                given if given > MAX_MESSAGE => Err(CallError::TooLong { to, given }),
                given => Ok(given as u32),
            });
            let mine = lengths.collect::<Result<Vec<u32>, CallError>>()?;
            let size = group.size();
            let all = CollectedRows(group.all_gather(&mine, size * size)?.into());
            let matrix = all.matrix(size, group.cache())?;
            Ok(plan(group, &algorithm, &matrix)?.carry_out(group, outgoing)?)
        })
    })
}

/// Carries out an exchange in which every member has `bytes` bytes for every rank.
#[track_caller]
fn exchange_blocks(
    group: &Group<'_>,
    algorithm: Algorithm,
    what: &str,
    bytes: u64,
    outgoing: Vec<Payload>,
) -> Result<Vec<Payload>, CallError> {
    group.library_call(EXCHANGE, || {
        let text = format_args!("an all-to-all of {what}, algorithm {algorithm}");
        group.agree(&Call::new(EXCHANGE, &text, (&algorithm, bytes)))?;
        let nodes = group.size();
        let matrix = group.cache().get(
            EqualBlocks { nodes, bytes },
            |_| nodes * nodes,
            || Ok::<_, MatrixError>(Arc::new(Matrix::of(nodes, |_, _| bytes)?)),
        )?;
        Ok(plan(group, &algorithm, &matrix)?.carry_out(group, outgoing)?)
    })
}

/// Carries out an exchange in which every member has the whole matrix.
#[track_caller]
fn exchange_with_matrix(
    group: &Group<'_>,
    algorithm: Algorithm,
    what: &str,
    matrix: &Arc<Matrix>,
    outgoing: Vec<Payload>,
) -> Result<Vec<Payload>, CallError> {
    group.library_call(EXCHANGE, || {
        let text = format_args!("an all-to-all of {what} with a known matrix, algorithm {algorithm}");
        group.agree(&Call::new(EXCHANGE, &text, (&algorithm, matrix)))?;
        check_number(group, &outgoing)?;
        Ok(plan(group, &algorithm, matrix)?.carry_out(group, outgoing)?)
    })
}

/// Returns the plan of an exchange, made once for all members.
fn plan(group: &Group<'_>, algorithm: &Algorithm, matrix: &Arc<Matrix>) -> Result<Arc<Plan>, CallError> {
    let instance = Instance::among(group.machine(), group.members(), matrix.clone())?;
    Ok(algorithm.cached_plan(&instance, group.cache())?)
}

/// Cache key: the matrix of an exchange of blocks of one length.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct EqualBlocks {
    nodes: usize,
    bytes: u64,
}

/// Cache key: the entries of a collected matrix, row by row. All members of a call share one matrix.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct CollectedRows(Arc<[u32]>);

impl CollectedRows {
    /// Returns the matrix of `nodes` nodes with these entries, from the cache if it is there.
    fn matrix(&self, nodes: usize, cache: &Cache) -> Result<Arc<Matrix>, MatrixError> {
        let of = |from: Rank, to: Rank| self.0[from * nodes + to].into();
        // The weight overstates the memory, so that entries are evicted early: an entry is needed only at the start of a call, and is cheap
        // to compute again.
        cache.get(self.clone(), |_| self.0.len(), || Ok(Arc::new(Matrix::of(nodes, of)?)))
    }
}

fn check_number(group: &Group<'_>, outgoing: &[Payload]) -> Result<(), CallError> {
    let (given, size) = (outgoing.len(), group.size());
    if given == size { Ok(()) } else { Err(CallError::Vectors { given, size }) }
}

/// Returns the element type, or an error if its size is 0: the number of elements would not follow from the number of bytes.
fn element<T: Element>() -> Result<ElementType, CallError> {
    let element = ElementType::of::<T>();
    if element.size() == 0 { Err(CallError::NoBytes { element }) } else { Ok(element) }
}

fn typed<T: Element + Send, S: AsRef<[T]>>(vectors: &[S]) -> Result<(ElementType, Vec<Payload>), CallError> {
    Ok((element::<T>()?, vectors.iter().map(|vector| Payload::from(vector.as_ref())).collect()))
}

fn vectors<T: Element>(payloads: Vec<Payload>) -> Result<Vec<Vec<T>>, CallError> {
    payloads.iter().map(|payload| Ok(payload.to_vec()?)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_that_collect_the_same_share_a_matrix() {
        let cache = Cache::default();
        let matrix = |entries: [u32; 4]| CollectedRows(entries.into()).matrix(2, &cache).unwrap();
        let first = matrix([1, 2, 3, 4]);
        assert_eq!(first.get(1, 0), 3);
        assert!(Arc::ptr_eq(&first, &matrix([1, 2, 3, 4])));
        assert_eq!(matrix([1, 2, 3, 5]).get(1, 1), 5);
    }
}
