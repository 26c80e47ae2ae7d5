"""An OpenID4VCI 1.0 wallet for the pre-authorized code flow, with the proofs of jwcrypto. No package plays this wallet, so the steps of
the protocol are written here."""
import json
import time
import urllib.error
import urllib.parse
import urllib.request

from jwcrypto.jwk import JWK
from jwcrypto.jws import JWS

import kit
import sdjwt

PRE_AUTHORIZED = "urn:ietf:params:oauth:grant-type:pre-authorized_code"


class Refused(Exception):
    """The issuer answered with an error: its status and its code."""


def call(url, method="POST", form=None, body=None, token=None):
    headers, data = {"Accept": "application/json"}, b"" if method == "POST" else None
    if form is not None:
        data, headers["Content-Type"] = urllib.parse.urlencode(form).encode(), "application/x-www-form-urlencoded"
    if body is not None:
        data, headers["Content-Type"] = json.dumps(body).encode(), "application/json"
    if token:
        headers["Authorization"] = "Bearer " + token
    try:
        with urllib.request.urlopen(urllib.request.Request(url, data, headers, method=method), timeout=60) as response:
            raw = response.read()
            return json.loads(raw) if raw else None
    except urllib.error.HTTPError as error:
        raise Refused("%s %s" % (error.code, error.read().decode(errors="replace")[:200])) from None


def well_known(issuer, name):
    url = urllib.parse.urlsplit(issuer)
    return "%s://%s/.well-known/%s%s" % (url.scheme, url.netloc, name, url.path.rstrip("/"))


def proof(key, audience, nonce, bad=None):
    header = {"alg": "ES256", "typ": "JWT" if bad == "no-typ" else "openid4vci-proof+jwt", "jwk": sdjwt.jwk_of(key.public_key())}
    claims = {"aud": audience + ("/x" if bad == "wrong-aud" else ""), "iat": int(time.time())}
    if nonce:
        claims["nonce"] = "stale" if bad == "stale-nonce" else nonce
    signing = sdjwt.jwcrypto_key(key)
    if bad == "hs256":
        header["alg"], signing = "HS256", JWK.generate(kty="oct", size=256)
    token = JWS(json.dumps(claims))
    token.add_signature(signing, None, json.dumps(header))
    return token.serialize(compact=True)


BAD = {"no-typ": "invalid_proof", "wrong-aud": "invalid_proof", "stale-nonce": "invalid_nonce", "hs256": "invalid_proof",
       "reuse-code": "invalid_grant", "no-tx-code": "invalid_request"}


def accept(link, configuration, key, copies=1, tx_code=None, bad=None):
    """Takes an offer: (format, credentials as text or bytes)."""
    outer = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(link).query))
    offer = json.loads(outer["credential_offer"]) if "credential_offer" in outer else call(outer["credential_offer_uri"], "GET")
    issuer = offer["credential_issuer"]
    metadata = call(well_known(issuer, "openid-credential-issuer"), "GET")
    if metadata["credential_issuer"] != issuer:
        raise Refused("the metadata is for another issuer")
    server = call(well_known((metadata.get("authorization_servers") or [issuer])[0], "oauth-authorization-server"), "GET")
    grant = offer["grants"][PRE_AUTHORIZED]
    form = {"grant_type": PRE_AUTHORIZED, "pre-authorized_code": grant["pre-authorized_code"]}
    if "tx_code" in grant and bad != "no-tx-code":
        form["tx_code"] = tx_code
    token = call(server["token_endpoint"], form=form)
    if bad == "reuse-code":
        token = call(server["token_endpoint"], form=form)
    nonce = call(metadata["nonce_endpoint"])["c_nonce"] if "nonce_endpoint" in metadata else None
    keys = [key] + [kit.new_key() for _ in range(copies - 1)]
    body = {"proofs": {"jwt": [proof(each, issuer, nonce, bad) for each in keys]}}
    details = {detail["credential_configuration_id"]: detail["credential_identifiers"][0]
               for detail in token.get("authorization_details", []) if detail.get("credential_identifiers")}
    body.update({"credential_identifier": details[configuration]} if configuration in details
                else {"credential_configuration_id": configuration})
    access = token["access_token"]
    answer = call(metadata["credential_endpoint"], body=body, token=access)
    for _ in range(30):
        if "transaction_id" not in answer:
            break
        time.sleep(min(answer.get("interval", 1), 2))
        answer = call(metadata["deferred_credential_endpoint"], body={"transaction_id": answer["transaction_id"]}, token=access)
    if answer.get("notification_id") and "notification_endpoint" in metadata:
        call(metadata["notification_endpoint"], token=access,
             body={"notification_id": answer["notification_id"], "event": "credential_accepted"})
    form = metadata["credential_configurations_supported"][configuration]["format"]
    credentials = [each["credential"] for each in answer["credentials"]]
    if len(credentials) != copies:
        raise Refused("%d credentials, %d wanted" % (len(credentials), copies))
    return form, [sdjwt.unb64u(each) if form == "mso_mdoc" else each for each in credentials]
