#ifndef CSQLITE_SHIM_H
#define CSQLITE_SHIM_H
#include <sqlite3.h>

// What Swift cannot call or see: variadic functions and the SQLITE_TRANSIENT cast macro.

static inline int csq_bind_blob(sqlite3_stmt *s, int i, const void *p, sqlite3_uint64 n) {
    return n ? sqlite3_bind_blob64(s, i, p, n, SQLITE_TRANSIENT) : sqlite3_bind_zeroblob(s, i, 0);
}

static inline int csq_bind_text(sqlite3_stmt *s, int i, const char *p, sqlite3_uint64 n) {
    return sqlite3_bind_text64(s, i, p, n, SQLITE_TRANSIENT, SQLITE_UTF8);
}

static inline int csq_defensive(sqlite3 *d) {
    return sqlite3_db_config(d, SQLITE_DBCONFIG_DEFENSIVE, 1, (int *)0);
}

static inline int csq_distrust_schema(sqlite3 *d) {
    return sqlite3_db_config(d, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, (int *)0);
}
#endif
