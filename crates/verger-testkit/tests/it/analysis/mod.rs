//! The analysis against product automata, on real files, and on hostile ones.

mod automaton;
mod corpus;
mod dialects;
mod hostile;
