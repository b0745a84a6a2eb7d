//! The C library's calls that read and change files, defined anew: each is passed on to the kernel, and
//! recorded if it changes something below the recorded directory.
//!
//! A program that is linked with this crate has these in place of the library's own, for its Rust
//! code and for SQLite alike. What rustix asks of the kernel goes past them.

#![allow(unsafe_code, reason = "it stands in for a library of C")]
#![allow(
    clippy::missing_safety_doc,
    missing_docs,
    reason = "each is as the C library's manual says"
)]

use super::{
    names::{HERE, Name, inode, located, opened},
    record::{Call, Recorder},
};
use crate::faults::{Asked, Fate, fate, is_judged};
use rusqlite::ffi;
use rustix::{
    fd::{BorrowedFd, IntoRawFd},
    fs::{self, AtFlags, Mode, OFlags, SeekFrom},
    io::{self, Errno},
    thread::{self, Timespec},
};
use std::{
    ffi::{CStr, CString, c_char, c_int, c_uint, c_void},
    mem::MaybeUninit,
};

unsafe extern "C" {
    fn __errno_location() -> *mut c_int;
}

/// Makes one of SQLite's ways to use files the one of connections that are opened from now on:
/// `unix`, or `unix-none`, which has no shared memory, as on a disk of another machine.
///
/// # Panics
/// If SQLite has none of this name.
pub fn default_vfs(name: &str) {
    let name = CString::new(name).expect("a name without zeros");
    // SAFETY: the name ends with a zero, and SQLite's own ways stay for ever.
    let registered = unsafe {
        ffi::sqlite3_initialize();
        let found = ffi::sqlite3_vfs_find(name.as_ptr());
        assert!(!found.is_null(), "SQLite has {name:?}");
        ffi::sqlite3_vfs_register(found, 1)
    };
    assert_eq!(registered, ffi::SQLITE_OK);
}

/// Returns what C returns for a result: -1 for an error, which `errno` has then.
fn returned<T>(result: io::Result<T>, number: impl FnOnce(T) -> isize) -> isize {
    match result {
        Ok(value) => number(value),
        Err(error) => {
            // SAFETY: the C library gives each thread a place of its own.
            unsafe { *__errno_location() = error.raw_os_error() };
            -1
        }
    }
}

#[expect(clippy::cast_possible_truncation, reason = "0, -1 or a descriptor")]
fn code(result: isize) -> c_int {
    result as c_int
}

fn nothing(result: io::Result<()>) -> c_int {
    code(returned(result, |()| 0))
}

/// Returns a descriptor of the caller, which stays open during the call.
unsafe fn borrowed<'a>(descriptor: c_int) -> BorrowedFd<'a> {
    // SAFETY: as the caller says; the kernel refuses others.
    unsafe { BorrowedFd::borrow_raw(descriptor) }
}

unsafe fn text<'a>(path: *const c_char) -> &'a CStr {
    // SAFETY: the caller passes a text that ends with a zero.
    unsafe { CStr::from_ptr(path) }
}

fn open_at(at: c_int, path: *const c_char, flags: c_int, mode: c_uint) -> c_int {
    // SAFETY: the caller's, as for the C library.
    let (path, directory) = unsafe { (text(path), borrowed(at)) };
    let flags = OFlags::from_bits_retain(flags.cast_unsigned());
    let asked = Asked::Open {
        creates: flags.contains(OFlags::CREATE),
    };
    if let Fate::Refused(error) = fate(asked, || Some(located(at, path))) {
        return nothing(Err(error));
    }
    let opened = || fs::openat(directory, path, flags, Mode::from_raw_mode(mode));
    let changes = flags.intersects(OFlags::CREATE | OFlags::TRUNC);
    let recorded = Recorder::own()
        .filter(|_| changes)
        .and_then(|recorder| Some((recorder, Name::of(recorder, at, path)?)));
    let opened = match recorded {
        None => opened(),
        Some((recorder, name)) => recorder.during(|| {
            let before = fs::statat(directory, path, AtFlags::SYMLINK_NOFOLLOW);
            let opened = opened();
            let found = opened.as_ref().ok().and_then(|file| fs::fstat(file).ok());
            let call = found.and_then(|found| match before {
                Err(Errno::NOENT) => Some(name.made(found.st_ino, false)),
                Ok(before) if flags.contains(OFlags::TRUNC) && before.st_size > 0 => {
                    Some(Call::Cut {
                        inode: found.st_ino,
                        length: 0,
                    })
                }
                _ => None,
            });
            (opened, call)
        }),
    };
    code(returned(opened, |file| file.into_raw_fd() as isize))
}

#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn open(path: *const c_char, flags: c_int, mode: c_uint) -> c_int {
    open_at(HERE, path, flags, mode)
}

#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn open64(path: *const c_char, flags: c_int, mode: c_uint) -> c_int {
    open_at(HERE, path, flags, mode)
}

#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn openat(
    at: c_int,
    path: *const c_char,
    flags: c_int,
    mode: c_uint,
) -> c_int {
    open_at(at, path, flags, mode)
}

#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn openat64(
    at: c_int,
    path: *const c_char,
    flags: c_int,
    mode: c_uint,
) -> c_int {
    open_at(at, path, flags, mode)
}

/// Returns how many bytes of a file are read or written, of `count` that were asked for.
fn allowed(asked: Asked, file: c_int, count: usize) -> io::Result<usize> {
    match fate(asked, || opened(file)) {
        Fate::Done => Ok(count),
        Fate::Short(count) => Ok(count),
        Fate::Refused(error) => Err(error),
    }
}

/// Reads at a place, or where the file is now.
unsafe fn read_at(file: c_int, bytes: *mut c_void, count: usize, at: Option<u64>) -> isize {
    let count = match allowed(Asked::Read(count), file, count) {
        Ok(count) => count,
        refused => return returned(refused, usize::cast_signed),
    };
    // SAFETY: the caller's, as for the C library.
    let (file, bytes) = unsafe {
        let bytes: &mut [MaybeUninit<u8>] = match count {
            0 => &mut [],
            _ => std::slice::from_raw_parts_mut(bytes.cast(), count),
        };
        (borrowed(file), bytes)
    };
    let read = match at {
        Some(at) => io::pread(file, bytes, at),
        None => io::read(file, bytes),
    };
    returned(read, |(read, _)| read.len().cast_signed())
}

#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn read(file: c_int, bytes: *mut c_void, count: usize) -> isize {
    // SAFETY: as here.
    unsafe { read_at(file, bytes, count, None) }
}

#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn pread(
    file: c_int,
    bytes: *mut c_void,
    count: usize,
    at: i64,
) -> isize {
    // SAFETY: as here.
    unsafe { read_at(file, bytes, count, Some(at.cast_unsigned())) }
}

#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn pread64(
    file: c_int,
    bytes: *mut c_void,
    count: usize,
    at: i64,
) -> isize {
    // SAFETY: as here.
    unsafe { read_at(file, bytes, count, Some(at.cast_unsigned())) }
}

/// Writes at a place, or where the file is now.
unsafe fn write_at(file: c_int, bytes: *const c_void, count: usize, at: Option<u64>) -> isize {
    let count = match allowed(Asked::Write(count), file, count) {
        Ok(count) => count,
        refused => return returned(refused, usize::cast_signed),
    };
    // SAFETY: the caller's, as for the C library.
    let (file, bytes) = unsafe {
        let bytes = match count {
            0 => &[],
            _ => std::slice::from_raw_parts(bytes.cast::<u8>(), count),
        };
        (borrowed(file), bytes)
    };
    let written = || match at {
        Some(at) => io::pwrite(file, bytes, at),
        None => io::write(file, bytes),
    };
    let recorded = Recorder::own().and_then(|recorder| Some((recorder, inode(recorder, file)?)));
    let written = match recorded {
        None => written(),
        Some((recorder, inode)) => recorder.during(|| {
            let is_at_end = fs::fcntl_getfl(file).is_ok_and(|flags| flags.contains(OFlags::APPEND));
            let end = || fs::fstat(file).map_or(0, |found| found.st_size.cast_unsigned());
            let here = || fs::seek(file, SeekFrom::Current(0)).unwrap_or(0);
            let at = if is_at_end {
                end()
            } else {
                at.unwrap_or_else(here)
            };
            let written = written();
            let call = written.as_ref().ok().map(|&count| Call::Written {
                inode,
                at: usize::try_from(at).unwrap_or(usize::MAX),
                bytes: bytes[..count].to_vec(),
            });
            (written, call)
        }),
    };
    returned(written, usize::cast_signed)
}

#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn write(file: c_int, bytes: *const c_void, count: usize) -> isize {
    // SAFETY: as here.
    unsafe { write_at(file, bytes, count, None) }
}

#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn pwrite(
    file: c_int,
    bytes: *const c_void,
    count: usize,
    at: i64,
) -> isize {
    // SAFETY: as here.
    unsafe { write_at(file, bytes, count, Some(at.cast_unsigned())) }
}

#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn pwrite64(
    file: c_int,
    bytes: *const c_void,
    count: usize,
    at: i64,
) -> isize {
    // SAFETY: as here.
    unsafe { write_at(file, bytes, count, Some(at.cast_unsigned())) }
}

/// Changes an open file, and records the change.
fn change(
    asked: Asked,
    file: c_int,
    changed: impl FnOnce(BorrowedFd<'_>) -> io::Result<()>,
    call: impl FnOnce(u64) -> Call,
) -> c_int {
    if let Fate::Refused(error) = fate(asked, || opened(file)) {
        return nothing(Err(error));
    }
    // SAFETY: the caller's, as for the C library.
    let file = unsafe { borrowed(file) };
    let recorded = Recorder::own().and_then(|recorder| Some((recorder, inode(recorder, file)?)));
    nothing(match recorded {
        None => changed(file),
        Some((recorder, inode)) => recorder.during(|| {
            let result = changed(file);
            (result, result.is_ok().then(|| call(inode)))
        }),
    })
}

fn cut(file: c_int, length: i64) -> c_int {
    let length = length.cast_unsigned();
    change(
        Asked::Cut,
        file,
        |file| fs::ftruncate(file, length),
        |inode| Call::Cut {
            inode,
            length: usize::try_from(length).unwrap_or(usize::MAX),
        },
    )
}

#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn ftruncate(file: c_int, length: i64) -> c_int {
    cut(file, length)
}

#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn ftruncate64(file: c_int, length: i64) -> c_int {
    cut(file, length)
}

#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn fsync(file: c_int) -> c_int {
    change(
        Asked::Sync,
        file,
        |file| fs::fsync(file),
        |inode| Call::Synced { inode },
    )
}

#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn fdatasync(file: c_int) -> c_int {
    change(
        Asked::Sync,
        file,
        |file| fs::fdatasync(file),
        |inode| Call::Synced { inode },
    )
}

/// Changes a name, and records the change. `call` is asked after it, and has the name.
fn rename_at(
    asked: Asked,
    at: c_int,
    path: *const c_char,
    changed: impl FnOnce(BorrowedFd<'_>, &CStr) -> io::Result<()>,
    call: impl FnOnce(&Recorder, Name, &CStr) -> Option<Call>,
) -> c_int {
    // SAFETY: the caller's, as for the C library.
    let (path, directory) = unsafe { (text(path), borrowed(at)) };
    if let Fate::Refused(error) = fate(asked, || Some(located(at, path))) {
        return nothing(Err(error));
    }
    let recorded =
        Recorder::own().and_then(|recorder| Some((recorder, Name::of(recorder, at, path)?)));
    nothing(match recorded {
        None => changed(directory, path),
        Some((recorder, name)) => recorder.during(|| {
            let result = changed(directory, path);
            let call = result.is_ok().then(|| call(recorder, name, path)).flatten();
            (result, call)
        }),
    })
}

fn remove_at(at: c_int, path: *const c_char, flags: AtFlags) -> c_int {
    rename_at(
        Asked::Remove,
        at,
        path,
        |directory, path| fs::unlinkat(directory, path, flags),
        |_, name, _| Some(name.removed()),
    )
}

#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn unlink(path: *const c_char) -> c_int {
    remove_at(HERE, path, AtFlags::empty())
}

#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn unlinkat(at: c_int, path: *const c_char, flags: c_int) -> c_int {
    remove_at(at, path, AtFlags::from_bits_retain(flags.cast_unsigned()))
}

#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn rmdir(path: *const c_char) -> c_int {
    remove_at(HERE, path, AtFlags::REMOVEDIR)
}

#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn mkdir(path: *const c_char, mode: c_uint) -> c_int {
    rename_at(
        Asked::Make,
        HERE,
        path,
        |directory, path| fs::mkdirat(directory, path, Mode::from_raw_mode(mode)),
        |_, name, path| {
            let found = fs::stat(path).ok()?;
            Some(name.made(found.st_ino, true))
        },
    )
}

#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn rename(from: *const c_char, to: *const c_char) -> c_int {
    // SAFETY: the caller's, as for the C library.
    let from = unsafe { text(from) };
    rename_at(
        Asked::Make,
        HERE,
        to,
        |directory, to| fs::renameat(directory, from, directory, to),
        |recorder, to, _| {
            let from = Name::of(recorder, HERE, from)?;
            assert_eq!(from.directory, to.directory, "renamed within a directory");
            Some(Call::Renamed {
                directory: to.directory,
                from: from.name,
                to: to.name,
            })
        },
    )
}

#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn linkat(
    at: c_int,
    from: *const c_char,
    to_at: c_int,
    to: *const c_char,
    flags: c_int,
) -> c_int {
    // SAFETY: the caller's, as for the C library.
    let (from, old) = unsafe { (text(from), borrowed(at)) };
    let flags = AtFlags::from_bits_retain(flags.cast_unsigned());
    rename_at(
        Asked::Make,
        to_at,
        to,
        |directory, to| fs::linkat(old, from, directory, to, flags),
        |_, Name { directory, name }, _| {
            let inode = fs::statat(old, from, AtFlags::empty()).ok()?.st_ino;
            Some(Call::Linked {
                directory,
                name,
                inode,
            })
        },
    )
}

#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn link(from: *const c_char, to: *const c_char) -> c_int {
    // SAFETY: as here.
    unsafe { linkat(HERE, from, HERE, to, 0) }
}

/// Lets the thread sleep. Where its calls are judged, no wait takes any time.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn nanosleep(time: *const Timespec, left: *mut Timespec) -> c_int {
    if is_judged() {
        return 0;
    }
    // SAFETY: the caller's, as for the C library.
    match thread::nanosleep(unsafe { &*time }) {
        thread::NanosleepRelativeResult::Ok => 0,
        thread::NanosleepRelativeResult::Interrupted(rest) => {
            if !left.is_null() {
                // SAFETY: as here.
                unsafe { *left = rest };
            }
            nothing(Err(Errno::INTR))
        }
        thread::NanosleepRelativeResult::Err(error) => nothing(Err(error)),
    }
}
