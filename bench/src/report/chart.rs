//! The two kinds of charts: bars of times, and curves over the size of files.

use super::svg::{Anchor, Svg, decades, ticks};
use super::table::{grouped, time, times};

/// A bar: name, time, and ratio to Verger's.
#[derive(Clone, Debug)]
pub(crate) struct Bar {
    pub(crate) name: String,
    pub(crate) is_ours: bool,
    /// Nanoseconds.
    pub(crate) value: f64,
    /// Ratio to Verger's.
    pub(crate) ratio: f64,
}

/// A curve: name, and points of numbers of rules and nanoseconds.
#[derive(Clone, Debug)]
pub(crate) struct Line {
    pub(crate) name: String,
    pub(crate) is_ours: bool,
    /// Whether answers differ; then the curve is dashed.
    pub(crate) is_wrong: bool,
    pub(crate) points: Vec<(f64, f64)>,
}

const WIDTH: f64 = 820.0;

/// Maximum ratio to Verger's; longer bars are drawn broken.
const LONGEST: f64 = 24.0;

/// Horizontal bars from 0; shorter is faster.
pub(crate) fn bars(title: &str, what: &str, bars: &[Bar]) -> String {
    const LEFT: f64 = 190.0;
    const RIGHT: f64 = 150.0;
    const TOP: f64 = 76.0;
    const ROW: f64 = 30.0;
    const THICK: f64 = 18.0;
    #[expect(clippy::cast_precision_loss, reason = "a dozen")]
    let height = TOP + ROW * bars.len() as f64 + 34.0;
    let mut svg = Svg::new(WIDTH, height);
    svg.text((20.0, 30.0), Anchor::Start, "title", title);
    svg.text((20.0, 50.0), Anchor::Start, "quiet", what);

    let ours = bars.iter().find(|bar| bar.is_ours).map_or(1.0, |bar| bar.value);
    let limit = ours * LONGEST;
    let shown = bars.iter().map(|bar| bar.value).filter(|value| *value <= limit);
    let largest = shown.fold(0.0, f64::max);
    let is_torn = bars.iter().any(|bar| bar.value > limit);
    // A broken bar is longer than the others.
    let end = if is_torn { largest * 1.12 } else { largest };
    let room = WIDTH - LEFT - RIGHT;
    let x = |value: f64| LEFT + value / end * room;
    let bottom = height - 30.0;
    for tick in ticks(end, 6) {
        svg.line((x(tick), TOP - 8.0), (x(tick), bottom), "grid");
        let label = if tick == 0.0 { "0".to_owned() } else { short(tick) };
        svg.text((x(tick), bottom + 18.0), Anchor::Middle, "quiet", &label);
    }
    svg.text((WIDTH - 20.0, TOP - 14.0), Anchor::End, "quiet", "ratio to Verger");
    let mut y = TOP;
    for bar in bars {
        let (class, name) = if bar.is_ours { ("us", "ours") } else { ("peer", "name") };
        svg.text((LEFT - 10.0, y + 13.5), Anchor::End, name, &bar.name);
        let long = bar.value > limit;
        let width = if long { room } else { bar.value / end * room };
        svg.bar((LEFT, y), (width.max(1.5), THICK), class);
        if long {
            svg.torn((LEFT + room - 26.0, y), THICK);
        }
        svg.text((LEFT + width + 8.0, y + 13.5), Anchor::Start, name, &time(bar.value));
        if !bar.is_ours {
            svg.text((WIDTH - 20.0, y + 13.5), Anchor::End, "quiet", &times(bar.ratio));
        }
        y += ROW;
    }
    svg.line((LEFT, TOP - 8.0), (LEFT, bottom), "axis");
    svg.finish(title)
}

/// Curves on logarithmic axes, each with its name at its end.
pub(crate) fn curves(title: &str, what: &str, lines: &[Line]) -> String {
    const LEFT: f64 = 76.0;
    const RIGHT: f64 = 190.0;
    const TOP: f64 = 76.0;
    const HEIGHT: f64 = 520.0;
    let mut svg = Svg::new(WIDTH, HEIGHT);
    svg.text((20.0, 30.0), Anchor::Start, "title", title);
    svg.text((20.0, 50.0), Anchor::Start, "quiet", what);
    let all = || lines.iter().flat_map(|line| &line.points);
    let range = |of: fn(&(f64, f64)) -> f64| {
        all()
            .map(of)
            .fold((f64::INFINITY, 0.0_f64), |(low, high), one| (low.min(one), high.max(one)))
    };
    let ((few, many), (fast, slow)) = (range(|point| point.0), range(|point| point.1));
    let bottom = HEIGHT - 48.0;
    let rows = decades(fast, slow);
    let (low, high) = (rows[0], rows[rows.len() - 1]);
    let x = |rules: f64| {
        LEFT + (rules / few).log10() / (many / few).log10().max(1e-9) * (WIDTH - LEFT - RIGHT)
    };
    let y = |nanos: f64| bottom - (nanos / low).log10() / (high / low).log10() * (bottom - TOP);
    for row in &rows {
        svg.line((LEFT, y(*row)), (WIDTH - RIGHT, y(*row)), "grid");
        svg.text((LEFT - 8.0, y(*row) + 4.0), Anchor::End, "quiet", &short(*row));
    }
    for column in decades(few, many) {
        if column <= many * 1.001 {
            svg.line((x(column), TOP), (x(column), bottom), "grid");
            svg.text((x(column), bottom + 18.0), Anchor::Middle, "quiet", &grouped(column));
        }
    }
    let middle = f64::midpoint(LEFT, WIDTH - RIGHT);
    svg.text((middle, bottom + 38.0), Anchor::Middle, "quiet", "rules");

    // By name, so that a peer has the same colour on every chart.
    let mut names: Vec<&str> =
        lines.iter().filter(|line| !line.is_ours).map(|line| &*line.name).collect();
    names.sort_unstable();
    let class = |line: &Line| match names.iter().position(|name| *name == line.name) {
        Some(place) => format!("c{}", place % 9),
        None => "us".to_owned(),
    };
    // Verger's curve is drawn last, above the others.
    for line in lines.iter().rev() {
        let points: Vec<(f64, f64)> =
            line.points.iter().map(|&(rules, nanos)| (x(rules), y(nanos))).collect();
        let dashed = if line.is_wrong { " wrong" } else { "" };
        svg.curve(&points, &format!("{}{dashed}", class(line)));
    }
    let ends = lines.iter().filter_map(|line| line.points.last());
    let ends: Vec<(f64, f64)> = ends.map(|&(rules, nanos)| (x(rules), y(nanos))).collect();
    let heights = spread(&ends, 16.0, bottom);
    for ((at, (end, _)), line) in heights.into_iter().zip(&ends).zip(lines) {
        svg.text((end + 10.0, at + 4.0), Anchor::Start, &class(line), &line.name);
    }
    svg.finish(title)
}

/// Heights for names at the ends of curves, so that names with adjacent ends do not overlap.
fn spread(ends: &[(f64, f64)], gap: f64, bottom: f64) -> Vec<f64> {
    let mut order: Vec<usize> = (0..ends.len()).collect();
    order.sort_by(|&a, &b| ends[a].1.total_cmp(&ends[b].1));
    let mut heights: Vec<f64> = ends.iter().map(|end| end.1).collect();
    let is_near = |a: usize, b: usize| (ends[a].0 - ends[b].0).abs() < 150.0;
    // Down from the top, then back up from the bottom.
    for (place, &one) in order.iter().enumerate() {
        for &above in &order[..place] {
            if is_near(one, above) {
                heights[one] = heights[one].max(heights[above] + gap);
            }
        }
    }
    for (place, &one) in order.iter().enumerate().rev() {
        heights[one] = heights[one].min(bottom);
        for &below in &order[place + 1..] {
            if is_near(one, below) {
                heights[one] = heights[one].min(heights[below] - gap);
            }
        }
    }
    heights
}

/// A rounded time for an axis, without decimals.
fn short(nanos: f64) -> String {
    let (size, unit) = match nanos {
        big if big >= 0.999e9 => (1e9, "s"),
        big if big >= 0.999e6 => (1e6, "ms"),
        big if big >= 0.999e3 => (1e3, "µs"),
        _ => (1.0, "ns"),
    };
    let text = format!("{:.1}", nanos / size);
    format!("{} {unit}", text.strip_suffix(".0").unwrap_or(&text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_is_as_long_as_its_value() {
        let bar = |name: &str, value: f64| Bar {
            name: name.into(),
            is_ours: name == "verger",
            value,
            ratio: value / 10.0,
        };
        let svg = bars("t", "w", &[bar("verger", 10.0), bar("a", 20.0), bar("b", 1_000.0)]);
        let widths: Vec<f64> = svg
            .lines()
            .filter(|line| line.starts_with("<rect") && !line.contains("ground"))
            .filter_map(|line| line.split("width=\"").nth(1)?.split('"').next()?.parse().ok())
            .collect();
        assert!((widths[1] / widths[0] - 2.0).abs() < 0.01, "{widths:?}");
        // Drawn broken, and marked.
        assert!(widths[2] > widths[1] && svg.contains("class=\"torn\""));
    }

    #[test]
    fn names_keep_their_distance() {
        let heights =
            spread(&[(500.0, 100.0), (500.0, 103.0), (500.0, 460.0), (500.0, 465.0)], 16.0, 470.0);
        let mut sorted = heights.clone();
        sorted.sort_by(f64::total_cmp);
        assert!(sorted.windows(2).all(|pair| pair[1] - pair[0] > 15.9), "{heights:?}");
        assert!(heights.iter().all(|height| *height <= 470.0));
    }

    #[test]
    fn a_tenfold_step_is_as_wide_everywhere() {
        let points = vec![(10.0, 10.0), (100.0, 10.0), (1_000.0, 10.0)];
        let svg =
            curves("t", "w", &[Line { name: "a".into(), is_ours: false, is_wrong: false, points }]);
        let circles = svg.lines().filter(|line| line.starts_with("<circle"));
        let x: Vec<f64> = circles
            .filter_map(|line| line.split("cx=\"").nth(1)?.split('"').next()?.parse().ok())
            .collect();
        assert!((x[2] - x[1] - (x[1] - x[0])).abs() < 0.2, "{x:?}");
    }
}
