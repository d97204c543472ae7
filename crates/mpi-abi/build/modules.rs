//! The interfaces of the Fortran modules `mpi` and `mpi_f08`.
//!
//! They describe the same external procedures: a handle of `mpi_f08` is a type with one integer, and a status one with
//! eight, and references to these are references to integers.

use crate::list::{Base, Function, List, Parameter};

pub(crate) fn interfaces(list: &List, f08: bool) -> String {
    let mut text = String::new();
    let functions: Vec<&Function> = list.functions().filter(|function| function.fortran).collect();
    for function in &functions {
        if (function.large && !f08) || (f08 && is_old(function)) {
            continue;
        }
        // In the newer module the form of large counts is a specific procedure of the same name, unless Fortran cannot
        // tell the two forms apart: MPI_ADDRESS_KIND and MPI_COUNT_KIND are the same.
        let other_form = |large: &Function, small: &Function| {
            large.large && large.name.strip_suffix("_c") == Some(&small.name) && has_other_kinds(large, small)
        };
        if functions.iter().any(|small| other_form(function, small)) {
            continue;
        }
        let large = functions.iter().find(|large| f08 && other_form(large, function));
        // The second name is for wrappers of tools.
        for prefix in ["", "P"] {
            let name = &function.name;
            text += &format!("interface {prefix}{name}\n{}", body(function, f08, prefix));
            if let Some(large) = large {
                text += &body(large, f08, prefix);
            }
            text += &format!("end interface {prefix}{name}\n");
        }
    }
    text
}

/// Whether an integer of one form is longer in the other.
fn has_other_kinds(large: &Function, small: &Function) -> bool {
    let pairs = large.parameters.iter().zip(&small.parameters);
    pairs.into_iter().any(|(large, small)| large.base != small.base && small.base == Base::Int)
}

/// Whether the module `mpi_f08` does not have it.
fn is_old(function: &Function) -> bool {
    let names = ["Attr_", "Keyval_", "Errhandler_create", "Errhandler_get", "Errhandler_set", "Address"];
    names.iter().any(|name| function.name.starts_with(&format!("MPI_{name}")))
        || function.parameters.iter().any(|parameter| parameter.base == Base::OldSize)
}

fn body(function: &Function, f08: bool, prefix: &str) -> String {
    let parameters: Vec<&Parameter> =
        function.parameters.iter().filter(|parameter| !is_dropped(function, parameter)).collect();
    let mut names: Vec<&str> = parameters.iter().map(|parameter| parameter.name.as_str()).collect();
    names.push("ierror");
    let detach = f08 && names.contains(&"buffer_addr");
    let symbol = format!("{prefix}{}{}", function.name, if detach { "_f08" } else { "" });
    let mut text = format!("subroutine {symbol}({})\n", wrap(&names));
    text += if f08 { "import\n" } else { "" };
    text += "implicit none\n";
    for parameter in &parameters {
        text += &declaration(function, parameter, f08);
    }
    text += if f08 { "integer, optional, intent(out) :: ierror\n" } else { "integer :: ierror\n" };
    text + &format!("end subroutine {symbol}\n")
}

/// Fortran's MPI_Init has no arguments of the program.
fn is_dropped(function: &Function, parameter: &Parameter) -> bool {
    let spawn = function.name.contains("spawn");
    !spawn && (parameter.name == "argc" || parameter.name == "argv")
}

fn declaration(function: &Function, parameter: &Parameter, f08: bool) -> String {
    let name = &parameter.name;
    // A value, or constant in C. Nothing is promised of others: C knows no difference between out and inout.
    let intent = if f08 && (parameter.is_value() || parameter.is_const) { ", intent(in)" } else { "" };
    let kind = match &parameter.base {
        Base::Int | Base::Index | Base::OldSize => "integer".to_string(),
        Base::Logical => "logical".to_string(),
        Base::Long(_) => "integer(kind=8)".to_string(),
        Base::Address if f08 && parameter.pointers > 0 && name == "baseptr" => "type(c_ptr)".to_string(),
        Base::Address if old_attribute(function) => "integer".to_string(),
        // The module `mpi` also takes a C pointer.
        Base::Address if name == "baseptr" => return choice(name),
        Base::Address => "integer(kind=8)".to_string(),
        Base::Choice if f08 && name == "buffer_addr" => "type(c_ptr)".to_string(),
        Base::Choice => return choice(name),
        Base::Status if f08 => "type(MPI_Status)".to_string(),
        Base::Status => "integer".to_string(),
        Base::Char => "character(len=*)".to_string(),
        Base::Handle(kind) if f08 => format!("type({kind})"),
        Base::Handle(_) => "integer".to_string(),
        Base::Callback(kind) if f08 => return format!("procedure({kind}) :: {name}\n"),
        Base::Callback(_) => return format!("external :: {name}\n"),
        Base::Other(kind) => panic!("{}: {kind} is not a type of Fortran", function.name),
    };
    let status = parameter.base == Base::Status && !f08;
    let array = match (&parameter.array, &parameter.columns) {
        (None, _) if status => "(8)".to_string(),
        (Some(_), _) if status => "(8, *)".to_string(),
        (Some(_), Some(rows)) => format!("({rows}, *)"),
        (Some(_), None) if name == "array_of_argv" => "(count, *)".to_string(),
        (Some(_), None) => "(*)".to_string(),
        (None, _) => String::new(),
    };
    format!("{kind}{intent} :: {name}{array}\n")
}

/// The attributes of MPI-1.
fn old_attribute(function: &Function) -> bool {
    function.name.starts_with("MPI_Attr_") || function.name.starts_with("MPI_Keyval_")
}

/// A buffer of any type and rank.
fn choice(name: &str) -> String {
    format!("!GCC$ ATTRIBUTES NO_ARG_CHECK :: {name}\ntype(*) :: {name}(*)\n")
}

/// Lines of at most 132 characters.
fn wrap(names: &[&str]) -> String {
    let mut text = String::new();
    for (i, name) in names.iter().enumerate() {
        text += if i == 0 {
            ""
        } else if i % 5 == 0 {
            ", &\n"
        } else {
            ", "
        };
        text += name;
    }
    text
}

const HANDLES: [&str; 11] =
    ["Comm", "Datatype", "Errhandler", "File", "Group", "Info", "Message", "Op", "Request", "Session", "Win"];

/// Types of handles, with the operators == and /=.
pub(crate) fn handles() -> String {
    let mut types = String::new();
    let mut operators = String::new();
    let mut procedures = "contains\n\n".to_string();
    for handle in HANDLES {
        types += &format!(
            "type, bind(C) :: MPI_{handle}\n    integer(c_int) :: MPI_VAL\nend type MPI_{handle}\n\n"
        );
        for (operator, name) in [("==", "equal"), ("/=", "differ")] {
            let name = format!("{handle}_{name}");
            operators += &format!(
                "interface operator({operator})\nprocedure {name}\nend interface\nprivate :: {name}\n"
            );
            procedures += &format!(
                "elemental logical function {name}(a, b)\n\
                 type(MPI_{handle}), intent(in) :: a, b\n\
                 {name} = a%MPI_VAL {operator} b%MPI_VAL\n\
                 end function {name}\n\n"
            );
        }
    }
    types + &operators + "\n" + &procedures
}

/// Interfaces of functions of the program for attributes and errors, of the module `mpi_f08`.
pub(crate) fn callbacks() -> String {
    let mut text = String::new();
    for (object, handle) in [("Comm", "comm"), ("Type", "datatype"), ("Win", "win")] {
        let kind = if object == "Type" { "Datatype" } else { object };
        text += &format!(
            "subroutine MPI_{object}_copy_attr_function({handle}, keyval, extra_state, attribute_val_in, &\n    \
                 attribute_val_out, flag, ierror)\n\
             import\n\
             type(MPI_{kind}) :: {handle}\n\
             integer :: keyval, ierror\n\
             integer(kind=8) :: extra_state, attribute_val_in, attribute_val_out\n\
             logical :: flag\n\
             end subroutine MPI_{object}_copy_attr_function\n\
             subroutine MPI_{object}_delete_attr_function({handle}, keyval, attribute_val, extra_state, ierror)\n\
             import\n\
             type(MPI_{kind}) :: {handle}\n\
             integer :: keyval, ierror\n\
             integer(kind=8) :: attribute_val, extra_state\n\
             end subroutine MPI_{object}_delete_attr_function\n"
        );
    }
    for (object, handle) in [("Comm", "comm"), ("File", "file"), ("Session", "session"), ("Win", "win")] {
        text += &format!(
            "subroutine MPI_{object}_errhandler_function({handle}, error_code)\n\
             import\n\
             type(MPI_{object}) :: {handle}\n\
             integer :: error_code\n\
             end subroutine MPI_{object}_errhandler_function\n"
        );
    }
    text
}

/// Predefined functions for attributes, of the module `mpi_f08`.
pub(crate) fn predefined() -> String {
    let mut text = String::new();
    for object in ["Comm", "Type", "Win"] {
        let upper = object.to_uppercase();
        for (kind, names) in [("copy", ["NULL_COPY", "DUP"].as_slice()), ("delete", &["NULL_DELETE"])] {
            for name in names {
                text += &format!("procedure(MPI_{object}_{kind}_attr_function) :: MPI_{upper}_{name}_FN\n");
            }
        }
    }
    text
}
