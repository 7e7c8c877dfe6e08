// A certificate for one launch: nobody else trusts it, and its key never leaves the process that made it.

const VALID_MS = 24 * 60 * 60 * 1_000; // more than any launch; some clients refuse those that are valid for years
const CLOCK_SLACK_MS = 60_000;

const DNS_NAME = 2; // kinds of GeneralName: RFC 5280, 4.2.1.6
const IP_ADDRESS = 7;

/**
 * @param {string} address    that the server listens at
 * @returns {Promise<{ key: string, certificate: string }>} in PEM, for that address, and for localhost: who comes over a unix
 *     socket has no address
 */
export async function certificateFor(address) {
  const { generate } = await import('selfsigned');
  const made = await generate([{ name: 'commonName', value: 'localhost' }], {
    keyType: 'ec', // P-256: made within milliseconds, and what servers use today
    algorithm: 'sha256',
    notBeforeDate: new Date(Date.now() - CLOCK_SLACK_MS),
    notAfterDate: new Date(Date.now() + VALID_MS),
    extensions: [
      {
        name: 'subjectAltName',
        altNames: [
          { type: DNS_NAME, value: 'localhost' },
          { type: IP_ADDRESS, ip: address },
        ],
      },
    ],
  });
  return { key: made.private, certificate: made.cert };
}
