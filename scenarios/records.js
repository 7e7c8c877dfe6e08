// Lists of records, the usual responses of services. Each loop requests a list, and the master responds with records of ten fields. The
// difference between way=encoded and way=untouched, which forwards encoded lists, is the cost of encoding.

import { RecordResponder } from '../lib/workload/endpoints/responder.js';
import {
  cpuUsPerOperation,
  operationsPerSecond,
  usualMeasures,
} from '../lib/workload/measures/usual-measures.js';
import { LIST_SCHEMA, RECORD_BYTES, recordLists } from '../lib/workload/messages/record-lists.js';

/** @import { Message, RoleReport, Scenario } from '../lib/types/index.js' */

const OPERATION = Object.freeze({ one: 'list', many: 'lists', done: 'answered' });
const [RATE, SERVICE_TIME] = usualMeasures(OPERATION);

/** @param {readonly RoleReport[]} reports @param {string} name @returns {number | null} */
function masterValue(reports, name) {
  return reports.find(({ role }) => role === 'master')?.values[name] ?? null;
}

/** @param {readonly RoleReport[]} reports */
function recordsIn(reports) {
  return Number(masterValue(reports, 'records'));
}

/** @type {Scenario} */
export default {
  name: 'records',
  summary: 'each loop requests a list, and the master responds with records of ten fields',
  operation: OPERATION,
  measures: [
    RATE,
    SERVICE_TIME,
    {
      name: 'recordsPerSecond',
      title: 'records per second',
      unit: 'per second',
      better: 'higher',
      kind: 'value',
      read: (reports) => recordsIn(reports) * operationsPerSecond(reports),
    },
    {
      name: 'bytesPerRecord',
      title: 'record',
      unit: 'bytes',
      better: 'lower',
      kind: 'value',
      read: (reports) => masterValue(reports, 'bytesPerRecord'),
    },
    {
      name: 'cpuPerRecord',
      title: 'record CPU',
      unit: 'µs',
      better: 'lower',
      kind: 'value',
      read(reports, _cell, costs) {
        const us = cpuUsPerOperation(reports, costs);
        return us === null ? null : us / recordsIn(reports);
      },
    },
  ],
  settings: {
    records: { summary: 'in each list', default: 100, min: 1, max: 10_000, isQuantity: true },
    way: {
      summary: 'encoded: each response anew; untouched: encoded once and forwarded as it is',
      default: 'encoded',
      choices: ['encoded', 'untouched'],
    },
  },
  carries: ({ records, way }) => ({
    schema: LIST_SCHEMA,
    payloadBytes: Number(records) * RECORD_BYTES,
    isUntouched: way === 'untouched',
    pieces: { name: 'records', bytes: RECORD_BYTES },
  }),
  canPause: true,
  endpoints: { master: ['carriedValues'], worker: ['carriedValues', 'requester'] },
  endpoint(role, kit) {
    const { codec, seed } = kit;
    const records = Number(kit.settings.records);
    const lists = recordLists(seed, records);
    const carried = kit.carriedValues(lists, LIST_SCHEMA, { isUntouched: kit.settings.way === 'untouched' });
    if (role === 'worker') {
      const asking = {
        ...carried,
        /** @param {Message} message */
        encode: (message) => codec.encode(message),
      };
      return kit.withCodec(asking, carried.names).requester();
    }
    const bytes = carried.encodedBytes();
    const answering = {
      encode: carried.encode,
      /** @param {any} wire */
      decode(wire) {
        const question = codec.decode(wire);
        if (carried.names.includes(question.payload)) return question;
        throw new Error('there is no such list');
      },
    };
    const ofEach = bytes === null ? null : { bytesPerRecord: bytes / (lists.length * records) };
    return new RecordResponder(answering, { records, ...ofEach });
  },
};
