//! Line wrapping.

/// Maximum width of a line, in characters.
const WIDTH: usize = 100;

/// Joins words by blanks, with lines of at most [`WIDTH`] characters. All lines but the first are indented; the first
/// follows a prefix of `indent` characters.
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
