#ifndef CCURL_SHIM_H
#define CCURL_SHIM_H
#include <curl/curl.h>

// What Swift cannot call: the variadic curl_easy_setopt and curl_easy_getinfo, one function for each kind of argument.

static inline CURLcode ccurl_set_long(CURL *handle, CURLoption option, long value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode ccurl_set_size(CURL *handle, CURLoption option, long long value) {
    return curl_easy_setopt(handle, option, (curl_off_t)value);
}

static inline CURLcode ccurl_set_text(CURL *handle, CURLoption option, const char *value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode ccurl_set_list(CURL *handle, CURLoption option, struct curl_slist *value) {
    return curl_easy_setopt(handle, option, value);
}

// The body is copied; its size is set before.
static inline CURLcode ccurl_set_body(CURL *handle, const void *bytes, long long count) {
    CURLcode code = curl_easy_setopt(handle, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)count);
    return code ? code : curl_easy_setopt(handle, CURLOPT_COPYPOSTFIELDS, bytes);
}

typedef size_t (*ccurl_receiver)(char *bytes, size_t size, size_t count, void *context);
typedef curl_socket_t (*ccurl_opener)(void *context, curlsocktype purpose, struct curl_sockaddr *address);

static inline void ccurl_set_receivers(CURL *handle, ccurl_receiver header, ccurl_receiver body, ccurl_opener opener, void *context) {
    curl_easy_setopt(handle, CURLOPT_HEADERFUNCTION, header);
    curl_easy_setopt(handle, CURLOPT_HEADERDATA, context);
    curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, body);
    curl_easy_setopt(handle, CURLOPT_WRITEDATA, context);
    curl_easy_setopt(handle, CURLOPT_OPENSOCKETFUNCTION, opener);
    curl_easy_setopt(handle, CURLOPT_OPENSOCKETDATA, context);
    curl_easy_setopt(handle, CURLOPT_PRIVATE, context);
}

// PEM, copied.
static inline CURLcode ccurl_set_authorities(CURL *handle, const void *bytes, size_t count) {
    struct curl_blob blob = {(void *)bytes, count, CURL_BLOB_COPY};
    return curl_easy_setopt(handle, CURLOPT_CAINFO_BLOB, &blob);
}

static inline long ccurl_status(CURL *handle) {
    long status = 0;
    curl_easy_getinfo(handle, CURLINFO_RESPONSE_CODE, &status);
    return status;
}

static inline void *ccurl_context(CURL *handle) {
    char *context = NULL;
    curl_easy_getinfo(handle, CURLINFO_PRIVATE, &context);
    return context;
}

// A finished transfer and its result; NULL when there is none.
static inline CURL *ccurl_finished(CURLM *multi, CURLcode *result) {
    int left = 0;
    CURLMsg *message;
    while ((message = curl_multi_info_read(multi, &left))) {
        if (message->msg != CURLMSG_DONE) continue;
        *result = message->data.result;
        return message->easy_handle;
    }
    return NULL;
}
#endif
