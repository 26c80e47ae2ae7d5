#include "bound.h"

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/x509v3.h>

enum { message_length = 1000, item_length = 120 };

static EVP_PKEY *key;
static EVP_MD *sha256;
static X509_STORE *store;
static const uint8_t *ds_der;
static size_t ds_size, signature_length, point_length;
static uint8_t message[message_length], signature[80], point[65];

int bound_prepare(const uint8_t *ds, size_t ds_length, const uint8_t *root, size_t root_length) {
    const uint8_t *cursor = root;
    X509 *issuer = d2i_X509(NULL, &cursor, (long)root_length);
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    ds_der = OPENSSL_memdup(ds, ds_length); /* kept as long as the process lives */
    ds_size = ds_length;
    signature_length = sizeof signature;
    key = EVP_EC_gen("P-256");
    sha256 = EVP_MD_fetch(NULL, "SHA256", NULL);
    store = X509_STORE_new();
    int ok = issuer && context && ds_der && key && sha256 && store && X509_STORE_add_cert(store, issuer) == 1 &&
             EVP_DigestSignInit(context, NULL, sha256, NULL, key) == 1 &&
             EVP_DigestSign(context, signature, &signature_length, message, sizeof message) == 1 &&
             EVP_PKEY_get_octet_string_param(key, OSSL_PKEY_PARAM_PUB_KEY, point, sizeof point, &point_length) == 1;
    EVP_MD_CTX_free(context);
    X509_free(issuer);
    return ok;
}

static int verify(EVP_PKEY *with) {
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    int ok = context && EVP_DigestVerifyInit(context, NULL, sha256, NULL, with) == 1 &&
             EVP_DigestVerify(context, signature, signature_length, message, sizeof message) == 1;
    EVP_MD_CTX_free(context);
    return ok;
}

static EVP_PKEY *key_from_point(void) {
    EVP_PKEY *made = NULL;
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(NULL, "EC", NULL);
    OSSL_PARAM parameters[] = {OSSL_PARAM_construct_utf8_string(OSSL_PKEY_PARAM_GROUP_NAME, "P-256", 0),
                               OSSL_PARAM_construct_octet_string(OSSL_PKEY_PARAM_PUB_KEY, point, point_length),
                               OSSL_PARAM_construct_end()};
    if (!context || EVP_PKEY_fromdata_init(context) != 1 ||
        EVP_PKEY_fromdata(context, &made, EVP_PKEY_PUBLIC_KEY, parameters) != 1)
        made = NULL;
    EVP_PKEY_CTX_free(context);
    return made;
}

int bound_warm(int items) {
    EVP_PKEY *device = key_from_point();
    uint8_t digest[32];
    int ok = device && verify(key) && verify(device);
    for (int item = 0; item < items; item++) ok = ok && EVP_Digest(message, item_length, digest, NULL, sha256, NULL) == 1;
    EVP_PKEY_free(device);
    return ok;
}

int bound_cold(int items) {
    const uint8_t *cursor = ds_der;
    X509 *signer = d2i_X509(NULL, &cursor, (long)ds_size);
    X509_STORE_CTX *context = X509_STORE_CTX_new();
    int ok = signer && context && X509_STORE_CTX_init(context, store, signer, NULL) == 1;
    if (ok) {
        X509_VERIFY_PARAM_set_purpose(X509_STORE_CTX_get0_param(context), X509_PURPOSE_ANY);
        ok = X509_verify_cert(context) == 1;
    }
    X509_STORE_CTX_free(context);
    X509_free(signer);
    return ok && bound_warm(items);
}
