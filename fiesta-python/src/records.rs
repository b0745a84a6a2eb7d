//! Records of evaluations from Python's values: scores of each arm, rows as JSON, files.

use crate::error::refused;
use fiesta_core::Direction;
use fiesta_records::{
    self as records, Format, ReadOptions,
    import::{self, ImportOptions, Tool},
};
use fiesta_report::analysis::ScoresOfArms;
use numpy::{PyArrayDescrMethods, PyReadonlyArray1, PyUntypedArray, PyUntypedArrayMethods, dtype};
use pyo3::{exceptions::PyTypeError, prelude::*, types::PyFloat};
use std::{fs, path::PathBuf};

/// Evaluations of one metric, with what they are called in messages.
#[pyclass(frozen, module = "fiesta_select._native")]
pub(crate) struct Records {
    pub(crate) all: records::Records,
    pub(crate) source: String,
    /// What the file says about which scores are better.
    pub(crate) direction: Option<Direction>,
    /// What is to be said of a file that another tool wrote.
    #[pyo3(get)]
    notices: Vec<String>,
}

/// How scores are read, of keywords that all analyses have.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Reading {
    metric: Option<String>,
    bounds: Option<(f64, f64)>,
    paired_rows: bool,
    keep_failures: bool,
}

impl Reading {
    fn options(&self) -> ReadOptions {
        ReadOptions {
            metric: self.metric.clone(),
            bounds: self.bounds,
            keep_failures: self.keep_failures,
            keep_columns: true,
            paired_rows: self.paired_rows,
        }
    }
}

/// Scores of one arm: an array of NumPy that is borrowed, or numbers that were copied.
enum Scores<'py> {
    Borrowed(PyReadonlyArray1<'py, f64>),
    Copied(Vec<f64>),
}

impl<'py> Scores<'py> {
    /// The numbers of a sequence; floats of NumPy that lie beside each other are borrowed.
    fn new(arm: &str, value: &Bound<'py, PyAny>) -> PyResult<Self> {
        if is_float_array(value)
            && let Ok(array) = value.extract::<PyReadonlyArray1<'py, f64>>()
            && array.as_slice().is_ok()
        {
            return Ok(Self::Borrowed(array));
        }
        let mut scores = Vec::with_capacity(value.len().unwrap_or(0));
        for (place, score) in value.try_iter()?.enumerate() {
            let score = score?;
            let number = match score.cast::<PyFloat>() {
                Ok(float) => float.value(),
                Err(_) => score
                    .extract()
                    .map_err(|_| not_a_number(arm, place, &score))?,
            };
            scores.push(number);
        }
        Ok(Self::Copied(scores))
    }

    fn as_slice(&self) -> &[f64] {
        match self {
            Self::Borrowed(array) => array.as_slice().unwrap_or(&[]),
            Self::Copied(scores) => scores,
        }
    }
}

/// Whether this is a one-dimensional array of NumPy's floats of 64 bits. NumPy is not imported for
/// the question: where it is not, there are no arrays.
fn is_float_array(value: &Bound<'_, PyAny>) -> bool {
    let module = value.get_type().module();
    if !module.is_ok_and(|module| module == "numpy") {
        return false;
    }
    let array = value.cast::<PyUntypedArray>();
    array.is_ok_and(|array| {
        array.ndim() == 1 && array.dtype().is_equiv_to(&dtype::<f64>(value.py()))
    })
}

fn not_a_number(arm: &str, place: usize, value: &Bound<'_, PyAny>) -> PyErr {
    let kind = value.get_type();
    let kind = kind
        .name()
        .map_or_else(|_| "?".to_owned(), |name| name.to_string());
    let shown = value
        .repr()
        .map_or_else(|_| kind.clone(), |text| text.to_string());
    let shown: String = shown.chars().take(60).collect();
    PyTypeError::new_err(format!(
        "scores:{}: in the column `{arm}`: {shown} ({kind}) is not a number",
        place + 1
    ))
}

#[pymethods]
impl Records {
    /// The scores of each arm.
    #[staticmethod]
    fn of_arms(
        py: Python<'_>,
        names: Vec<String>,
        scores: Vec<Bound<'_, PyAny>>,
        reading: Reading,
        source: String,
    ) -> PyResult<Self> {
        let scores = names
            .iter()
            .zip(&scores)
            .map(|(name, value)| Scores::new(name, value));
        let scores: Vec<Scores<'_>> = scores.collect::<PyResult<_>>()?;
        let arms: Vec<(&str, &[f64])> = names
            .iter()
            .map(String::as_str)
            .zip(scores.iter().map(Scores::as_slice))
            .collect();
        let read = py.detach(|| records::of_arms(arms, &reading.options(), &source));
        Ok(Self {
            all: read.map_err(refused)?,
            source,
            direction: None,
            notices: Vec::new(),
        })
    }

    /// Evaluations in JSON: an object a line, a list of objects, or an object of lists.
    #[staticmethod]
    fn of_json(py: Python<'_>, json: &str, reading: Reading, source: String) -> PyResult<Self> {
        let read = py.detach(|| {
            records::read_from(
                json.as_bytes(),
                Some(Format::JsonLines),
                &reading.options(),
                &source,
            )
        });
        Ok(Self {
            all: read.map_err(refused)?,
            source,
            direction: None,
            notices: Vec::new(),
        })
    }

    /// Evaluations in a file of scores, or in files of another tool.
    #[staticmethod]
    #[pyo3(signature = (paths, reading, tool = None, arm = None))]
    fn of_files(
        py: Python<'_>,
        paths: Vec<PathBuf>,
        reading: Reading,
        tool: Option<&str>,
        arm: Option<String>,
    ) -> PyResult<Self> {
        let tool: Option<Tool> = tool.map(str::parse).transpose().map_err(refused)?;
        py.detach(|| read_files(&paths, &reading, tool, arm))
            .map_err(refused)
    }

    /// The names of the arms.
    #[getter]
    fn arms(&self) -> Vec<String> {
        self.all.arms().to_vec()
    }

    /// How many evaluations there are, without those that failed.
    fn __len__(&self) -> usize {
        self.all.records().len()
    }
}

fn read_files(
    paths: &[PathBuf],
    reading: &Reading,
    tool: Option<Tool>,
    arm: Option<String>,
) -> Result<Records, String> {
    let [first, ..] = paths else {
        return Err("there is no file to read".to_owned());
    };
    let source = first.display().to_string();
    let recognised = match tool {
        Some(tool) => Some(tool),
        None => import::recognise_file(first)
            .map_err(|error| format!("cannot read {source}: {error}"))?,
    };
    if let Some(tool) = recognised {
        let options = ImportOptions {
            metric: reading.metric.clone(),
            arm,
            bounds: reading.bounds,
            ..ImportOptions::default()
        };
        let imported =
            import::read_files(paths, tool, &options).map_err(|error| error.to_string())?;
        return Ok(Records {
            all: imported.records,
            source,
            direction: imported.direction,
            notices: imported.notices,
        });
    }
    if paths.len() > 1 {
        return Err(format!(
            "{source} is no other tool's log, and several files are read together only if all are: name the tool with --from"
        ));
    }
    if fs::metadata(first).is_ok_and(|file| file.is_dir()) {
        return Err(format!("{source} is a directory: name a file of scores"));
    }
    let read = records::read(first, &reading.options()).map_err(|error| error.to_string())?;
    Ok(Records {
        all: read,
        source,
        direction: None,
        notices: Vec::new(),
    })
}

impl Records {
    /// The scores of the arms that are asked for, in this direction unless the file has one.
    pub(crate) fn scores(
        &self,
        arms: &[String],
        direction: &str,
        pool_size: Option<u64>,
        bounds: Option<(f64, f64)>,
    ) -> PyResult<ScoresOfArms> {
        let direction = self.direction(direction)?;
        let scores = ScoresOfArms::new(&self.all, arms, direction, self.source.clone());
        let scores = scores.and_then(|scores| scores.in_pool(bounds, pool_size));
        scores.map_err(refused)
    }

    /// Which scores are better: as the file says, else as asked for.
    pub(crate) fn direction(&self, asked: &str) -> PyResult<Direction> {
        Ok(match self.direction {
            Some(stated) => stated,
            None => asked.parse().map_err(refused)?,
        })
    }
}
