use super::*;
use tempfile::TempDir;

#[test]
fn what_is_not_ours_alone_is_not_packed() {
    let place = TempDir::new().unwrap();
    let run = place.path().join("run");
    fs::create_dir(&run).unwrap();
    let read = || RunFiles::read(&run).unwrap();
    fs::write(run.join("spec.json"), "{}").unwrap();
    fs::write(run.join("end.json.17"), "").unwrap();
    assert!(read().is_some());
    fs::write(run.join("model.bin"), "weights").unwrap();
    assert!(read().is_none());
    fs::rename(run.join("model.bin"), run.join("result.json.tmp")).unwrap();
    assert!(read().is_none());
    fs::remove_file(run.join("result.json.tmp")).unwrap();
    fs::create_dir(run.join("stdout")).unwrap();
    assert!(read().is_none());
    fs::remove_dir(run.join("stdout")).unwrap();
    std::os::unix::fs::symlink("spec.json", run.join("result.json")).unwrap();
    assert!(read().is_none());
    fs::remove_file(run.join("result.json")).unwrap();
    // More than is worth packing.
    fs::File::create(run.join("stdout"))
        .unwrap()
        .set_len(17 << 20)
        .unwrap();
    assert!(read().is_none());
    fs::remove_file(run.join("stdout")).unwrap();
    for n in 0..MOST_FILES {
        fs::write(run.join(format!("end.json.audit-{n}")), "").unwrap();
    }
    assert!(read().is_none());
}
