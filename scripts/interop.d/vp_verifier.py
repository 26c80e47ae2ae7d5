#!/usr/bin/env python3
"""An OpenID4VP 1.0 verifier over HTTP on loopback, whose checks are openvc's.

vp_verifier.py FOLDER [--mode direct_post.jwt|direct_post] [--prefix x509_hash|x509_san_dns] [--host localhost]

FOLDER holds leaf.pem, leaf.key (the verifier's certificate and key) and iaca.pem (whom it trusts). Prints one line of JSON
{"origin", "client_id"} when it listens. Then:
  GET  /start?format=dc%2Bsd-jwt&type=urn:eudi:pid:1&claims=given_name,family_name   {"uri", "state"}
  GET, POST /request/STATE   the signed request object
  POST /response             200 with redirect_uri, or 400
  GET  /result/STATE         {"done", "accepted", "error", "claims"}
The transport, the DCQL and the request object are made here; decryption and every check of the presentation are the peer's.
"""
import argparse
import hashlib
import json
import pathlib
import secrets
import time
import urllib.parse
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import cbor2
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature

import kit
from sdjwt import b64u, jwk_of, unb64u, x5c_of


def handover(client_id, nonce, response_uri, thumbprint):
    """The SessionTranscript of OpenID4VP 1.0 B.2.6.1."""
    info = cbor2.dumps([client_id, nonce, thumbprint, response_uri])
    return cbor2.dumps([None, None, ["OpenID4VPHandover", hashlib.sha256(info).digest()]])


def thumbprint_of(jwk):
    """RFC 7638, raw bytes."""
    members = {name: jwk[name] for name in ("crv", "kty", "x", "y")}
    return hashlib.sha256(json.dumps(members, sort_keys=True, separators=(",", ":")).encode()).digest()


def signed_jwt(key, header, claims):
    body = ".".join(b64u(json.dumps(part).encode()) for part in (header, claims))
    r, s = decode_dss_signature(key.sign(body.encode(), ec.ECDSA(hashes.SHA256())))
    return body + "." + b64u(r.to_bytes(32, "big") + s.to_bytes(32, "big"))


class Verifier:
    def __init__(self, folder, mode, prefix):
        self.mode, self.sessions, self.by_kid, self.origin = mode, {}, {}, None
        self.chain = x509.load_pem_x509_certificates((folder / "leaf.pem").read_bytes())
        self.key = serialization.load_pem_private_key((folder / "leaf.key").read_bytes(), None)
        self.roots = x509.load_pem_x509_certificates((folder / "iaca.pem").read_bytes())
        if prefix == "x509_hash":
            self.client_id = "x509_hash:" + b64u(hashlib.sha256(kit.der(self.chain[0])).digest())
        else:
            names = self.chain[0].extensions.get_extension_for_class(x509.SubjectAlternativeName).value
            self.client_id = "x509_san_dns:" + names.get_values_for_type(x509.DNSName)[0]

    def start(self, wanted):
        state, nonce, kid = (secrets.token_urlsafe(16) for _ in range(3))
        names = [name for name in wanted.get("claims", "").split(",") if name]
        if wanted["format"] == "mso_mdoc":
            meta, claims = {"doctype_value": wanted["type"]}, [{"path": [kit.MDL_NAMESPACE, name]} for name in names]
        else:
            meta, claims = {"vct_values": [wanted["type"]]}, [{"path": [name]} for name in names]
        query = {"credentials": [{"id": "q0", "format": wanted["format"], "meta": meta, "claims": claims}]}
        self.sessions[state] = {"nonce": nonce, "kid": kid, "names": names, "query": query, "encryption": kit.new_key(),
                                "done": False, "accepted": None, "error": None, "claims": None}
        self.by_kid[kid] = state
        fields = {"client_id": self.client_id, "request_uri": "%s/request/%s" % (self.origin, state)}
        return {"uri": "openid4vp://?" + urllib.parse.urlencode(fields), "state": state}

    def request_object(self, state, wallet_nonce):
        session = self.sessions[state]
        algorithms = {"dc+sd-jwt": {"sd-jwt_alg_values": ["ES256"], "kb-jwt_alg_values": ["ES256"]},
                      "mso_mdoc": {"issuerauth_alg_values": [-7], "deviceauth_alg_values": [-7]}}
        claims = {"client_id": self.client_id, "aud": "https://self-issued.me/v2", "response_type": "vp_token",
                  "response_mode": self.mode, "response_uri": self.origin + "/response", "nonce": session["nonce"],
                  "state": state, "iat": int(time.time()), "dcql_query": session["query"],
                  "client_metadata": {"vp_formats_supported": algorithms}}
        if wallet_nonce:
            claims["wallet_nonce"] = wallet_nonce
        if self.mode == "direct_post.jwt":
            jwk = dict(jwk_of(session["encryption"].public_key()), use="enc", alg="ECDH-ES", kid=session["kid"])
            claims["client_metadata"].update({"jwks": {"keys": [jwk]},
                                              "encrypted_response_enc_values_supported": ["A128GCM", "A256GCM"]})
        return signed_jwt(self.key, {"alg": "ES256", "typ": "oauth-authz-req+jwt", "x5c": x5c_of(self.chain)}, claims)

    def response(self, form):
        if "error" in form:
            session = self.sessions[form["state"]]
            session.update({"done": True, "accepted": False, "error": form["error"]})
            return {}
        encrypted = "response" in form
        state = self.by_kid[json.loads(unb64u(form["response"].split(".")[0]))["kid"]] if encrypted else form["state"]
        session = self.sessions[state]
        if session["done"]:
            raise ValueError("answered already")
        session["done"] = True
        try:
            session["claims"] = self.check(session, state, form, encrypted)
            session["accepted"] = True
        except Exception as error:
            session.update({"accepted": False, "error": "%s: %s" % (type(error).__name__, error)})
            raise
        return {"redirect_uri": self.origin + "/done"}

    def check(self, session, state, form, encrypted):
        from openvc import P256KeyAgreementKey, mdoc, verify_vp_token
        from openvc.jwe import decrypt_compact
        if encrypted:
            payload = json.loads(decrypt_compact(form["response"], key=P256KeyAgreementKey(session["encryption"], session["kid"])))
            if payload.get("state") != state:
                raise ValueError("state")
            token = payload["vp_token"]
        else:
            token = json.loads(form["vp_token"])
        query = session["query"]["credentials"][0]
        if query["format"] == "dc+sd-jwt":
            result = verify_vp_token(token, dcql_query=session["query"], nonce=session["nonce"], client_id=self.client_id,
                                     x5c_trust_anchors=self.roots)
            claims = dict(result.presentations[0].credentials[0].raw.claims)
        else:
            if list(token) != ["q0"] or len(token["q0"]) != 1:
                raise ValueError("members of vp_token")
            print_of = thumbprint_of(jwk_of(session["encryption"].public_key())) if encrypted else None
            document = mdoc.verify_device_response(
                unb64u(token["q0"][0]), trust_anchors=self.roots, expected_doc_type=query["meta"]["doctype_value"],
                session_transcript=handover(self.client_id, session["nonce"], self.origin + "/response", print_of))[0]
            claims = {name: value for elements in document.namespaces.values() for name, value in elements.items()}
        missing = [name for name in session["names"] if name not in claims]
        if missing:
            raise ValueError("claims missing: %s" % missing)
        return claims


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    verifier = None

    def do_GET(self):
        url = urllib.parse.urlsplit(self.path)
        steps = url.path.strip("/").split("/")
        try:
            if steps[0] == "start":
                return self.answer(200, self.verifier.start(dict(urllib.parse.parse_qsl(url.query))))
            if steps[0] == "request":
                return self.request_object(steps[1], None)
            if steps[0] == "result":
                session = self.verifier.sessions[steps[1]]
                return self.answer(200, {name: session[name] for name in ("done", "accepted", "error", "claims")})
        except (KeyError, IndexError):
            pass
        self.answer(404, {"error": "not_found"})

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode()
        form = dict(urllib.parse.parse_qsl(body))
        steps = self.path.strip("/").split("/")
        if steps[0] == "request" and steps[1] in self.verifier.sessions:
            return self.request_object(steps[1], form.get("wallet_nonce"))
        try:
            self.answer(200, self.verifier.response(form))
        except Exception:  # the reason is in /result
            self.answer(400, {"error": "invalid_request"})

    def request_object(self, state, wallet_nonce):
        self.answer(200, self.verifier.request_object(state, wallet_nonce).encode(), "application/oauth-authz-req+jwt")

    def answer(self, status, body, kind="application/json"):
        data = body if isinstance(body, bytes) else json.dumps(body, default=repr).encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *arguments):
        pass


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--mode", choices=["direct_post.jwt", "direct_post"], default="direct_post.jwt")
    parser.add_argument("--prefix", choices=["x509_hash", "x509_san_dns"], default="x509_hash")
    parser.add_argument("--host", default="localhost", help="what its addresses are made of")
    options = parser.parse_args()
    verifier = Handler.verifier = Verifier(options.folder, options.mode, options.prefix)
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    verifier.origin = "http://%s:%d" % (options.host, server.server_port)
    print(json.dumps({"origin": verifier.origin, "client_id": verifier.client_id}), flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
