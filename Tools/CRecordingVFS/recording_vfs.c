/* A VFS of SQLite (https://www.sqlite.org/vfs.html) in front of the default one. Calls that change
   a file, or read it, are told to a hook first, which may make them fail. */
#include "include/recording_vfs.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

struct recording {
    sqlite3_vfs vfs;
    sqlite3_vfs *base;
    watchproto_disk_hook hook;
    void *context;
};

/* An open file: ours in front, SQLite's own behind it in the same allocation. */
struct recorded_file {
    sqlite3_file file;
    struct recording *recording;
    const char *path;
    sqlite3_file *base;
};

static struct recorded_file *recorded(sqlite3_file *file) { return (struct recorded_file *)file; }

static int tell(
    struct recorded_file *file, int call, long long offset, const void *data, int count) {
    if (file->path == NULL) return SQLITE_OK; /* a temporary file survives nothing */
    return file->recording->hook(
        file->recording->context, call, file->path, offset, data, count);
}

static int file_close(sqlite3_file *file) {
    sqlite3_file *base = recorded(file)->base;
    return base->pMethods ? base->pMethods->xClose(base) : SQLITE_OK;
}

static int file_read(sqlite3_file *file, void *into, int count, sqlite3_int64 offset) {
    int fault = tell(recorded(file), WATCHPROTO_DISK_READ, offset, NULL, count);
    if (fault) return fault;
    sqlite3_file *base = recorded(file)->base;
    return base->pMethods->xRead(base, into, count, offset);
}

static int file_write(sqlite3_file *file, const void *data, int count, sqlite3_int64 offset) {
    int fault = tell(recorded(file), WATCHPROTO_DISK_WRITE, offset, data, count);
    if (fault) return fault;
    sqlite3_file *base = recorded(file)->base;
    return base->pMethods->xWrite(base, data, count, offset);
}

static int file_truncate(sqlite3_file *file, sqlite3_int64 size) {
    int fault = tell(recorded(file), WATCHPROTO_DISK_TRUNCATE, size, NULL, 0);
    if (fault) return fault;
    sqlite3_file *base = recorded(file)->base;
    return base->pMethods->xTruncate(base, size);
}

static int file_sync(sqlite3_file *file, int flags) {
    int fault = tell(recorded(file), WATCHPROTO_DISK_SYNC, 0, NULL, 0);
    if (fault) return fault;
    sqlite3_file *base = recorded(file)->base;
    return base->pMethods->xSync(base, flags);
}

static int file_size(sqlite3_file *file, sqlite3_int64 *size) {
    sqlite3_file *base = recorded(file)->base;
    return base->pMethods->xFileSize(base, size);
}

static int file_lock(sqlite3_file *file, int level) {
    sqlite3_file *base = recorded(file)->base;
    return base->pMethods->xLock(base, level);
}

static int file_unlock(sqlite3_file *file, int level) {
    sqlite3_file *base = recorded(file)->base;
    return base->pMethods->xUnlock(base, level);
}

static int file_check_lock(sqlite3_file *file, int *result) {
    sqlite3_file *base = recorded(file)->base;
    return base->pMethods->xCheckReservedLock(base, result);
}

static int file_control(sqlite3_file *file, int operation, void *argument) {
    sqlite3_file *base = recorded(file)->base;
    return base->pMethods->xFileControl(base, operation, argument);
}

static int file_sector_size(sqlite3_file *file) {
    sqlite3_file *base = recorded(file)->base;
    return base->pMethods->xSectorSize(base);
}

static int file_characteristics(sqlite3_file *file) {
    sqlite3_file *base = recorded(file)->base;
    return base->pMethods->xDeviceCharacteristics(base);
}

static int file_shm_map(
    sqlite3_file *file, int region, int size, int extend, void volatile **memory) {
    sqlite3_file *base = recorded(file)->base;
    return base->pMethods->xShmMap(base, region, size, extend, memory);
}

static int file_shm_lock(sqlite3_file *file, int offset, int count, int flags) {
    sqlite3_file *base = recorded(file)->base;
    return base->pMethods->xShmLock(base, offset, count, flags);
}

static void file_shm_barrier(sqlite3_file *file) {
    sqlite3_file *base = recorded(file)->base;
    base->pMethods->xShmBarrier(base);
}

static int file_shm_unmap(sqlite3_file *file, int remove) {
    sqlite3_file *base = recorded(file)->base;
    return base->pMethods->xShmUnmap(base, remove);
}

/* Version 2: no memory mapping, so that every read and write passes by here. */
static const sqlite3_io_methods methods = {
    2,           file_close,    file_read,        file_write,   file_truncate,    file_sync,
    file_size,   file_lock,     file_unlock,      file_check_lock, file_control, file_sector_size,
    file_characteristics, file_shm_map, file_shm_lock, file_shm_barrier, file_shm_unmap,
    0,           0,
};

static struct recording *of(sqlite3_vfs *vfs) { return (struct recording *)vfs; }

static int vfs_open(
    sqlite3_vfs *vfs, const char *path, sqlite3_file *file, int flags, int *out_flags) {
    struct recording *recording = of(vfs);
    struct recorded_file *opened = recorded(file);
    memset(opened, 0, sizeof(*opened));
    opened->recording = recording;
    opened->path = path;
    opened->base = (sqlite3_file *)(opened + 1);
    if (path != NULL && (flags & SQLITE_OPEN_CREATE)) {
        int exists = 0;
        recording->base->xAccess(recording->base, path, SQLITE_ACCESS_EXISTS, &exists);
        if (!exists) {
            int fault = tell(opened, WATCHPROTO_DISK_CREATE, 0, NULL, 0);
            if (fault) return fault;
        }
    }
    int result = recording->base->xOpen(recording->base, path, opened->base, flags, out_flags);
    if (opened->base->pMethods != NULL) opened->file.pMethods = &methods;
    return result;
}

static int vfs_delete(sqlite3_vfs *vfs, const char *path, int sync_directory) {
    struct recording *recording = of(vfs);
    int fault = recording->hook(
        recording->context, WATCHPROTO_DISK_DELETE, path, sync_directory, NULL, 0);
    if (fault) return fault;
    return recording->base->xDelete(recording->base, path, sync_directory);
}

static int vfs_access(sqlite3_vfs *vfs, const char *path, int flags, int *result) {
    return of(vfs)->base->xAccess(of(vfs)->base, path, flags, result);
}

static int vfs_full_pathname(sqlite3_vfs *vfs, const char *path, int count, char *full) {
    return of(vfs)->base->xFullPathname(of(vfs)->base, path, count, full);
}

static int vfs_randomness(sqlite3_vfs *vfs, int count, char *bytes) {
    return of(vfs)->base->xRandomness(of(vfs)->base, count, bytes);
}

static int vfs_sleep(sqlite3_vfs *vfs, int microseconds) {
    return of(vfs)->base->xSleep(of(vfs)->base, microseconds);
}

static int vfs_current_time(sqlite3_vfs *vfs, double *now) {
    return of(vfs)->base->xCurrentTime(of(vfs)->base, now);
}

static int vfs_last_error(sqlite3_vfs *vfs, int count, char *text) {
    return of(vfs)->base->xGetLastError(of(vfs)->base, count, text);
}

int watchproto_recording_vfs_register(
    const char *name, watchproto_disk_hook hook, void *context) {
    int started = sqlite3_initialize();
    if (started) return started;
    sqlite3_vfs *base = sqlite3_vfs_find(NULL);
    if (base == NULL) return SQLITE_ERROR;
    struct recording *recording = calloc(1, sizeof(*recording));
    if (recording == NULL) return SQLITE_NOMEM;
    recording->base = base;
    recording->hook = hook;
    recording->context = context;
    recording->vfs.iVersion = 1;
    recording->vfs.szOsFile = (int)sizeof(struct recorded_file) + base->szOsFile;
    recording->vfs.mxPathname = base->mxPathname;
    recording->vfs.zName = name;
    recording->vfs.xOpen = vfs_open;
    recording->vfs.xDelete = vfs_delete;
    recording->vfs.xAccess = vfs_access;
    recording->vfs.xFullPathname = vfs_full_pathname;
    recording->vfs.xRandomness = vfs_randomness;
    recording->vfs.xSleep = vfs_sleep;
    recording->vfs.xCurrentTime = vfs_current_time;
    recording->vfs.xGetLastError = vfs_last_error;
    int result = sqlite3_vfs_register(&recording->vfs, 0);
    if (result) free(recording);
    return result;
}

void watchproto_recording_vfs_unregister(const char *name) {
    sqlite3_vfs *vfs = sqlite3_vfs_find(name);
    if (vfs == NULL || vfs->xOpen != vfs_open) return;
    sqlite3_vfs_unregister(vfs);
    free(of(vfs));
}
