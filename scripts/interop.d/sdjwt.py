"""SD-JWT VC at independent implementations: each issues, presents and verifies in its own way.

`ISSUE` takes (claims, key, chain, holder_public, vct), `PRESENT` (sd_jwt, holder_key, audience, nonce, names or None for all),
`VERIFY` (presentation, roots, audience, nonce, vct); the last return the claims or raise.
"""
import base64
import json
import time

from cryptography import x509
from jwcrypto.jwe import JWE
from jwcrypto.jwk import JWK

import kit

ISSUER = "https://issuer.example"


def b64u(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def unb64u(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def jwk_of(key):
    """The JWK of a P-256 key of the cryptography package, private when that is."""
    private = hasattr(key, "private_numbers")
    numbers = (key.public_key() if private else key).public_numbers()
    jwk = {"kty": "EC", "crv": "P-256", "x": b64u(numbers.x.to_bytes(32, "big")), "y": b64u(numbers.y.to_bytes(32, "big"))}
    if private:
        jwk["d"] = b64u(key.private_numbers().private_value.to_bytes(32, "big"))
    return jwk


def jwcrypto_key(key):
    return JWK.from_json(json.dumps(jwk_of(key)))


def openvc_key(key):
    from openvc import P256SigningKey
    return P256SigningKey(key, "key")


def x5c_of(chain):
    return [base64.b64encode(kit.der(certificate)).decode() for certificate in chain]


# Issue

def issue_sd_jwt(claims, key, chain, holder, vct):
    from sd_jwt.common import SDObj
    from sd_jwt.issuer import SDJWTIssuer
    now = int(time.time())
    payload = {SDObj(name): value for name, value in claims.items()}
    payload.update({"iss": ISSUER, "vct": vct, "iat": now, "exp": now + 86400})
    header = {"typ": "dc+sd-jwt", "x5c": x5c_of(chain)}
    return SDJWTIssuer(payload, jwcrypto_key(key), jwcrypto_key(holder), extra_header_parameters=header).sd_jwt_issuance


def issue_openvc(claims, key, chain, holder, vct):
    from openvc.proof.sd_jwt import SdJwtVcProofSuite
    return SdJwtVcProofSuite().issue(
        dict(claims, iss=ISSUER), signing_key=openvc_key(key), disclosable=list(claims), holder_jwk=jwk_of(holder), vct=vct,
        expires_in_s=86400, x5c=x5c_of(chain))


# Present

def disclosure_name(disclosure):
    parts = json.loads(unb64u(disclosure))
    return parts[1] if len(parts) == 3 else None


def disclosure_names(sd_jwt):
    return [disclosure_name(part) for part in sd_jwt.rstrip("~").split("~")[1:]]


def present_sd_jwt(sd_jwt, key, audience, nonce, names=None):
    from sd_jwt.holder import SDJWTHolder
    holder = SDJWTHolder(sd_jwt)
    wanted = disclosure_names(sd_jwt) if names is None else names
    holder.create_presentation({name: True for name in wanted}, nonce, audience, jwcrypto_key(key))
    return holder.sd_jwt_presentation


def present_openvc(sd_jwt, key, audience, nonce, names=None):
    from openvc.proof.sd_jwt import SdJwtVcProofSuite
    if names is not None:  # it presents every disclosure that it is given
        head, *rest = sd_jwt.rstrip("~").split("~")
        sd_jwt = "~".join([head, *[part for part in rest if disclosure_name(part) in names], ""])
    return SdJwtVcProofSuite().create_presentation(sd_jwt, holder_key=openvc_key(key), audience=audience, nonce=nonce)


def present_vouchkit(sd_jwt, key, audience, nonce, names=None):
    from vouchkit.testkit import TestHolder
    head, *rest = sd_jwt.rstrip("~").split("~")
    disclosures = {disclosure_name(part): part for part in rest}
    return TestHolder(key).present(head, disclosures, list(disclosures if names is None else names), aud=audience, nonce=nonce)


# Verify

def trusted_leaf(presentation, roots):
    """The leaf of x5c under one of the roots: two of the peers take a bare key and leave the chain to their caller."""
    header = json.loads(unb64u(presentation.split(".", 1)[0]))
    leaf = x509.load_der_x509_certificate(base64.b64decode(header["x5c"][0]))
    if not kit.chain_ok(leaf, roots):
        raise ValueError("the leaf of x5c is not trusted")
    return leaf


def verify_sd_jwt(presentation, roots, audience, nonce, vct):
    from sd_jwt.verifier import SDJWTVerifier
    key = jwcrypto_key(trusted_leaf(presentation, roots).public_key())
    claims = SDJWTVerifier(presentation, lambda issuer, header: key, audience, nonce).get_verified_payload()
    if claims.get("vct") != vct:
        raise ValueError("vct %s" % claims.get("vct"))
    return claims


def verify_openvc(presentation, roots, audience, nonce, vct):
    from openvc import VerificationPolicy, verify_credential
    policy = VerificationPolicy(audience=audience, nonce=nonce, require_key_binding=True, expected_vct=vct)
    return dict(verify_credential(presentation, x5c_trust_anchors=roots, policy=policy).raw.claims)


def verify_polaris(presentation, roots, audience, nonce, vct):
    from polaris_oid4vp.sdjwt import verify_presentation
    verdict = verify_presentation(presentation, expected_nonce=nonce, expected_audience=audience, expected_vct=vct,
                                  trust_anchors=roots)
    if not verdict.authentic:
        raise ValueError("%s: %s" % (verdict.code, verdict.reason))
    return verdict.claims


def verify_vouchkit(presentation, roots, audience, nonce, vct):
    from vouchkit import verify_sd_jwt_vc
    key = jwk_of(trusted_leaf(presentation, roots).public_key())
    result = verify_sd_jwt_vc(presentation, key, expected_aud=audience, expected_nonce=nonce)
    if result.vct != vct:
        raise ValueError("vct %s" % result.vct)
    return result.claims


ISSUE = {"sd-jwt": issue_sd_jwt, "openvc": issue_openvc}
PRESENT = {"sd-jwt": present_sd_jwt, "openvc": present_openvc, "vouchkit": present_vouchkit}
VERIFY = {"sd-jwt": verify_sd_jwt, "openvc": verify_openvc, "polaris": verify_polaris, "vouchkit": verify_vouchkit}


# Broken on purpose: what is done, and the checks of which one has to fail

def _flipped(text, place):
    """Another character of the base64url alphabet there; never the last, whose low bits may not count."""
    return text[:place] + ("A" if text[place] != "A" else "B") + text[place + 1:]


def bad_signature(presentation):
    jwt, rest = presentation.split("~", 1)
    return _flipped(jwt, jwt.rindex(".") + 10) + "~" + rest


def bad_disclosure(presentation):
    jwt, first, rest = presentation.split("~", 2)
    salt, name, value = json.loads(unb64u(first))
    return "~".join([jwt, b64u(json.dumps([salt, name, "Attacker"]).encode()), rest])


def bad_binding(presentation):
    head, binding = presentation.rsplit("~", 1)
    return head + "~" + _flipped(binding, binding.rindex(".") + 10)


def dropped_disclosure(presentation):
    jwt, _, rest = presentation.split("~", 2)
    return jwt + "~" + rest


BREAKS = {"a broken issuer signature": (bad_signature, {"S5"}),
          "an altered disclosure": (bad_disclosure, {"S10.unreferenced"}),
          "a broken key binding": (bad_binding, {"S16.signature"}),
          "a disclosure left out after signing": (dropped_disclosure, {"S16.sd-hash"})}


def encrypted(payload, public_key, encryption, compressed=False):
    """A JWE of jwcrypto: ECDH-ES for a key, as a wallet answers direct_post.jwt."""
    header = {"alg": "ECDH-ES", "enc": encryption}
    if compressed:
        header["zip"] = "DEF"
    token = JWE(json.dumps(payload).encode(), json.dumps(header))
    token.add_recipient(jwcrypto_key(public_key))
    return token.serialize(compact=True)


def decrypted(token, key):
    """What a JWE says, opened by jwcrypto."""
    jwe = JWE()
    jwe.deserialize(token, jwcrypto_key(key))
    return json.loads(jwe.payload)
