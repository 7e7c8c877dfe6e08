// The body of a request or a response, as a whole, and never more of it than is legitimate.

/**
 * @param {import('node:stream').Readable} stream
 * @param {number} maxBytes
 * @param {{ onWhole: (bytes: Buffer) => void, onTooMuch: (bytes: number) => void }} listener
 */
export function gather(stream, maxBytes, { onWhole, onTooMuch }) {
  /** @type {Buffer[]} */
  const chunks = [];
  let bytes = 0;
  stream.on('data', (/** @type {Buffer} */ chunk) => {
    bytes += chunk.length;
    if (bytes <= maxBytes) return void chunks.push(chunk);
    onTooMuch(bytes);
    stream.destroy();
  });
  stream.on('end', () => {
    if (bytes <= maxBytes) onWhole(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks));
  });
}
