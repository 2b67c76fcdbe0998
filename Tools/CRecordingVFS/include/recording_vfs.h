#ifndef WATCHPROTO_RECORDING_VFS_H
#define WATCHPROTO_RECORDING_VFS_H

/* What SQLite asks of a disk. */
enum watchproto_disk_call {
    WATCHPROTO_DISK_CREATE = 0,   /* a file was opened that did not exist before */
    WATCHPROTO_DISK_WRITE = 1,    /* count bytes at offset */
    WATCHPROTO_DISK_TRUNCATE = 2, /* to offset bytes */
    WATCHPROTO_DISK_SYNC = 3,     /* what was written before is durable once it returns */
    WATCHPROTO_DISK_DELETE = 4,   /* the file is gone; offset is 1 when the directory is synced */
    WATCHPROTO_DISK_READ = 5      /* count bytes at offset; nothing changes */
};

/* Told of each call before it is made. `data` holds `count` bytes for a write and is NULL else.
   Returns 0 to let the call through, or the SQLite error code that the call shall end with. */
typedef int (*watchproto_disk_hook)(
    void *context, int call, const char *path, long long offset, const void *data, int count);

/* Registers a file system for SQLite, by this name, that passes everything on to the default one
   and tells `hook` of it. The name must stay valid; the hook is called on the thread that uses the
   connection. Returns 0, or an SQLite error code. */
int watchproto_recording_vfs_register(const char *name, watchproto_disk_hook hook, void *context);

/* Takes it away again; no connection may use it any more. */
void watchproto_recording_vfs_unregister(const char *name);

#endif
