//! Signatures: the sequence of basic types of a message, to compare what was sent with what is received.
