"""An OpenID4VCI 1.0 issuer over HTTPS: the `openid4vci` package with a thin start-up around it, for one run.

vci_issuer.py FOLDER PORT [plain]: plain serves HTTP, for measuring behind no TLS. FOLDER holds tls.pem, tls.key.pem (the server), ds.pem, ds.key (the document signer), claims.json, options.json
{"tx_code": "1234" | null, "deferred": bool}. It has the pre-authorized code flow, nonces, `jwt` proofs, batches, deferral and
notifications; no authorization code flow, PAR, DPoP, wallet attestation or encryption. GET /offer gives an offer.
"""
import asyncio
import base64
import json
import pathlib
import sys
import types
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

VCT = "urn:eudi:pid:1"
PROOF = {"cryptographic_binding_methods_supported": ["jwk"],
         "proof_types_supported": {"jwt": {"proof_signing_alg_values_supported": ["ES256"]}}}


def metadata(public):
    return {"credential_issuer": public, "credential_endpoint": public + "/credential", "nonce_endpoint": public + "/nonce",
            "deferred_credential_endpoint": public + "/deferred_credential", "notification_endpoint": public + "/notification",
            "batch_credential_issuance": {"batch_size": 10},
            "credential_configurations_supported": {
                "mdl": {"format": "mso_mdoc", "doctype": kit.MDL, "scope": "mdl", **PROOF},
                "pid": {"format": "dc+sd-jwt", "vct": VCT, "scope": "pid", **PROOF}}}


def nonce_of(proof):
    part = proof.split(".")[1]
    return json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4))).get("nonce")


def build(folder, public):
    options = json.loads((folder / "options.json").read_text())
    claims = json.loads((folder / "claims.json").read_text())
    signer = x509.load_pem_x509_certificate((folder / "ds.pem").read_bytes())
    signer_key = serialization.load_pem_private_key((folder / "ds.key").read_bytes(), None)
    server, app = InMemoryAuthorizationServer(public), FastAPI()

    def credential(configuration, jwk):
        holder = ECKey.import_key(jwk).public_key
        if configuration == "mdl":
            device = types.SimpleNamespace(public_key=lambda: holder)
            return sdjwt.b64u(peers.issue_openid4vci(kit.claims(), kit.MDL, signer, signer_key, device))
        return sdjwt.issue_sd_jwt(claims, signer_key, [signer], holder, VCT)

    def issued(configuration, keys, **more):
        return CredentialResponse.model_validate(
            {"credentials": [{"credential": credential(configuration, key)} for key in keys], **more})

    async def mint(request, context):
        if isinstance(request, tuple):  # a deferred transaction coming back
            return await asyncio.to_thread(issued, *request)
        grant = server.grant_for(context.access_token)
        if grant is None:
            raise CredentialRequestError(CredentialErrorCode.CREDENTIAL_REQUEST_DENIED, "token")
        configuration = request.credential_configuration_id
        if request.credential_identifier:
            configuration = next((name for name, ids in grant.credential_identifiers.items()
                                  if request.credential_identifier in ids), None)
        if configuration not in grant.credential_configuration_ids:
            raise CredentialRequestError(CredentialErrorCode.UNKNOWN_CREDENTIAL_IDENTIFIER, "not granted")
        proofs = (request.proofs or {}).get("jwt", [])
        if not proofs:
            raise CredentialRequestError(CredentialErrorCode.INVALID_PROOF, "no jwt proof")
        keys, nonce = [], None
        for proof in proofs:
            nonce = nonce_of(proof)
            if nonce is None or not backend.nonces.is_current(nonce):
                raise CredentialRequestError(CredentialErrorCode.INVALID_NONCE, "nonce")
            keys.append(validate_jwt_proof(proof, credential_issuer=public, c_nonce=nonce, supported_algorithms=["ES256"]).bound_key)
        backend.nonces.consume(nonce)
        if options["deferred"]:
            return CredentialResponse(transaction_id=backend.transactions.open((configuration, keys)), interval=1)
        return await asyncio.to_thread(issued, configuration, keys, notification_id="n-1")

    backend = InMemoryIssuerBackend(metadata(public), mint)
    app.include_router(create_router(backend))

    @app.get("/offer")
    async def offer():
        made, _ = server.offer("subject", ["mdl", "pid"], tx_code=options["tx_code"])
        return {"uri": offer_uri_by_value(made)}

    @app.get("/.well-known/oauth-authorization-server")
    async def as_metadata():
        return {"issuer": public, "token_endpoint": public + "/token", "response_types_supported": ["code"],
                "grant_types_supported": ["urn:ietf:params:oauth:grant-type:pre-authorized_code"],
                "pre-authorized_grant_anonymous_access_supported": True}

    @app.post("/token")
    async def token(request: Request):
        form = dict(urllib.parse.parse_qsl((await request.body()).decode()))
        try:
            return JSONResponse(server.redeem(TokenRequest.model_validate(form)).to_dict(), headers={"Cache-Control": "no-store"})
        except TokenError as error:
            return JSONResponse({"error": error.code.value, "error_description": error.description}, 400)

    return app


if __name__ == "__main__":
    place, port = pathlib.Path(sys.argv[1]), int(sys.argv[2])
    files = {} if sys.argv[3:] == ["plain"] else {"ssl_certfile": str(place / "tls.pem"), "ssl_keyfile": str(place / "tls.key.pem")}
    uvicorn.run(build(place, "https://127.0.0.1:%d" % port), host="127.0.0.1", port=port, log_level="warning", **files)
