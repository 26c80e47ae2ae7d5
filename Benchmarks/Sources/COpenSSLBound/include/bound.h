/* What the cryptography of one DeviceResponse costs with OpenSSL alone. */
#pragma once
#include <stddef.h>
#include <stdint.h>

/* Makes keys and a signature; `ds` is the signer's certificate and `root` its issuer's, DER. 1 when all of it works. */
int bound_prepare(const uint8_t *ds, size_t ds_length, const uint8_t *root, size_t root_length);

/* The cryptography of a response of `items` elements, the signer known: two P-256 verifications, a key from its point and the
 * digests. 1 when all of it verifies. */
int bound_warm(int items);

/* The same with the signer's certificate parsed and its path validated. */
int bound_cold(int items);
