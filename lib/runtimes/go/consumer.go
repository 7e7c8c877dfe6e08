// The consumer of a stream: it expects consecutive ids, with the payloads of the producer in turn. It counts messages by time, and samples
// timestamps of some.
package main

import (
	"encoding/binary"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"
	"unsafe"
)

const (
	firstID     = 1_000_000_000
	ids         = 1_000_000_000
	timedEvery  = 64
	clockEvery  = 8
	mostSamples = 40_000
	clockOfHost = 1 // CLOCK_MONOTONIC
)

type window struct{ FromMs, ToMs, BinMs float64 }

// The stream of one connection. Its goroutine and the main goroutine change it while they hold the lock.
type stream struct {
	lock              sync.Mutex
	payloads          []string
	next              uint64
	wrong, outOfOrder uint64
	isOpen            bool
	atOpen            uint64
	seenMs            float64
	bins              []uint64
	samples           [][2]float64
}

var (
	streams     = map[string]*stream{}
	streamsLock sync.Mutex
	planned     *window
	began       = time.Now()
	beganMs     = hostMs()
)

// The clock that all processes of a host share. It is read only once, since each reading takes a system call.
func hostMs() float64 {
	var now syscall.Timespec
	syscall.Syscall(syscall.SYS_CLOCK_GETTIME, clockOfHost, uintptr(unsafe.Pointer(&now)), 0)
	return float64(now.Sec)*1e3 + float64(now.Nsec)/1e6
}

func nowMs() float64 { return beganMs + float64(time.Since(began))/1e6 }

// Reads the payloads of a worker, in its order. Each is four bytes of length, big-endian, and the text.
func openStream(connection, folder string) (*stream, error) {
	worker, _, _ := strings.Cut(connection, "c") // "w0" of "w0c1"
	file, err := os.ReadFile(filepath.Join(folder, worker))
	if err != nil {
		return nil, err
	}
	s := &stream{}
	for len(file) >= 4 {
		end := 4 + int(binary.BigEndian.Uint32(file))
		s.payloads = append(s.payloads, string(file[4:end]))
		file = file[end:]
	}
	streamsLock.Lock()
	defer streamsLock.Unlock()
	s.plan()
	streams[connection] = s
	return s, nil
}

func (s *stream) plan() {
	if planned != nil {
		s.bins = make([]uint64, int(math.Max(1, math.Ceil((planned.ToMs-planned.FromMs)/planned.BinMs-1e-6))))
	}
}

func planWindow(next window) {
	streamsLock.Lock()
	defer streamsLock.Unlock()
	planned = &next
	for _, s := range streams {
		s.lock.Lock()
		s.plan()
		s.lock.Unlock()
	}
}

func (s *stream) readClock() {
	s.seenMs = nowMs()
	if s.bins == nil || s.isOpen || s.seenMs < planned.FromMs {
		return
	}
	s.isOpen = true
	s.atOpen = s.next
	s.samples = s.samples[:0]
}

// hasWaited: the goroutine was idle before this message, so that the clock has to be read.
func (s *stream) receive(received message, hasWaited bool) {
	if hasWaited || s.next%clockEvery == 0 {
		s.readClock()
	}
	if received.ID != int32(firstID+s.next%ids) {
		s.outOfOrder++
	} else if *received.Payload != s.payloads[s.next%uint64(len(s.payloads))] {
		s.wrong++
	}
	if s.next%timedEvery == 0 && len(s.samples) < mostSamples {
		s.samples = append(s.samples, [2]float64{float64(s.next), nowMs()})
	}
	s.next++
	if s.isOpen && s.seenMs < planned.ToMs {
		bin := int((s.seenMs - planned.FromMs) / planned.BinMs)
		s.bins[min(bin, len(s.bins)-1)]++
	}
}

// Adds the counts of all streams to the report.
func addStreams(report map[string]any) {
	streamsLock.Lock()
	defer streamsLock.Unlock()
	all := map[string]any{}
	atOpen, bins := uint64(0), []uint64{}
	for name, s := range streams {
		s.lock.Lock()
		s.readClock() // also opens the window if no message came
		atOpen += s.atOpen
		for at, count := range s.bins {
			if at == len(bins) {
				bins = append(bins, 0)
			}
			bins[at] += count
		}
		all[name] = map[string]any{
			"taken": s.next, "wrong": s.wrong, "outOfOrder": s.outOfOrder,
			"sightings": append([][2]float64{}, s.samples...),
		}
		s.lock.Unlock()
	}
	report["atOpen"], report["bins"], report["streams"] = atOpen, bins, all
}
