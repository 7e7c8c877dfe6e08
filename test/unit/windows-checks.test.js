// What doctor says of Windows, from captured outputs of its programs.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { diagnose } from '../../lib/doctor/checks.js';
import { collectFacts } from '../../lib/doctor/facts.js';
import { readWindowsFacts } from '../../lib/doctor/windows.js';

const FOLDER = 'C:\\work dir\\bench';
const PLAN = {
  balanced: 'Power Scheme GUID: 381b4222-f694-41f0-9685-ff5bb260df2e  (Balanced)\r\n',
  high: 'GUID des Energieschemas: 8c5e7fda-e8bf-4a96-9a85-a6e23a8c635c  (Höchstleistung)\r\n',
};
/** @param {string} mains @returns {string} as powercfg /qh prints it */
const parking = (
  mains,
) => `    Power Setting GUID: 0cc5b647-c1df-4637-891a-dec35c318583  (Processor core parking min cores)
      Minimum Possible Setting: 0x00000000
      Maximum Possible Setting: 0x00000064
      Possible Settings increment: 0x00000001
      Possible Settings units: %
    Current AC Power Setting Index: ${mains}
    Current DC Power Setting Index: 0x0000000a\r\n`;

/**
 * @param {Record<string, string | null>} answers   of each program, by a word of its command line
 * @param {number | null} [timerMs]
 */
async function findingsOf(answers, timerMs = 1.2) {
  const ask = async (/** @type {string} */ command, /** @type {string[]} */ args) => {
    const line = [command, ...args].join(' ');
    return answers[Object.keys(answers).find((word) => line.includes(word)) ?? ''] ?? null;
  };
  const windows = await readWindowsFacts(FOLDER, ask, async () => timerMs);
  const load = { othersShare: null, stealShare: null };
  const known = { pinning: false, dyingWithParent: false, temporaryFolder: 'C:\\t', load, unavailable: [] };
  const facts = { ...collectFacts({ ...known, windows }, () => null), platform: 'win32' };
  return Object.fromEntries(diagnose(facts).map(({ check, ...finding }) => [check, finding]));
}

describe('doctor on Windows', () => {
  it('approves a machine that is set up for measurements, whatever its language', async () => {
    const found = await findingsOf({
      getactivescheme: PLAN.high,
      CPMINCORES: parking('0x00000064'),
      powershell: '{"without":["c:\\\\Work Dir\\\\"],"isOn":true}\r\n',
    });
    const shown = ['power plan', 'core parking', 'file scans', 'timers'].map((check) => found[check]);
    assert.deepEqual(
      shown.map(({ level, found: text }) => [level, text]),
      [
        ['ok', 'high performance'],
        ['ok', 'off'],
        ['ok', 'none in this folder'],
        ['ok', '1 ms takes 1.2 ms'],
      ],
    );
  });

  it('reports disturbances, with the PowerShell command against each', async () => {
    const found = await findingsOf(
      {
        getactivescheme: PLAN.balanced,
        CPMINCORES: parking('0x00000032'),
        powershell: '{"isOn":true,"without":["N/A: Must be an administrator to view exclusions"]}',
      },
      15.6,
    );
    const expected = {
      'power plan': ['balanced', /^powercfg \/setactive SCHEME_MIN$/],
      'core parking': [
        '50 % of the cores stay awake',
        /^powercfg \/setacvalueindex .* 100; powercfg \/setactive/,
      ],
      'file scans': ['Defender reads each file', /^Add-MpPreference -ExclusionPath "C:\\work dir\\bench"$/],
      timers: ['1 ms takes 15.6 ms', /^Set-ItemProperty .*GlobalTimerResolutionRequests/],
    };
    for (const [check, [text, mend]] of Object.entries(expected)) {
      assert.equal(found[check].level, 'advice', check);
      assert.ok(found[check].found.startsWith(String(text)), found[check].found);
      assert.match(found[check].mend ?? '', /** @type {RegExp} */ (mend));
    }
  });

  it('reports a scanned folder beside an excluded one, and none if the scanner is off', async () => {
    const scansWith = async (/** @type {unknown} */ answer) =>
      (await findingsOf({ powershell: JSON.stringify(answer) }))['file scans'].level;
    assert.equal(await scansWith({ isOn: true, without: ['C:\\work', null] }), 'advice');
    assert.equal(await scansWith({ isOn: true, without: FOLDER }), 'ok');
    assert.equal(await scansWith({ isOn: true, without: [''] }), 'advice');
    assert.equal(await scansWith({ isOn: false, without: [] }), 'ok');
  });

  it('reports facts as unknown that no program prints, or that it cannot parse', async () => {
    const nothing = { level: 'unknown', means: null, mend: null };
    /** @type {Record<string, string>[]} */
    const answered = [{}, { getactivescheme: 'no', CPMINCORES: '0x01', powershell: '{"isOn":null}' }];
    for (const answers of answered) {
      const found = await findingsOf(answers, null);
      for (const check of ['power plan', 'core parking', 'file scans', 'timers']) {
        const { found: text, ...rest } = found[check];
        assert.deepEqual(rest, nothing, check);
        assert.match(text, /^unknown: .* gave no usable output$/);
      }
    }
  });

  it('names TEMP instead of TMPDIR', async () => {
    const found = await findingsOf({});
    assert.deepEqual(
      Object.keys(found).filter((check) => /TMP|TEMP/.test(check)),
      ['TEMP path', 'TEMP disk'],
    );
  });
});
