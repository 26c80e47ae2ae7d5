"""An OpenID4VP 1.0 wallet: answers one request with the cryptography of jwcrypto, and of the named peer for the key binding."""
import base64
import hashlib
import json
import secrets
import urllib.error
import urllib.parse
import urllib.request

import cbor2
from cryptography import x509
from jwcrypto.jwe import JWE
from jwcrypto.jwk import JWK
from jwcrypto.jws import JWS

import kit
import sdjwt
from sdjwt import b64u, jwk_of, unb64u
from vp_verifier import handover, thumbprint_of


class Refused(Exception):
    """The request is not one that this wallet answers, or the verifier did not take the answer."""


def exchange(url, form=None):
    """(status, body) of a GET, or of a POST when there is a form."""
    data = urllib.parse.urlencode(form).encode() if form is not None else None
    try:
        with urllib.request.urlopen(urllib.request.Request(url, data), timeout=60) as response:
            return response.status, response.read()
    except urllib.error.HTTPError as error:
        return error.code, error.read()


def resolve(link):
    """The verified claims of the request object behind a link."""
    outer = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(link).query))
    wallet_nonce = None
    if "request" in outer:
        text = outer["request"]
    elif outer.get("request_uri_method") == "post":
        wallet_nonce = secrets.token_urlsafe(16)
        text = exchange(outer["request_uri"], {"wallet_nonce": wallet_nonce})[1].decode()
    elif "request_uri" in outer:
        text = exchange(outer["request_uri"])[1].decode()
    else:
        return {name: json.loads(value) if name in ("dcql_query", "client_metadata") else value for name, value in outer.items()}
    header = json.loads(unb64u(text.split(".")[0]))
    if header.get("typ") != "oauth-authz-req+jwt":
        raise Refused("typ %s" % header.get("typ"))
    leaf = x509.load_der_x509_certificate(base64.b64decode(header["x5c"][0]))
    token = JWS()
    token.deserialize(text)
    token.verify(JWK.from_json(json.dumps(jwk_of(leaf.public_key()))))
    request = json.loads(token.payload)
    if request["client_id"] != outer["client_id"]:
        raise Refused("client_id differs from that of the link")
    if wallet_nonce and request.get("wallet_nonce") != wallet_nonce:
        raise Refused("wallet_nonce is not ours")
    must_name(request["client_id"], leaf)
    return request


def must_name(client_id, leaf):
    prefix, rest = client_id.split(":", 1)
    if prefix == "x509_hash":
        good = b64u(hashlib.sha256(kit.der(leaf)).digest()) == rest
    elif prefix == "x509_san_dns":
        names = leaf.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
        good = rest in names.get_values_for_type(x509.DNSName)
    else:
        raise Refused("prefix of %s" % client_id)
    if not good:
        raise Refused("%s is not what the certificate says" % client_id)


def answer(link, key, again=False, **more):
    """Answers the first credential query. `again` posts the same answer twice and returns what the second got: (status, body)."""
    uri, form = prepared(link, key, **more)
    result = exchange(uri, form)
    return exchange(uri, form) if again else result


def prepared(link, key, sd_jwt=None, mdoc=None, peer="openvc", spoil_nonce=False):
    """The answer to the first credential query, not yet sent: where to, and the form."""
    request = resolve(link)
    nonce = request["nonce"] + ("x" if spoil_nonce else "")
    query = request["dcql_query"]["credentials"][0]
    encrypted = request["response_mode"] == "direct_post.jwt"
    recipient = None
    if encrypted:
        recipient = next(jwk for jwk in request["client_metadata"]["jwks"]["keys"] if jwk.get("alg") == "ECDH-ES")
    paths = [claim["path"] for claim in query.get("claims", [])]
    if query["format"] == "dc+sd-jwt":
        presented = sdjwt.PRESENT[peer](sd_jwt, key, request["client_id"], nonce, [path[0] for path in paths] or None)
    else:
        wanted = {tuple(path) for path in paths}
        signed = cbor2.loads(mdoc)
        signed["nameSpaces"] = {name: kept for name, items in signed["nameSpaces"].items() if (kept := [
            item for item in items if (name, cbor2.loads(item.value)["elementIdentifier"]) in wanted])}
        transcript = handover(request["client_id"], nonce, request["response_uri"], thumbprint_of(recipient) if recipient else None)
        presented = b64u(kit.respond(signed, query["meta"]["doctype_value"], key, transcript))
    token = {query["id"]: [presented]}
    if encrypted:
        values = request["client_metadata"].get("encrypted_response_enc_values_supported", ["A128GCM"])
        sealed = JWE(json.dumps({"vp_token": token, "state": request["state"]}),
                     json.dumps({"alg": "ECDH-ES", "enc": values[0], "kid": recipient.get("kid", "")}))
        sealed.add_recipient(JWK.from_json(json.dumps(recipient)))
        form = {"response": sealed.serialize(compact=True)}
    else:
        form = {"vp_token": json.dumps(token), "state": request["state"]}
    return request["response_uri"], form
