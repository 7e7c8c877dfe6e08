// The same bytes as a Buffer: what reads or sends messages often knows no other view of bytes, or treats it worse.

/**
 * @param {Uint8Array} bytes
 * @returns {Buffer}     of the same memory
 */
export function bufferView(bytes) {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
