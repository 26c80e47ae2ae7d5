"""A neutral maker of certificates, documents, transcripts and responses, in plain cbor2 and cryptography.

It is no peer: it gives every peer the same input, and plays the holder, which no package on PyPI does. It knows ES256 only.
"""
import datetime as dt
import hashlib
import hmac
import ipaddress
import os

import cbor2
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID, ObjectIdentifier

MDL = "org.iso.18013.5.1.mDL"
MDL_NAMESPACE = "org.iso.18013.5.1"
DOCUMENT_SIGNER = ObjectIdentifier("1.0.18013.5.1.2")
READER = ObjectIdentifier("1.0.18013.5.1.6")
ES256 = cbor2.dumps({1: -7})
HS256 = cbor2.dumps({1: 5})


# Keys and certificates

def new_key():
    """A P-256 key. Its coordinates never begin with a zero byte: pymdoccbor cuts such bytes off."""
    while True:
        key = ec.generate_private_key(ec.SECP256R1())
        numbers = key.public_key().public_numbers()
        if min(numbers.x, numbers.y) >> 248:
            return key


def private_pem(key):
    return key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())


def public_pem(key):
    return key.public_key().public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)


def der(certificate):
    return certificate.public_bytes(serialization.Encoding.DER)


def certificate_pem(certificate):
    return certificate.public_bytes(serialization.Encoding.PEM)


def make_iaca(key, name="Interop IACA"):
    """A self-signed root of the IACA profile (ISO/IEC 18013-5 B.1.2)."""
    now = dt.datetime.now(dt.timezone.utc).replace(microsecond=0)
    return (_certificate(_name(name), _name(name), key.public_key(), now, now - dt.timedelta(days=1), 3650)
            .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
            .add_extension(_usage(key_cert_sign=True, crl_sign=True), critical=True)
            .sign(key, hashes.SHA256()))


def make_signer(key, iaca, iaca_key, name="Interop document signer", uri=None):
    """A document signer under `iaca` (ISO/IEC 18013-5 B.1.4), with `uri` as its alternative name when there is one."""
    now = dt.datetime.now(dt.timezone.utc).replace(microsecond=0)
    builder = (_certificate(_name(name), iaca.subject, key.public_key(), now, now - dt.timedelta(hours=12), 400)
            .add_extension(_usage(digital_signature=True), critical=True)
            .add_extension(x509.ExtendedKeyUsage([DOCUMENT_SIGNER]), critical=True)
            .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(iaca_key.public_key()), critical=False)
            .add_extension(x509.CRLDistributionPoints([x509.DistributionPoint(
                [x509.UniformResourceIdentifier("https://iaca.example/crl")], None, None, None)]), critical=False))
    if uri:
        builder = builder.add_extension(
            x509.SubjectAlternativeName([x509.UniformResourceIdentifier(uri)]), critical=False)
    return builder.sign(iaca_key, hashes.SHA256())


def make_server(key, root, root_key):
    """A TLS server's certificate for 127.0.0.1 and localhost."""
    now = dt.datetime.now(dt.timezone.utc).replace(microsecond=0)
    names = [x509.DNSName("localhost"), x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]
    return (_certificate(_name("Interop server"), root.subject, key.public_key(), now, now - dt.timedelta(hours=12), 30)
            .add_extension(x509.SubjectAlternativeName(names), critical=False)
            .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
            .sign(root_key, hashes.SHA256()))


def make_relying(key, root, root_key, name):
    """A relying party's access certificate with one DNS name, shaped as a reader's (ISO/IEC 18013-5 B.1.7)."""
    now = dt.datetime.now(dt.timezone.utc).replace(microsecond=0)
    return (_certificate(_name("Interop verifier"), root.subject, key.public_key(), now, now - dt.timedelta(hours=12), 400)
            .add_extension(x509.SubjectAlternativeName([x509.DNSName(name)]), critical=False)
            .add_extension(_usage(digital_signature=True), critical=True)
            .add_extension(x509.ExtendedKeyUsage([READER]), critical=True)
            .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(root_key.public_key()), critical=False)
            .add_extension(x509.CRLDistributionPoints([x509.DistributionPoint(
                [x509.UniformResourceIdentifier("https://iaca.example/crl")], None, None, None)]), critical=False)
            .sign(root_key, hashes.SHA256()))


def _certificate(subject, issuer, public_key, now, not_before, days):
    return (x509.CertificateBuilder().subject_name(subject).issuer_name(issuer).public_key(public_key)
            .serial_number(x509.random_serial_number())
            .not_valid_before(not_before).not_valid_after(now + dt.timedelta(days=days))
            .add_extension(x509.SubjectKeyIdentifier.from_public_key(public_key), critical=False)
            .add_extension(x509.IssuerAlternativeName(
                [x509.UniformResourceIdentifier("https://iaca.example")]), critical=False))


def _name(common_name):
    return x509.Name([x509.NameAttribute(NameOID.COUNTRY_NAME, "UT"), x509.NameAttribute(NameOID.COMMON_NAME, common_name)])


def _usage(**on):
    names = ("digital_signature", "content_commitment", "key_encipherment", "data_encipherment", "key_agreement",
             "key_cert_sign", "crl_sign", "encipher_only", "decipher_only")
    return x509.KeyUsage(**{name: on.get(name, False) for name in names})


def chain_ok(leaf, roots):
    """Signature and validity of a signer under one of the roots: what isomdoc leaves to its caller."""
    now = dt.datetime.now(dt.timezone.utc)
    for root in roots:
        try:
            leaf.verify_directly_issued_by(root)
        except Exception:  # not this root
            continue
        return all(c.not_valid_before_utc <= now <= c.not_valid_after_utc for c in (leaf, root))
    return False


# COSE and mdoc

def tag24(value):
    return cbor2.CBORTag(24, cbor2.dumps(value))


def cose_key(public_key):
    n = public_key.public_numbers()
    return {1: 2, -1: 1, -2: n.x.to_bytes(32, "big"), -3: n.y.to_bytes(32, "big")}


def sign1(key, payload, unprotected, detached=False):
    r, s = decode_dss_signature(
        key.sign(cbor2.dumps(["Signature1", ES256, b"", payload]), ec.ECDSA(hashes.SHA256())))
    return [ES256, unprotected, None if detached else payload, r.to_bytes(32, "big") + s.to_bytes(32, "big")]


def transcript(reader_key):
    """A SessionTranscript with QR handover for a made-up engagement (ISO/IEC 18013-5 9.1.5.1)."""
    engagement = cbor2.dumps({0: "1.0", 1: [1, tag24(cose_key(new_key().public_key()))]})
    return cbor2.dumps([cbor2.CBORTag(24, engagement), tag24(cose_key(reader_key.public_key())), None])


def issue(claims, doctype, signer, signer_key, device_public, days=30):
    """claims {namespace: {element: value}} -> IssuerSigned as Python objects."""
    now = dt.datetime.now(dt.timezone.utc).replace(microsecond=0)
    moment = lambda time: cbor2.CBORTag(0, time.strftime("%Y-%m-%dT%H:%M:%SZ"))
    namespaces, digests = {}, {}
    for namespace, elements in claims.items():
        items = [tag24({"digestID": number, "random": os.urandom(16), "elementIdentifier": name, "elementValue": value})
                 for number, (name, value) in enumerate(elements.items())]
        namespaces[namespace] = items
        digests[namespace] = {number: hashlib.sha256(cbor2.dumps(item)).digest() for number, item in enumerate(items)}
    mso = {"version": "1.0", "digestAlgorithm": "SHA-256", "docType": doctype, "valueDigests": digests,
           "deviceKeyInfo": {"deviceKey": cose_key(device_public)},
           "validityInfo": {"signed": moment(now), "validFrom": moment(now),
                            "validUntil": moment(now + dt.timedelta(days=days))}}
    return {"nameSpaces": namespaces, "issuerAuth": sign1(signer_key, cbor2.dumps(tag24(mso)), {33: der(signer)})}


def mac_key(own_key, peer_public, session_transcript):
    """EMacKey of device key and reader key (ISO/IEC 18013-5 9.1.3.5)."""
    salt = hashlib.sha256(cbor2.dumps(cbor2.CBORTag(24, session_transcript))).digest()
    return HKDF(hashes.SHA256(), 32, salt, b"EMacKey").derive(own_key.exchange(ec.ECDH(), peer_public))


def device_key_of(response):
    """The P-256 device key that the first document's MSO names."""
    payload = cbor2.loads(response)["documents"][0]["issuerSigned"]["issuerAuth"][2]
    key = cbor2.loads(cbor2.loads(payload).value)["deviceKeyInfo"]["deviceKey"]
    return ec.EllipticCurvePublicNumbers(
        int.from_bytes(key[-2], "big"), int.from_bytes(key[-3], "big"), ec.SECP256R1()).public_key()


def respond(issuer_signed, doctype, device_key, session_transcript, reader_public=None):
    """A DeviceResponse over the transcript's bytes as given: with a device signature, or with a MAC for `reader_public`."""
    namespaces = tag24({})
    authentication = cbor2.dumps(cbor2.CBORTag(
        24, b"\x84" + cbor2.dumps("DeviceAuthentication") + session_transcript + cbor2.dumps(doctype)
        + cbor2.dumps(namespaces)))
    if reader_public:
        key = mac_key(device_key, reader_public, session_transcript)
        structure = cbor2.dumps(["MAC0", HS256, b"", authentication])
        proof = {"deviceMac": [HS256, {}, None, hmac.digest(key, structure, "sha256")]}
    else:
        proof = {"deviceSignature": sign1(device_key, authentication, {}, detached=True)}
    return cbor2.dumps({
        "version": "1.0", "status": 0,
        "documents": [{"docType": doctype, "issuerSigned": issuer_signed,
                       "deviceSigned": {"nameSpaces": namespaces, "deviceAuth": proof}}]})


# Responses broken on purpose

def _flip(signature):
    return signature[:-1] + bytes([signature[-1] ^ 1])


def bad_digest(response):
    """One value replaced under its digest."""
    def change(document):
        items = next(iter(document["issuerSigned"]["nameSpaces"].values()))
        item = cbor2.loads(items[0].value)
        item["elementValue"] = "Attacker"
        items[0] = tag24(item)
    return _broken(response, change)


def bad_issuer_signature(response):
    def change(document):
        authentication = document["issuerSigned"]["issuerAuth"]
        authentication[3] = _flip(authentication[3])
    return _broken(response, change)


def bad_device_signature(response):
    def change(document):
        authentication = document["deviceSigned"]["deviceAuth"]
        name = next(iter(authentication))
        authentication[name][3] = _flip(authentication[name][3])
    return _broken(response, change)


def _broken(response, change):
    value = cbor2.loads(response)
    change(value["documents"][0])
    return cbor2.dumps(value)


BREAKS = {"bad_digest": bad_digest, "bad_issuer_signature": bad_issuer_signature,
          "bad_device_signature": bad_device_signature}


def claims():
    """An mDL's mandatory elements, dates as full-date. The portrait begins and ends like a JPEG, that is all."""
    day = lambda text: cbor2.CBORTag(1004, text)
    return {MDL_NAMESPACE: {
        "family_name": "Mustermann", "given_name": "Erika", "birth_date": day("1984-08-12"),
        "issue_date": day("2026-01-15"), "expiry_date": day("2036-01-14"), "issuing_country": "UT",
        "issuing_authority": "Utopia Department of Roads", "document_number": "UT-123456789",
        "un_distinguishing_sign": "UTO", "portrait": b"\xff\xd8\xff\xe0" + bytes(600) + b"\xff\xd9",
        "driving_privileges": [{"vehicle_category_code": "B"}], "age_over_18": True, "height": 172}}


def plain_claims():
    """The same with dates as text, for peers that tag dates themselves or not at all."""
    return {namespace: {name: value.value if isinstance(value, cbor2.CBORTag) else value
                        for name, value in elements.items()} for namespace, elements in claims().items()}
