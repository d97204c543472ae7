//! The entries of Fortran, as gfortran names them: all arguments are references, an error code follows, then lengths
//! of strings.

use crate::list::{Base, Function, List, Parameter};

/// Functions that `c/fortran_special.c` has.
const WRITTEN: [&str; 8] = [
    "MPI_Attr_get",
    "MPI_Attr_put",
    "MPI_Keyval_create",
    "MPI_Comm_spawn",
    "MPI_Comm_spawn_multiple",
    "MPI_Info_get",
    "MPI_Info_get_string",
    "MPI_Session_get_nth_pset",
];

/// The C file of all entries.
pub(crate) fn entries(list: &List) -> String {
    let mut text = "#include \"fortran.h\"\n\n".to_string();
    for function in list.functions().filter(|function| function.fortran) {
        if WRITTEN.contains(&function.name.as_str()) {
            continue;
        }
        if function.parameters.iter().any(|parameter| parameter.name == "buffer_addr") {
            // The address is a result in the module mpi_f08, and is not returned elsewhere.
            text += &entry(function, &format!("{}_f08", function.name), true);
        }
        text += &entry(function, &function.name, false);
    }
    text
}

/// What an entry does with one argument.
#[derive(Default)]
struct Argument {
    declarations: Vec<String>,
    word: String,
    before: String,
    after: String,
}

fn entry(function: &Function, symbol: &str, f08: bool) -> String {
    let symbol = symbol.to_lowercase();
    let arguments: Vec<Argument> =
        function.parameters.iter().map(|parameter| argument(function, parameter, f08)).collect();
    let declarations = arguments.iter().flat_map(|argument| argument.declarations.iter().cloned());
    let lengths = function.parameters.iter().filter(|parameter| parameter.base == Base::Char);
    let lengths = lengths.filter(|parameter| !is_main_argument(parameter));
    let lengths = lengths.map(|parameter| format!("size_t {}_length", parameter.name));
    let declarations: Vec<String> =
        declarations.chain(["MPI_Fint *ierror".to_string()]).chain(lengths).collect();
    let mut words: Vec<String> = arguments.iter().map(|argument| argument.word.clone()).collect();
    let number = match adapters(function) {
        Some(adapters) => {
            words.extend(adapters.iter().map(|adapter| format!("(uintptr_t){adapter}")));
            format!("MC_{}_fortran", function.name)
        }
        None if is_attribute(function) => format!("MC_{}_fortran", function.name),
        None => format!("MC_{}", function.name),
    };
    if words.is_empty() {
        words.push("0".to_string());
    }
    let before: String = arguments.iter().map(|argument| argument.before.as_str()).collect();
    let after: String = arguments.iter().map(|argument| argument.after.as_str()).collect();
    format!(
        "#pragma weak {symbol}_ = p{symbol}_\n\
         void p{symbol}_({})\n{{\n    void *caller = MC_CALLER;\n{before}    \
             const uintptr_t words[] = {{{}}};\n    \
             int code = mc_call({number}, words, caller);\n{after}    \
             mc_result(ierror, code);\n}}\n",
        declarations.join(", "),
        words.join(", "),
    )
}

/// Functions that call functions of the program with arguments by reference: the machine gets one of these with each.
fn adapters(function: &Function) -> Option<Vec<&'static str>> {
    let kinds = function.parameters.iter().filter_map(|parameter| match &parameter.base {
        Base::Callback(kind) => Some(kind.as_str()),
        _ => None,
    });
    let adapters: Option<Vec<&str>> = kinds
        .map(|kind| match kind {
            _ if kind.contains("copy_attr") => Some("mc_copy_attr"),
            _ if kind.contains("delete_attr") => Some("mc_delete_attr"),
            "MPI_Grequest_query_function" => Some("mc_grequest_query"),
            "MPI_Grequest_free_function" => Some("mc_grequest_free"),
            "MPI_Grequest_cancel_function" => Some("mc_grequest_cancel"),
            "MPI_Datarep_extent_function" => Some("mc_datarep_extent"),
            "MPI_Datarep_conversion_function" => Some("mc_datarep_conversion"),
            "MPI_Datarep_conversion_function_c" => Some("mc_datarep_conversion_c"),
            // Operators and error handlers get addresses in C, too.
            _ => None,
        })
        .collect();
    adapters.filter(|adapters| !adapters.is_empty())
}

/// Whether values of attributes are arguments: integers in Fortran, addresses in C.
fn is_attribute(function: &Function) -> bool {
    ["get_attr", "set_attr"].iter().any(|end| function.name.ends_with(end))
}

/// Fortran's MPI_Init has no arguments of the program.
fn is_main_argument(parameter: &Parameter) -> bool {
    parameter.name == "argc" || parameter.name == "argv"
}

fn argument(function: &Function, parameter: &Parameter, f08: bool) -> Argument {
    let name = &parameter.name;
    if is_main_argument(parameter) {
        return Argument { word: "0".to_string(), ..Argument::default() };
    }
    // By reference as in C.
    let same = |kind: &str, word: String| Argument {
        declarations: vec![format!("{kind} *{name}")],
        word,
        ..Argument::default()
    };
    let value = parameter.is_value();
    match &parameter.base {
        Base::Int | Base::Logical if value => same("MPI_Fint", format!("mc_word({name})")),
        Base::Int if name.contains("weights") => same("MPI_Fint", format!("mc_address({name}, caller)")),
        Base::Int | Base::Logical => same("MPI_Fint", format!("(uintptr_t){name}")),
        Base::Long(kind) if value => same(kind, format!("(uintptr_t)*{name}")),
        Base::Long(kind) => same(kind, format!("(uintptr_t){name}")),
        // The functions of a generalized request may change the variable.
        Base::Address if function.name == "MPI_Grequest_start" => same("void", format!("(uintptr_t){name}")),
        Base::Address if parameter.pointers == 0 => same("MPI_Aint", format!("(uintptr_t)*{name}")),
        Base::Address => same("void", format!("(uintptr_t){name}")),
        Base::Choice if name == "buffer_addr" && !f08 => Argument {
            before: format!("    void *address = NULL;\n    (void){name};\n"),
            ..same("void", "(uintptr_t)&address".to_string())
        },
        Base::Choice if name == "buffer_addr" => same("void", format!("(uintptr_t){name}")),
        Base::Choice => same("void", format!("mc_address({name}, caller)")),
        Base::Status => same("MPI_Fint", format!("mc_address({name}, caller)")),
        Base::Index => index(parameter),
        Base::Callback(_) => Argument {
            declarations: vec![format!("void (*{name})(void)")],
            word: format!("mc_callback({name})"),
            ..Argument::default()
        },
        Base::Char => string(function, parameter),
        Base::Handle(_) | Base::OldSize if value => same("MPI_Fint", format!("mc_word({name})")),
        Base::Handle(_) | Base::OldSize if parameter.array.is_some() => array(function, parameter),
        Base::Handle(_) | Base::OldSize => Argument {
            before: format!("    uintptr_t {name}_word = mc_word({name});\n"),
            after: format!("    *{name} = (MPI_Fint){name}_word;\n"),
            ..same("MPI_Fint", format!("(uintptr_t)&{name}_word"))
        },
        Base::Other(kind) => panic!("{}: {kind} is not a type of Fortran", function.name),
    }
}

/// An index, or as many as a result says. They are undefined until MPI has set them.
fn index(parameter: &Parameter) -> Argument {
    let name = &parameter.name;
    let (first, count) = match parameter.array.as_deref() {
        Some(count) => (count, format!("*{count}")),
        None => (name.as_str(), "1".to_string()),
    };
    Argument {
        declarations: vec![format!("MPI_Fint *{name}")],
        word: format!("(uintptr_t){name}"),
        before: format!("    *{first} = MPI_UNDEFINED;\n"),
        after: format!("    mc_count_from_1({name}, {count});\n"),
    }
}

fn string(function: &Function, parameter: &Parameter) -> Argument {
    let name = &parameter.name;
    let declarations = vec![format!("char *{name}")];
    if parameter.is_const {
        let trim = i32::from(function.name.starts_with("MPI_Info_"));
        return Argument {
            declarations,
            word: format!("(uintptr_t)mc_string({name}_text, {name}, {name}_length, {trim})"),
            before: format!("    char {name}_text[MC_STRING + 1];\n"),
            after: String::new(),
        };
    }
    Argument {
        declarations,
        word: format!("(uintptr_t){name}_text"),
        before: format!("    char {name}_text[MC_TEXT] = \"\";\n"),
        after: format!(
            "    if (code == MPI_SUCCESS)\n        mc_blanks({name}, {name}_length, {name}_text);\n"
        ),
    }
}

fn array(function: &Function, parameter: &Parameter) -> Argument {
    let name = &parameter.name;
    let length = parameter.array.as_deref().unwrap_or_default();
    let count = match length {
        // They are not read if data are exchanged in place.
        "peers" if name == "sendtypes" => {
            "mc_address(sendbuf, caller) == (uintptr_t)MPI_IN_PLACE ? 0 : mc_peers(comm, caller)".to_string()
        }
        "peers" | "sources" | "destinations" => format!("mc_{length}(comm, caller)"),
        argument => {
            assert!(
                function.parameters.iter().any(|other| other.name == argument),
                "{}: {name}[{argument}]",
                function.name
            );
            format!("*{argument}")
        }
    };
    let narrow = if parameter.is_const || parameter.base == Base::OldSize {
        String::new()
    } else {
        format!("    mc_narrow({name}, {name}_count, {name}_words);\n")
    };
    Argument {
        declarations: vec![format!("MPI_Fint *{name}")],
        word: format!("(uintptr_t){name}_words"),
        before: format!(
            "    uintptr_t {name}_local[MC_LOCAL];\n    \
             intptr_t {name}_count = {count};\n    \
             uintptr_t *{name}_words = mc_widen({name}, {name}_count, {name}_local);\n"
        ),
        after: format!("{narrow}    mc_release({name}_words, {name}_local);\n"),
    }
}
