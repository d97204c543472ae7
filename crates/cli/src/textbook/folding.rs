//! Words in lines.

/// Columns of a line.
const WIDTH: usize = 100;

/// Words with blanks between them, broken into lines: all but the first are indented, and so is what stands before it.
pub(super) fn folded<'w>(words: impl IntoIterator<Item = &'w str>, indent: usize) -> String {
    let (mut text, mut column) = (String::new(), indent);
    for word in words {
        if column > indent && column + 1 + word.len() > WIDTH {
            text += &format!("\n{:indent$}", "");
            column = indent;
        } else if column > indent {
            text.push(' ');
            column += 1;
        }
        text += word;
        column += word.len();
    }
    text
}
