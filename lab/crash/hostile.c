/*
 * Preloaded into a process, makes each write to a file below the folder HOSTILE take a part of its bytes, and each third one fail
 * with EAGAIN, so that who asks libuv to write gets the count of a part. Notes in the file HOSTILE_LOG, one line for each: "write PATH", "sync PATH", "folder PATH" (a folder is synced),
 * "name FROM TO" (a file gets a name: by rename or link), "gone PATH".
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static int calls;

static void note(const char *what, const char *path, const char *to) {
  char line[9000];
  int bytes = snprintf(line, sizeof line, "%s\t%s\t%s\n", what, path, to);
  int out = open(getenv("HOSTILE_LOG"), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (out < 0) return;
  REAL(write)(out, line, bytes);
  close(out);
}

static int is_below(const char *path) {
  const char *folder = getenv("HOSTILE");
  return folder != NULL && strncmp(path, folder, strlen(folder)) == 0;
}

/* The path of a regular file or a folder below HOSTILE. */
static int path_of(int fd, char *path, int *is_folder) {
  char link[64];
  struct stat found;
  if (fstat(fd, &found) != 0 || !(S_ISREG(found.st_mode) || S_ISDIR(found.st_mode))) return 0;
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, 4095);
  if (length < 0) return 0;
  path[length] = 0;
  *is_folder = S_ISDIR(found.st_mode);
  return is_below(path);
}

/* Number of the given bytes that a write takes; -1: it fails. All of them for a file outside HOSTILE. */
static ssize_t taken(int fd, size_t bytes) {
  char path[4096];
  int is_folder;
  if (!path_of(fd, path, &is_folder)) return bytes;
  if (++calls % 3 == 0) {
    errno = EAGAIN;
    return -1;
  }
  note("write", path, "");
  return bytes > 1 ? (ssize_t)(bytes + 1) / 2 : (ssize_t)bytes;
}

ssize_t write(int fd, const void *from, size_t bytes) {
  ssize_t some = taken(fd, bytes);
  return some < 0 ? -1 : REAL(write)(fd, from, some);
}

ssize_t pwrite64(int fd, const void *from, size_t bytes, off64_t at) {
  ssize_t some = taken(fd, bytes);
  return some < 0 ? -1 : REAL(pwrite64)(fd, from, some, at);
}
ssize_t pwrite(int fd, const void *from, size_t bytes, off_t at) { return pwrite64(fd, from, bytes, at); }

/* Takes only the first of several parts. */
ssize_t writev(int fd, const struct iovec *parts, int count) {
  if (count == 0) return REAL(writev)(fd, parts, count);
  return write(fd, parts[0].iov_base, parts[0].iov_len);
}

ssize_t pwritev64(int fd, const struct iovec *parts, int count, off64_t at) {
  if (count == 0) return REAL(pwritev64)(fd, parts, count, at);
  return pwrite64(fd, parts[0].iov_base, parts[0].iov_len, at);
}
ssize_t pwritev(int fd, const struct iovec *parts, int count, off_t at) { return pwritev64(fd, parts, count, at); }

static int synced(int result, int fd) {
  char path[4096];
  int is_folder;
  if (result == 0 && path_of(fd, path, &is_folder)) note(is_folder ? "folder" : "sync", path, "");
  return result;
}

int fsync(int fd) { return synced(REAL(fsync)(fd), fd); }
int fdatasync(int fd) { return synced(REAL(fdatasync)(fd), fd); }

int rename(const char *from, const char *to) {
  int result = REAL(rename)(from, to);
  if (result == 0 && is_below(to)) note("name", from, to);
  return result;
}

int link(const char *from, const char *to) {
  int result = REAL(link)(from, to);
  if (result == 0 && is_below(to)) note("name", from, to);
  return result;
}

int unlink(const char *path) {
  int result = REAL(unlink)(path);
  if (result == 0 && is_below(path)) note("gone", path, "");
  return result;
}
