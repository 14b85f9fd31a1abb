//! The two kinds of charts, as SVG: times of peers, and curves over the size of files.

use std::fmt::Display;

use plotters::coord::ranged1d::SegmentValue;
use plotters::prelude::*;

use super::table::{grouped, time};
use crate::Result;
use crate::growth::Curve;
use crate::measure::Measured;

/// Pixels of every chart.
const WIDTH: u32 = 820;

/// Pixels of the curves, of a peer's row, and of everything around the rows.
const CURVES: u32 = 520;
const ROW: u32 = 28;
const AROUND: u32 = 110;

const FONT: (&str, u32) = ("sans-serif", 14);
const TITLE: (&str, u32) = ("sans-serif", 20);

/// Verger's colour. Peers take those of the palette.
const OURS: RGBColor = RGBColor(0, 95, 204);

/// One dot for each peer, on a logarithmic axis; farther left is faster.
pub(crate) fn times(title: &str, what: &str, peers: &[Measured]) -> Result<String> {
    let mut svg = String::new();
    let rows = u32::try_from(peers.len()).unwrap_or(u32::MAX);
    let area = SVGBackend::with_string(&mut svg, (WIDTH, AROUND + ROW * rows)).into_drawing_area();
    area.fill(&WHITE).map_err(message)?;
    let (low, high) = range(peers.iter().map(Measured::time));
    let mut chart = ChartBuilder::on(&area)
        .caption(title, TITLE)
        .margin(16)
        .x_label_area_size(44)
        .y_label_area_size(170)
        // Room for a text right of each dot.
        .build_cartesian_2d(
            (low / 1.5..high * 4.0).log_scale(),
            (0..peers.len() - 1).into_segmented(),
        )
        .map_err(message)?;
    // The first peer is at the top.
    let place = |number: usize| peers.len() - 1 - number;
    let name = |row: &SegmentValue<usize>| match row {
        SegmentValue::CenterOf(row) if *row < peers.len() => peers[place(*row)].name.clone(),
        _ => String::new(),
    };
    chart
        .configure_mesh()
        .disable_y_mesh()
        .light_line_style(WHITE)
        .x_desc(what)
        .x_label_formatter(&|nanos| time(*nanos))
        .y_label_formatter(&name)
        .label_style(FONT)
        .draw()
        .map_err(message)?;
    let dots = peers.iter().enumerate().map(|(number, peer)| {
        let colour = if peer.is_ours { OURS } else { RGBColor(90, 100, 110) };
        EmptyElement::at((peer.time(), SegmentValue::CenterOf(place(number))))
            + Circle::new((0, 0), 6, colour.filled())
            + Text::new(time(peer.time()), (12, -6), FONT)
    });
    chart.draw_series(dots).map_err(message)?;
    area.present().map_err(message)?;
    drop(chart);
    drop(area);
    Ok(svg)
}

/// One curve for each peer, on logarithmic axes, with its name in a legend. The curve of a peer
/// with other answers than Verger's is dashed.
pub(crate) fn curves(title: &str, curves: &[Curve]) -> Result<String> {
    let mut svg = String::new();
    let area = SVGBackend::with_string(&mut svg, (WIDTH, CURVES)).into_drawing_area();
    area.fill(&WHITE).map_err(message)?;
    let points = || curves.iter().flat_map(|curve| &curve.points);
    let (few, many) = range(points().map(|point| exact(point.rules)));
    let (low, high) = range(points().map(|point| point.nanos));
    let mut chart = ChartBuilder::on(&area)
        .caption(title, TITLE)
        .margin(16)
        .margin_right(40)
        .x_label_area_size(44)
        .y_label_area_size(70)
        .build_cartesian_2d((few..many).log_scale(), (low / 1.5..high * 1.5).log_scale())
        .map_err(message)?;
    chart
        .configure_mesh()
        .light_line_style(WHITE)
        .x_desc("rules")
        .x_label_formatter(&|rules| grouped(*rules))
        .y_label_formatter(&|nanos| time(*nanos))
        .label_style(FONT)
        .draw()
        .map_err(message)?;
    // By name, so that a peer has the same colour on every chart.
    let mut names: Vec<&str> = curves.iter().map(|curve| &*curve.peer).collect();
    names.sort_unstable();
    for curve in curves {
        let place = names.iter().position(|name| *name == curve.peer).unwrap_or_default();
        let (colour, width) =
            if curve.is_ours { (OURS.to_rgba(), 3) } else { (Palette99::pick(place).to_rgba(), 2) };
        let style = colour.stroke_width(width);
        let points = curve.points.iter().map(|point| (exact(point.rules), point.nanos));
        let drawn = if curve.wrong() > 0.0 {
            chart.draw_series(DashedLineSeries::new(points, 6, 4, style)).map_err(message)?
        } else {
            chart.draw_series(LineSeries::new(points, style)).map_err(message)?
        };
        let line = move |(x, y)| PathElement::new([(x, y), (x + 18, y)], style);
        drawn.label(&curve.peer).legend(line);
    }
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::UpperLeft)
        .background_style(WHITE)
        .border_style(BLACK)
        .label_font(FONT)
        .draw()
        .map_err(message)?;
    area.present().map_err(message)?;
    drop(chart);
    drop(area);
    Ok(svg)
}

fn range(numbers: impl Iterator<Item = f64>) -> (f64, f64) {
    numbers.fold((f64::INFINITY, 0.0), |(low, high), one| (low.min(one), high.max(one)))
}

#[expect(clippy::cast_precision_loss, reason = "far below 2^52")]
const fn exact(count: usize) -> f64 {
    count as f64
}

fn message(error: impl Display) -> String {
    format!("chart: {error}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::growth::Point;

    #[test]
    fn a_chart_names_every_peer_and_its_time() {
        let peer = |name: &str, nanos| Measured {
            name: name.into(),
            is_ours: name == "verger",
            rounds: vec![nanos],
            sites: Vec::new(),
        };
        let svg = times("Work", "time", &[peer("verger", 70.0), peer("a<b", 19_000.0)]).unwrap();
        for text in ["verger", "a&lt;b", "70.0 ns", "19.0 µs"] {
            assert!(svg.contains(text), "expected {text}, but found {svg}");
        }
    }

    #[test]
    fn a_curve_of_wrong_answers_is_dashed() {
        let lines = |wrong| {
            let points =
                [10, 100_000].map(|rules| Point { rules, nanos: 5.0 * exact(rules), wrong });
            let curve = Curve { peer: "a".into(), is_ours: false, points: points.into() };
            let svg = curves("Growth", &[curve]).unwrap();
            assert!(svg.contains("100,000"));
            svg.matches("<polyline").count()
        };
        assert!(lines(0.5) > lines(0.0) + 10);
    }
}
