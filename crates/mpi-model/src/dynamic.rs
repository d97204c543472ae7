//! Ports and published names, by which parts of a job find and connect each other, and the refusal to start processes (MPI 5.0, chapter 11).
//!
//! The processes of a job are the nodes of its machine, so none can be added. Processes of the job can connect: a port is a number of a node,
//! and the root of `MPI_Comm_connect` exchanges groups with the root of `MPI_Comm_accept` in messages of the library. Names are published in
//! a table at rank 0, which processes access in the order of modeled time.
//!
//! A root that connects enters the queue of the port, by a remote memory access to the node of the port, or finds that the root that accepts
//! waits already. So nothing polls, and a process that has waited too long leaves the queue.

use std::{
    collections::{BTreeMap, VecDeque},
    rc::Rc,
    sync::{Mutex, PoisonError},
};

use multicomputer::{
    Payload, Span, Tag,
    comm::{
        Message,
        transport::{From, To},
    },
};

use crate::{
    abi,
    collective::broadcast_bytes,
    communicator::{self, Communicator, nodes},
    error::{Class, Error, Result},
    function::functions,
    info::Info,
    process::Process,
    word::{Address, Handle, Out, Stored, Text, store_text},
};

functions! {
    MPI_Comm_spawn: spawn(command, argv, maxprocs, info, root, comm, intercomm, array_of_errcodes);
    MPI_Comm_spawn_multiple: spawn_multiple(count, array_of_commands, array_of_argv, array_of_maxprocs, array_of_info, root, comm, intercomm, array_of_errcodes);
    MPI_Comm_join: join(fd, intercomm);
    MPI_Open_port: open_port(info, port_name);
    MPI_Close_port: close_port(port_name);
    MPI_Comm_accept: accept(port_name, info, root, comm, newcomm);
    MPI_Comm_connect: connect(port_name, info, root, comm, newcomm);
    MPI_Publish_name: publish(service_name, info, port_name);
    MPI_Unpublish_name: unpublish(service_name, info, port_name);
    MPI_Lookup_name: lookup(service_name, info, port_name);
}

/// The longest name of a port, with its zero byte (`MPI_MAX_PORT_NAME`).
const MAX_PORT_NAME: usize = 1024;
/// The beginning of the names of ports.
const SCHEME: &str = "multicomputer://";

/// The time after which `MPI_Comm_connect` fails without the key `timeout`: the same as in MPICH (`MPIR_CVAR_CH3_COMM_CONNECT_TIMEOUT`).
const TIMEOUT: Span = Span::from_millis(180_000);

/// The published names of a job, and its ports.
#[derive(Debug, Default)]
pub struct Services(Mutex<Table>);

#[derive(Debug, Default)]
struct Table {
    /// Ports by their published names.
    names: BTreeMap<String, String>,
    /// By the node and the number.
    ports: BTreeMap<(usize, u32), Port>,
}

/// A port to which a process has connected, or which has accepted or was closed.
#[derive(Debug, Default)]
struct Port {
    /// Nodes that connect and wait.
    queue: VecDeque<usize>,
    /// Whether the node of the port waits for one that connects.
    accepts: bool,
    is_closed: bool,
}

/// What a process that connects to a port finds.
const MUST_WAIT: u64 = 0;
const IS_ACCEPTED: u64 = 1;
const IS_CLOSED: u64 = 2;

/// The open ports of a process.
#[derive(Debug, Default)]
pub struct State {
    /// The number of ports that the process has opened so far.
    made: u32,
    open: Vec<u32>,
}

#[expect(clippy::too_many_arguments, reason = "the arguments of MPI")]
fn spawn<'n>(
    _: &Process<'n>,
    _: Address,
    _: Address,
    _: i32,
    _: Handle,
    _: i32,
    _: Rc<Communicator<'n>>,
    _: Address,
    _: Address,
) -> Result<()> {
    Err(no_spawn())
}

#[expect(clippy::too_many_arguments, reason = "the arguments of MPI")]
fn spawn_multiple<'n>(
    _: &Process<'n>,
    _: i32,
    _: Address,
    _: Address,
    _: Address,
    _: Address,
    _: i32,
    _: Rc<Communicator<'n>>,
    _: Address,
    _: Address,
) -> Result<()> {
    Err(no_spawn())
}

fn no_spawn() -> Error {
    let text = "the processes are the nodes of the machine, and none can be added: start the job with more processes";
    Error::new(Class::SPAWN, text)
}

fn join(_: &Process<'_>, _: i32, _: Address) -> Result<()> {
    let text = "sockets do not belong to the machine: connect processes of the job by MPI_Comm_connect";
    Err(Error::new(Class::UNSUPPORTED_OPERATION, text))
}

fn open_port(process: &Process<'_>, _: Info, port_name: Address) -> Result<()> {
    let mut state = process.ports.borrow_mut();
    let number = state.made;
    state.made += 1;
    state.open.push(number);
    let name = format!("{SCHEME}{}/{number}", process.node.rank());
    store_text(process, port_name, &name, MAX_PORT_NAME);
    Ok(())
}

fn close_port(process: &Process<'_>, port_name: Text) -> Result<()> {
    let number = own_port(process, &port_name)?;
    process.ports.borrow_mut().open.retain(|&open| open != number);
    let waiting = at_port(process, (process.node.rank(), number), |port| {
        port.is_closed = true;
        port.queue.drain(..).map(|node| node as u64).collect()
    })?;
    for node in waiting {
        let to = To { rank: node as usize, context: process.world.library_context(), tag: tag(number, true) };
        let sent = process.transport().isend(to, Payload::empty())?;
        process.transport().forget(sent);
    }
    Ok(())
}

/// Accesses a port at its node, in the order of modeled time.
fn at_port(
    process: &Process<'_>,
    at: (usize, u32),
    effect: impl FnOnce(&mut Port) -> Vec<u64> + Send + 'static,
) -> Result<Vec<u64>> {
    let services = process.settings.services.clone();
    let to = To { rank: at.0, context: process.world.library_context(), tag: Tag(0) };
    let transport = process.transport();
    let request = transport.remote(to, 8, Some(8), move || {
        let mut table = services.0.lock().unwrap_or_else(PoisonError::into_inner);
        Payload::from(effect(table.ports.entry(at).or_default()))
    })?;
    Ok(transport.wait(request)?.ok_or(Error::Leave)?.to_vec().unwrap_or_default())
}

/// The tag of a message to a process that accepts, or of the answer. Other messages in the context have smaller tags.
fn tag(port: u32, is_answer: bool) -> Tag {
    Tag(3 << 30 | (port << 1 & 0x3fff_ffff) | u32::from(is_answer))
}

/// The node and the number of a port.
fn port(process: &Process<'_>, name: &Text) -> Result<(usize, u32)> {
    let parts = name.0.strip_prefix(SCHEME).and_then(|rest| rest.split_once('/'));
    let port = parts.and_then(|(rank, number)| Some((rank.parse().ok()?, number.parse().ok()?)));
    port.filter(|&(rank, _): &(usize, u32)| rank < process.size()).ok_or_else(|| {
        let text = format!("`{}` is no port: MPI_Open_port returns names of ports", name.0);
        Error::argument(Class::PORT, "port_name", text)
    })
}

/// The number of an open port of this process.
fn own_port(process: &Process<'_>, name: &Text) -> Result<u32> {
    let (rank, number) = port(process, name)?;
    if rank != process.node.rank() || !process.ports.borrow().open.contains(&number) {
        let text = format!("`{}` is no open port of this process", name.0);
        return Err(Error::argument(Class::PORT, "port_name", text));
    }
    Ok(number)
}

fn accept<'n>(
    process: &Process<'n>,
    port_name: Address,
    _: Info,
    root: i32,
    comm: Rc<Communicator<'n>>,
    newcomm: Out<Handle>,
) -> Result<()> {
    join_groups(process, port_name, root, &comm, newcomm, None)
}

fn connect<'n>(
    process: &Process<'n>,
    port_name: Address,
    info: Info,
    root: i32,
    comm: Rc<Communicator<'n>>,
    newcomm: Out<Handle>,
) -> Result<()> {
    let seconds = info.get("timeout").and_then(|text| text.parse().ok());
    let timeout = seconds.and_then(|seconds| Span::try_from_secs_f64(seconds).ok()).unwrap_or(TIMEOUT);
    join_groups(process, port_name, root, &comm, newcomm, Some(timeout))
}

/// Makes the intercommunicator of a group that accepts and a group that connects. A group that connects waits at most for `timeout`; one that
/// accepts has none. The port is an argument of the roots only.
fn join_groups<'n>(
    process: &Process<'n>,
    Address(port_name): Address,
    root: i32,
    comm: &Rc<Communicator<'n>>,
    newcomm: Out<Handle>,
    timeout: Option<Span>,
) -> Result<()> {
    newcomm.set(process, abi::COMM_NULL);
    if comm.remote.is_some() {
        return Err(Error::argument(Class::COMM, "comm", "an intercommunicator was given"));
    }
    let root = usize::try_from(root).ok().filter(|&root| root < comm.group.size()).ok_or_else(|| {
        let text = format!("{root} is no rank of {}", comm.shown_name());
        Error::argument(Class::ROOT, "root", text)
    })?;
    // The error code of the root, then the remote group.
    let mut packed = Vec::new();
    let mut failed = None;
    if comm.group.rank() == root {
        match exchange(process, port_name, comm, timeout) {
            Ok(remote) => {
                0_u64.store(&mut packed);
                remote.iter().for_each(|&node| (node as u64).store(&mut packed));
            }
            Err(Error::Mpi(error)) => {
                (error.class.0 as u64).store(&mut packed);
                failed = Some(error);
            }
            Err(Error::Leave) => return Err(Error::Leave),
        }
    }
    let packed = broadcast_bytes(process, comm, root, packed)?;
    if let Some(error) = failed {
        return Err(Error::Mpi(error));
    }
    let mut numbers = packed.chunks_exact(u64::SIZE).map(u64::load);
    match numbers.next() {
        Some(0) => {}
        code => {
            let class = Class(code.unwrap_or_default() as i32);
            return Err(Error::new(class, format!("the root, rank {root}, could not connect")));
        }
    }
    let remote = numbers.map(|node| node as usize).collect();
    let all: Vec<usize> = (0..comm.group.size()).collect();
    let made = communicator::of_groups(process, &comm.group, &all, remote, timeout.is_none())?;
    made.error_handler.set(comm.error_handler.get());
    newcomm.set(process, communicator::enter(process, made));
    Ok(())
}

/// Exchanges the groups with the root of the other side, and returns the group of the other side.
fn exchange<'n>(
    process: &Process<'n>,
    port_name: usize,
    comm: &Communicator<'n>,
    timeout: Option<Span>,
) -> Result<Vec<usize>> {
    use crate::word::Argument;
    let name = Text::decode(process, port_name).map_err(|error| error.of("port_name"))?;
    let mut mine = Vec::new();
    nodes(comm).iter().for_each(|&node| (node as u64).store(&mut mine));
    let received = match timeout {
        None => accept_one(process, own_port(process, &name)?, Payload::from(mine))?,
        Some(timeout) => connect_to(process, &name, Payload::from(mine), timeout)?,
    };
    let bytes = received.payload.to_bytes().unwrap_or_default();
    Ok(bytes.chunks_exact(u64::SIZE).map(|node| u64::load(node) as usize).collect())
}

/// Exchanges payloads with the next process that connects.
fn accept_one(process: &Process<'_>, number: u32, mine: Payload) -> Result<Message> {
    let (transport, context) = (process.transport(), process.world.library_context());
    let next = at_port(process, (process.node.rank(), number), |port| {
        let next = port.queue.pop_front();
        port.accepts = next.is_none();
        next.into_iter().map(|node| node as u64).collect()
    })?;
    let source = next.first().map(|&node| node as usize);
    let asked = From { context, source, tag: Some(tag(number, false)) };
    let answer = |rank| To { rank, context, tag: tag(number, true) };
    Ok(match source {
        Some(rank) => transport.send_recv(answer(rank), mine, asked)?,
        None => {
            let asked = transport.recv(asked)?;
            transport.send(answer(asked.source), mine)?;
            asked
        }
    })
}

/// Exchanges payloads with the process of a port.
///
/// # Errors
/// [`Class::PORT`] if the port is closed, or if the process has not accepted within `timeout`.
fn connect_to(process: &Process<'_>, name: &Text, mine: Payload, timeout: Span) -> Result<Message> {
    let (rank, number) = port(process, name)?;
    let (transport, context) = (process.transport(), process.world.library_context());
    let own = process.node.rank();
    let to = To { rank, context, tag: tag(number, false) };
    let from = From { context, source: Some(rank), tag: Some(tag(number, true)) };
    let refused = |text: String| Err(Error::argument(Class::PORT, "port_name", text));
    let closed = || refused(format!("the port `{}` is closed", name.0));
    let deadline = transport.now()? + timeout;
    let found = at_port(process, (rank, number), move |port| {
        vec![if port.is_closed {
            IS_CLOSED
        } else if std::mem::take(&mut port.accepts) {
            IS_ACCEPTED
        } else {
            port.queue.push_back(own);
            MUST_WAIT
        }]
    })?;
    match found[..] {
        [MUST_WAIT] => {}
        [IS_ACCEPTED] => return Ok(transport.send_recv(to, mine, from)?),
        _ => return closed(),
    }
    let posted = transport.irecv(from)?;
    let mut answer = transport.wait_until(posted, deadline)?;
    if answer.is_none() {
        let left = at_port(process, (rank, number), move |port| {
            let place = port.queue.iter().position(|&node| node == own);
            place.and_then(|place| port.queue.remove(place)).into_iter().map(|node| node as u64).collect()
        })?;
        if !left.is_empty() {
            transport.cancel(posted)?;
            return refused(format!("rank {rank} has not called MPI_Comm_accept within {timeout}"));
        }
        answer = Some(transport.wait(posted)?);
    }
    let answer = answer.flatten().ok_or(Error::Leave)?;
    if answer.payload.is_empty() {
        return closed();
    }
    transport.send(to, mine)?;
    Ok(answer)
}

/// Accesses the published names, at rank 0 and in the order of modeled time.
fn access(
    process: &Process<'_>,
    effect: impl FnOnce(&mut BTreeMap<String, String>) -> Option<String> + Send + 'static,
) -> Result<Option<String>> {
    let services = process.settings.services.clone();
    let to = To { rank: 0, context: process.world.library_context(), tag: Tag(0) };
    let transport = process.transport();
    let request = transport.remote(to, 8, Some(8), move || {
        let mut table = services.0.lock().unwrap_or_else(PoisonError::into_inner);
        // A byte tells `None` from an empty string.
        effect(&mut table.names)
            .map_or_else(Payload::empty, |found| Payload::from([&[1], found.as_bytes()].concat()))
    })?;
    let found = transport.wait(request)?.ok_or(Error::Leave)?.payload.to_bytes().unwrap_or_default();
    Ok(found.get(1..).map(|name| String::from_utf8_lossy(name).into_owned()))
}

fn publish(process: &Process<'_>, service: Text, _: Info, port_name: Text) -> Result<()> {
    let name = service.0.clone();
    let before = access(process, move |names| match names.get(&name) {
        Some(port) => Some(port.clone()),
        None => {
            names.insert(name, port_name.0);
            None
        }
    })?;
    match before {
        None => Ok(()),
        Some(port) => {
            let text = format!("`{}` is published already, as the port `{port}`", service.0);
            Err(Error::argument(Class::SERVICE, "service_name", text))
        }
    }
}

fn unpublish(process: &Process<'_>, service: Text, _: Info, _: Text) -> Result<()> {
    let name = service.0.clone();
    match access(process, move |names| names.remove(&name))? {
        Some(_) => Ok(()),
        None => {
            Err(Error::argument(Class::SERVICE, "service_name", format!("`{}` is not published", service.0)))
        }
    }
}

fn lookup(process: &Process<'_>, service: Text, _: Info, port_name: Address) -> Result<()> {
    let name = service.0.clone();
    let Some(port) = access(process, move |names| names.get(&name).cloned())? else {
        let text = format!("`{}` is not published", service.0);
        return Err(Error::argument(Class::NAME, "service_name", text));
    };
    store_text(process, port_name, &port, MAX_PORT_NAME);
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::{abi, testing::run, word::Handle};

    const WORLD: usize = 0x101;

    #[test]
    fn connections_without_an_accept_fail_in_modeled_time() {
        let seconds = run(3, |tester| {
            tester.errors_return();
            let (port, none) = (tester.arena.alloc(1024).0, abi::INFO_NULL.0);
            if tester.rank == 0 {
                tester.ok("MPI_Open_port", &[none, port]);
            }
            tester.ok("MPI_Bcast", &[port, 1024, 0x247, 0, WORLD]);
            let (out, own) = (tester.arena.alloc(8).0, 0x102);
            let connect = |info: usize| tester.code("MPI_Comm_connect", &[port, info, 0, own, out]);
            if tester.rank == 1 {
                let Handle(hint) = tester.result("MPI_Info_create", &[]);
                let (key, value) = (tester.arena.text("timeout").0, tester.arena.text("5").0);
                tester.ok("MPI_Info_set", &[hint, key, value]);
                assert_eq!(connect(hint), 43);
                // Rank 0 closes the port meanwhile, and then it is closed.
                tester.ok("MPI_Barrier", &[WORLD]);
                assert_eq!([connect(none), connect(none)], [43, 43]);
            } else {
                tester.ok("MPI_Barrier", &[WORLD]);
            }
            if tester.rank == 0 {
                // The connection of rank 1 is in the queue before the message of rank 2 arrives.
                tester.ok("MPI_Recv", &[out, 1, 0x247, 2, 0, WORLD, 0]);
                tester.ok("MPI_Close_port", &[port]);
            }
            if tester.rank == 2 {
                for _ in 0..10 {
                    tester.ok("MPI_Send", &[out, 1, 0x247, 2, 1, WORLD]);
                    tester.ok("MPI_Recv", &[out, 1, 0x247, 2, 1, WORLD, 0]);
                }
                tester.ok("MPI_Send", &[out, 1, 0x247, 0, 0, WORLD]);
            }
            tester.process.transport().now().unwrap().as_secs_f64() as u64
        });
        assert_eq!(seconds, [5; 3]);
    }

    #[test]
    fn halves_connect_by_a_published_name() {
        let sizes = run(5, |tester| {
            tester.errors_return();
            let is_server = usize::from(tester.rank < 2);
            let Handle(half) = tester.result("MPI_Comm_split", &[WORLD, is_server, 0]);
            let (port, service, none) =
                (tester.arena.alloc(1024).0, tester.arena.text("ocean").0, abi::INFO_NULL.0);
            if tester.rank == 0 {
                assert_eq!(tester.code("MPI_Lookup_name", &[service, none, port]), 38);
                tester.ok("MPI_Open_port", &[none, port]);
                tester.ok("MPI_Publish_name", &[service, none, port]);
                assert_eq!(tester.code("MPI_Publish_name", &[service, none, port]), 51);
            }
            tester.ok("MPI_Barrier", &[WORLD]);
            let function = if is_server == 1 { "MPI_Comm_accept" } else { "MPI_Comm_connect" };
            if tester.rank == 4 {
                tester.ok("MPI_Lookup_name", &[service, none, port]);
                assert_eq!(tester.string(port), "multicomputer://0/0");
            }
            // The last process of the half that connects is its root.
            let Handle(both) = tester.result(function, &[port, none, [2, 0][is_server], half]);
            tester.ok("MPI_Barrier", &[both]);
            if tester.rank == 0 {
                tester.ok("MPI_Unpublish_name", &[service, none, port]);
                tester.ok("MPI_Close_port", &[port]);
                assert_eq!(tester.code("MPI_Close_port", &[port]), 43);
            }
            let out = tester.room(2);
            assert_eq!(tester.code("MPI_Comm_spawn", &[service, 0, 1, none, 0, WORLD, out, 0]), 53);
            tester.result::<i32>("MPI_Comm_remote_size", &[both])
        });
        assert_eq!(sizes, [3, 3, 2, 2, 2]);
    }
}
