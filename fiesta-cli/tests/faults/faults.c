/* Lets one call of a function of the C library fail, in the controller of a study or in its supervisors, and counts all calls of
   these functions. Loaded before the C library; inert in every program but the one that FAULTS_PROGRAM names.
   FAULTS_COUNTS names a file of 32-bit numbers that all processes share: a count for each function, of the controller and then of
   supervisors, and last the number of calls that failed. FAULTS_FAIL is "ROLE FUNCTION CALL ERRNO": the CALL-th call, counted over
   all processes of the role, fails once. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* In the order of FUNCTIONS in main.rs. What is not a file (a pipe, a socket, a terminal) is counted by itself. */
enum { OPEN, READ, READ_PIPE, WRITE, WRITE_PIPE, PRINT, PWRITE, FSYNC, FDATASYNC, RENAME, LINK, UNLINK, MKDIR, FTRUNCATE,
       DUPLICATE, LOCK, FLOCK, SPAWN, FORK, EXEC, THREAD, KILL, WAIT, COUNT };

static uint32_t *counts;
static int role, failing_role = -1, failing, failing_errno;
static uint32_t failing_call;

__attribute__((constructor)) static void begin(void) {
    const char *program = getenv("FAULTS_PROGRAM"), *file = getenv("FAULTS_COUNTS"), *fail = getenv("FAULTS_FAIL");
    char own[4096] = {0}, line[4096] = {0};
    if (!program || !file) return;
    if (syscall(SYS_readlinkat, AT_FDCWD, "/proc/self/exe", own, sizeof own - 1) < 0 || strcmp(own, program)) return;
    long fd = syscall(SYS_openat, AT_FDCWD, "/proc/self/cmdline", O_RDONLY);
    long length = syscall(SYS_read, fd, line, sizeof line - 1);
    syscall(SYS_close, fd);
    role = length > 0 && memmem(line, length, "__fiesta-", 9) != NULL;
    if (fail) sscanf(fail, "%d %d %u %d", &failing_role, &failing, &failing_call, &failing_errno);
    fd = syscall(SYS_openat, AT_FDCWD, file, O_RDWR);
    void *shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    syscall(SYS_close, fd);
    if (shared != MAP_FAILED) counts = shared;
}

/* Whether this call fails, with `errno` set. */
static int fails(int function) {
    if (!counts) return 0;
    uint32_t call = __atomic_add_fetch(&counts[role * COUNT + function], 1, __ATOMIC_SEQ_CST);
    if (role != failing_role || function != failing || call != failing_call) return 0;
    __atomic_add_fetch(&counts[2 * COUNT], 1, __ATOMIC_SEQ_CST);
    errno = failing_errno;
    return 1;
}

static int is_file(int fd) {
    struct stat status;
    return fstat(fd, &status) == 0 && S_ISREG(status.st_mode);
}

#define REAL(name) \
    static __typeof__(&name) real; \
    if (!real) real = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

#define OPENS(name) \
    int name(const char *path, int flags, ...) { \
        va_list more; \
        va_start(more, flags); \
        mode_t mode = va_arg(more, mode_t); \
        va_end(more); \
        REAL(name); \
        return fails(OPEN) ? -1 : real(path, flags, mode); \
    }
OPENS(open)
OPENS(open64)

#define OPENS_AT(name) \
    int name(int at, const char *path, int flags, ...) { \
        va_list more; \
        va_start(more, flags); \
        mode_t mode = va_arg(more, mode_t); \
        va_end(more); \
        REAL(name); \
        return fails(OPEN) ? -1 : real(at, path, flags, mode); \
    }
OPENS_AT(openat)
OPENS_AT(openat64)

/* Of all that fcntl does, a descriptor may not be duplicated, and a lock not be had. One that is had can be given back. */
static int is_refused(int command, const struct flock *lock) {
    if (command == F_DUPFD || command == F_DUPFD_CLOEXEC) return fails(DUPLICATE);
    return (command == F_SETLK || command == F_SETLKW) && lock->l_type != F_UNLCK && fails(LOCK);
}

#define CONTROLS(name) \
    int name(int fd, int command, ...) { \
        va_list more; \
        va_start(more, command); \
        void *argument = va_arg(more, void *); \
        va_end(more); \
        REAL(name); \
        return is_refused(command, argument) ? -1 : real(fd, command, argument); \
    }
CONTROLS(fcntl)
CONTROLS(fcntl64)

/* A function whose failure is the number -1. */
#define FAILS(type, name, parameters, arguments, function) \
    type name parameters { \
        REAL(name); \
        return fails(function) ? -1 : real arguments; \
    }
FAILS(ssize_t, read, (int fd, void *to, size_t size), (fd, to, size), is_file(fd) ? READ : READ_PIPE)
FAILS(ssize_t, pread, (int fd, void *to, size_t size, off_t at), (fd, to, size, at), READ)
FAILS(ssize_t, pread64, (int fd, void *to, size_t size, off64_t at), (fd, to, size, at), READ)
FAILS(ssize_t, write, (int fd, const void *from, size_t size), (fd, from, size),
      fd == 1 || fd == 2 ? PRINT : is_file(fd) ? WRITE : WRITE_PIPE)
FAILS(ssize_t, pwrite, (int fd, const void *from, size_t size, off_t at), (fd, from, size, at), PWRITE)
FAILS(ssize_t, pwrite64, (int fd, const void *from, size_t size, off64_t at), (fd, from, size, at), PWRITE)
FAILS(int, fsync, (int fd), (fd), FSYNC)
FAILS(int, fdatasync, (int fd), (fd), FDATASYNC)
FAILS(int, rename, (const char *from, const char *to), (from, to), RENAME)
FAILS(int, link, (const char *from, const char *to), (from, to), LINK)
FAILS(int, linkat, (int at, const char *from, int to_at, const char *to, int flags), (at, from, to_at, to, flags), LINK)
FAILS(int, unlink, (const char *path), (path), UNLINK)
FAILS(int, unlinkat, (int at, const char *path, int flags), (at, path, flags), UNLINK)
FAILS(int, mkdir, (const char *path, mode_t mode), (path, mode), MKDIR)
FAILS(int, ftruncate, (int fd, off_t size), (fd, size), FTRUNCATE)
FAILS(int, ftruncate64, (int fd, off64_t size), (fd, size), FTRUNCATE)
FAILS(int, flock, (int fd, int operation), (fd, operation), FLOCK)
FAILS(pid_t, fork, (void), (), FORK)
FAILS(int, execvp, (const char *program, char *const words[]), (program, words), EXEC)
FAILS(int, kill, (pid_t pid, int signal), (pid, signal), KILL)
FAILS(pid_t, waitpid, (pid_t pid, int *status, int options), (pid, status, options), WAIT)

/* A function that returns the number of its error. */
#define RETURNS(name, parameters, arguments, function) \
    int name parameters { \
        REAL(name); \
        return fails(function) ? errno : real arguments; \
    }
RETURNS(posix_spawn,
        (pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions, const posix_spawnattr_t *attributes,
         char *const words[], char *const environment[]),
        (pid, path, actions, attributes, words, environment), SPAWN)
RETURNS(posix_spawnp,
        (pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions, const posix_spawnattr_t *attributes,
         char *const words[], char *const environment[]),
        (pid, path, actions, attributes, words, environment), SPAWN)
RETURNS(pthread_create, (pthread_t *thread, const pthread_attr_t *attributes, void *(*work)(void *), void *argument),
        (thread, attributes, work, argument), THREAD)
