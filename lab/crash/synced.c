/*
 * Preloaded into a process, notes in the file that SYNCED_LOG names what of its files is durable, one line for each call:
 * "bytes SIZE PATH" when a file is synced, "name 0 PATH" for each file in a folder that is synced.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void line(const char *what, long long size, const char *path) {
  char text[8300];
  int bytes = snprintf(text, sizeof text, "%s %lld %s\n", what, size, path);
  int out = open(getenv("SYNCED_LOG"), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (out < 0) return;
  if (write(out, text, bytes) != bytes) abort();
  close(out);
}

static int noted(int fd, struct stat *before, char *path) {
  char link[64];
  ssize_t length;
  if (getenv("SYNCED_LOG") == NULL || fstat(fd, before) != 0) return 0;
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  length = readlink(link, path, 4095);
  if (length < 0) return 0;
  path[length] = 0;
  return 1;
}

static int synced(const char *name, int fd) {
  int (*real)(int) = dlsym(RTLD_NEXT, name);
  struct stat before;
  char path[4096], file[8200], *names = NULL;
  int is_noted = noted(fd, &before, path);
  size_t size = 0;
  if (is_noted && S_ISDIR(before.st_mode)) {
    /* What is there before the sync begins. */
    DIR *folder = opendir(path);
    FILE *list = open_memstream(&names, &size);
    for (struct dirent *entry; folder != NULL && (entry = readdir(folder)) != NULL;)
      fprintf(list, "%s%c", entry->d_name, 0);
    if (folder != NULL) closedir(folder);
    fclose(list);
  }
  int result = real(fd);
  if (result == 0 && is_noted && !S_ISDIR(before.st_mode)) line("bytes", before.st_size, path);
  for (char *at = names; result == 0 && at != NULL && at < names + size; at += strlen(at) + 1) {
    snprintf(file, sizeof file, "%s/%s", path, at);
    line("name", 0, file);
  }
  free(names);
  return result;
}

int fsync(int fd) { return synced("fsync", fd); }
int fdatasync(int fd) { return synced("fdatasync", fd); }
