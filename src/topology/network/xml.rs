//! Elements and attributes of XML, with errors that name the line.

use roxmltree::Node;

use super::file::NetworkProblem;
use crate::text::shown;

/// Creates an error about an element.
pub(super) fn problem(node: Node<'_, '_>, problem: String) -> NetworkProblem {
    let line = node.document().text_pos_at(node.range().start).row;
    NetworkProblem::Xml { line, problem }
}

/// Returns an attribute that an element must have.
pub(super) fn attribute<'a>(node: Node<'a, '_>, name: &str) -> Result<&'a str, NetworkProblem> {
    let missing = || problem(node, format!("<{}> has no attribute `{name}`", node.tag_name().name()));
    node.attribute(name).ok_or_else(missing)
}

/// Returns an attribute that is a whole number.
pub(super) fn number(node: Node<'_, '_>, name: &str) -> Result<u32, NetworkProblem> {
    let given = attribute(node, name)?;
    given
        .parse()
        .map_err(|_| problem(node, format!("{name}=\"{}\" is not a whole number from 0", shown(given))))
}

/// Returns the elements within an element.
pub(super) fn elements<'a, 'd: 'a>(node: Node<'a, 'd>) -> impl Iterator<Item = Node<'a, 'd>> {
    node.children().filter(Node::is_element)
}
