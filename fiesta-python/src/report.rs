//! Results of analyses as Python sees them: JSON, text and figure of one typed value.

use crate::error::{in_python, refused};
use fiesta_report::{
    analysis::{
        belief::BeliefReport, curve::CurveReport, plan::PlanReport, pool::PoolPlanReport,
        simulation::SimulationReport,
    },
    figure::{FigureFormat, Plot, WIDE},
};
use pyo3::{prelude::*, types::PyBytes};

/// Image pixels of a PNG to a CSS pixel.
const SCALE: f64 = 3.0;

/// A result that can be shown.
pub(crate) trait Shown: Send + Sync {
    /// The JSON that the program prints of it.
    fn json(&self) -> serde_json::Result<String>;

    /// What the program prints of it for people.
    fn text(&self) -> String;

    /// The name of its type, the title of its schema.
    fn kind(&self) -> &'static str;

    /// Its figure, if it has one.
    fn figure(&self) -> Option<Box<dyn Plot + '_>> {
        None
    }
}

macro_rules! shown {
    ($($report:ty $(, $figure:ident)?;)+) => {
        $(impl Shown for $report {
            fn json(&self) -> serde_json::Result<String> {
                serde_json::to_string(self)
            }

            fn text(&self) -> String {
                Self::text(self)
            }

            fn kind(&self) -> &'static str {
                stringify!($report)
            }

            $(fn $figure(&self) -> Option<Box<dyn Plot + '_>> {
                Some(Box::new(Self::$figure(self)))
            })?
        })+
    };
}

shown! {
    BeliefReport, figure;
    CurveReport, figure;
    SimulationReport, figure;
    PlanReport;
    PoolPlanReport;
}

/// The result of an analysis: `json()`, `text()`, and `figure(format)` if it has one.
#[pyclass(frozen, module = "fiesta_select._native")]
pub(crate) struct Report(Box<dyn Shown>);

impl Report {
    /// A result for Python.
    pub(crate) fn new(report: impl Shown + 'static) -> Self {
        Self(Box::new(report))
    }
}

#[pymethods]
impl Report {
    /// The JSON document that the program prints of it, but for flags in notes, which are keywords.
    fn json(&self, py: Python<'_>) -> PyResult<String> {
        py.detach(|| self.0.json())
            .map(|json| in_python(&json))
            .map_err(refused)
    }

    /// The text that the program prints of it.
    fn text(&self, py: Python<'_>) -> String {
        in_python(&py.detach(|| self.0.text()))
    }

    /// The title of its schema.
    #[getter]
    fn kind(&self) -> &'static str {
        self.0.kind()
    }

    /// Whether it has a figure.
    fn has_figure(&self) -> bool {
        self.0.figure().is_some()
    }

    /// Its figure as a file of this format: `svg`, `png` or `pdf`.
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
