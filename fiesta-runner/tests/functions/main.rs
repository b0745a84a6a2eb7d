//! Studies of functions: what is read, and what is decided.

mod document;
