//! The analysis against product automata, against the engine, and on real files.

mod automaton;
mod corpus;
mod dialects;
