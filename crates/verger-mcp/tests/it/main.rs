//! Sessions with the server, in memory and as a process.

mod bounds;
mod edge;
mod fetches;
mod process;
mod protocol;
mod session;
mod tools;
