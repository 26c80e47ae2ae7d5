#ifndef CMICROHTTPD_SHIM_H
#define CMICROHTTPD_SHIM_H
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <gnutls/gnutls.h>
#include <microhttpd.h>

// What Swift cannot call or see: variadic functions, function pointers as options, cast macros.

static const uint64_t CMHD_SIZE_UNKNOWN = MHD_SIZE_UNKNOWN;
static const int CMHD_STREAM = SOCK_STREAM;
static const ssize_t CMHD_END_OF_STREAM = MHD_CONTENT_READER_END_OF_STREAM;

static inline struct MHD_OptionItem cmhd_option(enum MHD_OPTION option, intptr_t value, void *pointer) {
    struct MHD_OptionItem item = {option, value, pointer};
    return item;
}

// Paths and names stay percent-encoded, as they came.
static inline size_t cmhd_keep_encoded(void *context, struct MHD_Connection *connection, char *text) {
    (void)context;
    (void)connection;
    return strlen(text);
}

static inline struct MHD_Daemon *cmhd_start(
    unsigned flags, void *context, MHD_AccessHandlerCallback handler, MHD_RequestCompletedCallback completed,
    void *(*target)(void *, const char *, struct MHD_Connection *), MHD_NotifyConnectionCallback connection,
    const struct MHD_OptionItem *options) {
    return MHD_start_daemon(
        flags, 0, NULL, NULL, handler, context, MHD_OPTION_NOTIFY_COMPLETED, completed, context,
        MHD_OPTION_URI_LOG_CALLBACK, target, context, MHD_OPTION_NOTIFY_CONNECTION, connection, context,
        MHD_OPTION_UNESCAPE_CALLBACK, cmhd_keep_encoded, NULL, MHD_OPTION_ARRAY, options, MHD_OPTION_END);
}

// -1 when it is not known.
static inline int cmhd_socket(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    return info ? info->connect_fd : -1;
}

static inline const struct sockaddr *cmhd_peer(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
    return info ? info->client_addr : NULL;
}

// NULL without TLS.
static inline void *cmhd_tls(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_GNUTLS_SESSION);
    return info ? info->tls_session : NULL;
}

// Besides the library's own answers. One thread may send while another receives; nobody else may send at the same time.
static inline ssize_t cmhd_tls_send(void *session, const void *bytes, size_t count) {
    return gnutls_record_send((gnutls_session_t)session, bytes, count);
}
#endif
