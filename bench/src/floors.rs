//! Floors of `budgets.txt`: ratios within one run that Verger must reach.

use crate::Result;
use crate::growth::{Curve, SIZES};
use crate::results::Results;

const BUDGETS: &str = include_str!("../budgets.txt");

/// Between the name of a floor and its ratio.
const AT_LEAST: &str = " >= ";

/// Compares the results with every floor.
///
/// # Errors
///
/// If floors are missed or were not measured; with all of them.
pub(crate) fn check(results: &Results) -> Result {
    let found = missed(BUDGETS, &measured(results))?;
    if found.is_empty() { Ok(()) } else { Err(found.join("\n")) }
}

fn missed(budgets: &str, measured: &[(String, f64)]) -> Result<Vec<String>> {
    let mut missed = Vec::new();
    for (name, floor) in budgets.lines().filter_map(|line| line.split_once(AT_LEAST)) {
        let floor: f64 = floor.parse().map_err(|error| format!("budgets.txt: {name}: {error}"))?;
        let found = measured.iter().find(|(other, _)| other == name).map(|(_, ratio)| *ratio);
        if found.is_none_or(|ratio| ratio < floor) {
            let found = found.map_or_else(|| "none".to_owned(), |ratio| format!("{ratio:.3}"));
            missed.push(format!("{name}: expected a ratio of at least {floor}, but found {found}"));
        }
    }
    Ok(missed)
}

/// Ratios of the times of peers to Verger's, by `WORK: PEER`; as files grow, the smallest of all
/// sizes.
fn measured(results: &Results) -> Vec<(String, f64)> {
    let mut measured = Vec::new();
    for (work, all) in &results.works {
        let Some(ours) = all.first() else { continue };
        let name = work.name();
        measured
            .extend(all.iter().map(|peer| (format!("{name}: {}", peer.name), peer.times(ours))));
    }
    for (shape, curves) in &results.growth {
        let Some(ours) = curves.first() else { continue };
        let name = shape.name();
        let peers = curves.iter().map(|peer| (format!("{name}: {}", peer.peer), least(peer, ours)));
        measured.extend(peers);
        let (first, last) = (ours.points.first(), ours.points.last());
        if let (Some(first), Some(last)) = (first, last) {
            measured.push((format!("{name}: verger, first size"), first.nanos / last.nanos));
        }
    }
    measured
}

fn least(peer: &Curve, ours: &Curve) -> f64 {
    let ratios = SIZES.into_iter().filter_map(|size| Some(peer.at(size)? / ours.at(size)?));
    ratios.fold(f64::INFINITY, f64::min)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_floor_is_missed_below_its_ratio_and_without_a_figure() {
        let budgets = "# Floors\nparse: a >= 1.5\nparse: b >= 2\nparse: c >= 1\nload x = 7\n";
        let measured = [("parse: a", 1.5), ("parse: b", 1.999)];
        let measured = measured.map(|(name, ratio)| (name.to_owned(), ratio));
        let expected = [
            "parse: b: expected a ratio of at least 2, but found 1.999",
            "parse: c: expected a ratio of at least 1, but found none",
        ];
        assert_eq!(missed(budgets, &measured).unwrap(), expected);
        assert!(missed("parse: a >= much\n", &measured).is_err());
    }

    #[test]
    fn the_floors_can_be_read() {
        assert!(missed(BUDGETS, &[]).is_ok_and(|missed| missed.len() > 5));
    }
}
