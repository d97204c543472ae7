//! Info objects: hints as pairs of a key and a value.

#[cfg(test)]
mod tests;

use std::{cell::RefCell, rc::Rc};

use crate::{
    abi,
    error::{Class, Error, Result},
    function::functions,
    process::Process,
    table::{Kind, Table},
    word::{Address, Argument, Handle, Out, Text, store_text},
};

/// Keys and values, in the order in which the keys were set first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Info {
    pairs: Vec<(String, String)>,
}

impl Info {
    /// The value of a key.
    pub fn get(&self, key: &str) -> Option<&str> {
        self.pairs.iter().find(|(own, _)| own == key).map(|(_, value)| &value[..])
    }

    /// Sets the value of a key.
    pub fn set(&mut self, key: &str, value: impl Into<String>) {
        let value = value.into();
        match self.pairs.iter_mut().find(|(own, _)| own == key) {
            Some((_, own)) => *own = value,
            None => self.pairs.push((key.to_owned(), value)),
        }
    }

    /// The keys and values.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.pairs.iter().map(|(key, value)| (&key[..], &value[..]))
    }
}

/// An info object of the program.
#[derive(Clone, Debug)]
pub struct Object(Rc<RefCell<Info>>);

impl<'n> Argument<'n> for Object {
    fn decode(process: &Process<'n>, word: usize) -> Result<Self> {
        let found = process.infos.borrow().table.get(Handle(word));
        match found {
            Some(info) => Ok(Object(info)),
            None if Handle(word) == abi::INFO_ENV => Ok(Object(Rc::new(RefCell::new(environment(process))))),
            None if Handle(word) == abi::INFO_NULL => Err(Error::new(Class::INFO, "MPI_INFO_NULL was given")),
            None => Err(Error::new(Class::INFO, format!("{word:#x} is no info object"))),
        }
    }
}

/// The hints that an argument gives: those of an info object, or none for `MPI_INFO_NULL`.
impl<'n> Argument<'n> for Info {
    fn decode(process: &Process<'n>, word: usize) -> Result<Self> {
        if Handle(word) == abi::INFO_NULL {
            return Ok(Info::default());
        }
        Object::decode(process, word).map(|Object(info)| info.borrow().clone())
    }
}

/// The info objects of a process.
#[derive(Debug)]
pub struct State {
    pub(crate) table: Table<Rc<RefCell<Info>>>,
}

impl Default for State {
    fn default() -> State {
        State { table: Table::new(Kind::Info) }
    }
}

/// Enters a new info object for the program and returns its handle.
pub(crate) fn enter(process: &Process<'_>, info: Info) -> Handle {
    process.infos.borrow_mut().table.insert(Rc::new(RefCell::new(info)))
}

functions! {
    MPI_Info_create: create(info) @always;
    MPI_Info_create_env: create_env(argc, argv, info) @always;
    MPI_Info_dup: dup(info, newinfo) @always;
    MPI_Info_free: free(info) @always;
    MPI_Info_set: set(info, key, value) @always;
    MPI_Info_delete: delete(info, key) @always;
    MPI_Info_get: get(info, key, valuelen, value, flag) @always;
    MPI_Info_get_string: get_string(info, key, buflen, value, flag) @always;
    MPI_Info_get_valuelen: get_valuelen(info, key, valuelen, flag) @always;
    MPI_Info_get_nkeys: get_nkeys(info, nkeys) @always;
    MPI_Info_get_nthkey: get_nthkey(info, n, key) @always;
}

/// What `MPI_INFO_ENV` says about the start of the program.
fn environment(process: &Process<'_>) -> Info {
    let mut info = Info::default();
    for (key, value) in &process.settings.environment {
        info.set(key, &value[..]);
    }
    for (key, value) in [
        ("maxprocs", process.size().to_string()),
        ("soft", process.size().to_string()),
        ("host", crate::environment::processor_name(process)),
        ("arch", std::env::consts::ARCH.to_owned()),
    ] {
        if info.get(key).is_none() {
            info.set(key, value);
        }
    }
    info
}

/// Checks a key that the program gives.
fn check_key(key: &Text) -> Result<()> {
    let length = key.0.len();
    if length == 0 || length >= abi::MAX_INFO_KEY {
        let text = format!("the key has {length} bytes; 1 to {} are allowed", abi::MAX_INFO_KEY - 1);
        return Err(Error::argument(Class::INFO_KEY, "key", text));
    }
    Ok(())
}

/// Checks that an info object may be changed.
fn check_change(handle: Handle) -> Result<()> {
    if handle == abi::INFO_ENV {
        return Err(Error::argument(Class::INFO, "info", "MPI_INFO_ENV cannot be changed"));
    }
    Ok(())
}

/// The info object that an argument refers to, for a change.
fn changed(process: &Process<'_>, handle: Handle) -> Result<Object> {
    check_change(handle)?;
    Object::decode(process, handle.0).map_err(|error| error.of("info"))
}

fn create(process: &Process<'_>, info: Out<Handle>) -> Result<()> {
    info.set(process, enter(process, Info::default()));
    Ok(())
}

fn create_env(process: &Process<'_>, _: i32, _: Address, info: Out<Handle>) -> Result<()> {
    info.set(process, enter(process, environment(process)));
    Ok(())
}

fn dup(process: &Process<'_>, info: Object, newinfo: Out<Handle>) -> Result<()> {
    let copy = info.0.borrow().clone();
    newinfo.set(process, enter(process, copy));
    Ok(())
}

fn free(process: &Process<'_>, info: Out<Handle>) -> Result<()> {
    let handle = info.get(process);
    changed(process, handle)?;
    process.infos.borrow_mut().table.remove(handle);
    info.set(process, abi::INFO_NULL);
    Ok(())
}

fn set(process: &Process<'_>, info: Handle, key: Text, value: Text) -> Result<()> {
    let object = changed(process, info)?;
    check_key(&key)?;
    let length = value.0.len();
    if length >= abi::MAX_INFO_VAL {
        let text = format!("the value has {length} bytes; up to {} are allowed", abi::MAX_INFO_VAL - 1);
        return Err(Error::argument(Class::INFO_VALUE, "value", text));
    }
    object.0.borrow_mut().set(&key.0, value.0);
    Ok(())
}

fn delete(process: &Process<'_>, info: Handle, key: Text) -> Result<()> {
    let object = changed(process, info)?;
    check_key(&key)?;
    let pairs = &mut object.0.borrow_mut().pairs;
    let Some(at) = pairs.iter().position(|(own, _)| *own == key.0) else {
        return Err(Error::argument(Class::INFO_NOKEY, "key", format!("the key `{}` is not set", key.0)));
    };
    pairs.remove(at);
    Ok(())
}

fn get(
    process: &Process<'_>,
    info: Object,
    key: Text,
    valuelen: i32,
    value: Address,
    flag: Out<i32>,
) -> Result<()> {
    check_key(&key)?;
    let Ok(room) = usize::try_from(valuelen) else {
        return Err(Error::argument(Class::ARG, "valuelen", format!("{valuelen} is negative")));
    };
    let info = info.0.borrow();
    let found = info.get(&key.0);
    if let Some(found) = found {
        store_text(process, value, found, room + 1);
    }
    flag.set_flag(process, found.is_some());
    Ok(())
}

fn get_string(
    process: &Process<'_>,
    info: Object,
    key: Text,
    buflen: Out<i32>,
    value: Address,
    flag: Out<i32>,
) -> Result<()> {
    check_key(&key)?;
    let given = buflen.get(process);
    let Ok(room) = usize::try_from(given) else {
        return Err(Error::argument(Class::ARG, "buflen", format!("{given} is negative")));
    };
    let info = info.0.borrow();
    let found = info.get(&key.0);
    if let Some(found) = found {
        store_text(process, value, found, room);
        buflen.set(process, found.len() as i32 + 1);
    }
    flag.set_flag(process, found.is_some());
    Ok(())
}

fn get_valuelen(
    process: &Process<'_>,
    info: Object,
    key: Text,
    valuelen: Out<i32>,
    flag: Out<i32>,
) -> Result<()> {
    check_key(&key)?;
    let info = info.0.borrow();
    let found = info.get(&key.0);
    if let Some(found) = found {
        valuelen.set(process, found.len() as i32);
    }
    flag.set_flag(process, found.is_some());
    Ok(())
}

fn get_nkeys(process: &Process<'_>, info: Object, nkeys: Out<i32>) -> Result<()> {
    nkeys.set(process, info.0.borrow().pairs.len() as i32);
    Ok(())
}

fn get_nthkey(process: &Process<'_>, info: Object, n: i32, key: Address) -> Result<()> {
    let pairs = &info.0.borrow().pairs;
    let nth = usize::try_from(n).ok().and_then(|n| pairs.get(n));
    let Some((own, _)) = nth else {
        let text = format!("{n} is not the number of a key: there are {}, from 0", pairs.len());
        return Err(Error::argument(Class::ARG, "n", text));
    };
    store_text(process, key, own, abi::MAX_INFO_KEY);
    Ok(())
}
