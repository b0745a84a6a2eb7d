"""A file system that passes everything on to another directory, slowly, and fails as it is told to.

    slow_disk.py SOURCE MOUNTPOINT MILLISECONDS

Writing fails with the error whose name is in SOURCE.fail, if there is such a file: of every file, or of those whose path has one of the
words that follow the name. Closing takes the seconds in SOURCE.close.
"""

import errno
import os
import sys
import time

try:
    import fuse
except ImportError:
    import fusepy as fuse


class Slow(fuse.Operations):
    def __init__(self, source, delay):
        self.source = source
        self.delay = delay

    def __call__(self, operation, path, *arguments):
        # Looking is cheap on most servers; everything else is a round trip.
        if operation not in ("getattr", "access"):
            time.sleep(self.delay)
        return super().__call__(operation, self.source + path, *arguments)

    def told(self, what):
        try:
            with open(self.source + "." + what) as told:
                return told.read().strip()
        except FileNotFoundError:
            return ""

    def refuse(self, path):
        name, *words = self.told("fail").split() or [""]
        if name and (not words or any(word in path for word in words)):
            raise fuse.FuseOSError(getattr(errno, name))

    def getattr(self, path, fh=None):
        found = os.lstat(path)
        names = "st_atime st_ctime st_gid st_mode st_mtime st_nlink st_size st_uid st_ino".split()
        return {name: getattr(found, name) for name in names}

    def readdir(self, path, fh):
        return [".", "..", *os.listdir(path)]

    def statfs(self, path):
        found = os.statvfs(path)
        names = "f_bavail f_bfree f_blocks f_bsize f_favail f_ffree f_files f_flag f_frsize f_namemax".split()
        return {name: getattr(found, name) for name in names}

    def create(self, path, mode, fi=None):
        self.refuse(path)
        return os.open(path, os.O_RDWR | os.O_CREAT, mode)

    def open(self, path, flags):
        return os.open(path, flags & ~os.O_APPEND)

    def read(self, path, length, offset, fh):
        return os.pread(fh, length, offset)

    def write(self, path, data, offset, fh):
        self.refuse(path)
        return os.pwrite(fh, data, offset)

    def truncate(self, path, length, fh=None):
        os.truncate(path, length)

    def mkdir(self, path, mode):
        self.refuse(path)
        os.mkdir(path, mode)

    def rename(self, old, new):
        os.rename(old, self.source + new)

    def link(self, target, source):
        os.link(self.source + source, target)

    def unlink(self, path):
        os.unlink(path)

    def rmdir(self, path):
        os.rmdir(path)

    def chmod(self, path, mode):
        os.chmod(path, mode)

    def utimens(self, path, times=None):
        os.utime(path, times)

    def release(self, path, fh):
        os.close(fh)

    def fsync(self, path, datasync, fh):
        os.fsync(fh)

    def flush(self, path, fh):
        time.sleep(float(self.told("close") or 0))


if __name__ == "__main__":
    source, mountpoint, milliseconds = sys.argv[1:]
    # Unbuffered: a server has its own idea of what is written.
    fuse.FUSE(Slow(source, float(milliseconds) / 1000), mountpoint, foreground=True, direct_io=False)
