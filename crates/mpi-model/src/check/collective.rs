//! Collective calls: all processes of a communicator make the same ones in the same order, with arguments that fit.

use std::{collections::BTreeMap, sync::atomic::Ordering};

use multicomputer::Rank;

use super::{
    Check, Finding, Kind, Line, Site, argument,
    buffers::{is_large, numbers},
    counted::{self, Counted},
    ledger::{Label, Operation},
    window::{End, Joins, Met},
};
use crate::{
    abi,
    communicator::{self, Communicator},
    datatype::signature::{Difference, Signature},
    error::Result,
    function::Function,
    op::Operator,
    process::Process,
    word::{Address, Argument, Handle, Out},
};

/// Functions beside those of the chapter on collective operations that all processes of a communicator call.
const OTHERS: &[&str] = &[
    "MPI_Cart_create",
    "MPI_Cart_map",
    "MPI_Cart_sub",
    "MPI_Comm_create",
    "MPI_Comm_dup",
    "MPI_Comm_dup_with_info",
    "MPI_Comm_idup",
    "MPI_Comm_idup_with_info",
    "MPI_Comm_split",
    "MPI_Comm_split_type",
    "MPI_Dist_graph_create",
    "MPI_Dist_graph_create_adjacent",
    "MPI_File_open",
    "MPI_Graph_create",
    "MPI_Graph_map",
    "MPI_Intercomm_create",
    "MPI_Intercomm_merge",
    "MPI_Win_allocate",
    "MPI_Win_allocate_shared",
    "MPI_Win_create",
    "MPI_Win_create_dynamic",
];

/// Functions that all processes of a window call.
const OTHERS_OF_WINDOWS: &[&str] = &["MPI_Win_fence", "MPI_Win_free"];

/// The names of the argument with the communicator of a collective call.
const COMMUNICATORS: [&str; 4] = ["comm", "comm_old", "local_comm", "intercomm"];

/// A rank and what it gives.
pub(super) type Of<'e> = (Rank, &'e Entered);

/// What a rank gives in a collective call.
#[derive(Clone, Debug)]
pub(super) struct Entered {
    site: Site,
    /// The name of the function without `_c`.
    function: &'static str,
    comm: Label,
    root: Option<i32>,
    /// Of an intercommunicator: whether the rank is in the first group, and its rank there.
    side: Option<(bool, i32)>,
    /// The counts that have to be the same on all ranks.
    counts: Option<Vec<i64>>,
    /// Whether the amount that the rank sends is that of its own count.
    own_fits: bool,
    operator: Option<String>,
    /// The amounts of data that have to be the same on all ranks, each with the name of the datatype.
    data: Vec<(Signature, String)>,
    /// What a rank gives in an operation with a count for each process.
    pub(super) counted: Option<Counted>,
}

/// Notes a call, and compares the calls of all ranks once they have made it.
///
/// # Errors
/// The run is over.
pub(super) fn enter<'n>(
    process: &Process<'n>,
    function: &'static Function,
    words: &[usize],
) -> Result<Option<Met>> {
    let name = base(function.name);
    if name.ends_with("_init") && (is_of_chapter(function) || name.starts_with("MPI_P")) {
        process.has_unknown_order();
    }
    if !is_of_chapter(function)
        && !OTHERS.contains(&name)
        && !is_of_file(name)
        && !OTHERS_OF_WINDOWS.contains(&name)
    {
        return Ok(None);
    }
    let handle = |name: &str| {
        let word = argument(function, words, name)?;
        // Functions that free an object have its address.
        let is_freed =
            name != "comm" && (function.name.ends_with("_free") || function.name.ends_with("_close"));
        Some(if is_freed { Out::<Handle>::decode(process, word).ok()?.get(process) } else { Handle(word) })
    };
    if let Some(window) = handle("win") {
        let Some(window) = process.windows.borrow().table.get(window) else { return Ok(None) };
        note(process, function, words, window.communicator())
    } else if let Some(file) = handle("fh") {
        let Some(file) = process.files.borrow().table.get(file) else { return Ok(None) };
        note(process, function, words, &file.comm)
    } else {
        let comm = COMMUNICATORS.iter().find_map(|name| handle(name));
        let Some(comm) = comm.and_then(|comm| process.communicators.borrow().get(comm)) else {
            return Ok(None);
        };
        note(process, function, words, &comm)
    }
}

/// Whether a collective call may wait until all ranks have made it: all that are not nonblocking, and not the parts of split ones.
fn may_wait(name: &str) -> bool {
    let is_nonblocking =
        name.starts_with("MPI_I") && !name.starts_with("MPI_Intercomm") || name.starts_with("MPI_Comm_i");
    let is_of_file_part = ["MPI_File_i", "_begin", "_end"].iter().any(|part| name.contains(part));
    !is_nonblocking && !is_of_file_part && !name.ends_with("_init") && !name.ends_with("_map")
}

/// Notes a collective call on a communicator.
fn note<'n>(
    process: &Process<'n>,
    function: &'static Function,
    words: &[usize],
    comm: &Communicator<'n>,
) -> Result<Option<Met>> {
    let Some(checker) = &process.checker else { return Ok(None) };
    let name = base(function.name);
    let entered = Entered {
        site: process.site(),
        function: name,
        comm: process.label(comm),
        root: argument(function, words, "root").map(|root| root as i32),
        side: comm.remote.as_ref().map(|remote| (remote.is_first, comm.rank())),
        own_fits: own_fits(process, comm, function, words).unwrap_or(true),
        counts: counts(process, comm, function, words),
        operator: argument(function, words, "op")
            .and_then(|word| Operator::decode(process, word).ok())
            .map(|operator| operator.to_string()),
        counted: if comm.remote.is_some() {
            None
        } else {
            counted::read(process, comm, function, name, words)
        },
        data: if comm.remote.is_some() { Vec::new() } else { data(process, comm, function, words) },
    };
    let context = comm.messages().context();
    let number = checker.next_call(context);
    let complete = {
        let mut ledger = checker.check.ledger.lock();
        let operation = ledger
            .operations
            .entry((context, number))
            .or_insert_with(|| Operation { members: members(comm), entered: BTreeMap::new() });
        operation.entered.insert(checker.rank, entered);
        let is_complete = operation.entered.len() == operation.members.len();
        if is_complete { ledger.operations.remove(&(context, number)) } else { None }
    };
    if let Some(operation) = complete {
        compare(&checker.check, &operation);
    }
    if may_wait(name) {
        // Operations in progress go on while the call waits.
        let waits = !process.has_background();
        process.transport().may_wait_for_all(context, number, &members(comm), waits)?;
    }
    let is_split = ["MPI_Comm_split", "MPI_Comm_split_type"].contains(&name);
    if name.ends_with("_init") || !is_of_chapter(function) && !is_split {
        return Ok(None);
    }
    let Some(joins) = joins(name, comm, argument(function, words, "root")) else {
        process.has_unknown_order();
        return Ok(None);
    };
    let met = process.enters((context, number), members(comm), joins);
    if let (Some(met), true) = (&met, name.starts_with("MPI_I")) {
        checker.flights.borrow_mut().ends_with(End::Meeting(met.clone()));
        return Ok(None);
    }
    Ok(met)
}

/// Whose calls have to begin before a call ends; `None` if it is not known.
fn joins(name: &str, comm: &Communicator<'_>, root: Option<usize>) -> Option<Joins> {
    if comm.remote.is_some() {
        return None;
    }
    let members = members(comm);
    let root = root.and_then(|root| members.get(root).copied());
    let own = members.get(comm.rank() as usize).copied();
    let name = name.trim_start_matches("MPI_");
    let name = name.strip_prefix('I').unwrap_or(name).to_lowercase();
    Some(match &name[..] {
        "bcast" | "scatter" | "scatterv" => {
            root.filter(|root| Some(*root) != own).map_or(Joins::None, Joins::Of)
        }
        "reduce" | "gather" | "gatherv" => {
            if root == own {
                Joins::All
            } else {
                Joins::None
            }
        }
        "scan" | "exscan" => Joins::Before(comm.rank() as usize),
        _ if name.starts_with("neighbor") => return None,
        _ if name.starts_with("all") || name.starts_with("reduce_scatter") => Joins::All,
        "barrier" | "comm_split" | "comm_split_type" => Joins::All,
        _ => Joins::None,
    })
}

/// Whether a function is one that all processes of a file call.
fn is_of_file(name: &str) -> bool {
    let Some(name) = name.strip_prefix("MPI_File_") else { return false };
    let others = ["close", "set_view", "set_size", "preallocate", "set_atomicity", "sync", "seek_shared"];
    name.contains("_all") || name.contains("_ordered") || others.contains(&name)
}

/// Whether a function is one of the chapter on collective operations, or a neighbourhood one.
pub(super) fn is_of_chapter(function: &Function) -> bool {
    crate::collective::ALL.iter().any(|functions| functions.iter().any(|other| other.name == function.name))
}

/// The name of a function without the ending of its form with large counts.
pub(super) fn base(name: &'static str) -> &'static str {
    name.strip_suffix("_c").unwrap_or(name)
}

/// All processes of a communicator, as ranks of the world.
fn members(comm: &Communicator<'_>) -> Vec<Rank> {
    let remote = comm.remote.iter().flat_map(|remote| remote.nodes.iter().copied());
    communicator::nodes(comm).into_iter().chain(remote).collect()
}

/// The counts of a call that are the same on all ranks of an intracommunicator.
fn counts(
    process: &Process<'_>,
    comm: &Communicator<'_>,
    function: &Function,
    words: &[usize],
) -> Option<Vec<i64>> {
    let name = function.name.to_lowercase();
    let is_equal = name.contains("allgatherv") && !name.contains("neighbor")
        || name.contains("reduce_scatter") && !name.contains("block");
    let address = argument(function, words, "recvcounts").filter(|_| is_equal && comm.remote.is_none())?;
    numbers(process, is_large(function), address, comm.group.size())
}

/// Whether a rank sends in all-gather with counts what its own count says; `None` for other calls.
fn own_fits(
    process: &Process<'_>,
    comm: &Communicator<'_>,
    function: &Function,
    words: &[usize],
) -> Option<bool> {
    let word = |name: &str| argument(function, words, name);
    let counts = counts(process, comm, function, words)?;
    let datatype = |name: &str| process.datatype(Handle(word(name)?)).ok();
    word("sendbuf").filter(|address| Address(*address) != Address::IN_PLACE)?;
    let sent = word("sendcount")? as i64 * datatype("sendtype")?.size() as i64;
    Some(sent == counts.get(comm.group.rank())? * datatype("recvtype")?.size() as i64)
}

/// The amounts of data of a call that are the same on all ranks.
fn data(
    process: &Process<'_>,
    comm: &Communicator<'_>,
    function: &Function,
    words: &[usize],
) -> Vec<(Signature, String)> {
    let word = |name: &str| argument(function, words, name);
    let amount = |count: &str, datatype: &str| {
        let (count, datatype) = (word(count)? as i64, process.datatype(Handle(word(datatype)?)).ok()?);
        let count = u64::try_from(count).ok()?;
        Some((datatype.signature(count), datatype.to_string()))
    };
    let is_given = |buffer| word(buffer).is_some_and(|address| Address(address) != Address::IN_PLACE);
    let is_root = word("root").is_none_or(|root| root as i32 == comm.rank());
    let name = base(function.name).trim_start_matches("MPI_").trim_end_matches("_init").to_lowercase();
    let sent = || amount("sendcount", "sendtype").filter(|_| is_given("sendbuf"));
    let received = || amount("recvcount", "recvtype").filter(|_| is_given("recvbuf"));
    let all = match name.strip_prefix('i').unwrap_or(&name) {
        "bcast" | "reduce" | "allreduce" | "scan" | "exscan" => [amount("count", "datatype"), None],
        "reduce_scatter_block" => [amount("recvcount", "datatype"), None],
        "gather" => [sent(), received().filter(|_| is_root)],
        "scatter" => [sent().filter(|_| is_root), received()],
        "allgather" | "alltoall" => [sent(), received()],
        _ => [None, None],
    };
    all.into_iter().flatten().collect()
}

/// Compares the calls of the ranks that have made one. The calls of most ranks are taken as right, if as many agree the one of the lowest rank.
pub(super) fn compare(check: &Check, operation: &Operation) {
    let entered: Vec<(Rank, &Entered)> =
        operation.entered.iter().map(|(rank, entered)| (*rank, entered)).collect();
    let line = |(rank, entered): (Rank, &Entered)| check.line(rank, entered.site);
    let add = |kind, text, wrong, right, help: &str| {
        check.add(Finding::new(kind, text, line(wrong)).with(vec![line(right)]).help(help));
    };
    if let Some((wrong, right)) = odd_one(&entered, |entered| entered.function) {
        let text = format!(
            "{} is called on {} where rank {} calls {}",
            wrong.1.function,
            wrong.1.comm.text(check, wrong.0),
            right.0,
            right.1.function
        );
        let help = "all ranks of a communicator have to make the same collective calls in the same order";
        check.calls_differ.store(true, Ordering::Relaxed);
        return add(Kind::CallOrder, text, wrong, right, help);
    }
    let is_inter = entered.iter().any(|(_, entered)| entered.side.is_some());
    if is_inter {
        return compare_roots_of_groups(check, &entered);
    }
    if let Some((wrong, right)) = odd_one(&entered, |entered| entered.root) {
        let root = |entered: &Entered| entered.root.unwrap_or_default();
        let text = format!(
            "{} has root {} where rank {} has root {}",
            wrong.1.function,
            root(wrong.1),
            right.0,
            root(right.1)
        );
        return add(Kind::RootMismatch, text, wrong, right, "give the same root on all ranks");
    }
    if let Some((wrong, right)) = odd_one(&entered, |entered| entered.operator.clone()) {
        let operator = |entered: &Entered| entered.operator.clone().unwrap_or_default();
        let text = format!(
            "{} has {} where rank {} has {}",
            wrong.1.function,
            operator(wrong.1),
            right.0,
            operator(right.1)
        );
        return add(Kind::OperatorMismatch, text, wrong, right, "give the same operator on all ranks");
    }
    if let Some(&wrong) = entered.iter().find(|(_, entered)| !entered.own_fits) {
        let text =
            format!("{} sends another amount of data than its own count in `recvcounts`", wrong.1.function);
        let finding = Finding::new(Kind::CountMismatch, text, line(wrong));
        return check.add(finding.help("give the count of each rank in `recvcounts`, the same on all ranks"));
    }
    if let Some((wrong, right)) = odd_one(&entered, |entered| entered.counts.clone()) {
        let counts = |entered: &Entered| entered.counts.clone().unwrap_or_default();
        let text = format!(
            "{} has counts {:?} where rank {} has {:?}",
            wrong.1.function,
            counts(wrong.1),
            right.0,
            counts(right.1)
        );
        return add(Kind::CountMismatch, text, wrong, right, "give the same counts on all ranks");
    }
    counted::compare(check, &entered, &operation.members);
    let all = || {
        entered
            .iter()
            .flat_map(|&(rank, entered)| entered.data.iter().map(move |data| ((rank, entered), data)))
    };
    let Some((first, (right, right_type))) = all().next() else { return };
    for (wrong, (amount, name)) in all() {
        let (kind, help) = match right.difference(amount) {
            None => continue,
            Some(Difference::Type) => (Kind::DatatypeMismatch, "give the same basic datatypes on all ranks"),
            Some(Difference::Count) => (Kind::CountMismatch, "give the same amount of data on all ranks"),
        };
        let text = format!(
            "{} has {amount} ({name}) where rank {} has {right} ({right_type})",
            wrong.1.function, first.0
        );
        return add(kind, text, wrong, first, help);
    }
}

/// Compares the roots of an operation of an intercommunicator: one process gives `MPI_ROOT`, the others of its group `MPI_PROC_NULL`, and those of
/// the other group its rank.
fn compare_roots_of_groups(check: &Check, entered: &[(Rank, &Entered)]) {
    let root = |entered: &Entered| entered.root.unwrap_or(abi::PROC_NULL);
    let mut roots = entered.iter().filter(|(_, entered)| root(entered) == abi::ROOT);
    let Some((rank, first)) = roots.next() else { return };
    let Some((is_first, own)) = first.side else { return };
    let wrong = roots.next().or_else(|| {
        let is_wrong = |entered: &Entered| match entered.side {
            Some((side, _)) if side == is_first => ![abi::ROOT, abi::PROC_NULL].contains(&root(entered)),
            _ => root(entered) != own,
        };
        entered.iter().find(|(_, entered)| is_wrong(entered))
    });
    let Some((wrong_rank, wrong)) = wrong else { return };
    let text =
        format!("{} has root {} where rank {own} of one group is the root", wrong.function, root(wrong));
    let finding = Finding::new(Kind::RootMismatch, text, check.line(*wrong_rank, wrong.site));
    let help = "one process gives MPI_ROOT, the others of its group MPI_PROC_NULL, those of the other group its rank";
    check.add(finding.with(vec![check.line(*rank, first.site)]).help(help));
}

/// The lowest rank that differs from most, and one of those from which it differs.
fn odd_one<'e, K: Ord>(entered: &[Of<'e>], of: impl Fn(&Entered) -> K) -> Option<(Of<'e>, Of<'e>)> {
    let mut groups: BTreeMap<K, Vec<Of<'e>>> = BTreeMap::new();
    for &(rank, entered) in entered {
        groups.entry(of(entered)).or_default().push((rank, entered));
    }
    let most = groups.values().max_by_key(|group| (group.len(), std::cmp::Reverse(group[0].0)))?;
    let right = most[0];
    let wrong = entered.iter().find(|(_, entered)| of(entered) != of(right.1))?;
    Some((*wrong, right))
}

impl Entered {
    pub(super) fn line(&self, check: &Check, rank: Rank) -> Line {
        check.line(rank, self.site)
    }

    pub(super) fn function(&self) -> &'static str {
        self.function
    }

    pub(super) fn comm(&self, check: &Check, rank: Rank) -> String {
        self.comm.text(check, rank)
    }
}
