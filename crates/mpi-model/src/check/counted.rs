//! Gather, scatter and all-gather with a count for each process: what one process sends and what the other one receives have the same basic types,
//! and as many (MPI 5.0, sections 6.5 to 6.7). All-to-all operations are compared block by block, when the blocks arrive.

use multicomputer::Rank;

use super::{
    Check, Finding, Kind, argument,
    buffers::{is_large, numbers},
    collective::{Entered, Of},
};
use crate::{
    communicator::Communicator,
    datatype::signature::{Difference, Signature},
    function::Function,
    process::Process,
    word::{Address, Handle},
};

/// What a process gives in one of these operations.
#[derive(Clone, Debug, Default)]
pub(super) struct Counted {
    sent: Blocks,
    received: Blocks,
}

/// The blocks for other processes, or from them.
#[derive(Clone, Debug, Default)]
struct Blocks {
    with: With,
    type_name: String,
}

#[derive(Clone, Debug, Default)]
enum With {
    #[default]
    None,
    One(usize, Signature),
    Each(Vec<Signature>),
    /// The same one for all.
    All(Signature),
}

impl Blocks {
    fn of(&self, peer: usize) -> Option<Signature> {
        match &self.with {
            With::None => None,
            With::One(other, signature) => (*other == peer).then_some(*signature),
            With::Each(signatures) => signatures.get(peer).copied(),
            With::All(signature) => Some(*signature),
        }
    }
}

/// Reads the blocks of a call of an intracommunicator.
pub(super) fn read(
    process: &Process<'_>,
    comm: &Communicator<'_>,
    function: &Function,
    name: &str,
    words: &[usize],
) -> Option<Counted> {
    let word = |name: &str| argument(function, words, name);
    let name = name.trim_start_matches("MPI_").trim_end_matches("_init").to_lowercase();
    let name = name.strip_prefix('i').unwrap_or(&name);
    let root = word("root").map(|root| root as i32);
    let is_root = root == Some(comm.rank());
    let blocks = |buffer: &str, count: &str, datatype: &str, with: fn(usize, Signature) -> With| {
        word(buffer).filter(|address| Address(*address) != Address::IN_PLACE)?;
        let datatype = process.datatype(Handle(word(datatype)?)).ok()?;
        let signature = |count: i64| Some(datatype.signature(u64::try_from(count).ok()?));
        let with = match word(count) {
            Some(count) => with(root.unwrap_or_default() as usize, signature(count as i64)?),
            None => {
                let counts =
                    numbers(process, is_large(function), word(&format!("{count}s"))?, comm.group.size())?;
                With::Each(counts.into_iter().map(signature).collect::<Option<_>>()?)
            }
        };
        Some(Blocks { with, type_name: datatype.to_string() })
    };
    let sent = |with| blocks("sendbuf", "sendcount", "sendtype", with).unwrap_or_default();
    let received = |with| blocks("recvbuf", "recvcount", "recvtype", with).unwrap_or_default();
    let nothing = Blocks::default;
    Some(match name {
        "gatherv" => {
            Counted { sent: sent(With::One), received: if is_root { received(With::One) } else { nothing() } }
        }
        "scatterv" => {
            Counted { sent: if is_root { sent(With::One) } else { nothing() }, received: received(With::One) }
        }
        "allgatherv" => {
            Counted { sent: sent(|_, signature| With::All(signature)), received: received(With::One) }
        }
        _ => return None,
    })
}

/// Compares the blocks of all ranks of an operation; `members` are in the order of the communicator.
pub(super) fn compare(check: &Check, entered: &[Of<'_>], members: &[Rank]) {
    let of = |member: &Rank| entered.iter().find(|(rank, _)| rank == member).copied();
    let all: Vec<Option<(Of<'_>, &Counted)>> =
        members.iter().map(|member| of(member).and_then(|of| Some((of, of.1.counted.as_ref()?)))).collect();
    for (from, sender) in all.iter().enumerate() {
        for (to, receiver) in all.iter().enumerate() {
            let (Some((sender, sent)), Some((receiver, received))) = (sender, receiver) else { continue };
            let (Some(own), Some(other)) = (sent.sent.of(to), received.received.of(from)) else { continue };
            let (kind, help) = match own.difference(&other) {
                None => continue,
                Some(Difference::Type) => {
                    (Kind::DatatypeMismatch, "give the same basic datatypes for a block on both sides")
                }
                Some(Difference::Count) => {
                    (Kind::CountMismatch, "give the same amount of data for a block on both sides")
                }
            };
            let function = |entered: &Entered| entered.function();
            let text = format!(
                "{} receives {other} ({}), and {} of rank {} sends {own} ({})",
                function(receiver.1),
                received.received.type_name,
                function(sender.1),
                sender.0,
                sent.sent.type_name
            );
            let finding = Finding::new(kind, text, receiver.1.line(check, receiver.0));
            return check.add(finding.with(vec![sender.1.line(check, sender.0)]).help(help));
        }
    }
}
