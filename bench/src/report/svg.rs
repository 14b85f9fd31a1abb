//! Elements of charts: a page with its background, readable in light and dark mode, and axes.

use std::fmt::Write as _;

/// A drawing during construction.
pub(super) struct Svg {
    body: String,
    width: f64,
    height: f64,
}

/// Alignment of a text at its point.
#[derive(Clone, Copy, Debug)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

impl Svg {
    pub(super) const fn new(width: f64, height: f64) -> Self {
        Self { body: String::new(), width, height }
    }

    pub(super) fn text(&mut self, (x, y): (f64, f64), anchor: Anchor, class: &str, text: &str) {
        let anchor = match anchor {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        };
        self.push(&format!(
            r#"<text x="{x:.1}" y="{y:.1}" text-anchor="{anchor}" class="{class}">{}</text>"#,
            escape(text)
        ));
    }

    pub(super) fn line(&mut self, from: (f64, f64), to: (f64, f64), class: &str) {
        let ((x1, y1), (x2, y2)) = (from, to);
        self.push(&format!(
            r#"<line x1="{x1:.1}" y1="{y1:.1}" x2="{x2:.1}" y2="{y2:.1}" class="{class}"/>"#
        ));
    }

    pub(super) fn bar(&mut self, (x, y): (f64, f64), (width, height): (f64, f64), class: &str) {
        self.push(&format!(
            r#"<rect x="{x:.1}" y="{y:.1}" width="{width:.1}" height="{height:.1}" rx="2" class="{class}"/>"#
        ));
    }

    /// A path through points, with a dot at each.
    pub(super) fn curve(&mut self, points: &[(f64, f64)], class: &str) {
        let path: Vec<String> = points.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
        self.push(&format!(r#"<polyline points="{}" class="curve {class}"/>"#, path.join(" ")));
        for (x, y) in points {
            self.push(&format!(r#"<circle cx="{x:.1}" cy="{y:.1}" r="3.2" class="dot {class}"/>"#));
        }
    }

    /// Two strokes across a bar that is too long.
    pub(super) fn torn(&mut self, (x, y): (f64, f64), height: f64) {
        for shift in [0.0, 6.0] {
            let (bottom, top) = ((x + shift, y + height + 2.0), (x + shift + 5.0, y - 2.0));
            self.line(bottom, top, "torn");
        }
    }

    fn push(&mut self, element: &str) {
        self.body.push_str(element);
        self.body.push('\n');
    }

    /// The whole file.
    pub(super) fn finish(self, title: &str) -> String {
        let (width, height) = (self.width, self.height);
        let mut out = String::new();
        // Writing to a string cannot fail.
        let _ = writeln!(
            out,
            r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img">"#
        );
        let _ = writeln!(out, "<title>{}</title>\n<style>{STYLE}</style>", escape(title));
        let _ = writeln!(out, r#"<rect width="{width}" height="{height}" rx="8" class="ground"/>"#);
        out.push_str(&self.body);
        out.push_str("</svg>\n");
        out
    }
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// Colours that also differ in lightness, for colour-blind readers.
const STYLE: &str = "
text { font: 13px system-ui, -apple-system, 'Segoe UI', Helvetica, Arial, sans-serif; fill: #1f2328 }
.title { font-size: 16px; font-weight: 600 }
.quiet { fill: #59636e; font-size: 12px }
.ours { font-weight: 650 }
.ground { fill: #ffffff; stroke: #d1d9e0 }
.grid { stroke: #e4e9ee; stroke-width: 1 }
.axis { stroke: #b5bec8; stroke-width: 1 }
.torn { stroke: #ffffff; stroke-width: 3 }
rect.peer { fill: #b3bcc7 }
rect.us { fill: #0b6bcb }
.curve { fill: none; stroke-width: 1.6; stroke-linejoin: round }
.wrong { stroke-dasharray: 5 4 }
.dot.wrong { stroke-dasharray: none }
.curve.us { stroke-width: 3.2 }
.us { stroke: #0b6bcb } text.us { fill: #0b6bcb; stroke: none; font-weight: 650 }
.c0 { stroke: #b35900 } text.c0 { fill: #b35900; stroke: none }
.c1 { stroke: #c43d7c } text.c1 { fill: #c43d7c; stroke: none }
.c2 { stroke: #1a7f4b } text.c2 { fill: #1a7f4b; stroke: none }
.c3 { stroke: #7a52c7 } text.c3 { fill: #7a52c7; stroke: none }
.c4 { stroke: #8a6d00 } text.c4 { fill: #8a6d00; stroke: none }
.c5 { stroke: #5b6773 } text.c5 { fill: #5b6773; stroke: none }
.c6 { stroke: #b3362b } text.c6 { fill: #b3362b; stroke: none }
.c7 { stroke: #00788c } text.c7 { fill: #00788c; stroke: none }
.c8 { stroke: #94a0ac } text.c8 { fill: #75808b; stroke: none }
rect.us, rect.peer { stroke: none }
.dot { fill: #ffffff; stroke-width: 1.6 }
.dot.us { stroke-width: 2.6 }
@media (prefers-color-scheme: dark) {
text { fill: #e6edf3 }
.quiet { fill: #9198a1 }
.ground { fill: #0d1117; stroke: #30363d }
.grid { stroke: #21262d }
.axis { stroke: #484f58 }
.torn { stroke: #0d1117 }
rect.peer { fill: #4b545f }
rect.us { fill: #3d95ee }
.us { stroke: #4aa3ff } text.us { fill: #4aa3ff }
.c0 { stroke: #f0a04b } text.c0 { fill: #f0a04b }
.c1 { stroke: #f27fb2 } text.c1 { fill: #f27fb2 }
.c2 { stroke: #4cc38a } text.c2 { fill: #4cc38a }
.c3 { stroke: #b197fc } text.c3 { fill: #b197fc }
.c4 { stroke: #d9bd4f } text.c4 { fill: #d9bd4f }
.c5 { stroke: #a3adb8 } text.c5 { fill: #a3adb8 }
.c6 { stroke: #ff8a80 } text.c6 { fill: #ff8a80 }
.c7 { stroke: #56c8d8 } text.c7 { fill: #56c8d8 }
.c8 { stroke: #6b7681 } text.c8 { fill: #8b96a1 }
rect.us, rect.peer { stroke: none }
.dot { fill: #0d1117 }
}
";

/// Ticks of an axis from 0 on: up to a maximum number, at round intervals.
pub(super) fn ticks(largest: f64, most: usize) -> Vec<f64> {
    if largest <= 0.0 {
        return vec![0.0];
    }
    #[expect(clippy::cast_precision_loss, reason = "a handful")]
    let rough = largest / most as f64;
    let decade = 10_f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].map(|times| times * decade);
    let step = step.into_iter().find(|step| *step >= rough * 0.999_999).unwrap_or(decade);
    let mut ticks = Vec::new();
    let mut tick = 0.0;
    while tick <= largest * 1.000_001 {
        ticks.push(tick);
        tick += step;
    }
    ticks
}

/// Powers of ten around two figures.
pub(super) fn decades(smallest: f64, largest: f64) -> Vec<f64> {
    #[expect(clippy::cast_possible_truncation, reason = "exponents of figures")]
    let (from, to) =
        (smallest.max(1e-9).log10().floor() as i32, largest.max(1e-9).log10().ceil() as i32);
    (from..=to.max(from + 1)).map(|exponent| 10_f64.powi(exponent)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_few() {
        assert_eq!(ticks(38.0, 8), [0.0, 5.0, 10.0, 15.0, 20.0, 25.0, 30.0, 35.0]);
        assert_eq!(ticks(1.0, 5).len(), 6);
        assert_eq!(ticks(0.0, 5), [0.0]);
    }

    #[test]
    fn decades_enclose() {
        let all = decades(31.0, 2_500.0);
        assert_eq!(
            all.iter().map(|one| one.round()).collect::<Vec<_>>(),
            [10.0, 100.0, 1_000.0, 10_000.0]
        );
        assert_eq!(decades(10.0, 10.0).len(), 2);
    }

    #[test]
    fn foreign_names_stay_text() {
        let mut svg = Svg::new(10.0, 10.0);
        svg.text((0.0, 0.0), Anchor::Start, "quiet", "a<b>&c");
        assert!(svg.finish("t").contains("a&lt;b&gt;&amp;c"));
    }
}
