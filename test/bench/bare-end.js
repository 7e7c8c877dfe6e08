// One end of a bare loop over the same transport, framing and codec as the harness: without pairing, verification, times and promises.
// harness-cost.js compares the harness with it.

import { effectiveCodec } from '../../lib/workload/endpoints/exchange.js';

let taken = 0;

/** @type {(message: any) => unknown} */
const onOrder = async ({ role, transportUrl, codecUrl, end, loops, payloads, warmupMs, measureMs }) => {
  if (role === 'count') return process.send?.({ taken, atMs: performance.now() });
  const { default: transport } = await import(transportUrl);
  const { default: codec } = await import(codecUrl);
  if (role === 'answer' || role === 'take') {
    const { address, close } = await transport.listen({
      ...end,
      onRejected() {},
      onError() {},
      onChannel(/** @type {any} */ channel) {
        const { encode, decode } = effectiveCodec(channel, codec);
        channel.onMessage =
          role === 'take'
            ? (/** @type {any} */ wire) => {
                decode(wire);
                taken += 1;
              }
            : (/** @type {any} */ wire) => channel.send(encode(decode(wire)));
      },
    });
    process.on('disconnect', close);
    process.send?.({ address });
    return;
  }
  const channel = await transport.connect(end);
  const { encode, decode } = effectiveCodec(channel, codec);
  let answers = 0;
  // Messages as in the harness: growing ids of ten digits, payloads in turn.
  let asked = 0;
  const ask = () => {
    asked += 1;
    const payload = payloads[asked % payloads.length];
    return channel.send(encode({ id: 1_000_000_000 + asked, payload }));
  };
  if (role === 'send') {
    const turn = () => {
      for (let loop = 0; loop < loops; loop += 1) {
        if (!ask()) return void channel.drained().then(() => setImmediate(turn));
      }
      setImmediate(turn);
    };
    process.on('disconnect', () => process.exit());
    return turn();
  }
  channel.onMessage = (/** @type {any} */ wire) => {
    decode(wire);
    answers += 1;
    ask();
  };
  for (let loop = 0; loop < loops; loop += 1) ask();
  await new Promise((resolve) => setTimeout(resolve, warmupMs));
  const before = { answers, atMs: performance.now() };
  await new Promise((resolve) => setTimeout(resolve, measureMs));
  const perSecond = ((answers - before.answers) * 1_000) / (performance.now() - before.atMs);
  process.send?.({ perSecond });
  channel.onMessage = () => {};
  await channel.close();
  process.disconnect?.();
};
process.on('message', onOrder);
