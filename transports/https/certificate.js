// A certificate for one launch: nobody else trusts it, and its key never leaves the process that made it.

const VALID_MS = 24 * 60 * 60 * 1_000; // more than any launch; some clients refuse those that are valid for years
const CLOCK_SLACK_MS = 60_000;

/** @returns {Promise<{ key: string, certificate: string }>} in PEM, for the name localhost */
export async function certificateForLocalhost() {
  const { generate } = await import('selfsigned');
  const made = await generate([{ name: 'commonName', value: 'localhost' }], {
    keyType: 'ec', // P-256: made within milliseconds, and what servers use today
    algorithm: 'sha256',
    notBeforeDate: new Date(Date.now() - CLOCK_SLACK_MS),
    notAfterDate: new Date(Date.now() + VALID_MS),
    extensions: [{ name: 'subjectAltName', altNames: [{ type: 2, value: 'localhost' }] }],
  });
  return { key: made.private, certificate: made.cert };
}
