// A peer of ipc-bench in Go: the responder of a round trip, and the consumer of a stream. It reads control messages from stdin, one JSON object
// per line, and responds on stdout. Each connection has a goroutine.
package main

import (
	"bufio"
	"crypto/subtle"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"runtime"
	"strings"
	"sync/atomic"
	"time"
)

const (
	asciiBit       = 1 << 31
	handshakeBytes = 1024
	handshakeTime  = 2 * time.Second
	readBytes      = 65536
	firstStdioFd   = 3
)

type control struct {
	Control, Scenario, Transport, Path, Host, Flush, Token, Codec, Payloads string
	NoDelay                                                                 bool
	MaxMessageBytes, Workers                                                int
	window
}

var (
	launch                            control
	operations, undecodable, rejected atomic.Uint64
)

func send(message any) {
	line, err := json.Marshal(message)
	if err == nil {
		_, err = os.Stdout.Write(append(line, '\n'))
	}
	if err != nil {
		os.Exit(1)
	}
}

// Reads one frame into the buffer, or into a new buffer if the frame does not fit.
func readFrame(in *bufio.Reader, buffer []byte, mostBytes int, isText bool) ([]byte, error) {
	var header [4]byte
	if _, err := io.ReadFull(in, header[:]); err != nil {
		return nil, err
	}
	word := binary.BigEndian.Uint32(header[:])
	count := int(word &^ asciiBit)
	if count == 0 || count > mostBytes || (word&asciiBit != 0 && !isText) {
		return nil, fmt.Errorf("a frame of %d bytes", count)
	}
	if count > cap(buffer) {
		buffer = make([]byte, count)
	}
	_, err := io.ReadFull(in, buffer[:count])
	return buffer[:count], err
}

// Fills in the header at `from`. The body follows the header up to the end of the frame.
func closeFrame(frame []byte, from int, isText bool) {
	body := frame[from+4:]
	word := uint32(len(body))
	if isText && isASCII(string(body)) {
		word |= asciiBit
	}
	binary.BigEndian.PutUint32(frame[from:], word)
}

func accept(connection net.Conn) {
	connection.SetReadDeadline(time.Now().Add(handshakeTime))
	in := bufio.NewReaderSize(connection, readBytes)
	text, err := readFrame(in, nil, handshakeBytes, true)
	token, id, _ := strings.Cut(string(text), " ")
	isKnown := subtle.ConstantTimeCompare([]byte(token), []byte(launch.Token)) == 1
	if err != nil || !isKnown || id == "" || strings.ContainsAny(id, " /") {
		rejected.Add(1)
		connection.Close()
		return
	}
	connection.SetReadDeadline(time.Time{})
	welcome := append([]byte{0, 0, 0, 0}, "welcome"...)
	closeFrame(welcome, 0, true)
	connection.Write(welcome)
	serve(in, connection, id)
}

// Serves a connection until the other end closes it, or violates the protocol.
func serve(in *bufio.Reader, out io.WriteCloser, id string) {
	defer out.Close()
	codec := codecs[launch.Codec]
	var consumer *stream
	if launch.Scenario == "stream" {
		var err error
		if consumer, err = openStream(id, launch.Payloads); err != nil {
			send(map[string]any{"control": "failed", "message": err.Error()})
			return
		}
	}
	var buffer, frames []byte
	for {
		hasWaited := in.Buffered() == 0
		wire, err := readFrame(in, buffer, launch.MaxMessageBytes, codec.isText)
		if err != nil {
			return
		}
		buffer = wire[:cap(wire)]
		request, err := codec.decode(wire)
		if err != nil {
			undecodable.Add(1)
			continue
		}
		if consumer != nil {
			consumer.lock.Lock()
			consumer.receive(request, hasWaited)
			consumer.lock.Unlock()
			operations.Add(1)
		} else {
			// Counted before it is sent, because the count may be requested as soon as the response has arrived.
			operations.Add(1)
			from := len(frames)
			frames = codec.encode(append(frames, 0, 0, 0, 0), request)
			closeFrame(frames, from, codec.isText)
			if launch.Flush != "tick" || in.Buffered() == 0 {
				if _, err := out.Write(frames); err != nil {
					return
				}
				frames = frames[:0]
			}
		}
	}
}

func listen() (port int, err error) {
	if launch.Transport == "stdio" {
		for worker := range launch.Workers {
			in := os.NewFile(uintptr(firstStdioFd+2*worker), "in")
			out := os.NewFile(uintptr(firstStdioFd+2*worker+1), "out")
			go serve(bufio.NewReaderSize(in, readBytes), out, fmt.Sprintf("w%d", worker))
		}
		return 0, nil
	}
	address := launch.Path
	if launch.Transport == "tcp" {
		address = net.JoinHostPort(launch.Host, "0")
	}
	listener, err := net.Listen(launch.Transport, address)
	if err != nil {
		return 0, err
	}
	if at, isTCP := listener.Addr().(*net.TCPAddr); isTCP {
		port = at.Port
	}
	go func() {
		for {
			connection, err := listener.Accept()
			if err != nil {
				return
			}
			if tcp, isTCP := connection.(*net.TCPConn); isTCP {
				tcp.SetNoDelay(launch.NoDelay)
			}
			go accept(connection)
		}
	}()
	return port, nil
}

func sendCounts(control string) {
	word := map[string]any{
		"control": control, "operations": operations.Load(), "undecodable": undecodable.Load(), "rejectedConnections": rejected.Load(),
	}
	if control == "report" && launch.Scenario == "stream" {
		addStreams(word)
	}
	send(word)
}

func main() {
	send(map[string]any{
		"control": "hello", "protocol": 1, "runtime": "go", "version": strings.TrimPrefix(runtime.Version(), "go"),
		"transports": []string{"unix", "tcp", "stdio"}, "codecs": []string{"none", "string", "json"},
		"scenarios": []string{"round-trip", "stream"},
		"settings":  map[string]any{"flush": []string{"direct", "tick"}, "noDelay": []string{"true", "false", "master", "worker"}},
	})
	input := bufio.NewScanner(os.Stdin)
	input.Buffer(nil, readBytes)
	for input.Scan() {
		var received control
		if err := json.Unmarshal(input.Bytes(), &received); err != nil {
			continue
		}
		switch received.Control {
		case "listen":
			launch = received
			if port, err := listen(); err != nil {
				send(map[string]any{"control": "failed", "message": err.Error()})
			} else {
				send(map[string]any{"control": "listening", "port": port, "nowMs": nowMs()})
			}
		case "count", "report":
			sendCounts(received.Control)
		case "measure":
			planWindow(received.window)
		}
	}
	if launch.Path != "" {
		os.Remove(launch.Path)
	}
}
