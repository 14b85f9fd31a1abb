//! Tests of the intermediate form and of the emitters; with real servers in the thorough suite.

mod cases;
mod hostile;
mod proof;
mod servers;
