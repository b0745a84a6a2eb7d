//! Simplification of lines: fewer points for the same line.

use super::scene::Point;

/// The points without those that stand less than `tolerance` pixels from the line through the
/// points that stay (Ramer 1972; Douglas & Peucker 1973), after leaving out what falls on a point
/// before; the first and the last always stay.
pub(crate) fn thinned(points: &[Point], tolerance: f64) -> Vec<Point> {
    let grid = |(x, y): Point| ((x * 4.0).round(), (y * 4.0).round());
    let mut coarse: Vec<Point> = points.to_vec();
    let last = coarse.last().copied();
    coarse.dedup_by(|next, before| grid(*next) == grid(*before));
    if let (Some(end), Some(last)) = (coarse.last_mut(), last) {
        *end = last;
    }
    if coarse.len() < 3 {
        return coarse;
    }
    let mut keep = vec![false; coarse.len()];
    let mut open = vec![(0, coarse.len() - 1)];
    keep[0] = true;
    keep[coarse.len() - 1] = true;
    while let Some((from, to)) = open.pop() {
        let farthest = (from + 1..to)
            .map(|i| (i, distance(coarse[i], coarse[from], coarse[to])))
            .max_by(|a, b| a.1.total_cmp(&b.1));
        if let Some((i, distance)) = farthest
            && distance > tolerance
        {
            keep[i] = true;
            open.extend([(from, i), (i, to)]);
        }
    }
    let mut kept = keep.into_iter();
    coarse.retain(|_| kept.next() == Some(true));
    coarse
}

/// Returns the distance from a point to a segment.
fn distance((x, y): Point, (ax, ay): Point, (bx, by): Point) -> f64 {
    let (dx, dy) = (bx - ax, by - ay);
    let length = dx * dx + dy * dy;
    let t = if length > 0.0 {
        (((x - ax) * dx + (y - ay) * dy) / length).clamp(0.0, 1.0)
    } else {
        0.0
    };
    (x - ax - t * dx).hypot(y - ay - t * dy)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_straight_line_is_its_ends_and_a_corner_stays() {
        let line: Vec<Point> = (0..1000)
            .map(|i| (f64::from(i), f64::from(i) * 0.5))
            .collect();
        assert_eq!(thinned(&line, 0.1), [line[0], line[999]]);
        let corner = [(0.0, 0.0), (50.0, 0.0), (50.0, 50.0)];
        assert_eq!(thinned(&corner, 0.1), corner);
    }

    #[test]
    fn a_million_steps_are_few_points_near_the_line() {
        let stairs: Vec<Point> = (0..1_000_000)
            .map(|i| (f64::from(i / 2) / 1000.0, f64::from((i + 1) / 2) / 2000.0))
            .collect();
        let kept = thinned(&stairs, 0.3);
        assert!(kept.len() < 3000, "{}", kept.len());
    }
}
