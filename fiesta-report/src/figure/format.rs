//! Formats of figure files: SVG, PNG, PDF.

use super::{Figure, FigureError};

/// A format of figure files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
#[non_exhaustive]
pub enum FigureFormat {
    /// Scalable figure (SVG), for pages.
    Svg,
    /// Figure of pixels (PNG), for slides.
    #[cfg(feature = "png")]
    Png,
    /// Figure as PDF, for papers.
    #[cfg(feature = "pdf")]
    Pdf,
}

impl FigureFormat {
    /// Returns the extension of the format's files.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Svg => "svg",
            #[cfg(feature = "png")]
            Self::Png => "png",
            #[cfg(feature = "pdf")]
            Self::Pdf => "pdf",
        }
    }

    /// Returns the content of a file with this figure; a PNG has `scale` image pixels to a CSS
    /// pixel.
    ///
    /// # Errors
    /// [`FigureError`] if no font is installed, or the scale is not from 0.1 to 20.
    #[cfg_attr(not(feature = "png"), expect(unused_variables))]
    pub fn content(self, figure: &Figure, scale: f64) -> Result<Vec<u8>, FigureError> {
        match self {
            Self::Svg => Ok(figure.standalone_svg().into_bytes()),
            #[cfg(feature = "png")]
            Self::Png => figure.png(scale),
            #[cfg(feature = "pdf")]
            Self::Pdf => figure.pdf(),
        }
    }
}
