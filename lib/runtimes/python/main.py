"""A peer of ipc-bench in Python: the answering end of a round trip, and the taking end of a stream, in one event loop
(asyncio). It hears its controller's words on stdin, one JSON object a line, and answers them on stdout."""

import asyncio
import hmac
import json
import os
import platform
import socket
import sys

from codecs_of_peer import CODECS, UNDECODABLE
from taking import Stream, Window, now_ms

ASCII_BIT = 1 << 31
GREETING_BYTES = 1024
GREETING_SECONDS = 2
FIRST_STDIO_FD = 3

IMPLEMENTATION = platform.python_implementation()
VERSION = platform.python_version() + ('' if IMPLEMENTATION == 'CPython' else f' of {IMPLEMENTATION}')

HELLO = {
    'control': 'hello',
    'protocol': 1,
    'runtime': 'python',
    'version': VERSION,
    'transports': ['unix', 'tcp', 'stdio'],
    'codecs': list(CODECS),
    'scenarios': ['round-trip', 'stream'],
    'settings': {'flush': ['direct', 'tick'], 'noDelay': ['true', 'false', 'master', 'worker']},
}


def say(word):
    print(json.dumps(word, separators=(',', ':')), flush=True)


class Launch:
    """What the controller has ordered, and what was counted."""

    def __init__(self, loop):
        self.loop = loop
        self.order = {}
        self.operations = self.undecodable = self.rejectedConnections = 0
        self.window = Window()

    async def listen(self, order):
        self.order = order
        self.codec = CODECS[order['codec']]
        self.is_taking = order['scenario'] == 'stream'
        self.is_flushed_by_turn = order.get('flush') == 'tick'
        self.most_bytes = order['maxMessageBytes']
        port = 0
        if order['transport'] == 'unix':
            await self.loop.create_unix_server(lambda: Connection(self), order['path'])
        elif order['transport'] == 'tcp':
            server = await self.loop.create_server(lambda: Connection(self), order['host'], 0)
            port = server.sockets[0].getsockname()[1]
        else:
            for worker in range(order['workers']):
                fd = FIRST_STDIO_FD + 2 * worker
                await self.adopt(f'w{worker}', socket.socket(fileno=fd), socket.socket(fileno=fd + 1))
        say({'control': 'listening', 'port': port, 'nowMs': now_ms()})

    async def adopt(self, worker, source, sink):
        out, _ = await self.loop.create_connection(asyncio.Protocol, sock=sink)
        own = Connection(self, out)
        own.begin(worker)
        await self.loop.create_connection(lambda: own, sock=source)

    def tell(self, control):
        counts = {'operations': self.operations, 'undecodable': self.undecodable, 'rejectedConnections': self.rejectedConnections}
        streams = self.window.report() if control == 'report' and self.is_taking else {}
        say({'control': control, **counts, **streams})

    async def obey(self, order):
        if order['control'] == 'listen':
            try:
                await self.listen(order)
            except (OSError, KeyError) as error:
                say({'control': 'failed', 'message': f'it cannot listen: {error}'})
        elif order['control'] in ('count', 'report'):
            self.tell(order['control'])
        elif order['control'] == 'measure':
            self.window.plan(order['fromMs'], order['toMs'], order['binMs'])


class Connection(asyncio.Protocol):
    def __init__(self, launch, out=None):
        self.launch = launch
        self.out = out  # absent: answers go back where questions come from
        self.hear = self.greet
        self.most_bytes = GREETING_BYTES
        self.is_text = True
        self.held = bytearray()  # the beginning of a frame
        self.frame_bytes = 4  # that it has at least
        self.answers = []

    def connection_made(self, transport):
        self.transport = transport
        if self.out is not None:
            return
        self.out = transport
        own = transport.get_extra_info('socket')
        if own.family != socket.AF_UNIX:
            own.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, int(self.launch.order['noDelay']))
        self.deadline = self.launch.loop.call_later(GREETING_SECONDS, transport.abort)

    def begin(self, worker):
        launch = self.launch
        self.most_bytes, self.is_text = launch.most_bytes, launch.codec.is_text
        self.stream = Stream(launch.window, worker, launch.order['payloads']) if launch.is_taking else None
        self.hear = self.take if launch.is_taking else self.answer

    def connection_lost(self, _):
        if self.hear == self.greet:
            self.deadline.cancel()
            self.launch.rejectedConnections += 1
        self.out.close()

    def greet(self, body):
        token, _, worker = body.decode(errors='replace').partition(' ')
        is_known = hmac.compare_digest(token.encode(), self.launch.order['token'].encode())
        if not is_known or worker == '' or ' ' in worker or '/' in worker:
            return self.transport.abort()
        self.deadline.cancel()
        self.begin(worker)
        self.transport.write((len(b'welcome') | ASCII_BIT).to_bytes(4, 'big') + b'welcome')

    def data_received(self, chunk):
        self.launch.window.is_old = True
        if self.held:
            self.held += chunk
            if len(self.held) < self.frame_bytes:
                return
            chunk = bytes(self.held)
            self.held.clear()
        at = 0
        self.frame_bytes = 4
        while len(chunk) - at >= 4 and not self.transport.is_closing():
            word = int.from_bytes(chunk[at : at + 4], 'big')
            count = word & ~ASCII_BIT
            if count == 0 or count > self.most_bytes or (word & ASCII_BIT and not self.is_text):
                return self.transport.abort()
            if len(chunk) - at - 4 < count:
                self.frame_bytes = 4 + count
                break
            at += 4 + count
            self.hear(chunk[at - count : at])
        self.held += chunk[at:]
        if self.answers:
            self.out.write(b''.join(self.answers))
            self.answers.clear()

    def take(self, body):
        try:
            identity, payload = self.launch.codec.decode(body)
        except UNDECODABLE:
            self.launch.undecodable += 1
            return
        self.stream.take(identity, payload)
        self.launch.operations += 1

    def answer(self, body):
        launch = self.launch
        try:
            wire = launch.codec.encode(*launch.codec.decode(body))
        except UNDECODABLE:
            launch.undecodable += 1
            return
        word = len(wire) | ASCII_BIT if self.is_text and wire.isascii() else len(wire)
        frame = word.to_bytes(4, 'big') + wire
        launch.operations += 1
        if launch.is_flushed_by_turn:
            self.answers.append(frame)
        else:
            self.out.write(frame)


async def main():
    loop = asyncio.get_running_loop()
    words = asyncio.StreamReader()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(words), sys.stdin)
    launch = Launch(loop)
    say(HELLO)
    while line := await words.readline():
        await launch.obey(json.loads(line))
    if 'path' in launch.order:
        os.unlink(launch.order['path'])


asyncio.run(main())
