/* Lets the n-th system call that changes a file below a path fail, or kills the process there. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <unistd.h>

enum { ONCE, FROM_THEN_ON, KILL, NO_SHARED_MEMORY };

static char prefix[PATH_MAX];
static int at, error, how, seen;

void faults_arm(const char *path, int n, int number, int mode) {
    snprintf(prefix, sizeof prefix, "%s", path);
    at = n, error = number, how = mode, seen = 0;
}

int faults_seen(void) { return seen; }

static int concerns(const char *path) { return *prefix && !strncmp(path, prefix, strlen(prefix)); }

static int strikes(const char *path) {
    if (how == NO_SHARED_MEMORY || !concerns(path)) return 0;
    seen++;
    if (seen != at && !(how == FROM_THEN_ON && seen > at)) return 0;
    if (how == KILL) raise(SIGKILL);
    errno = error;
    return 1;
}

static const char *name_of(int fd, char *name) {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t size = readlink(link, name, PATH_MAX - 1);
    name[size < 0 ? 0 : size] = 0;
    return name;
}

static int strikes_fd(int fd) {
    char name[PATH_MAX];
    return *prefix && strikes(name_of(fd, name));
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))
#define ON_FD(type, name, parameters, arguments) \
    type name parameters { return strikes_fd(fd) ? -1 : REAL(name) arguments; }
#define ON_PATH(name, parameters, arguments) \
    int name parameters { return strikes(path) ? -1 : REAL(name) arguments; }

ON_FD(ssize_t, write, (int fd, const void *data, size_t size), (fd, data, size))
ON_FD(ssize_t, pwrite, (int fd, const void *data, size_t size, off_t to), (fd, data, size, to))
ON_FD(ssize_t, pwrite64, (int fd, const void *data, size_t size, off64_t to), (fd, data, size, to))
ON_FD(int, fsync, (int fd), (fd))
ON_FD(int, fdatasync, (int fd), (fd))
ON_FD(int, ftruncate, (int fd, off_t size), (fd, size))
ON_FD(int, ftruncate64, (int fd, off64_t size), (fd, size))
ON_FD(int, posix_fallocate, (int fd, off_t from, off_t size), (fd, from, size))
ON_FD(int, posix_fallocate64, (int fd, off64_t from, off64_t size), (fd, from, size))
ON_PATH(unlink, (const char *path), (path))
ON_PATH(rename, (const char *path, const char *to), (path, to))

int open(const char *path, int flags, ...) {
    va_list rest;
    va_start(rest, flags);
    int mode = va_arg(rest, int);
    va_end(rest);
    return (flags & O_CREAT) && strikes(path) ? -1 : REAL(open)(path, flags, mode);
}

int open64(const char *path, int flags, ...) {
    va_list rest;
    va_start(rest, flags);
    int mode = va_arg(rest, int);
    va_end(rest);
    return (flags & O_CREAT) && strikes(path) ? -1 : REAL(open64)(path, flags, mode);
}

static int refused(int fd) {
    char name[PATH_MAX];
    if (how != NO_SHARED_MEMORY || fd < 0 || !concerns(name_of(fd, name))) return 0;
    errno = ENODEV;
    return 1;
}

void *mmap(void *where, size_t size, int access, int flags, int fd, off_t from) {
    return refused(fd) ? MAP_FAILED : REAL(mmap)(where, size, access, flags, fd, from);
}

void *mmap64(void *where, size_t size, int access, int flags, int fd, off64_t from) {
    return refused(fd) ? MAP_FAILED : REAL(mmap64)(where, size, access, flags, fd, from);
}
