//! The analysis against product automata, on real files, and on hostile ones.

#![expect(clippy::print_stdout, reason = "the tables are for the reader")]

mod automaton;
mod corpus;
mod dialects;
mod hostile;
