"""The independent implementations behind two verbs: `verify` a DeviceResponse, `issue` an IssuerSigned.

verify(response, roots, transcript, doctype) returns {namespace: [element]} or raises; issue(claims, doctype, signer,
signer_key, device_key) returns the bytes of IssuerSigned. Each function imports its peer itself: a process pays for one only.

What each verifier looks at (what is added here is marked +):
  isomdoc     issuer signature, docType, digests, device signature; + the signer's chain. No validity, no MAC, ES256 only.
  pymdoccbor  issuer signature, the signer's chain and validity, digests. No device authentication.
  openvc      all of it: chain, key usage, signature, docType, validity, digests, device signature or MAC.
  cddl        the shape of response and transcript against mdoc.cddl, no cryptography.
"""
import asyncio
import base64
import datetime as dt
import logging
import pathlib

import cbor2

import kit


def verify_isomdoc(response, roots, transcript, doctype):
    from isomdoc import verify_device_response
    result = verify_device_response(response, cbor2.loads(transcript))
    if [document.doctype for document in result.documents] != [doctype]:
        raise ValueError("docTypes %s" % [document.doctype for document in result.documents])
    signed = result.documents[0].issuer_signed
    if not kit.chain_ok(signed.mso_certificate_chain[0], roots):
        raise ValueError("the document signer has no path to the root")
    return {namespace: sorted(item.element_identifier for item in items) for namespace, items in signed.namespaces.items()}


def verify_pymdoccbor(response, roots, transcript, doctype):
    from pymdoccbor.mdoc.verifier import MdocCbor
    logging.disable(logging.CRITICAL)
    mdoc = MdocCbor()
    mdoc.loads(response)
    if not mdoc.verify(trusted_root_certs=roots):
        raise ValueError("refused")
    if [document.doctype for document in mdoc.documents] != [doctype]:
        raise ValueError("docTypes %s" % [document.doctype for document in mdoc.documents])
    return {namespace: sorted(values) for namespace, values in mdoc.disclosure_map.items()}


def verify_openvc(response, roots, transcript, doctype, mac_key=None):
    from openvc import mdoc
    documents = mdoc.verify_device_response(
        response, trust_anchors=roots, session_transcript=transcript, expected_doc_type=doctype, device_mac_key=mac_key)
    if len(documents) != 1:
        raise ValueError("%d documents" % len(documents))
    return {namespace: sorted(values) for namespace, values in documents[0].namespaces.items()}


def verify_cddl(response, roots, transcript, doctype):
    must_have_shape(response, "DeviceResponse")
    must_have_shape(transcript, "SessionTranscript")
    return {namespace: sorted(cbor2.loads(item.value)["elementIdentifier"] for item in items)
            for namespace, items in cbor2.loads(response)["documents"][0]["issuerSigned"]["nameSpaces"].items()}


def must_have_shape(data, root):
    """Raises unless the bytes fit the rule of mdoc.cddl."""
    import cddl_verifier
    schema = (pathlib.Path(__file__).parent / "mdoc.cddl").read_text()
    result = cddl_verifier.validate(schema, data, root)
    if not result.valid:
        raise ValueError("%s: %s" % (root, result))


def issue_isomdoc(claims, doctype, signer, signer_key, device_key):
    from isomdoc import create_mdoc
    mdoc = create_mdoc(doctype, [signer], signer_key)
    for namespace, elements in claims.items():
        for name, value in elements.items():
            mdoc.add_data_item(namespace, name, value)
    return mdoc.generate_credential(device_key.public_key())


def issue_pymdoccbor(claims, doctype, signer, signer_key, device_key):
    from pymdoccbor.mdoc.issuer import MdocCborIssuer
    numbers = signer_key.private_numbers()
    size = lambda number: number.to_bytes(32, "big")
    issuer = MdocCborIssuer(alg="ES256", private_key={
        "KTY": "EC2", "CURVE": "P_256", "ALG": "ES256", "KID": b"ds", "D": size(numbers.private_value),
        "X": size(numbers.public_numbers.x), "Y": size(numbers.public_numbers.y)})
    today = dt.date.today()
    signed = issuer.new(
        doctype=doctype, data=claims, x509_chain=[signer],
        devicekeyinfo=base64.urlsafe_b64encode(kit.public_pem(device_key)).decode(),
        validity={"issuance_date": today.isoformat(), "expiry_date": (today + dt.timedelta(days=90)).isoformat()})
    return cbor2.dumps(signed["documents"][0]["issuerSigned"])


def issue_openid4vci(claims, doctype, signer, signer_key, device_key):
    from openid4vci.adapters.mdoc import LocalCoseSigner, MdocAdapter
    from pycose.keys import EC2Key
    numbers, public = signer_key.private_numbers(), device_key.public_key().public_numbers()
    size = lambda number: number.to_bytes(32, "big")
    text = lambda number: base64.urlsafe_b64encode(size(number)).rstrip(b"=").decode()
    key = EC2Key(crv="P_256", d=size(numbers.private_value), x=size(numbers.public_numbers.x),
                 y=size(numbers.public_numbers.y))
    adapter = MdocAdapter(doctype, LocalCoseSigner(key, [kit.der(signer)]))
    issued = asyncio.run(adapter.issue(
        claims, holder_key={"kty": "EC", "crv": "P-256", "x": text(public.x), "y": text(public.y)}))
    return base64.urlsafe_b64decode(issued + "=" * (-len(issued) % 4))


VERIFIERS = {"isomdoc": verify_isomdoc, "pymdoccbor": verify_pymdoccbor, "openvc": verify_openvc, "cddl": verify_cddl}
ISSUERS = {"isomdoc": issue_isomdoc, "pymdoccbor": issue_pymdoccbor, "openid4vci": issue_openid4vci}
# Breaks that a verifier does not look for: it accepts these, and that is its own business.
BLIND = {"pymdoccbor": {"bad_device_signature"}, "cddl": set(kit.BREAKS)}
# Issuers that want dates as text and give them the tag; the others write what they are given.
TAGS_DATES_ITSELF = {"pymdoccbor"}
# Device keys that a verifier copes with, besides P-256.
CURVES = {"openvc": ("P-256", "P-384", "Ed25519"), "cddl": ("P-256", "brainpoolP320r1", "Ed448")}
