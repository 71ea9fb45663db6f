/* Preloaded by io_errors.py: makes operations on files in one folder fail.
 *
 *   IO_FAULT_FOLDER   the folder
 *   IO_FAULT_LOG      log file with one line per operation: kind and file name
 *   IO_FAULT_KIND     kind that fails: open, posix_fallocate, write, ftruncate, fsync, rename,
 *                     open_folder, fsync_folder or unlink
 *   IO_FAULT_FIRST    index of the first operation of that kind that fails, from 1
 *   IO_FAULT_LAST     index of the last one that fails
 *   IO_FAULT_ERRNO    errno; 0 makes a write partial instead
 *
 * Counts only files that are created or modified, not files that are read. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { kPass = -1 };

static const char* setting(const char* name) {
  const char* value = getenv(name);
  return value != NULL ? value : "";
}

/* Uses system calls, because the functions below are intercepted. */
static void note(const char* kind, const char* path) {
  const char* log = setting("IO_FAULT_LOG");
  if (*log == '\0') return;
  const int file = (int)syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_CREAT | O_APPEND, 0666);
  char line[512];
  const int length = snprintf(line, sizeof line, "%s %s\n", kind, strrchr(path, '/') + 1);
  if (file < 0 || syscall(SYS_write, file, line, length) != length) abort();
  syscall(SYS_close, file);
}

/* Returns the error for this operation, or kPass. */
static int fault(const char* kind, const char* path) {
  static int count = 0;
  const char* folder = setting("IO_FAULT_FOLDER");
  if (*folder == '\0' || strncmp(path, folder, strlen(folder)) != 0) return kPass;
  note(kind, path);
  if (strcmp(kind, setting("IO_FAULT_KIND")) != 0) return kPass;
  const int number = __atomic_add_fetch(&count, 1, __ATOMIC_SEQ_CST);
  const int fails =
      number >= atoi(setting("IO_FAULT_FIRST")) && number <= atoi(setting("IO_FAULT_LAST"));
  return fails ? atoi(setting("IO_FAULT_ERRNO")) : kPass;
}

static int fault_of_file(const char* kind, const char* folder_kind, int file) {
  char link[64], path[4096];
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  const ssize_t length = readlink(link, path, sizeof path - 1);
  if (length <= 0) return kPass;
  path[length] = '\0';
  return fault(strcmp(path, setting("IO_FAULT_FOLDER")) == 0 ? folder_kind : kind, path);
}

static int fault_of_open(const char* path, int flags) {
  if (flags & O_CREAT) return fault("open", path);
  return flags & O_DIRECTORY ? fault("open_folder", path) : kPass;
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))
#define FAIL_WITH(error) \
  do {                   \
    errno = (error);     \
    return -1;           \
  } while (0)

#define DEFINE_OPEN(name)                         \
  int name(const char* path, int flags, ...) {    \
    va_list rest;                                 \
    va_start(rest, flags);                        \
    const mode_t mode = va_arg(rest, mode_t);     \
    va_end(rest);                                 \
    const int error = fault_of_open(path, flags); \
    if (error != kPass) FAIL_WITH(error);         \
    return REAL(name)(path, flags, mode);         \
  }
DEFINE_OPEN(open)
DEFINE_OPEN(open64)

#define DEFINE_OPENAT(name)                                \
  int name(int folder, const char* path, int flags, ...) { \
    va_list rest;                                          \
    va_start(rest, flags);                                 \
    const mode_t mode = va_arg(rest, mode_t);              \
    va_end(rest);                                          \
    const int error = fault_of_open(path, flags);          \
    if (error != kPass) FAIL_WITH(error);                  \
    return REAL(name)(folder, path, flags, mode);          \
  }
DEFINE_OPENAT(openat)
DEFINE_OPENAT(openat64)

#define DEFINE_FALLOCATE(name, offset_type)                                      \
  int name(int file, offset_type offset, offset_type length) {                   \
    const int error = fault_of_file("posix_fallocate", "posix_fallocate", file); \
    return error != kPass ? error : REAL(name)(file, offset, length);            \
  }
DEFINE_FALLOCATE(posix_fallocate, off_t)
DEFINE_FALLOCATE(posix_fallocate64, off64_t)

#define DEFINE_TRUNCATE(name, offset_type)                           \
  int name(int file, offset_type length) {                           \
    const int error = fault_of_file("ftruncate", "ftruncate", file); \
    if (error != kPass) FAIL_WITH(error);                            \
    return REAL(name)(file, length);                                 \
  }
DEFINE_TRUNCATE(ftruncate, off_t)
DEFINE_TRUNCATE(ftruncate64, off64_t)

ssize_t write(int file, const void* bytes, size_t count) {
  const int error = fault_of_file("write", "write", file);
  if (error > 0) FAIL_WITH(error);
  return REAL(write)(file, bytes, error == 0 ? (count + 1) / 2 : count);
}

int fsync(int file) {
  const int error = fault_of_file("fsync", "fsync_folder", file);
  if (error != kPass) FAIL_WITH(error);
  return REAL(fsync)(file);
}

int rename(const char* from, const char* to) {
  const int error = fault("rename", from);
  if (error != kPass) FAIL_WITH(error);
  return REAL(rename)(from, to);
}

int unlink(const char* path) {
  const int error = fault("unlink", path);
  if (error != kPass) FAIL_WITH(error);
  return REAL(unlink)(path);
}

int remove(const char* path) {
  const int error = fault("unlink", path);
  if (error != kPass) FAIL_WITH(error);
  return REAL(remove)(path);
}
