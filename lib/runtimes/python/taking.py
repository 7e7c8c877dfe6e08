"""The end of a stream that takes what comes: the next number each time, with the payload that its sender has in turn. It
counts by the clock, and notes when it saw one message of so many."""

import math
import os
import time

FIRST_ID = IDS = 1_000_000_000
TIMED_EVERY = 64
CLOCK_EVERY = 8
MOST_SIGHTINGS = 40_000


def now_ms():
    """Of the clock that all processes of a host share."""
    return time.clock_gettime_ns(time.CLOCK_MONOTONIC) / 1e6


def read_payloads(path):
    """Frames of what a worker sends, in its order: four bytes of length, big-endian, and the text."""
    with open(path, 'rb') as file:
        payloads = []
        while header := file.read(4):
            payloads.append(file.read(int.from_bytes(header, 'big')).decode())
    return payloads


class Window:
    """Of all streams together."""

    def __init__(self):
        self.streams = {}
        self.taken = 0
        self.at_open = 0
        self.from_ms = self.to_ms = math.inf
        self.bin_ms = 1
        self.is_open = False
        self.is_old = True  # it was waited for what comes now, since the clock was read
        self.seen_ms = 0
        self.bins = []

    def plan(self, from_ms, to_ms, bin_ms):
        self.from_ms, self.to_ms, self.bin_ms = from_ms, to_ms, bin_ms
        self.bins = [0] * max(1, math.ceil((to_ms - from_ms) / bin_ms - 1e-6))

    def look_at_clock(self):
        self.seen_ms = now_ms()
        self.is_old = False
        if not self.is_open and self.seen_ms >= self.from_ms:
            self.is_open = True
            self.at_open = self.taken
            for stream in self.streams.values():
                stream.sightings.clear()

    def count(self):
        if self.is_old or self.taken % CLOCK_EVERY == 0:
            self.look_at_clock()
        self.taken += 1
        if self.is_open and self.seen_ms < self.to_ms:
            self.bins[min(int((self.seen_ms - self.from_ms) / self.bin_ms), len(self.bins) - 1)] += 1

    def report(self):
        self.look_at_clock()  # the window opens as well where nothing came
        streams = {name: stream.report() for name, stream in self.streams.items()}
        return {'atOpen': self.at_open, 'bins': self.bins, 'streams': streams}


class Stream:
    def __init__(self, window, connection, folder):
        self.window = window
        self.payloads = read_payloads(os.path.join(folder, connection.partition('c')[0]))  # 'w0' of 'w0c1'
        self.next = self.wrong = self.out_of_order = 0
        self.sightings = []
        window.streams[connection] = self

    def take(self, identity, payload):
        count = self.next
        self.window.count()
        if identity != FIRST_ID + count % IDS:
            self.out_of_order += 1
        elif payload != self.payloads[count % len(self.payloads)]:
            self.wrong += 1
        if count % TIMED_EVERY == 0 and len(self.sightings) < MOST_SIGHTINGS:
            self.sightings.append((count, now_ms()))
        self.next = count + 1

    def report(self):
        counts = {'taken': self.next, 'wrong': self.wrong, 'outOfOrder': self.out_of_order}
        return {**counts, 'sightings': self.sightings}
