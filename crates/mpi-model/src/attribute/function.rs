//! The functions of attributes.

use std::{cell::RefCell, rc::Rc};

use super::{Attribute, Attributes, Callback, FIRST_KEY, Keyval, Value, predefined};
use crate::{
    abi,
    communicator::Communicator,
    datatype::Datatype,
    error::{Class, Error, Result},
    function::functions,
    process::{Process, Scope},
    table::Kind,
    word::{Address, Handle, Out},
};

functions! {
    MPI_Comm_create_keyval: comm_create(comm_copy_attr_fn, comm_delete_attr_fn, comm_keyval, extra_state);
    MPI_Comm_free_keyval: comm_free(comm_keyval);
    MPI_Comm_set_attr: comm_set(comm, comm_keyval, attribute_val);
    MPI_Comm_get_attr: comm_get(comm, comm_keyval, attribute_val, flag);
    MPI_Comm_delete_attr: comm_delete(comm, comm_keyval);
    MPI_Type_create_keyval: datatype_create(type_copy_attr_fn, type_delete_attr_fn, type_keyval, extra_state);
    MPI_Type_free_keyval: datatype_free(type_keyval);
    MPI_Type_set_attr: datatype_set(datatype, type_keyval, attribute_val);
    MPI_Type_get_attr: datatype_get(datatype, type_keyval, attribute_val, flag);
    MPI_Type_delete_attr: datatype_delete(datatype, type_keyval);
    MPI_Win_create_keyval: window_create(win_copy_attr_fn, win_delete_attr_fn, win_keyval, extra_state);
    MPI_Win_free_keyval: window_free(win_keyval);
    MPI_Win_set_attr: window_set(win, win_keyval, attribute_val);
    MPI_Win_get_attr: window_get(win, win_keyval, attribute_val, flag);
    MPI_Win_delete_attr: window_delete(win, win_keyval);
    MPI_Keyval_create: comm_create(copy_fn, delete_fn, keyval, extra_state);
    MPI_Keyval_free: comm_free(keyval);
    MPI_Attr_put: comm_set(comm, keyval, attribute_val);
    MPI_Attr_get: comm_get(comm, keyval, attribute_val, flag);
    MPI_Attr_delete: comm_delete(comm, keyval);
    MPI_Comm_create_keyval_fortran: comm_create_fortran(comm_copy_attr_fn, comm_delete_attr_fn, comm_keyval, extra_state, copy_adapter, delete_adapter);
    MPI_Comm_set_attr_fortran: comm_set_fortran(comm, comm_keyval, attribute_val);
    MPI_Comm_get_attr_fortran: comm_get_fortran(comm, comm_keyval, attribute_val, flag);
    MPI_Type_create_keyval_fortran: datatype_create_fortran(type_copy_attr_fn, type_delete_attr_fn, type_keyval, extra_state, copy_adapter, delete_adapter);
    MPI_Type_set_attr_fortran: datatype_set_fortran(datatype, type_keyval, attribute_val);
    MPI_Type_get_attr_fortran: datatype_get_fortran(datatype, type_keyval, attribute_val, flag);
    MPI_Win_create_keyval_fortran: window_create_fortran(win_copy_attr_fn, win_delete_attr_fn, win_keyval, extra_state, copy_adapter, delete_adapter);
    MPI_Win_set_attr_fortran: window_set_fortran(win, win_keyval, attribute_val);
    MPI_Win_get_attr_fortran: window_get_fortran(win, win_keyval, attribute_val, flag);
    MPI_Keyval_create_fortran: comm_create_fortran(copy_fn, delete_fn, keyval, extra_state, copy_adapter, delete_adapter);
}

/// The attributes of an object.
enum Holder<'n> {
    Communicator(Rc<Communicator<'n>>),
    Datatype(Datatype),
    Window(Rc<RefCell<Attributes>>),
}

impl Holder<'_> {
    fn cell(&self) -> &RefCell<Attributes> {
        match self {
            Holder::Communicator(communicator) => &communicator.attributes,
            Holder::Datatype(datatype) => &datatype.attributes,
            Holder::Window(attributes) => attributes,
        }
    }
}

/// Returns the attributes of an object, whose error handler then takes errors of the call.
fn holder<'n>(process: &Process<'n>, kind: Kind, object: Handle) -> Result<Holder<'n>> {
    match kind {
        Kind::Communicator => {
            process.communicator(object).map(Holder::Communicator).map_err(|error| error.of("comm"))
        }
        Kind::Datatype => {
            process.datatype(object).map(Holder::Datatype).map_err(|error| error.of("datatype"))
        }
        _ => {
            let state = process.attributes.borrow();
            let Some(window) = state.windows.get(&object) else {
                return Err(Error::argument(Class::WIN, "win", format!("{:#x} is no window", object.0)));
            };
            *process.scope.borrow_mut() = Scope::Window(object);
            Ok(Holder::Window(window.attributes.clone()))
        }
    }
}

fn invalid(key: i32) -> Error {
    let text = match key {
        abi::KEYVAL_INVALID => "MPI_KEYVAL_INVALID was given".to_owned(),
        _ if predefined::is_predefined(key) => {
            format!("{key} is a predefined key, which this call cannot use")
        }
        _ => format!("{key} is no key of this kind of object"),
    };
    Error::argument(Class::KEYVAL, "keyval", text)
}

/// The key with a number, of objects of this kind.
fn keyval(process: &Process<'_>, kind: Kind, key: i32) -> Result<Rc<Keyval>> {
    let found = process.attributes.borrow().keyvals.get(&key).cloned();
    found.filter(|keyval| keyval.kind == kind).ok_or_else(|| invalid(key))
}

fn create(
    process: &Process<'_>,
    kind: Kind,
    copy: Callback,
    delete: Callback,
    key: Out<i32>,
    extra_state: usize,
) -> Result<()> {
    let mut state = process.attributes.borrow_mut();
    let number = state.next_key;
    state.next_key += 1;
    let site = process.site.get();
    state.keyvals.insert(number, Rc::new(Keyval { key: number, kind, copy, delete, extra_state, site }));
    key.set(process, number);
    Ok(())
}

fn free(process: &Process<'_>, kind: Kind, key: Out<i32>) -> Result<()> {
    let number = key.get(process);
    // A key may be freed once more, as by a delete function.
    let was_freed = {
        let state = process.attributes.borrow();
        (FIRST_KEY..state.next_key).contains(&number) && !state.keyvals.contains_key(&number)
    };
    if !was_freed {
        keyval(process, kind, number)?;
    }
    process.attributes.borrow_mut().keyvals.remove(&number);
    key.set(process, abi::KEYVAL_INVALID);
    Ok(())
}

fn set(process: &Process<'_>, kind: Kind, object: Handle, key: i32, value: Value) -> Result<()> {
    let holder = holder(process, kind, object)?;
    let keyval = keyval(process, kind, key)?;
    let attributes = holder.cell();
    let old = attributes.borrow().get(key).cloned();
    if let Some(old) = old {
        old.deleted(process, object)?;
    }
    let mut attributes = attributes.borrow_mut();
    attributes.remove(key);
    attributes.list.push(Attribute::new(keyval, value));
    Ok(())
}

fn get(
    process: &Process<'_>,
    kind: Kind,
    object: Handle,
    key: i32,
    is_pointer: bool,
    (value, flag): (Out<usize>, Out<i32>),
) -> Result<()> {
    let holder = holder(process, kind, object)?;
    let own = holder.cell().borrow().get(key).cloned();
    let found = match own {
        Some(attribute) if is_pointer => Some(attribute.pointer(process)?),
        Some(attribute) => Some(attribute.integer()),
        None => match kind {
            Kind::Communicator => predefined::get(process, key, is_pointer)?,
            Kind::Window => predefined::get_of_window(process, object, key, is_pointer)?,
            _ => None,
        },
    };
    match found {
        Some(found) => value.set(process, found),
        None => drop(keyval(process, kind, key)?),
    }
    flag.set_flag(process, found.is_some());
    Ok(())
}

fn delete(process: &Process<'_>, kind: Kind, object: Handle, key: i32) -> Result<()> {
    let holder = holder(process, kind, object)?;
    let own = holder.cell().borrow().get(key).cloned();
    let Some(attribute) = own else {
        keyval(process, kind, key)?;
        let text = "the object has no attribute of this key";
        return Err(Error::argument(Class::KEYVAL, "keyval", text));
    };
    attribute.deleted(process, object)?;
    holder.cell().borrow_mut().remove(key);
    Ok(())
}

fn native(function: usize) -> Callback {
    Callback { function, adapter: None }
}

fn fortran(function: usize, adapter: usize) -> Callback {
    Callback { function, adapter: Some(adapter) }
}

macro_rules! kind {
    ($kind:ident: $create:ident, $free:ident, $set:ident, $get:ident, $delete:ident, $create_fortran:ident, $set_fortran:ident, $get_fortran:ident) => {
        fn $create(
            process: &Process<'_>,
            Address(copy): Address,
            Address(delete): Address,
            key: Out<i32>,
            Address(extra_state): Address,
        ) -> Result<()> {
            create(process, Kind::$kind, native(copy), native(delete), key, extra_state)
        }

        fn $create_fortran(
            process: &Process<'_>,
            Address(copy): Address,
            Address(delete): Address,
            key: Out<i32>,
            Address(extra_state): Address,
            Address(copy_adapter): Address,
            Address(delete_adapter): Address,
        ) -> Result<()> {
            let (copy, delete) = (fortran(copy, copy_adapter), fortran(delete, delete_adapter));
            create(process, Kind::$kind, copy, delete, key, extra_state)
        }

        fn $free(process: &Process<'_>, key: Out<i32>) -> Result<()> {
            free(process, Kind::$kind, key)
        }

        fn $set(process: &Process<'_>, object: Handle, key: i32, Address(value): Address) -> Result<()> {
            set(process, Kind::$kind, object, key, Value::Pointer(value))
        }

        fn $set_fortran(
            process: &Process<'_>,
            object: Handle,
            key: i32,
            Address(value): Address,
        ) -> Result<()> {
            set(process, Kind::$kind, object, key, Value::Integer(value))
        }

        fn $get(
            process: &Process<'_>,
            object: Handle,
            key: i32,
            value: Out<usize>,
            flag: Out<i32>,
        ) -> Result<()> {
            get(process, Kind::$kind, object, key, true, (value, flag))
        }

        fn $get_fortran(
            process: &Process<'_>,
            object: Handle,
            key: i32,
            value: Out<usize>,
            flag: Out<i32>,
        ) -> Result<()> {
            get(process, Kind::$kind, object, key, false, (value, flag))
        }

        fn $delete(process: &Process<'_>, object: Handle, key: i32) -> Result<()> {
            delete(process, Kind::$kind, object, key)
        }
    };
}

kind!(Communicator: comm_create, comm_free, comm_set, comm_get, comm_delete, comm_create_fortran, comm_set_fortran, comm_get_fortran);
kind!(Datatype: datatype_create, datatype_free, datatype_set, datatype_get, datatype_delete, datatype_create_fortran, datatype_set_fortran, datatype_get_fortran);
kind!(Window: window_create, window_free, window_set, window_get, window_delete, window_create_fortran, window_set_fortran, window_get_fortran);
