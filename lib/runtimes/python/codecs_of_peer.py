"""The codecs none, string and json: message to bytes and back. A message is an id and a text."""

import json
import struct

ID = struct.Struct('<i')


def units_of(text):
    """Lengths of texts count UTF-16 units: one for each character, two for those of four bytes."""
    return len(text) if text.isascii() else len(text.encode('utf-16-le')) // 2


def checked(identity, payload):
    if type(identity) is int and 0 < identity < 1 << 31 and type(payload) is str:
        return identity, payload
    raise ValueError('not a message')


class NoneCodec:
    """Four bytes of id, little-endian, inverted where the payload is ASCII; then the payload."""

    is_text = False

    @staticmethod
    def decode(wire):
        (identity,) = ID.unpack_from(wire)
        return checked(~identity if identity < 0 else identity, wire[4:].decode())

    @staticmethod
    def encode(identity, payload):
        return ID.pack(~identity if payload.isascii() else identity) + payload.encode()


class StringCodec:
    """Id, space, length in UTF-16 units, space, payload."""

    is_text = True

    @staticmethod
    def decode(wire):
        identity, units, payload = wire.decode().split(' ', 2)
        if not (identity.isdigit() and units.isdigit()) or int(units) != units_of(payload):
            raise ValueError('not of the form id, length, payload')
        return checked(int(identity), payload)

    @staticmethod
    def encode(identity, payload):
        return f'{identity} {units_of(payload)} {payload}'.encode()


class JsonCodec:
    is_text = True

    @staticmethod
    def decode(wire):
        message = json.loads(wire)
        return checked(message['id'], message['payload'])

    @staticmethod
    def encode(identity, payload):
        return json.dumps({'id': identity, 'payload': payload}, ensure_ascii=False, separators=(',', ':')).encode()


CODECS = {'none': NoneCodec, 'string': StringCodec, 'json': JsonCodec}
# What decoding garbage raises.
UNDECODABLE = (ValueError, KeyError, TypeError, struct.error, RecursionError)
