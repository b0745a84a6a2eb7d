//! Results of analyses for Python: JSON, text and figure of one typed value.

use crate::value::object;
use crate::{error::refused, keywords::in_python};
use fiesta_report::{
    analysis::{
        belief::BeliefReport,
        compare::{ComparisonReport, PairsReport},
        curve::CurveReport,
        gate::GateReport,
        plan::PlanReport,
        pool::PoolPlanReport,
        simulation::SimulationReport,
    },
    figure::{Estimate, FigureFormat, Plot, WIDE},
};
use pyo3::{prelude::*, types::PyBytes};

/// Number of a PNG's pixels per CSS pixel, along one axis.
const SCALE: f64 = 3.0;

/// A result of an analysis that can be shown.
pub(crate) trait Shown: Send + Sync {
    /// Returns the JSON that the program prints of the result.
    fn json(&self) -> serde_json::Result<String>;

    /// Returns the JSON of the result as a value.
    fn value(&self) -> serde_json::Result<serde_json::Value>;

    /// Returns the text that the program prints of the result for people.
    fn text(&self) -> String;

    /// Replaces flags in the notes of the result by Python's keywords.
    fn translate(&mut self) {}

    /// Returns the result as a comment for a pull request. `None` if it is none.
    fn markdown(&self) -> Option<String> {
        None
    }

    /// Returns the name of the result's type, which is the title of its schema.
    fn kind(&self) -> &'static str;

    /// Returns the estimates that the figure draws, the best last: name, place, and lower end,
    /// value and upper end of each. They are not in the JSON.
    fn drawn(&self) -> Vec<Drawn> {
        Vec::new()
    }

    /// Returns the figure of the result. `None` if it has none.
    fn figure(&self) -> Option<Box<dyn Plot + '_>> {
        None
    }
}

/// Estimate in a figure: its name, its place on the other axis, and lower end, value and upper end.
type Drawn = (String, f64, [f64; 3]);

macro_rules! shown {
    ($($report:ty $(, $part:ident)*;)+) => {
        $(impl Shown for $report {
            fn json(&self) -> serde_json::Result<String> {
                serde_json::to_string(self)
            }

            fn value(&self) -> serde_json::Result<serde_json::Value> {
                serde_json::to_value(self)
            }

            fn text(&self) -> String {
                Self::text(self)
            }

            fn kind(&self) -> &'static str {
                stringify!($report)
            }

            $(shown!(@ $part);)*
        })+
    };
    (@ figure) => {
        fn figure(&self) -> Option<Box<dyn Plot + '_>> {
            Some(Box::new(Self::figure(self)))
        }
    };
    (@ estimates) => {
        fn drawn(&self) -> Vec<Drawn> {
            let oriented = |estimate: &Estimate| self.direction().orient(estimate.value);
            let mut known = self.estimates();
            known.sort_by(|(_, a), (_, b)| oriented(a).total_cmp(&oriented(b)));
            let known = known.into_iter().zip(0_u32..);
            let known = known.map(|((name, estimate), place)| {
                let ends = [estimate.lower, estimate.value, estimate.upper];
                (name, f64::from(place), ends)
            });
            known.collect()
        }
    };
    (@ points) => {
        fn drawn(&self) -> Vec<Drawn> {
            let points = self.points().into_iter();
            let points = points.map(|point| {
                let ends = [point.lower, point.share, point.upper];
                (self.setup.policy.clone(), point.budget, ends)
            });
            points.collect()
        }
    };
    (@ gate) => {
        fn translate(&mut self) {
            for note in &mut self.notes {
                *note = in_python(note);
            }
            for own in self.candidates.iter_mut().filter(|own| own.verdict.is_none()) {
                own.sentence = in_python(&own.sentence);
            }
        }

        fn markdown(&self) -> Option<String> {
            let page = Self::markdown(self);
            // Texts of models and files have no such backticks in it.
            Some(page.replace("`--format json`", "`to_dict()`"))
        }
    };
    (@ notes) => {
        fn translate(&mut self) {
            for note in &mut self.notes {
                *note = in_python(note);
            }
        }
    };
}

shown! {
    BeliefReport, figure, notes, estimates;
    ComparisonReport, figure, notes;
    PairsReport, figure, notes;
    CurveReport, figure;
    GateReport, gate;
    SimulationReport, figure, notes, points;
    PlanReport;
    PoolPlanReport;
}

/// The result of an analysis: `json()`, `text()`, and `figure(format)` if it has one.
#[pyclass(frozen, module = "fiesta_select._native")]
pub(crate) struct Report(Box<dyn Shown>);

impl Report {
    /// Returns a result as an object for Python.
    pub(crate) fn new(mut report: impl Shown + 'static) -> Self {
        report.translate();
        Self(Box::new(report))
    }
}

#[pymethods]
impl Report {
    /// Returns the JSON document that the program prints of the result, with flags in notes as keywords.
    fn json(&self, py: Python<'_>) -> PyResult<String> {
        py.detach(|| self.0.json()).map_err(refused)
    }

    /// Returns the JSON document as the objects that `json.loads` would make of it.
    fn value<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let value = py.detach(|| self.0.value()).map_err(refused)?;
        object(py, &value)
    }

    /// Returns the text that the program prints of the report, flags in it as keywords: as it is if
    /// there are names that look like flags.
    fn text(&self, py: Python<'_>) -> PyResult<String> {
        py.detach(|| {
            let text = self.0.text();
            let has_dashes = self.0.json()?.contains("--");
            Ok(if has_dashes { text } else { in_python(&text) })
        })
        .map_err(|error: serde_json::Error| refused(error))
    }

    /// Returns the report as a comment for a pull request.
    fn markdown(&self, py: Python<'_>) -> PyResult<String> {
        let made = py.detach(|| self.0.markdown());
        made.ok_or_else(|| refused("this result has no comment for a pull request"))
    }

    /// Returns the title of the report's schema.
    #[getter]
    fn kind(&self) -> &'static str {
        self.0.kind()
    }

    /// Returns the numbers of the report's figure that are not in its JSON: of a belief the arms'
    /// means with their intervals, of simulations the shares of runs that named the best arm.
    fn drawn(&self, py: Python<'_>) -> Vec<Drawn> {
        py.detach(|| self.0.drawn())
    }

    /// Returns whether the report has a figure.
    fn has_figure(&self) -> bool {
        self.0.figure().is_some()
    }

    /// Returns the report's figure as a file of this format: `svg`, `png` or `pdf`.
    fn figure<'py>(&self, py: Python<'py>, format: &str) -> PyResult<Bound<'py, PyBytes>> {
        let format = match format {
            "svg" => FigureFormat::Svg,
            "png" => FigureFormat::Png,
            "pdf" => FigureFormat::Pdf,
            other => {
                return Err(refused(format!(
                    "`{other}` is no format of figures: use svg, png or pdf"
                )));
            }
        };
        let content = py.detach(|| {
            let plot = self
                .0
                .figure()
                .ok_or_else(|| "this result has no figure".to_owned())?;
            let figure = plot.draw(WIDE).map_err(|error| error.to_string())?;
            format
                .content(&figure, SCALE)
                .map_err(|error| error.to_string())
        });
        Ok(PyBytes::new(py, &content.map_err(refused)?))
    }
}
