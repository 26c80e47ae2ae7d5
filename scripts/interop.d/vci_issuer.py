#!/usr/bin/env python3
"""An OpenID4VCI 1.0 issuer over HTTPS on loopback: the openid4vci package behind a thin start-up.

vci_issuer.py FOLDER PORT [--tx-code 1234] [--deferred]

FOLDER holds signer.pem and signer.key, and tls.pem and tls.key for 127.0.0.1 (the package takes https issuers only). Prints one line of JSON {"issuer"} when it is about to listen. GET /offer makes an offer of
`mdl` (mso_mdoc) and `pid` (dc+sd-jwt) with a pre-authorized code: {"uri"}. Metadata, offers, tokens, nonces, proof checks, batch,
deferral and notification are the package's; the mdoc is the package's too, the SD-JWT openvc's, which puts the chain into x5c.
"""
import argparse
import asyncio
import json
import pathlib
import urllib.parse

import uvicorn
from cryptography import x509
from cryptography.hazmat.primitives import serialization
from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse
from joserfc.jwk import ECKey
from openid4vci.authorization import InMemoryAuthorizationServer, TokenError
from openid4vci.crypto.proofs import validate_jwt_proof
from openid4vci.exceptions import CredentialRequestError
from openid4vci.models.credential import CredentialErrorCode, CredentialResponse
from openid4vci.models.oauth import TokenRequest
from openid4vci.models.offer import offer_uri_by_value
from openid4vci.reference import InMemoryIssuerBackend
from openid4vci.server_fastapi.app import create_router

import kit
import peers
import sdjwt
from run_sdjwt import CLAIMS, VCT

PROOF = {"cryptographic_binding_methods_supported": ["jwk"],
         "proof_types_supported": {"jwt": {"proof_signing_alg_values_supported": ["ES256"]}}}


def metadata(public):
    return {
        "credential_issuer": public, "credential_endpoint": public + "/credential", "nonce_endpoint": public + "/nonce",
        "deferred_credential_endpoint": public + "/deferred_credential", "notification_endpoint": public + "/notification",
        "batch_credential_issuance": {"batch_size": 10},
        "credential_configurations_supported": {
            "mdl": {"format": "mso_mdoc", "doctype": kit.MDL, "scope": "mdl", **PROOF},
            "pid": {"format": "dc+sd-jwt", "vct": VCT, "scope": "pid", "credential_signing_alg_values_supported": ["ES256"],
                    **PROOF}}}


class Issuer:
    def __init__(self, public, folder, tx_code, deferred):
        self.public, self.tx_code, self.deferred = public, tx_code, deferred
        self.signer = x509.load_pem_x509_certificate((folder / "signer.pem").read_bytes())
        self.key = serialization.load_pem_private_key((folder / "signer.key").read_bytes(), None)
        self.server = InMemoryAuthorizationServer(public)
        self.backend = InMemoryIssuerBackend(metadata(public), self.mint)

    def credential(self, configuration, jwk):
        holder = ECKey.import_key(jwk).public_key
        if configuration == "mdl":
            device = type("Key", (), {"public_key": lambda self: holder})()
            return sdjwt.b64u(peers.issue_openid4vci(kit.plain_claims(), kit.MDL, self.signer, self.key, device))
        return sdjwt.issue_openvc(CLAIMS, self.key, [self.signer], holder, VCT)

    async def mint(self, request, context):
        if isinstance(request, tuple):  # a deferred transaction comes back
            return await self.response(*request)
        configuration, keys = self.checked(request, context)
        if self.deferred:
            return CredentialResponse(transaction_id=self.backend.transactions.open((configuration, keys)), interval=1)
        return await self.response(configuration, keys, notification_id="n-1")

    def checked(self, request, context):
        grant = self.server.grant_for(context.access_token)
        if grant is None:
            raise CredentialRequestError(CredentialErrorCode.CREDENTIAL_REQUEST_DENIED, "token")
        configuration = request.credential_configuration_id
        if request.credential_identifier:
            configuration = next((name for name, identifiers in grant.credential_identifiers.items()
                                  if request.credential_identifier in identifiers), None)
        if configuration not in grant.credential_configuration_ids:
            raise CredentialRequestError(CredentialErrorCode.UNKNOWN_CREDENTIAL_IDENTIFIER, "not granted")
        proofs = (request.proofs or {}).get("jwt", [])
        if not proofs:
            raise CredentialRequestError(CredentialErrorCode.INVALID_PROOF, "no jwt proof")
        keys, nonce = [], None
        for proof in proofs:
            nonce = json.loads(sdjwt.unb64u(proof.split(".")[1])).get("nonce")
            if nonce is None or not self.backend.nonces.is_current(nonce):
                raise CredentialRequestError(CredentialErrorCode.INVALID_NONCE, "nonce")
            keys.append(validate_jwt_proof(proof, credential_issuer=self.public, c_nonce=nonce,
                                           supported_algorithms=["ES256"]).bound_key)
        self.backend.nonces.consume(nonce)
        return configuration, keys

    async def response(self, configuration, keys, **more):
        made = [await asyncio.to_thread(self.credential, configuration, key) for key in keys]
        return CredentialResponse.model_validate({"credentials": [{"credential": each} for each in made], **more})

    def application(self):
        app = FastAPI()
        app.include_router(create_router(self.backend))

        @app.get("/offer")
        async def offer():
            made, _ = self.server.offer("subject", ["mdl", "pid"], tx_code=self.tx_code)
            return {"uri": offer_uri_by_value(made)}

        @app.get("/.well-known/oauth-authorization-server")
        async def authorization_server():
            return {"issuer": self.public, "token_endpoint": self.public + "/token", "response_types_supported": ["code"],
                    "grant_types_supported": ["urn:ietf:params:oauth:grant-type:pre-authorized_code"],
                    "pre-authorized_grant_anonymous_access_supported": True}

        @app.post("/token")
        async def token(request: Request):
            form = dict(urllib.parse.parse_qsl((await request.body()).decode()))
            try:
                answer = self.server.redeem(TokenRequest.model_validate(form))
            except TokenError as error:
                return JSONResponse({"error": error.code.value, "error_description": error.description}, 400)
            except ValueError as error:
                return JSONResponse({"error": "invalid_request", "error_description": str(error)}, 400)
            return JSONResponse(answer.to_dict(), headers={"Cache-Control": "no-store"})

        return app


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("port", type=int)
    parser.add_argument("--tx-code")
    parser.add_argument("--deferred", action="store_true")
    options = parser.parse_args()
    public = "https://127.0.0.1:%d" % options.port
    issuer = Issuer(public, options.folder, options.tx_code, options.deferred)
    print(json.dumps({"issuer": public}), flush=True)
    uvicorn.run(issuer.application(), host="127.0.0.1", port=options.port, log_level="warning",
                ssl_certfile=options.folder / "tls.pem", ssl_keyfile=options.folder / "tls.key")


if __name__ == "__main__":
    main()
