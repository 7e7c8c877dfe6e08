// The codecs none, string and json.
package main

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"strconv"
	"unicode/utf8"
)

type message struct {
	ID      int32   `json:"id"`
	Payload *string `json:"payload"`
}

type codec struct {
	isText bool // bodies are text, whose frame headers may have asciiBit set
	decode func(wire []byte) (message, error)
	encode func(frame []byte, m message) []byte // appends
}

var errNoMessage = errors.New("not a message")

func isASCII(text string) bool {
	for at := 0; at < len(text); at++ {
		if text[at] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// The length of a text in UTF-16 units: two for characters of four bytes in UTF-8, one for others.
func countUnits(text string) int {
	if isASCII(text) {
		return len(text)
	}
	units := 0
	for _, character := range text {
		units++
		if character > 0xffff {
			units++
		}
	}
	return units
}

func checkedMessage(id int64, payload string) (message, error) {
	if id <= 0 || id > 1<<31-1 {
		return message{}, errNoMessage
	}
	return message{int32(id), &payload}, nil
}

// The wire is the id in four bytes, little-endian, inverted if the payload is ASCII, and the payload.
func decodeNone(wire []byte) (message, error) {
	if len(wire) < 4 {
		return message{}, errNoMessage
	}
	id := int32(binary.LittleEndian.Uint32(wire))
	if id < 0 {
		id = ^id
	}
	return checkedMessage(int64(id), string(wire[4:]))
}

func encodeNone(frame []byte, m message) []byte {
	id := m.ID
	if isASCII(*m.Payload) {
		id = ^id
	}
	return append(binary.LittleEndian.AppendUint32(frame, uint32(id)), *m.Payload...)
}

// The wire is the id, a space, the length of the payload in UTF-16 units, a space, and the payload.
func decodeString(wire []byte) (message, error) {
	idEnd := bytes.IndexByte(wire, ' ')
	if idEnd < 0 {
		return message{}, errNoMessage
	}
	length, payload, found := bytes.Cut(wire[idEnd+1:], []byte{' '})
	id, errID := strconv.ParseUint(string(wire[:idEnd]), 10, 31)
	units, errUnits := strconv.ParseUint(string(length), 10, 31)
	text := string(payload)
	if !found || errID != nil || errUnits != nil || int(units) != countUnits(text) {
		return message{}, errNoMessage
	}
	return checkedMessage(int64(id), text)
}

func encodeString(frame []byte, m message) []byte {
	frame = append(strconv.AppendInt(frame, int64(m.ID), 10), ' ')
	frame = append(strconv.AppendInt(frame, int64(countUnits(*m.Payload)), 10), ' ')
	return append(frame, *m.Payload...)
}

func decodeJSON(wire []byte) (message, error) {
	var m message
	if err := json.Unmarshal(wire, &m); err != nil || m.Payload == nil {
		return message{}, errNoMessage
	}
	return checkedMessage(int64(m.ID), *m.Payload)
}

func encodeJSON(frame []byte, m message) []byte {
	wire, _ := json.Marshal(m)
	return append(frame, wire...)
}

var codecs = map[string]codec{
	"none":   {false, decodeNone, encodeNone},
	"string": {true, decodeString, encodeString},
	"json":   {true, decodeJSON, encodeJSON},
}
