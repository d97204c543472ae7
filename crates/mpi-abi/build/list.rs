//! Reads `functions.txt`, which explains itself.

/// A function in one of its forms.
#[derive(Clone)]
pub(crate) struct Function {
    /// With the prefix `MPI_`.
    pub(crate) name: String,
    pub(crate) parameters: Vec<Parameter>,
    /// Whether this is the second form, of large counts.
    pub(crate) large: bool,
    /// Whether Fortran has it.
    pub(crate) fortran: bool,
}

#[derive(Clone)]
pub(crate) struct Parameter {
    pub(crate) name: String,
    pub(crate) base: Base,
    pub(crate) is_const: bool,
    /// Number of asterisks in C; one less for an [`Base::Address`] that is a result.
    pub(crate) pointers: usize,
    /// What the first brackets hold, of an array.
    pub(crate) array: Option<String>,
    /// The second brackets.
    pub(crate) columns: Option<String>,
}

/// Type of a parameter without `const`, asterisks and brackets.
#[derive(Clone, PartialEq, Eq)]
pub(crate) enum Base {
    Int,
    /// `MPI_Aint`, `MPI_Count` or `MPI_Offset`.
    Long(String),
    OldSize,
    Logical,
    Index,
    Address,
    /// `void`, a buffer of any type.
    Choice,
    Char,
    Status,
    /// The type of a handle.
    Handle(String),
    /// The type of a function of the program.
    Callback(String),
    /// A type that Fortran does not have.
    Other(String),
}

impl Parameter {
    fn parse(text: &str, large: bool) -> Parameter {
        let (text, is_const) = match text.strip_prefix("const ") {
            Some(rest) => (rest, true),
            None => (text, false),
        };
        let (text, brackets) = text.split_at(text.find('[').unwrap_or(text.len()));
        let mut brackets = brackets.split_terminator(']').map(|bracket| bracket[1..].to_string());
        let start = text.rfind([' ', '*']).expect("a type and a name") + 1;
        let (kind, name) = text.split_at(start);
        let pointers = kind.matches('*').count();
        let kind = kind.trim_end_matches([' ', '*']);
        let long = |name: &str| Base::Long(name.to_string());
        let base = match (kind, large) {
            ("int", _) | ("COUNT" | "DISP", false) => Base::Int,
            ("COUNT" | "SIZE", true) => long("MPI_Count"),
            ("DISP", true) | ("SIZE", false) => long("MPI_Aint"),
            ("MPI_Aint" | "MPI_Count" | "MPI_Offset", _) => long(kind),
            ("OLDSIZE", _) => Base::OldSize,
            ("LOGICAL", _) => Base::Logical,
            ("INDEX", _) => Base::Index,
            ("ADDRESS", _) => Base::Address,
            ("void", _) => Base::Choice,
            ("char", _) => Base::Char,
            ("MPI_Status", _) => Base::Status,
            _ if kind.contains("_function") => Base::Callback(kind.to_string()),
            _ if kind.starts_with("MPI_T_") => Base::Other(kind.to_string()),
            _ => Base::Handle(kind.to_string()),
        };
        Parameter {
            name: name.to_string(),
            base,
            is_const,
            pointers,
            array: brackets.next(),
            columns: brackets.next(),
        }
    }

    /// Whether the argument is a value rather than an address.
    pub(crate) fn is_value(&self) -> bool {
        self.pointers == 0 && self.array.is_none()
    }

    /// The declaration in C.
    pub(crate) fn c(&self) -> String {
        let base = match &self.base {
            Base::Int | Base::Logical | Base::Index => "int",
            Base::OldSize => "MPI_Aint",
            Base::Choice | Base::Address => "void",
            Base::Char => "char",
            Base::Status => "MPI_Status",
            Base::Long(name) | Base::Handle(name) | Base::Callback(name) | Base::Other(name) => name,
        };
        let stars = "*".repeat(if self.base == Base::Address { 1 } else { self.pointers });
        let constant = if self.is_const { "const " } else { "" };
        let array = if self.array.is_some() { "[]" } else { "" };
        let columns = self.columns.as_ref().map(|columns| format!("[{columns}]")).unwrap_or_default();
        format!("{constant}{base} {stars}{}{array}{columns}", self.name)
    }
}

impl Function {
    fn parse(line: &str, large: bool, fortran: bool) -> Function {
        let (name, rest) = line.split_once('(').expect("a function has parentheses");
        let parameters = rest.strip_suffix(')').expect("a function ends in a parenthesis");
        let parameters = parameters.split(", ").filter(|text| !text.is_empty());
        Function {
            name: format!("MPI_{name}{}", if large { "_c" } else { "" }),
            parameters: parameters.map(|text| Parameter::parse(text, large)).collect(),
            large,
            fortran,
        }
    }

    /// The parameters in C.
    pub(crate) fn c(&self) -> String {
        let parameters: Vec<String> = self.parameters.iter().map(Parameter::c).collect();
        if parameters.is_empty() { "void".to_string() } else { parameters.join(", ") }
    }
}

/// A chapter of the standard.
pub(crate) struct Chapter {
    pub(crate) title: String,
    pub(crate) functions: Vec<Function>,
    /// Prototypes of functions that are written by hand.
    pub(crate) written: Vec<String>,
}

pub(crate) struct List {
    pub(crate) chapters: Vec<Chapter>,
}

impl List {
    pub(crate) fn parse(text: &str) -> List {
        let mut chapters: Vec<Chapter> = Vec::new();
        for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
            if let Some(title) = line.strip_prefix("= ") {
                chapters.push(Chapter {
                    title: title.to_string(),
                    functions: Vec::new(),
                    written: Vec::new(),
                });
                continue;
            }
            let chapter = chapters.last_mut().expect("a chapter begins before its functions");
            if let Some(prototype) = line.strip_prefix("! ") {
                chapter.written.push(prototype.to_string());
                continue;
            }
            let fortran = !chapter.title.contains("C only");
            chapter.functions.push(Function::parse(line, false, fortran));
            if ["COUNT ", "DISP ", "SIZE "]
                .iter()
                .any(|word| line.split(['(', ' ']).any(|part| part == word.trim()))
            {
                chapter.functions.push(Function::parse(line, true, fortran));
            }
        }
        List { chapters }
    }

    pub(crate) fn functions(&self) -> impl Iterator<Item = &Function> {
        self.chapters.iter().flat_map(|chapter| &chapter.functions)
    }
}
