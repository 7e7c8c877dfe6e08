// A peer of ipc-bench in Go: the answering end of a round trip, and the taking end of a stream. It hears its controller's words
// on stdin, one JSON object a line, and answers them on stdout. Each connection has a goroutine of its own.
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
	asciiBit      = 1 << 31
	greetingBytes = 1024
	greetingTime  = 2 * time.Second
	readBytes     = 65536
	firstStdioFd  = 3
)

type order struct {
	Control, Scenario, Transport, Path, Host, Flush, Token, Codec, Payloads string
	NoDelay                                                                 bool
	MaxMessageBytes, Workers                                                int
	window
}

var (
	launch                           order
	operations, undecodable, strange atomic.Uint64
)

func say(word any) {
	line, err := json.Marshal(word)
	if err == nil {
		_, err = os.Stdout.Write(append(line, '\n'))
	}
	if err != nil {
		os.Exit(1)
	}
}

// Reads one frame into the buffer, which is made greater where it has to be.
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

// Puts the header in front of what was encoded behind these bytes.
func closeFrame(frame []byte, from int, isText bool) {
	body := frame[from+4:]
	word := uint32(len(body))
	if isText && isASCII(string(body)) {
		word |= asciiBit
	}
	binary.BigEndian.PutUint32(frame[from:], word)
}

func greet(connection net.Conn) {
	connection.SetReadDeadline(time.Now().Add(greetingTime))
	in := bufio.NewReaderSize(connection, readBytes)
	text, err := readFrame(in, nil, greetingBytes, true)
	token, id, _ := strings.Cut(string(text), " ")
	isKnown := subtle.ConstantTimeCompare([]byte(token), []byte(launch.Token)) == 1
	if err != nil || !isKnown || id == "" || strings.ContainsAny(id, " /") {
		strange.Add(1)
		connection.Close()
		return
	}
	connection.SetReadDeadline(time.Time{})
	welcome := append([]byte{0, 0, 0, 0}, "welcome"...)
	closeFrame(welcome, 0, true)
	connection.Write(welcome)
	serve(in, connection, id)
}

// Until the other end hangs up, or breaks the rules.
func serve(in *bufio.Reader, out io.WriteCloser, id string) {
	defer out.Close()
	own := codecs[launch.Codec]
	var taking *stream
	if launch.Scenario == "stream" {
		var err error
		if taking, err = streamOf(id, launch.Payloads); err != nil {
			say(map[string]any{"control": "failed", "message": err.Error()})
			return
		}
	}
	var buffer, frames []byte
	for {
		isOld := in.Buffered() == 0
		wire, err := readFrame(in, buffer, launch.MaxMessageBytes, own.isText)
		if err != nil {
			return
		}
		buffer = wire[:cap(wire)]
		one, err := own.decode(wire)
		if err != nil {
			undecodable.Add(1)
			continue
		}
		if taking != nil {
			taking.lock.Lock()
			taking.take(one, isOld)
			taking.lock.Unlock()
			operations.Add(1)
		} else {
			// Counted before it is sent, because the count may be requested as soon as the response has arrived.
			operations.Add(1)
			from := len(frames)
			frames = own.encode(append(frames, 0, 0, 0, 0), one)
			closeFrame(frames, from, own.isText)
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
			go greet(connection)
		}
	}()
	return port, nil
}

func tell(control string) {
	word := map[string]any{
		"control": control, "operations": operations.Load(), "undecodable": undecodable.Load(), "rejectedConnections": strange.Load(),
	}
	if control == "report" && launch.Scenario == "stream" {
		reportOfStreams(word)
	}
	say(word)
}

func main() {
	say(map[string]any{
		"control": "hello", "protocol": 1, "runtime": "go", "version": strings.TrimPrefix(runtime.Version(), "go"),
		"transports": []string{"unix", "tcp", "stdio"}, "codecs": []string{"none", "string", "json"},
		"scenarios": []string{"round-trip", "stream"},
		"settings":  map[string]any{"flush": []string{"direct", "tick"}, "noDelay": []string{"true", "false", "master", "worker"}},
	})
	words := bufio.NewScanner(os.Stdin)
	words.Buffer(nil, readBytes)
	for words.Scan() {
		var heard order
		if err := json.Unmarshal(words.Bytes(), &heard); err != nil {
			continue
		}
		switch heard.Control {
		case "listen":
			launch = heard
			if port, err := listen(); err != nil {
				say(map[string]any{"control": "failed", "message": err.Error()})
			} else {
				say(map[string]any{"control": "listening", "port": port, "nowMs": nowMs()})
			}
		case "count", "report":
			tell(heard.Control)
		case "measure":
			planWindow(heard.window)
		}
	}
	if launch.Path != "" {
		os.Remove(launch.Path)
	}
}
