"""Verger's columns and their peers, side by side: `cargo xtask columns --bench`."""
