//! The entries of C: each puts its arguments into words and calls `mc_call` with the number of its name.

use crate::{
    list::{Base, Function, List},
    nx::Nx,
};

/// Names beyond the functions of the list, which only hand-written code calls; see `c/special.c`, `c/fortran_special.c` and `c/computation.c`.
const INTERNAL: [&str; 19] = [
    "MPI_Wtime",
    "MPI_Wtick",
    "MPI_Pcontrol",
    "MPI_Comm_create_keyval_fortran",
    "MPI_Type_create_keyval_fortran",
    "MPI_Win_create_keyval_fortran",
    "MPI_Keyval_create_fortran",
    "MPI_Comm_set_attr_fortran",
    "MPI_Type_set_attr_fortran",
    "MPI_Win_set_attr_fortran",
    "MPI_Comm_get_attr_fortran",
    "MPI_Type_get_attr_fortran",
    "MPI_Win_get_attr_fortran",
    "MPI_Grequest_start_fortran",
    "MPI_Register_datarep_fortran",
    "MPI_Register_datarep_c_fortran",
    "MC_Compute",
    "MC_Sample_begin",
    "MC_Sample_end",
];

/// The C file of all entries, and a header with the numbers of all names. The names of NX's functions are behind those of MPI's.
pub(crate) fn entries(list: &List, nx: &Nx) -> (String, String) {
    let mut text = "#include \"shim.h\"\n\n".to_string();
    let mut names = String::new();
    let mut numbers = String::new();
    let all = list.functions().map(|function| function.name.as_str()).chain(INTERNAL);
    for (number, name) in all.enumerate() {
        names += &format!("    \"{name}\",\n");
        numbers += &format!("#define MC_{name} {number}\n");
    }
    names.extend(nx.names().map(|name| format!("    \"{name}\",\n")));
    text += &format!("const char *const mc_function_names[] = {{\n{names}}};\n");
    text += "const int mc_function_count = sizeof mc_function_names / sizeof *mc_function_names;\n\n";
    for function in list.functions() {
        text += &entry(function);
    }
    (text, numbers)
}

/// The number of words of each function of the list, for the test that compares them with the model's.
pub(crate) fn word_counts(list: &List) -> String {
    list.functions().map(|function| format!("{} {}\n", function.name, function.parameters.len())).collect()
}

fn entry(function: &Function) -> String {
    let name = &function.name;
    let words: Vec<String> = function
        .parameters
        .iter()
        .map(|parameter| match parameter.base {
            Base::Int | Base::Logical if parameter.is_value() => {
                format!("(uintptr_t)(intptr_t){}", parameter.name)
            }
            _ => format!("(uintptr_t){}", parameter.name),
        })
        .collect();
    let words = if words.is_empty() { "0".to_string() } else { words.join(", ") };
    format!(
        "#pragma weak {name} = P{name}\n\
         int P{name}({}) {{\n    \
             const uintptr_t words[] = {{{words}}};\n    \
             return mc_call(MC_{name}, words, MC_CALLER);\n\
         }}\n",
        function.c(),
    )
}
