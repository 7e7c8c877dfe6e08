// The same bytes as a Buffer: what reads or sends messages often knows no other view of bytes, or treats it worse.

/** @param {Uint8Array} bytes @returns {Buffer}     of the same memory */
export function bufferView(bytes) {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** @param {string | Uint8Array} wire @returns {string | Buffer}     text stays text */
export function textOrBuffer(wire) {
  return typeof wire === 'string' ? wire : bufferView(wire);
}

/** @param {string | Uint8Array} wire @returns {Buffer} */
export function asBuffer(wire) {
  return typeof wire === 'string' ? Buffer.from(wire) : bufferView(wire);
}
