//! The constants of `mpi.h`, and what Fortran calls them.

pub(crate) struct Constant {
    name: String,
    value: Value,
}

enum Value {
    Integer(i64),
    Offset(i64),
    /// Type and number of a handle.
    Handle(String, i64),
}

/// Reads the lines `#define NAME VALUE` with values that Fortran has, too.
pub(crate) fn parse(header: &str) -> Vec<Constant> {
    let mut constants: Vec<Constant> = Vec::new();
    let defines = header.lines().filter_map(|line| line.strip_prefix("#define ")?.split_once(' '));
    for (name, value) in defines {
        if name.starts_with("MPI_T_") || name.starts_with("MPI_F_") || name.starts_with("MPI_F08_") {
            continue;
        }
        let value = value.trim();
        let known = constants.iter().find(|constant| constant.name == value).map(|constant| &constant.value);
        let value = match (known, cast(value)) {
            (Some(Value::Handle(kind, number)), _) => Value::Handle(kind.clone(), *number),
            (None, Some(("MPI_Offset", number))) => Value::Offset(number),
            (None, Some((kind, number))) if !kind.ends_with('*') => Value::Handle(kind.to_string(), number),
            (None, None) => {
                let number = integer(value).unwrap_or_else(|| panic!("{name} is not an integer: {value}"));
                // C's sizes of strings count the end.
                Value::Integer(number - i64::from(name.starts_with("MPI_MAX_")))
            }
            _ => continue,
        };
        constants.push(Constant { name: name.to_string(), value });
    }
    let fortran = [
        ("MPI_STATUS_SIZE", 8),
        ("MPI_SOURCE", 1),
        ("MPI_TAG", 2),
        ("MPI_ERROR", 3),
        ("MPI_INTEGER_KIND", 4),
        ("MPI_ADDRESS_KIND", 8),
        ("MPI_COUNT_KIND", 8),
        ("MPI_OFFSET_KIND", 8),
    ];
    constants.extend(
        fortran.map(|(name, value)| Constant { name: name.to_string(), value: Value::Integer(value) }),
    );
    constants
}

/// `((TYPE)NUMBER)`
fn cast(value: &str) -> Option<(&str, i64)> {
    let (kind, number) = value.strip_prefix("((")?.strip_suffix(')')?.split_once(')')?;
    Some((kind, integer(number)?))
}

fn integer(text: &str) -> Option<i64> {
    let text = text.trim_start_matches('(').trim_end_matches(')');
    match text.strip_prefix("0x") {
        Some(digits) => i64::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}

/// Lines of `mpif.h`, for both source forms.
pub(crate) fn include_file(constants: &[Constant]) -> String {
    let mut text = String::new();
    for Constant { name, value } in constants {
        let (kind, number) = match value {
            Value::Integer(number) | Value::Handle(_, number) => ("INTEGER", number),
            Value::Offset(number) => ("INTEGER(KIND=8)", number),
        };
        text += &format!("      {kind} {name}\n      PARAMETER ({name}={number})\n");
    }
    text
}

/// Lines of a module.
pub(crate) fn module(constants: &[Constant], f08: bool) -> String {
    let mut text = String::new();
    for Constant { name, value } in constants {
        text += &match value {
            Value::Handle(kind, number) if f08 => {
                format!("type({kind}), parameter :: {name} = {kind}({number})\n")
            }
            Value::Integer(number) | Value::Handle(_, number) => {
                format!("integer, parameter :: {name} = {number}\n")
            }
            Value::Offset(number) => format!("integer(kind=8), parameter :: {name} = {number}\n"),
        };
    }
    text
}
