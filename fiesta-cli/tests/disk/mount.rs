//! File systems that a test mounts as a study's state directory. Only root may mount; otherwise
//! these tests print that they were skipped.

use std::{
    fs::{self, File},
    io::Write,
    path::{Path, PathBuf},
    process::{Command, Output},
};

/// A mounted file system, unmounted when this is dropped.
pub(crate) struct Mount {
    pub(crate) at: PathBuf,
    /// Directory with the image of the file system, which is mounted by a loop device. `None` for one in memory.
    image: Option<tempfile::TempDir>,
}

impl Mount {
    /// Mounts a file system in memory; `options` set its size. `None`, with a message, if it fails.
    pub(crate) fn tmpfs(at: &Path, options: &str) -> Option<Self> {
        let arguments = ["-t", "tmpfs", "-o", options, "fiesta-test"];
        Self::on(at, &arguments, None)
    }

    /// Mounts an ext4 file system of 16 MiB on a loop device, which becomes read-only when it finds an error.
    pub(crate) fn ext4(at: &Path) -> Option<Self> {
        let place = tempfile::tempdir().unwrap();
        let image = place.path().join("image");
        File::create(&image).unwrap().set_len(16 << 20).unwrap();
        let made = Command::new("mkfs.ext4").arg("-q").arg(&image).output();
        if let Err(reason) = worked(made) {
            return skipped(&reason);
        }
        let image = image.to_str().unwrap().to_owned();
        let options = ["-o", "loop,errors=remount-ro", &image];
        Self::on(at, &options, Some(place))
    }

    fn on(at: &Path, arguments: &[&str], image: Option<tempfile::TempDir>) -> Option<Self> {
        fs::create_dir_all(at).unwrap();
        let mounted = Command::new("mount").args(arguments).arg(at).output();
        match worked(mounted) {
            Ok(()) => Some(Self {
                at: at.to_owned(),
                image,
            }),
            Err(reason) => skipped(&reason),
        }
    }

    pub(crate) fn remount(&self, options: &str) {
        let options = format!("remount,{options}");
        let mut command = Command::new("mount");
        worked(command.args(["-o", &options]).arg(&self.at).output()).unwrap();
    }

    /// Writes a file until the file system is full.
    pub(crate) fn fill(&self) {
        let mut ballast = File::create(self.ballast()).unwrap();
        for size in [64 << 10, 1] {
            while ballast.write_all(&vec![1; size]).is_ok() {}
        }
    }

    pub(crate) fn make_room(&self) {
        fs::remove_file(self.ballast()).unwrap();
    }

    fn ballast(&self) -> PathBuf {
        self.at.join("ballast")
    }

    /// Checks the file system of an image, and mounts it again.
    pub(crate) fn repair(&self) {
        let run = |program: &str, arguments: &[&str]| {
            let ran = Command::new(program).args(arguments).output().unwrap();
            assert!(ran.status.code().unwrap() <= 1, "{ran:?}");
        };
        let at = self.at.to_str().unwrap();
        let image = self.image.as_ref().unwrap().path().join("image");
        run("umount", &[at]);
        run("fsck.ext4", &["-fy", image.to_str().unwrap()]);
        run("mount", &["-o", "loop", image.to_str().unwrap(), at]);
    }

    /// Returns the name of the device, without `/dev/`.
    pub(crate) fn device(&self) -> String {
        assert!(self.image.is_some());
        let mut command = Command::new("findmnt");
        let found = command
            .args(["-n", "-o", "SOURCE"])
            .arg(&self.at)
            .output()
            .unwrap();
        let device = String::from_utf8(found.stdout).unwrap();
        device.trim().trim_start_matches("/dev/").to_owned()
    }
}

impl Drop for Mount {
    fn drop(&mut self) {
        // Supervisors of a failed test may still use it.
        let _ = Command::new("umount").arg("-l").arg(&self.at).output();
    }
}

fn worked(output: std::io::Result<Output>) -> Result<(), String> {
    match output {
        Ok(output) if output.status.success() => Ok(()),
        Ok(output) => Err(String::from_utf8_lossy(&output.stderr).into_owned()),
        Err(error) => Err(error.to_string()),
    }
}

/// Prints why no file system can be mounted on this machine, and returns `None`.
pub(crate) fn skipped<T>(reason: &str) -> Option<T> {
    crate::support::skipped_on_this_machine(format_args!(
        "no file system can be mounted here: {}",
        reason.trim()
    ));
    None
}
