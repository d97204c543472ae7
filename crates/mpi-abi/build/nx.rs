//! The library of NX, from `nx.txt`, which explains itself.

/// A function of NX.
struct Function {
    result: String,
    name: String,
    parameters: Vec<Parameter>,
    /// The words of a call, if they are not the parameters.
    words: Option<Vec<String>>,
    /// Whether `c/nx/nx.c` has it.
    is_written: bool,
    /// Whether Fortran has it.
    fortran: bool,
    /// The title of its chapter, of the first function of a chapter.
    title: Option<String>,
}

struct Parameter {
    kind: String,
    name: String,
}

/// Which program an entry is for: the size of its integers, and how they are passed.
#[derive(Clone, Copy, PartialEq)]
enum Caller {
    Long,
    Int,
    Fortran,
}

/// The functions of NX.
pub(crate) struct Nx {
    functions: Vec<Function>,
}

impl Parameter {
    fn parse(text: &str) -> Parameter {
        let start = text.rfind([' ', '*']).expect("a type and a name") + 1;
        Parameter { kind: text[..start].trim_end().to_string(), name: text[start..].to_string() }
    }

    /// Whether it is an array of integers.
    fn is_longs(&self) -> bool {
        self.kind == "long *"
    }

    fn declaration(&self, caller: Caller) -> String {
        let kind = match (&self.kind[..], caller) {
            ("long *", Caller::Int | Caller::Fortran) | ("long", Caller::Fortran) => "int *",
            (kind, _) => kind,
        };
        format!("{kind}{}{}", if kind.ends_with('*') { "" } else { " " }, self.name)
    }

    fn word(&self, caller: Caller) -> String {
        match (&self.kind[..], caller) {
            ("long", Caller::Fortran) => format!("(uintptr_t)(intptr_t)*{}", self.name),
            _ => format!("(uintptr_t){}", self.name),
        }
    }
}

impl Function {
    fn parse(line: &str) -> Function {
        let (prototype, words) = match line.split_once(" = ") {
            Some((prototype, words)) => (prototype, Some(words.split(", ").map(str::to_string).collect())),
            None => (line, None),
        };
        let (head, parameters) = prototype.split_once('(').expect("a function has parentheses");
        let (result, name) = head.rsplit_once(' ').expect("a function has a result");
        let parameters = parameters.strip_suffix(')').expect("a function ends in a parenthesis");
        let parameters = parameters.split(", ").filter(|text| *text != "void").map(Parameter::parse);
        Function {
            result: result.to_string(),
            name: name.to_string(),
            parameters: parameters.collect(),
            words,
            is_written: false,
            fortran: true,
            title: None,
        }
    }

    /// The parameter that tells the size of the program's integers.
    fn longs(&self) -> Option<&Parameter> {
        self.parameters.iter().find(|parameter| parameter.is_longs())
    }

    fn parameters(&self, caller: Caller) -> String {
        let all: Vec<String> =
            self.parameters.iter().map(|parameter| parameter.declaration(caller)).collect();
        if all.is_empty() { "void".to_string() } else { all.join(", ") }
    }

    /// The words of a call: the arguments, the size of integers if some are stored, the place of the result.
    fn words(&self, caller: Caller) -> Vec<String> {
        let find = |word: &String| {
            let parameter = self.parameters.iter().find(|parameter| parameter.name == *word);
            parameter.map_or_else(|| format!("(uintptr_t){word}"), |parameter| parameter.word(caller))
        };
        let mut words: Vec<String> = match &self.words {
            Some(words) => words.iter().map(find).collect(),
            None => self.parameters.iter().map(|parameter| parameter.word(caller)).collect(),
        };
        if self.words.as_ref().is_some_and(|words| words.iter().any(|word| word == "msginfo")) {
            words.push("sizeof(long)".to_string());
        } else if self.longs().is_some() {
            words.push(if caller == Caller::Long { "sizeof(long)" } else { "sizeof(int)" }.to_string());
        }
        if self.result != "void" {
            words.push("(uintptr_t)&result".to_string());
        }
        words
    }

    /// The name of an entry, with or without an underscore.
    fn symbol(&self, caller: Caller, underscore: &str) -> String {
        let name = &self.name;
        match caller {
            Caller::Long => format!("{underscore}{name}"),
            Caller::Int => format!("nx_int_{underscore}{name}"),
            Caller::Fortran => format!("{name}_"),
        }
    }

    /// The result of an entry.
    fn result(&self, caller: Caller, underscore: &str) -> &str {
        match (&self.result[..], caller) {
            ("void", _) if underscore.is_empty() => "void",
            ("double", _) => "double",
            (_, Caller::Fortran) => "int",
            (_, _) if !underscore.is_empty() => "long",
            (result, _) => result,
        }
    }

    fn prototype(&self, caller: Caller, underscore: &str) -> String {
        let (result, symbol) = (self.result(caller, underscore), self.symbol(caller, underscore));
        format!("{result} {symbol}({})", self.parameters(caller))
    }

    fn entry(&self, caller: Caller, underscore: &str) -> String {
        let prototype = self.prototype(caller, underscore);
        let mut text =
            format!("{prototype} __attribute__((weak));\n{prototype}\n{{\n    static int number;\n");
        if self.result != "void" {
            let kind = if self.result == "double" { "double" } else { "long" };
            text += &format!("    {kind} result = 0;\n");
        }
        let words = self.words(caller).join(", ");
        let words = if words.is_empty() { "0" } else { &words };
        let name = &self.name;
        text += &format!("    const uintptr_t words[] = {{{words}}};\n");
        let call = format!("mc_call_named(&number, \"{underscore}{name}\", words, MC_CALLER)");
        text += &match (underscore.is_empty(), &self.result[..]) {
            (true, "void") => format!("    {call};\n"),
            (true, _) => format!("    {call};\n    return result;\n"),
            (false, "void") => format!("    int code = {call};\n    return code ? failed(code) : 0;\n"),
            (false, _) => format!("    int code = {call};\n    return code ? failed(code) : result;\n"),
        };
        text + "}\n\n"
    }

    /// What lets C and C++ choose the entry for arrays of `int`.
    fn for_integers(&self, underscore: &str) -> (String, String) {
        let (Some(longs), name) = (self.longs(), self.symbol(Caller::Long, underscore)) else {
            return Default::default();
        };
        let names: Vec<&str> = self.parameters.iter().map(|parameter| &parameter.name[..]).collect();
        let (names, integer) = (names.join(", "), self.symbol(Caller::Int, underscore));
        let result = self.result(Caller::Int, underscore);
        let parameters = self.parameters(Caller::Int);
        let back = if result == "void" { "" } else { "return " };
        (
            format!(
                "#define {name}({names}) __extension__ _Generic(({}), int *: {integer}, default: {name})({names})\n",
                longs.name
            ),
            format!("static inline {result} {name}({parameters}) {{ {back}{integer}({names}); }}\n"),
        )
    }
}

impl Nx {
    pub(crate) fn parse(text: &str) -> Nx {
        let mut functions = Vec::new();
        let mut title = String::new();
        let mut is_first = false;
        for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
            if let Some(given) = line.strip_prefix("= ") {
                title = given.to_string();
                is_first = true;
                continue;
            }
            let written = line.strip_prefix("! ");
            functions.push(Function {
                is_written: written.is_some(),
                fortran: !title.contains("C only"),
                title: std::mem::take(&mut is_first).then(|| title.clone()),
                ..Function::parse(written.unwrap_or(line))
            });
        }
        Nx { functions }
    }

    /// The functions that are entries.
    fn entries(&self) -> impl Iterator<Item = &Function> {
        self.functions.iter().filter(|function| !function.is_written)
    }

    /// The names under which the library calls.
    pub(crate) fn names(&self) -> impl Iterator<Item = String> {
        let names =
            self.entries().flat_map(|function| ["", "_"].map(|mark| format!("{mark}{}", function.name)));
        names.chain(["nx_perror".to_string()])
    }

    /// The number of words of each function, for the test that compares them with the model's.
    pub(crate) fn word_counts(&self) -> String {
        let count = |function: &Function| function.words(Caller::Long).len();
        self.entries().map(|function| format!("{} {}\n", function.name, count(function))).collect()
    }

    /// The C file of the entries.
    pub(crate) fn c(&self) -> String {
        let mut text = "#include \"shim.h\"\n#include <errno.h>\n\nextern long msginfo[8];\n\n\
             static long failed(int code)\n{\n    errno = code;\n    return -1;\n}\n\n"
            .to_string();
        // Declarations of the types of functions.
        text += "typedef void nx_handler();\ntypedef long nx_function();\n\n";
        for function in self.entries() {
            for underscore in ["", "_"] {
                text += &function.entry(Caller::Long, underscore);
                if function.longs().is_some() {
                    text += &function.entry(Caller::Int, underscore);
                }
            }
            if function.fortran {
                text += &function.entry(Caller::Fortran, "");
            }
        }
        text
    }

    /// The prototypes of `nx.h`.
    pub(crate) fn prototypes(&self) -> String {
        let mut text = String::new();
        for function in &self.functions {
            if let Some(title) = &function.title {
                text += &format!("/* ---- {title} ---- */\n\n");
            }
            let is_alone = function.is_written && function.result == "void";
            for underscore in if is_alone { &[""][..] } else { &["", "_"] } {
                text += &format!("{};\n", function.prototype(Caller::Long, underscore));
                if function.longs().is_some() {
                    text += &format!("{};\n", function.prototype(Caller::Int, underscore));
                }
            }
        }
        text + "\n"
    }

    /// The end of `nx.h`.
    pub(crate) fn integers(&self) -> String {
        let both =
            self.functions.iter().flat_map(|function| ["", "_"].map(|mark| function.for_integers(mark)));
        let (c, cxx): (String, String) = both.unzip();
        format!("#ifdef __cplusplus\n{cxx}#else\n{c}#endif\n")
    }

    /// Fortran's `fnx.h`: the types of functions, in fixed and free source form.
    pub(crate) fn include_file(&self) -> String {
        let mut text = "! NX for Fortran: the types of its functions. Made by crates/mpi-abi of the project multicomputer from nx.txt.\n"
            .to_string();
        for function in self.functions.iter().filter(|function| function.fortran) {
            let kind = match &function.result[..] {
                "void" => continue,
                "double" => "DOUBLE PRECISION",
                _ => "INTEGER",
            };
            let name = function.name.to_uppercase();
            text += &format!("      {kind} {name}\n      EXTERNAL {name}\n");
        }
        text
    }
}
