// The endpoint that answers with lists, in the master: as the one that answers, with what a list is made of.

import { Responder } from './responder.js';

/** @import { Codec } from '../../types/index.js' */

export class RecordResponder extends Responder {
  /**
   * @param {Pick<Codec, 'encode' | 'decode'>} codec   reads questions and writes lists
   * @param {Record<string, number>} values            for measures to read
   */
  constructor(codec, values) {
    super(codec, (question) => question);
    this.values = values;
  }

  report() {
    return { ...super.report(), values: this.values };
  }
}
