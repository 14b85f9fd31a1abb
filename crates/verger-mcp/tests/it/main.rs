//! Sessions with the server, in memory and as a process.

mod fetches;
mod process;
mod session;
mod tools;
