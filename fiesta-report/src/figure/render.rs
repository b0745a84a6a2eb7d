//! PNG and PDF, made of the SVG.

use super::{Figure, FigureError, text};
use resvg::usvg;
use std::sync::{Arc, OnceLock};

impl Figure {
    /// Returns the figure as a PNG with a transparent ground, `scale` image pixels to a CSS pixel:
    /// 2 for screens, 4 or more for print.
    ///
    /// # Errors
    /// No font is installed, or the scale is not from 0.1 to 20.
    #[cfg(feature = "png")]
    pub fn png(&self, scale: f64) -> Result<Vec<u8>, FigureError> {
        use resvg::tiny_skia::{Pixmap, Transform};
        let failed = |reason: String| FigureError::Render {
            format: "PNG",
            reason,
        };
        if !(0.1..=20.0).contains(&scale) {
            return Err(failed(format!(
                "a scale of {scale}; choose one from 0.1 to 20"
            )));
        }
        #[expect(clippy::cast_possible_truncation, reason = "a picture is small")]
        let scale = scale as f32;
        let tree = self.tree("PNG")?;
        let size = tree.size().to_int_size();
        let size = size
            .scale_by(scale)
            .ok_or_else(|| failed("the picture would have no pixels".to_owned()))?;
        let mut pixmap = Pixmap::new(size.width(), size.height())
            .ok_or_else(|| failed("the picture would be too large".to_owned()))?;
        resvg::render(
            &tree,
            Transform::from_scale(scale, scale),
            &mut pixmap.as_mut(),
        );
        pixmap
            .encode_png()
            .map_err(|error| failed(error.to_string()))
    }

    /// Returns the figure as a PDF of one page, a CSS pixel to .75 pt, with its text selectable and
    /// its fonts embedded in part.
    ///
    /// # Errors
    /// No font is installed.
    #[cfg(feature = "pdf")]
    pub fn pdf(&self) -> Result<Vec<u8>, FigureError> {
        use krilla::Document;
        use krilla::geom::Size;
        use krilla::metadata::Metadata;
        use krilla::page::PageSettings;
        use krilla_svg::{SurfaceExt, SvgSettings};
        let failed = |reason: String| FigureError::Render {
            format: "PDF",
            reason,
        };
        let tree = self.tree("PDF")?;
        let (width, height) = (tree.size().width() * 0.75, tree.size().height() * 0.75);
        let size =
            || Size::from_wh(width, height).ok_or_else(|| failed("it has no size".to_owned()));
        let settings = PageSettings::from_wh(width, height)
            .ok_or_else(|| failed("it has no size".to_owned()))?;
        let mut document = Document::new();
        document.set_metadata(Metadata::new().title(text::clean(self.title())));
        let mut page = document.start_page_with(settings);
        let mut surface = page.surface();
        surface
            .draw_svg(&tree, size()?, SvgSettings::default())
            .ok_or_else(|| failed("the SVG was not understood".to_owned()))?;
        surface.finish();
        page.finish();
        document
            .finish()
            .map_err(|error| failed(format!("{error:?}")))
    }

    pub(crate) fn tree(&self, format: &'static str) -> Result<usvg::Tree, FigureError> {
        let fonts = fonts().ok_or(FigureError::NoFonts)?;
        let options = usvg::Options {
            fontdb: Arc::clone(fonts),
            ..usvg::Options::default()
        };
        usvg::Tree::from_str(&self.svg(), &options).map_err(|error| FigureError::Render {
            format,
            reason: error.to_string(),
        })
    }
}

/// Returns the system's fonts, read once; none where none is installed.
fn fonts() -> Option<&'static Arc<usvg::fontdb::Database>> {
    static FONTS: OnceLock<Option<Arc<usvg::fontdb::Database>>> = OnceLock::new();
    FONTS
        .get_or_init(|| {
            let mut installed = usvg::fontdb::Database::new();
            installed.load_system_fonts();
            let family = |face: &usvg::fontdb::FaceInfo| face.families.first().map(|f| f.0.clone());
            // What the text's font lacks is taken from the first font that has it.
            let mut faces: Vec<&usvg::fontdb::FaceInfo> = installed.faces().collect();
            faces.sort_by_key(|face| !family(face).is_some_and(|name| name.contains("Sans")));
            let mut fonts = usvg::fontdb::Database::new();
            for face in faces {
                fonts.push_face_info(face.clone());
            }
            let any = fonts.faces().find_map(family)?;
            let preferred = text::FAMILIES
                .into_iter()
                .find(|wanted| fonts.faces().filter_map(family).any(|has| has == *wanted));
            fonts.set_sans_serif_family(preferred.map_or(any, str::to_owned));
            Some(Arc::new(fonts))
        })
        .as_ref()
}
