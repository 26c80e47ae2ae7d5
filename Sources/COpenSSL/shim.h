#ifndef COPENSSL_SHIM_H
#define COPENSSL_SHIM_H
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/kdf.h>
#include <openssl/objects.h>
#include <openssl/param_build.h>
#include <openssl/params.h>
#include <openssl/rand.h>
#include <openssl/rsa.h>
#include <openssl/x509.h>
#include <stdint.h>
#include <string.h>

/* What Swift cannot say: parameter lists, macros, and the handful of steps that must not leave half-made handles behind. */

/* A context ready to MAC under key with the named digest, or NULL. key may be empty. */
static inline EVP_MAC_CTX *cc_hmac_new(EVP_MAC *mac, const char *digest, const uint8_t *key, size_t key_length) {
    static const uint8_t none[1] = {0};
    OSSL_PARAM params[] = {OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, (char *)digest, 0),
                           OSSL_PARAM_construct_end()};
    EVP_MAC_CTX *context = EVP_MAC_CTX_new(mac);
    if (context && EVP_MAC_init(context, key ? key : none, key_length, params) <= 0) {
        EVP_MAC_CTX_free(context);
        return NULL;
    }
    return context;
}

static inline EVP_PKEY *cc_pkey_from_params(const char *type, int selection, OSSL_PARAM *params) {
    EVP_PKEY *key = NULL;
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(NULL, type, NULL);
    if (!context || EVP_PKEY_fromdata_init(context) <= 0 || EVP_PKEY_fromdata(context, &key, selection, params) <= 0)
        key = NULL;
    EVP_PKEY_CTX_free(context);
    return key;
}

/* The domain parameters of a curve, without a key. */
static inline EVP_PKEY *cc_ec_parameters(const char *curve) {
    OSSL_PARAM params[] = {OSSL_PARAM_construct_utf8_string(OSSL_PKEY_PARAM_GROUP_NAME, (char *)curve, 0),
                           OSSL_PARAM_construct_end()};
    return cc_pkey_from_params("EC", EVP_PKEY_KEY_PARAMETERS, params);
}

/* A public key from a SEC1 point (compressed or not). NULL when the point is not on the curve.
   A copy of parameters made before: making them anew costs three times the rest. */
static inline EVP_PKEY *cc_ec_public(EVP_PKEY *parameters, const uint8_t *point, size_t length) {
    EVP_PKEY *key = EVP_PKEY_dup(parameters);
    if (key && EVP_PKEY_set1_encoded_public_key(key, point, length) != 1) {
        EVP_PKEY_free(key);
        return NULL;
    }
    return key;
}

/* A key pair from a big-endian scalar; the point is computed. NULL unless 0 < scalar < order. */
static inline EVP_PKEY *cc_ec_private(const EC_GROUP *group, const char *curve, const uint8_t *scalar, size_t length) {
    EVP_PKEY *key = NULL;
    uint8_t point[1 + 2 * 66];
    size_t point_length = 0;
    OSSL_PARAM *params = NULL;
    OSSL_PARAM_BLD *builder = OSSL_PARAM_BLD_new();
    BIGNUM *d = BN_secure_new();
    EC_POINT *q = EC_POINT_new(group);
    if (!builder || !d || !q || !BN_bin2bn(scalar, (int)length, d)) goto done;
    BN_set_flags(d, BN_FLG_CONSTTIME);
    if (BN_is_zero(d) || BN_cmp(d, EC_GROUP_get0_order(group)) >= 0) goto done;
    if (!EC_POINT_mul(group, q, d, NULL, NULL, NULL)) goto done;
    point_length = EC_POINT_point2oct(group, q, POINT_CONVERSION_UNCOMPRESSED, point, sizeof point, NULL);
    if (point_length == 0 || !OSSL_PARAM_BLD_push_utf8_string(builder, OSSL_PKEY_PARAM_GROUP_NAME, curve, 0) ||
        !OSSL_PARAM_BLD_push_octet_string(builder, OSSL_PKEY_PARAM_PUB_KEY, point, point_length) ||
        !OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_PRIV_KEY, d))
        goto done;
    params = OSSL_PARAM_BLD_to_param(builder);
    if (params) key = cc_pkey_from_params("EC", EVP_PKEY_KEYPAIR, params);
done:
    OSSL_PARAM_free(params);
    OSSL_PARAM_BLD_free(builder);
    BN_clear_free(d);
    EC_POINT_free(q);
    return key;
}

static inline int cc_bn_parameter(const EVP_PKEY *key, const char *name, uint8_t *out, size_t length) {
    BIGNUM *value = NULL;
    int ok = EVP_PKEY_get_bn_param(key, name, &value) == 1 && BN_bn2binpad(value, out, (int)length) == (int)length;
    BN_clear_free(value);
    return ok;
}

/* x or y of an EC key, big-endian, padded to length. 1 on success. */
static inline int cc_ec_x(const EVP_PKEY *key, uint8_t *out, size_t length) {
    return cc_bn_parameter(key, OSSL_PKEY_PARAM_EC_PUB_X, out, length);
}
static inline int cc_ec_y(const EVP_PKEY *key, uint8_t *out, size_t length) {
    return cc_bn_parameter(key, OSSL_PKEY_PARAM_EC_PUB_Y, out, length);
}
static inline int cc_ec_scalar(const EVP_PKEY *key, uint8_t *out, size_t length) {
    return cc_bn_parameter(key, OSSL_PKEY_PARAM_PRIV_KEY, out, length);
}

/* out = 1 + (random mod (order - 1)), big-endian, padded to length (FIPS 186-5 A.2.1). 1 on success. */
static inline int cc_scalar_from_random(
    const EC_GROUP *group, const uint8_t *random, size_t random_length, uint8_t *out, size_t length) {
    int ok = 0;
    BN_CTX *context = BN_CTX_secure_new();
    BIGNUM *c = BN_secure_new(), *n = BN_dup(EC_GROUP_get0_order(group));
    if (context && c && n && BN_bin2bn(random, (int)random_length, c) && BN_sub_word(n, 1)) {
        BN_set_flags(c, BN_FLG_CONSTTIME);
        ok = BN_nnmod(c, c, n, context) && BN_add_word(c, 1) && BN_bn2binpad(c, out, (int)length) == (int)length;
    }
    BN_clear_free(c);
    BN_free(n);
    BN_CTX_free(context);
    return ok;
}

/* The leftmost bits of a digest as an integer, not reduced (RFC 6979 2.3.2 bits2int). */
static inline int cc_bits_to_int(const EC_GROUP *group, const uint8_t *bytes, size_t length, BIGNUM *out) {
    int excess = (int)length * 8 - EC_GROUP_order_bits(group);
    return BN_bin2bn(bytes, (int)length, out) && (excess <= 0 || BN_rshift(out, out, excess));
}

/* out = bits2int(bytes) mod order, padded to length (RFC 6979 2.3.4 bits2octets). 1 on success. */
static inline int cc_bits_to_octets(const EC_GROUP *group, const uint8_t *bytes, size_t count, uint8_t *out, size_t length) {
    BN_CTX *context = BN_CTX_new();
    BIGNUM *z = BN_new();
    int ok = context && z && cc_bits_to_int(group, bytes, count, z) &&
             BN_nnmod(z, z, EC_GROUP_get0_order(group), context) && BN_bn2binpad(z, out, (int)length) == (int)length;
    BN_free(z);
    BN_CTX_free(context);
    return ok;
}

/* An ECDSA signature with a nonce of the caller's making (RFC 6979): r then s, each length bytes.
 * nonce is bits2int of nonce_length bytes. 1 on success, 0 when the nonce is unusable (next candidate), -1 on failure. */
static inline int cc_ecdsa_sign_with_nonce(
    const EC_GROUP *group, const uint8_t *scalar, size_t length, const uint8_t *digest, size_t digest_length,
    const uint8_t *nonce, size_t nonce_length, uint8_t *out) {
    int result = -1;
    const BIGNUM *order = EC_GROUP_get0_order(group);
    BN_CTX *context = BN_CTX_secure_new();
    EC_POINT *point = EC_POINT_new(group);
    BIGNUM *d = BN_secure_new(), *k = BN_secure_new(), *inverse = BN_secure_new(), *exponent = BN_new(), *r = BN_new(),
           *s = BN_secure_new(), *e = BN_new();
    if (!context || !point || !d || !k || !inverse || !exponent || !r || !s || !e) goto done;
    BN_set_flags(d, BN_FLG_CONSTTIME);
    BN_set_flags(k, BN_FLG_CONSTTIME);
    if (!BN_bin2bn(scalar, (int)length, d) || !cc_bits_to_int(group, nonce, nonce_length, k) ||
        !cc_bits_to_int(group, digest, digest_length, e))
        goto done;
    if (BN_is_zero(k) || BN_cmp(k, order) >= 0) {
        result = 0;
        goto done;
    }
    /* The inverse by Fermat's theorem: an exponentiation in constant time, where Euclid's algorithm would branch on k. */
    if (!EC_POINT_mul(group, point, k, NULL, NULL, context) ||
        !EC_POINT_get_affine_coordinates(group, point, r, NULL, context) || !BN_nnmod(r, r, order, context) ||
        !BN_copy(exponent, order) || !BN_sub_word(exponent, 2) ||
        !BN_mod_exp_mont_consttime(inverse, k, exponent, order, context, NULL) ||
        !BN_mod_mul(s, d, r, order, context) || !BN_mod_add(s, s, e, order, context) ||
        !BN_mod_mul(s, s, inverse, order, context))
        goto done;
    if (BN_is_zero(r) || BN_is_zero(s)) {
        result = 0;
        goto done;
    }
    if (BN_bn2binpad(r, out, (int)length) == (int)length && BN_bn2binpad(s, out + length, (int)length) == (int)length)
        result = 1;
done:
    BN_clear_free(d);
    BN_clear_free(k);
    BN_clear_free(inverse);
    BN_clear_free(s);
    BN_free(exponent);
    BN_free(r);
    BN_free(e);
    EC_POINT_free(point);
    BN_CTX_free(context);
    return result;
}

/* A DER INTEGER of a big-endian unsigned number; returns the bytes written (at most length + 3). */
static inline size_t cc_der_integer(const uint8_t *number, size_t length, uint8_t *out) {
    while (length > 1 && *number == 0) number++, length--;
    size_t pad = number[0] >> 7;
    out[0] = 0x02;
    out[1] = (uint8_t)(length + pad);
    out[2] = 0;
    memcpy(out + 2 + pad, number, length);
    return 2 + pad + length;
}

/* ECDSA-Sig-Value of r then s, each half of raw; half is at most 66 bytes. out has room for 144 bytes. */
static inline size_t cc_signature_to_der(const uint8_t *raw, size_t half, uint8_t *out) {
    uint8_t body[2 * (66 + 3)];
    size_t length = cc_der_integer(raw, half, body);
    length += cc_der_integer(raw + half, half, body + length);
    size_t head = length < 128 ? 2 : 3;
    out[0] = 0x30;
    if (head == 3) out[1] = 0x81;
    out[head - 1] = (uint8_t)length;
    memcpy(out + head, body, length);
    return head + length;
}

/* r then s of an ECDSA-Sig-Value, each padded to half bytes. 1 on success. */
static inline int cc_signature_from_der(const uint8_t *der, size_t length, uint8_t *out, size_t half) {
    const uint8_t *cursor = der;
    ECDSA_SIG *signature = d2i_ECDSA_SIG(NULL, &cursor, (long)length);
    int ok = signature && cursor == der + length && !BN_is_negative(ECDSA_SIG_get0_r(signature)) &&
             !BN_is_negative(ECDSA_SIG_get0_s(signature)) &&
             BN_bn2binpad(ECDSA_SIG_get0_r(signature), out, (int)half) == (int)half &&
             BN_bn2binpad(ECDSA_SIG_get0_s(signature), out + half, (int)half) == (int)half;
    ECDSA_SIG_free(signature);
    return ok;
}

/* An RSA public key from big-endian numbers. */
static inline EVP_PKEY *cc_rsa_public(const uint8_t *n, size_t n_length, const uint8_t *e, size_t e_length) {
    EVP_PKEY *key = NULL;
    OSSL_PARAM *params = NULL;
    OSSL_PARAM_BLD *builder = OSSL_PARAM_BLD_new();
    BIGNUM *modulus = BN_bin2bn(n, (int)n_length, NULL), *exponent = BN_bin2bn(e, (int)e_length, NULL);
    if (builder && modulus && exponent && OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_RSA_N, modulus) &&
        OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_RSA_E, exponent) && (params = OSSL_PARAM_BLD_to_param(builder)))
        key = cc_pkey_from_params("RSA", EVP_PKEY_PUBLIC_KEY, params);
    OSSL_PARAM_free(params);
    OSSL_PARAM_BLD_free(builder);
    BN_free(modulus);
    BN_free(exponent);
    return key;
}
#endif
