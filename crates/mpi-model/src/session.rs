//! Sessions: the use of MPI without `MPI_Init`, and what there is for processes that are started by others, which are none here.
//!
//! There are two sets of processes, `mpi://WORLD` and `mpi://SELF`.

use std::{cell::RefCell, rc::Rc};

use crate::{
    abi,
    collective::broadcast_bytes,
    communicator::{self, Communicator, Members},
    error::{Class, Error, Result},
    error_handler,
    function::functions,
    group::{self, Group},
    info::{self, Info},
    point_to_point::buffered::{self, Buffered},
    process::{Process, Scope},
    table::{Kind, Table},
    word::{Address, Argument, Handle, Integer, Out, Stored, Text, store_text},
};

/// The names of the sets of processes.
const SETS: [&str; 2] = ["mpi://WORLD", "mpi://SELF"];

/// Values of the info key `thread_level`.
const LEVELS: [&str; 4] =
    ["MPI_THREAD_SINGLE", "MPI_THREAD_FUNNELED", "MPI_THREAD_SERIALIZED", "MPI_THREAD_MULTIPLE"];

/// A session.
#[derive(Clone, Debug)]
pub struct Session {
    /// The hints that are in use.
    info: Rc<Info>,
    /// The buffer for buffered sends that the program has attached.
    buffered: Rc<RefCell<Buffered>>,
}

impl<'n> Argument<'n> for Session {
    fn decode(process: &Process<'n>, word: usize) -> Result<Self> {
        let Some(session) = process.sessions.borrow().table.get(Handle(word)) else {
            let text = if Handle(word) == abi::SESSION_NULL {
                "MPI_SESSION_NULL was given".to_owned()
            } else {
                format!("{word:#x} is no session")
            };
            return Err(Error::new(Class::SESSION, text));
        };
        *process.scope.borrow_mut() = Scope::Session(Handle(word));
        Ok(session)
    }
}

/// The sessions of a process.
#[derive(Debug)]
pub struct State {
    pub(crate) table: Table<Session>,
}

impl Default for State {
    fn default() -> State {
        State { table: Table::new(Kind::Session) }
    }
}

impl State {
    /// Whether a session is open, so that all functions may be called.
    pub(crate) fn is_open(&self) -> bool {
        self.table.iter().next().is_some()
    }

    /// The buffer of the first session that has one. Communicators do not know their session.
    pub(crate) fn buffered(&self) -> Option<Rc<RefCell<Buffered>>> {
        let mut sessions = self.table.iter().map(|(_, session)| &session.buffered);
        sessions.find(|buffered| buffered.borrow().is_attached()).cloned()
    }
}

functions! {
    MPI_Session_init: init(info, errhandler, session) @always;
    MPI_Session_finalize: finalize(session) @always;
    MPI_Session_get_info: get_info(session, info_used) @always;
    MPI_Session_get_num_psets: get_num_psets(session, info, npset_names) @always;
    MPI_Session_get_nth_pset: get_nth_pset(session, info, n, pset_len, pset_name) @always;
    MPI_Session_get_pset_info: get_pset_info(session, pset_name, info) @always;
    MPI_Group_from_session_pset: group_from_pset(session, pset_name, newgroup) @always;
    MPI_Comm_create_from_group: create_from_group(group, stringtag, info, errhandler, newcomm);
    MPI_Intercomm_create_from_groups: create_from_groups(local_group, local_leader, remote_group, remote_leader, stringtag, info, errhandler, newintercomm);
    MPI_Session_attach_buffer: attach_buffer(session, buffer, size) @always;
    MPI_Session_attach_buffer_c: attach_buffer(session, buffer, size) @always;
    MPI_Session_detach_buffer: detach_buffer::<i32>(session, buffer_addr, size) @always;
    MPI_Session_detach_buffer_c: detach_buffer::<i64>(session, buffer_addr, size) @always;
    MPI_Session_flush_buffer: flush_buffer(session) @always;
    MPI_Session_iflush_buffer: iflush_buffer(session, request) @always;
    MPI_Comm_get_parent: get_parent(parent);
}

/// Decodes an argument of a call whose errors go to the error handler that is another argument, once that is known.
fn decoded<'n, T: Argument<'n>>(process: &Process<'n>, name: &'static str, word: usize) -> Result<T> {
    T::decode(process, word).map_err(|error| error.of(name))
}

fn init(
    process: &Process<'_>,
    Address(hints): Address,
    errhandler: error_handler::Given,
    Address(session): Address,
) -> Result<()> {
    *process.scope.borrow_mut() = Scope::New(Kind::Session, errhandler.0);
    let session: Out<Handle> = decoded(process, "session", session)?;
    let mut hints: Info = decoded(process, "info", hints)?;
    if let Some(level) = hints.get("thread_level")
        && !LEVELS.contains(&level)
    {
        let text = format!("thread_level is `{level}`: it is one of {}", LEVELS.join(", "));
        return Err(Error::argument(Class::INFO_VALUE, "info", text));
    }
    hints.set("thread_level", "MPI_THREAD_SERIALIZED");
    process.thread_level.set(abi::THREAD_SERIALIZED);
    let made = Session { info: Rc::new(hints), buffered: Rc::default() };
    let handle = process.sessions.borrow_mut().table.insert(made);
    process.error_handlers.borrow_mut().enter(handle, errhandler.0);
    session.set(process, handle);
    Ok(())
}

fn finalize(process: &Process<'_>, session: Out<Handle>) -> Result<()> {
    let handle = session.get(process);
    Session::decode(process, handle.0).map_err(|error| error.of("session"))?;
    process.sessions.borrow_mut().table.remove(handle);
    process.error_handlers.borrow_mut().forget(handle);
    session.set(process, abi::SESSION_NULL);
    Ok(())
}

fn get_info(process: &Process<'_>, session: Session, info_used: Out<Handle>) -> Result<()> {
    info_used.set(process, info::enter(process, (*session.info).clone()));
    Ok(())
}

fn get_num_psets(process: &Process<'_>, _: Session, _: Info, npset_names: Out<i32>) -> Result<()> {
    npset_names.set(process, SETS.len() as i32);
    Ok(())
}

/// The length counts the zero byte. A length of 0 asks for the length only.
fn get_nth_pset(
    process: &Process<'_>,
    _: Session,
    _: Info,
    n: i32,
    pset_len: Out<i32>,
    pset_name: Address,
) -> Result<()> {
    let Some(name) = usize::try_from(n).ok().and_then(|n| SETS.get(n)) else {
        let text = format!("{n} is not the number of a set of processes: there are {}, from 0", SETS.len());
        return Err(Error::argument(Class::ARG, "n", text));
    };
    let room = usize::try_from(pset_len.get(process)).unwrap_or(0);
    if pset_name.is_null() && room > 0 {
        return Err(Error::argument(
            Class::ARG,
            "pset_name",
            format!("a null pointer was given for {room} characters"),
        ));
    }
    store_text(process, pset_name, name, room);
    pset_len.set(process, name.len() as i32 + 1);
    Ok(())
}

/// The world ranks of a set of processes.
fn members(process: &Process<'_>, name: &Text) -> Result<Vec<usize>> {
    match SETS.iter().position(|set| set.eq_ignore_ascii_case(&name.0)) {
        Some(0) => Ok((0..process.size()).collect()),
        Some(_) => Ok(vec![process.node.rank()]),
        None => {
            let text = format!("`{}` is no set of processes: there are {}", name.0, SETS.join(" and "));
            Err(Error::argument(Class::ARG, "pset_name", text))
        }
    }
}

fn get_pset_info(process: &Process<'_>, _: Session, pset_name: Text, info: Out<Handle>) -> Result<()> {
    let mut about = Info::default();
    about.set("mpi_size", members(process, &pset_name)?.len().to_string());
    info.set(process, info::enter(process, about));
    Ok(())
}

fn group_from_pset(process: &Process<'_>, _: Session, pset_name: Text, newgroup: Out<Handle>) -> Result<()> {
    newgroup.set(process, group::enter(process, &members(process, &pset_name)?));
    Ok(())
}

/// Makes the communicator of a group that this process is a member of.
fn of_group<'n>(process: &Process<'n>, argument: &'static str, group: &Group) -> Result<Communicator<'n>> {
    if group.rank().is_none() {
        return Err(Error::argument(Class::GROUP, argument, "this process is not a member of the group"));
    }
    let members = process.world.subgroup(&group.nodes())?;
    Ok(communicator::new(process, Members::Own(members), None, String::new()))
}

fn create_from_group(
    process: &Process<'_>,
    Address(group): Address,
    Address(stringtag): Address,
    Address(hints): Address,
    errhandler: error_handler::Given,
    Address(newcomm): Address,
) -> Result<()> {
    *process.scope.borrow_mut() = Scope::New(Kind::Communicator, errhandler.0);
    let newcomm: Out<Handle> = decoded(process, "newcomm", newcomm)?;
    let group: Rc<Group> = decoded(process, "group", group)?;
    let _: Text = decoded(process, "stringtag", stringtag)?;
    let hints: Info = decoded(process, "info", hints)?;
    if group.size() == 0 {
        newcomm.set(process, abi::COMM_NULL);
        return Ok(());
    }
    let made = of_group(process, "group", &group)?;
    made.error_handler.set(errhandler.0);
    *made.info.borrow_mut() = hints;
    newcomm.set(process, communicator::enter(process, Rc::new(made)));
    Ok(())
}

/// The remote group and its leader are arguments of the local leader only.
#[expect(clippy::too_many_arguments, reason = "the arguments of MPI")]
fn create_from_groups(
    process: &Process<'_>,
    Address(local_group): Address,
    local_leader: i32,
    Address(remote_group): Address,
    remote_leader: i32,
    Address(stringtag): Address,
    Address(hints): Address,
    errhandler: error_handler::Given,
    Address(newintercomm): Address,
) -> Result<()> {
    *process.scope.borrow_mut() = Scope::New(Kind::Communicator, errhandler.0);
    let newintercomm: Out<Handle> = decoded(process, "newintercomm", newintercomm)?;
    let local_group: Rc<Group> = decoded(process, "local_group", local_group)?;
    let _: Text = decoded(process, "stringtag", stringtag)?;
    let hints: Info = decoded(process, "info", hints)?;
    let local = of_group(process, "local_group", &local_group)?;
    let leader = |argument, rank: i32, group: &Group| {
        let found = usize::try_from(rank).ok().and_then(|rank| group.world_rank(rank));
        found.ok_or_else(|| {
            let text = format!("{rank} is not a rank: the group has {}", group.size());
            Error::argument(Class::RANK, argument, text)
        })
    };
    let own = leader("local_leader", local_leader, &local_group)?;
    let mut packed = Vec::new();
    if own == process.node.rank() {
        let remote: Rc<Group> = decoded(process, "remote_group", remote_group)?;
        let other = leader("remote_leader", remote_leader, &remote)?;
        // The group of the leader with the lower rank is first.
        u64::from(own < other).store(&mut packed);
        remote.iter().for_each(|world_rank| (world_rank as u64).store(&mut packed));
    }
    let packed = broadcast_bytes(process, &local, local_leader as usize, packed)?;
    let mut numbers = packed.chunks_exact(u64::SIZE).map(u64::load);
    let is_first = numbers.next() == Some(1);
    let remote = numbers.map(|world_rank| world_rank as usize).collect();
    let all: Vec<usize> = (0..local_group.size()).collect();
    let made = communicator::of_groups(process, &local.group, &all, remote, is_first)?;
    made.error_handler.set(errhandler.0);
    *made.info.borrow_mut() = hints;
    newintercomm.set(process, communicator::enter(process, made));
    Ok(())
}

fn attach_buffer(process: &Process<'_>, session: Session, buffer: Address, size: i64) -> Result<()> {
    session.buffered.borrow_mut().attach(buffer, size, process.site.get())
}

fn detach_buffer<C: Integer>(
    process: &Process<'_>,
    session: Session,
    buffer: Out<Address>,
    size: Out<C>,
) -> Result<()> {
    buffered::detached(process, &session.buffered, buffer, size)
}

fn flush_buffer(process: &Process<'_>, session: Session) -> Result<()> {
    buffered::wait_for_sends(process, &session.buffered)
}

fn iflush_buffer(process: &Process<'_>, session: Session, request: Out<Handle>) -> Result<()> {
    buffered::start_flush(process, &session.buffered, None, request);
    Ok(())
}

/// Processes are started together: none has a parent.
fn get_parent(process: &Process<'_>, parent: Out<Handle>) -> Result<()> {
    parent.set(process, abi::COMM_NULL);
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::{
        abi,
        testing::{Tester, run, run_bare},
        word::Handle,
    };

    /// The group of a set of processes.
    fn group(tester: &Tester<'_, '_>, session: usize, set: &str) -> usize {
        tester.result::<Handle>("MPI_Group_from_session_pset", &[session, tester.arena.text(set).0]).0
    }

    #[test]
    fn a_communicator_without_init() {
        run_bare(3, |tester| {
            let Handle(session) =
                tester.result("MPI_Session_init", &[abi::INFO_NULL.0, abi::ERRORS_RETURN.0]);
            assert_eq!(tester.result::<i32>("MPI_Session_get_num_psets", &[session, abi::INFO_NULL.0]), 2);
            let Handle(hints) = tester.result("MPI_Info_create", &[]);
            let [key, level] = ["thread_level", "MPI_THREAD_OTHER"].map(|text| tester.arena.text(text).0);
            tester.ok("MPI_Info_set", &[hints, key, level]);
            // The error handler that is an argument takes the errors of the call.
            let words = [hints, abi::ERRORS_RETURN.0, tester.arena.alloc(8).0];
            assert_eq!(tester.code("MPI_Session_init", &words), 33);
            let (length, name) = (tester.ints(&[100]), tester.arena.alloc(100).0);
            tester.ok("MPI_Session_get_nth_pset", &[session, abi::INFO_NULL.0, 0, length, name]);
            assert_eq!((tester.read(length, 1), tester.string(name)), (vec![12], "mpi://WORLD".to_owned()));
            let words = [session, abi::INFO_NULL.0, 2, length, name];
            assert_eq!(tester.code("MPI_Session_get_nth_pset", &words), 13);
            let words = [session, abi::INFO_NULL.0, 0, length, 0];
            assert_eq!(tester.code("MPI_Session_get_nth_pset", &words), 13);
            let tag = tester.arena.text("tag").0;
            let words =
                [group(tester, session, "mpi://SELF"), tag, abi::INFO_NULL.0, abi::ERRORS_RETURN.0, 0];
            assert_eq!(tester.code("MPI_Comm_create_from_group", &words), 13);
            for (set, size) in [("mpi://WORLD", 3), ("mpi://SELF", 1)] {
                let words = [group(tester, session, set), tag, abi::INFO_NULL.0, abi::ERRORS_RETURN.0];
                let Handle(comm) = tester.result("MPI_Comm_create_from_group", &words);
                assert_eq!(tester.result::<i32>("MPI_Comm_size", &[comm]), size);
                tester.ok("MPI_Barrier", &[comm]);
                assert_eq!(tester.code("MPI_Cart_rank", &[comm, length, length]), 11);
            }
            let words = [group(tester, session, "mpi://SELF"), tag, abi::INFO_NULL.0, abi::ERRORS_RETURN.0];
            let Handle(own) = tester.result("MPI_Comm_create_from_group", &words);
            let bsend = || tester.code("MPI_Bsend", &[length, 1, 0x209, 0, 0, own]);
            assert_eq!(bsend(), 1);
            tester.ok("MPI_Session_attach_buffer", &[session, tester.arena.alloc(600).0, 600]);
            assert_eq!(bsend(), 0);
            tester.ok("MPI_Recv", &[length, 1, 0x209, 0, 0, own, 0]);
            tester.ok("MPI_Session_flush_buffer", &[session]);
            let (place, size) = (tester.arena.alloc(8).0, tester.room(1));
            tester.ok("MPI_Session_detach_buffer", &[session, place, size]);
            assert_eq!(tester.read(size, 1), [600]);
            let handle = tester.arena.store(&[Handle(session)]).0;
            tester.ok("MPI_Session_finalize", &[handle]);
            assert_eq!(tester.arena.get::<Handle>(crate::word::Address(handle), 1), [abi::SESSION_NULL]);
        });
    }

    #[test]
    fn an_intercommunicator_of_groups() {
        run(5, |tester| {
            let groups =
                [&[0, 1][..], &[2, 3, 4]].map(|members| crate::group::enter(tester.process, members).0);
            let mine = usize::from(tester.rank >= 2);
            // The last processes are the leaders; only they have to give the remote group.
            let is_leader = [1, 4].contains(&tester.rank);
            let remote = if is_leader { groups[1 - mine] } else { abi::GROUP_NULL.0 };
            let [tag, none, fatal] = [tester.arena.text("tag").0, abi::INFO_NULL.0, abi::ERRORS_ARE_FATAL.0];
            let words = [groups[mine], [1, 2][mine], remote, [2, 1][mine], tag, none, fatal];
            let Handle(comm) = tester.result("MPI_Intercomm_create_from_groups", &words);
            assert_eq!(tester.result::<i32>("MPI_Comm_remote_size", &[comm]), [3, 2][mine]);
            assert_eq!(tester.result::<Handle>("MPI_Comm_get_parent", &[]), abi::COMM_NULL);
        });
    }
}
