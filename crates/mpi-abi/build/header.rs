//! The prototypes of `mpi.h`.

use crate::list::List;

/// Prototypes by chapter, then all of them with the names of the profiling interface.
pub(crate) fn prototypes(list: &List) -> String {
    let mut text = String::new();
    for prefix in ["", "P"] {
        for chapter in &list.chapters {
            let profiling = if prefix.is_empty() { "" } else { "Profiling: " };
            text += &format!("/* ---- {profiling}{} ---- */\n\n", chapter.title);
            for function in &chapter.functions {
                text += &format!("int {prefix}{}({});\n", function.name, function.c());
            }
            for prototype in &chapter.written {
                // The result's type may begin with MPI_, too: the name is before the parenthesis.
                let name = prototype.find('(').expect("a prototype has parentheses");
                let name = prototype[..name].rfind("MPI_").expect("a name of MPI");
                text += &format!("{}{prefix}{};\n", &prototype[..name], &prototype[name..]);
            }
            text.push('\n');
        }
    }
    text
}
