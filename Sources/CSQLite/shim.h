#ifndef WATCHPROTO_CSQLITE_SHIM_H
#define WATCHPROTO_CSQLITE_SHIM_H

/* Swift cannot call variadic functions or expand function-like macros: each gets a plain name here. */

#include <errno.h>
#include <sqlite3.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

/* Binds a copy of the bytes. */
static inline int watchproto_sqlite_bind_blob(
    sqlite3_stmt *statement, int place, const void *bytes, unsigned long long count) {
    return count == 0 ? sqlite3_bind_zeroblob(statement, place, 0)
                      : sqlite3_bind_blob64(statement, place, bytes, count, SQLITE_TRANSIENT);
}

/* Binds a copy of the text, which is UTF-8. */
static inline int watchproto_sqlite_bind_text(
    sqlite3_stmt *statement, int place, const char *text, unsigned long long count) {
    return sqlite3_bind_text64(statement, place, text, count, SQLITE_TRANSIENT, SQLITE_UTF8);
}

/* Whether closing copies the write-ahead log into the file and removes it. */
static inline int watchproto_sqlite_set_checkpoint_on_close(sqlite3 *database, int is_on) {
    return sqlite3_db_config(database, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, !is_on, (int *)0);
}

/* Statements of the application cannot alter the schema's own tables, and no function of the schema
   runs that was not meant to. No trigger and no view runs: the file may hold what somebody planted. */
static inline int watchproto_sqlite_defend(sqlite3 *database) {
    int failed = sqlite3_db_config(database, SQLITE_DBCONFIG_DEFENSIVE, 1, (int *)0);
    if (!failed) failed = sqlite3_db_config(database, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, (int *)0);
    if (!failed) failed = sqlite3_db_config(database, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, (int *)0);
    return failed ? failed : sqlite3_db_config(database, SQLITE_DBCONFIG_ENABLE_VIEW, 0, (int *)0);
}

/* Keeps the number of pages in the write-ahead log, after each commit, in `pages`. */
static inline int watchproto_sqlite_note_pages(
    void *pages, sqlite3 *database, const char *name, int count) {
    (void)database;
    (void)name;
    *(int *)pages = count;
    return SQLITE_OK;
}
static inline void watchproto_sqlite_watch_log(sqlite3 *database, int *pages) {
    sqlite3_wal_hook(database, watchproto_sqlite_note_pages, pages);
}

/* The number of the system's error behind the last call of the log, or of the file, that failed; 0
   for none. A COMMIT that fails leaves sqlite3_system_errno as it was. */
static inline int watchproto_sqlite_file_errno(sqlite3 *database) {
    sqlite3_file *file = NULL;
    int number = 0;
    sqlite3_file_control(database, "main", SQLITE_FCNTL_JOURNAL_POINTER, &file);
    if (file != NULL && file->pMethods != NULL)
        file->pMethods->xFileControl(file, SQLITE_FCNTL_LAST_ERRNO, &number);
    if (number == 0)
        sqlite3_file_control(database, "main", SQLITE_FCNTL_LAST_ERRNO, &number);
    return number;
}

/* 1 if the open file was removed or another one stands at its path, 2 if its log was removed, else 0. */
static inline int watchproto_sqlite_lost_file(sqlite3 *database) {
    int has_moved = 0;
    sqlite3_file_control(database, "main", SQLITE_FCNTL_HAS_MOVED, &has_moved);
    if (has_moved) return 1;
    const char *file = sqlite3_db_filename(database, "main");
    return file != NULL && access(sqlite3_filename_wal(file), F_OK) != 0 && errno == ENOENT ? 2 : 0;
}

/* Reads the file and its log once from end to end. Returns 0, or the code of the first read that
   failed. */
static inline int watchproto_sqlite_read_through(sqlite3 *database) {
    const int operations[] = {SQLITE_FCNTL_FILE_POINTER, SQLITE_FCNTL_JOURNAL_POINTER};
    for (int which = 0; which < 2; which++) {
        sqlite3_file *file = NULL;
        sqlite3_int64 size = 0;
        char bytes[4096];
        sqlite3_file_control(database, "main", operations[which], &file);
        if (file == NULL || file->pMethods == NULL) continue;
        int code = file->pMethods->xFileSize(file, &size);
        for (sqlite3_int64 place = 0; code == SQLITE_OK && place < size; place += 4096) {
            int count = size - place < 4096 ? (int)(size - place) : 4096;
            code = file->pMethods->xRead(file, bytes, count, place);
        }
        if (code != SQLITE_OK) return code;
    }
    return SQLITE_OK;
}

/* Makes the write-ahead log at least `size` bytes long by writing zeros after its end, durably.
   Behind the last frame SQLite takes no notice of them. */
static inline int watchproto_sqlite_extend_log(sqlite3 *database, sqlite3_int64 size) {
    static const unsigned char zeros[1 << 14];
    sqlite3_file *log = (sqlite3_file *)0;
    int failed = sqlite3_file_control(database, "main", SQLITE_FCNTL_JOURNAL_POINTER, &log);
    if (failed || !log || !log->pMethods) return failed;
    sqlite3_int64 end = 0;
    failed = log->pMethods->xFileSize(log, &end);
    if (failed || end >= size) return failed;
    /* Of a log that was just emptied nothing may come back behind the zeros. */
    if (end == 0) failed = log->pMethods->xSync(log, SQLITE_SYNC_NORMAL);
    while (!failed && end < size) {
        int count = size - end < (sqlite3_int64)sizeof zeros ? (int)(size - end)
                                                              : (int)sizeof zeros;
        failed = log->pMethods->xWrite(log, zeros, count, end);
        end += count;
    }
    return failed ? failed : log->pMethods->xSync(log, SQLITE_SYNC_NORMAL);
}

/* Makes the write-ahead log no longer than `size` bytes, durably. Behind its last commit SQLite takes no
   notice of what it holds. */
static inline int watchproto_sqlite_cut_log(sqlite3 *database, sqlite3_int64 size) {
    sqlite3_file *log = (sqlite3_file *)0;
    int failed = sqlite3_file_control(database, "main", SQLITE_FCNTL_JOURNAL_POINTER, &log);
    if (failed || !log || !log->pMethods) return failed;
    sqlite3_int64 end = 0;
    failed = log->pMethods->xFileSize(log, &end);
    if (failed || end <= size) return failed;
    failed = log->pMethods->xTruncate(log, size);
    return failed ? failed : log->pMethods->xSync(log, SQLITE_SYNC_NORMAL);
}

/* Writes the first `size` bytes of the write-ahead log once more as they stand, durably. */
static inline int watchproto_sqlite_rewrite_log(sqlite3 *database, sqlite3_int64 size) {
    unsigned char bytes[4096];
    sqlite3_file *log = (sqlite3_file *)0;
    int failed = sqlite3_file_control(database, "main", SQLITE_FCNTL_JOURNAL_POINTER, &log);
    if (failed || !log || !log->pMethods) return failed ? failed : SQLITE_IOERR;
    for (sqlite3_int64 place = 0; !failed && place < size; place += sizeof bytes) {
        int count = size - place < (sqlite3_int64)sizeof bytes ? (int)(size - place)
                                                                : (int)sizeof bytes;
        failed = log->pMethods->xRead(log, bytes, count, place);
        if (!failed) failed = log->pMethods->xWrite(log, bytes, count, place);
    }
    return failed ? failed : log->pMethods->xSync(log, SQLITE_SYNC_NORMAL);
}

/* Lets each statement of the connection end with SQLITE_INTERRUPT as soon as `count` is positive;
   another thread may change it. NULL ends that. */
static inline int watchproto_sqlite_is_wanted(void *count) {
    return __atomic_load_n((int *)count, __ATOMIC_ACQUIRE) > 0;
}
static inline void watchproto_sqlite_give_way(sqlite3 *database, int *count) {
    sqlite3_progress_handler(
        database, 1000, count == NULL ? (int (*)(void *))0 : watchproto_sqlite_is_wanted, count);
}
static inline void watchproto_sqlite_want(int *count, int change) {
    __atomic_add_fetch(count, change, __ATOMIC_ACQ_REL);
}

/* The pages that the connection has read from the file or its log. */
static inline int watchproto_sqlite_pages_read(sqlite3 *database) {
    int count = 0, most = 0;
    sqlite3_db_status(database, SQLITE_DBSTATUS_CACHE_MISS, &count, &most, 0);
    return count;
}

/* A file beside the database, through the file system of that name (NULL: the default one), so that what
   becomes of it can be recorded and made to fail as what becomes of the database. It must be there. */
static inline int watchproto_sqlite_open_side(
    const char *file_system, const char *path, sqlite3_file **opened) {
    sqlite3_vfs *vfs = sqlite3_vfs_find(file_system);
    *opened = NULL;
    if (vfs == NULL) return SQLITE_ERROR;
    size_t count = strlen(path) + 1;
    sqlite3_file *file = (sqlite3_file *)sqlite3_malloc64((sqlite3_uint64)vfs->szOsFile + count);
    if (file == NULL) return SQLITE_NOMEM;
    memset(file, 0, (size_t)vfs->szOsFile);
    /* The file system keeps the name for as long as the file is open. */
    char *name = (char *)file + vfs->szOsFile;
    memcpy(name, path, count);
    int flags = 0;
    int code = vfs->xOpen(
        vfs, name, file, SQLITE_OPEN_READWRITE | SQLITE_OPEN_SUPER_JOURNAL, &flags);
    if (code == SQLITE_OK) {
        *opened = file;
        return SQLITE_OK;
    }
    if (file->pMethods != NULL) file->pMethods->xClose(file);
    sqlite3_free(file);
    return code;
}
static inline void watchproto_sqlite_close_side(sqlite3_file *file) {
    file->pMethods->xClose(file);
    sqlite3_free(file);
}
static inline int watchproto_sqlite_write_side(
    sqlite3_file *file, const void *bytes, int count, sqlite3_int64 offset) {
    return file->pMethods->xWrite(file, bytes, count, offset);
}
static inline int watchproto_sqlite_sync_side(sqlite3_file *file) {
    return file->pMethods->xSync(file, SQLITE_SYNC_NORMAL);
}

#endif
