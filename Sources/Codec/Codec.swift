// Codec
