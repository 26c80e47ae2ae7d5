// QR
