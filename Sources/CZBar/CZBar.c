#include "CZBar.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <zbar.h>

#define EACH_FUNCTION(F)                                                                                                          \
    F(zbar_version)                                                                                                               \
    F(zbar_image_scanner_create)                                                                                                  \
    F(zbar_image_scanner_destroy)                                                                                                 \
    F(zbar_image_scanner_set_config)                                                                                              \
    F(zbar_scan_image)                                                                                                            \
    F(zbar_image_create)                                                                                                          \
    F(zbar_image_destroy)                                                                                                         \
    F(zbar_image_set_format)                                                                                                      \
    F(zbar_image_set_size)                                                                                                        \
    F(zbar_image_set_data)                                                                                                        \
    F(zbar_image_first_symbol)                                                                                                    \
    F(zbar_symbol_next)                                                                                                           \
    F(zbar_symbol_get_type)                                                                                                       \
    F(zbar_symbol_get_data)                                                                                                       \
    F(zbar_symbol_get_data_length)                                                                                                \
    F(zbar_symbol_get_loc_size)                                                                                                   \
    F(zbar_symbol_get_loc_x)                                                                                                      \
    F(zbar_symbol_get_loc_y)

#define MEMBER(name) __typeof__(&name) name;
static struct { EACH_FUNCTION(MEMBER) } zbar;

static int is_loaded;

static void load(void) {
    void *library = dlopen("libzbar.so.0", RTLD_LAZY | RTLD_LOCAL);
    if (library == NULL) return;
#define FIND(name)                                                                                                                \
    *(void **)&zbar.name = dlsym(library, #name);                                                                                 \
    if (zbar.name == NULL) return;
    EACH_FUNCTION(FIND)
    is_loaded = 1;
}

static int ensure_loaded(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
    return is_loaded;
}

void czbar_free(char *text) { free(text); }

const char *czbar_version(void) {
    static char text[32];
    if (!ensure_loaded()) return NULL;
    unsigned major = 0, minor = 0, patch = 0;
    if (zbar.zbar_version(&major, &minor, &patch) != 0) return NULL;
    snprintf(text, sizeof text, "%u.%u.%u", major, minor, patch);
    return text;
}

static int take(const zbar_symbol_t *symbol, czbar_code *code) {
    size_t length = zbar.zbar_symbol_get_data_length(symbol);
    char *copy = malloc(length + 1);
    if (copy == NULL) return 0;
    memcpy(copy, zbar.zbar_symbol_get_data(symbol), length);
    code->text = copy;
    code->length = length;
    unsigned corners = zbar.zbar_symbol_get_loc_size(symbol);
    for (unsigned i = 0; i < 4; i++) {
        code->x[i] = i < corners ? zbar.zbar_symbol_get_loc_x(symbol, i) : 0;
        code->y[i] = i < corners ? zbar.zbar_symbol_get_loc_y(symbol, i) : 0;
    }
    return 1;
}

int czbar_read(const unsigned char *pixels, unsigned width, unsigned height, czbar_code *codes, int capacity) {
    if (!ensure_loaded()) return -1;
    zbar_image_scanner_t *scanner = zbar.zbar_image_scanner_create();
    zbar_image_t *image = zbar.zbar_image_create();
    int count = -1;
    if (scanner != NULL && image != NULL) {
        zbar.zbar_image_scanner_set_config(scanner, ZBAR_NONE, ZBAR_CFG_ENABLE, 0);
        zbar.zbar_image_scanner_set_config(scanner, ZBAR_QRCODE, ZBAR_CFG_ENABLE, 1);
        zbar.zbar_image_set_format(image, 'Y' | '8' << 8 | '0' << 16 | (unsigned long)'0' << 24);
        zbar.zbar_image_set_size(image, width, height);
        zbar.zbar_image_set_data(image, pixels, (unsigned long)width * height, NULL);
        if (zbar.zbar_scan_image(scanner, image) >= 0) {
            count = 0;
            const zbar_symbol_t *symbol = zbar.zbar_image_first_symbol(image);
            for (; symbol != NULL && count < capacity; symbol = zbar.zbar_symbol_next(symbol)) {
                if (zbar.zbar_symbol_get_type(symbol) == ZBAR_QRCODE) count += take(symbol, &codes[count]);
            }
        }
    }
    if (image != NULL) zbar.zbar_image_destroy(image);
    if (scanner != NULL) zbar.zbar_image_scanner_destroy(scanner);
    return count;
}
