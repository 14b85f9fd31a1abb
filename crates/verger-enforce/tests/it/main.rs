//! Tests of the intermediate form and of the emitters; with real servers in the thorough suite.

#[cfg(test)]
mod attempts;
#[cfg(test)]
mod cases;
#[cfg(test)]
mod hostile;
#[cfg(test)]
mod products;
#[cfg(test)]
mod proof;
#[cfg(test)]
mod servers;
