// The end of a stream that takes what comes: the next number each time, with the payload that its sender has in turn. It
// counts by the clock, and notes when it saw one message of so many.
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
	firstID       = 1_000_000_000
	ids           = 1_000_000_000
	timedEvery    = 64
	clockEvery    = 8
	mostSightings = 40_000
	clockOfHost   = 1 // CLOCK_MONOTONIC
)

type window struct{ FromMs, ToMs, BinMs float64 }

// What one connection brings. Its own goroutine alone writes it while the lock is held.
type stream struct {
	lock          sync.Mutex
	payloads      []string
	next          uint64
	wrong, others uint64
	isOpen        bool
	atOpen        uint64
	seenMs        float64
	bins          []uint64
	sightings     [][2]float64
}

var (
	streams     = map[string]*stream{}
	streamsLock sync.Mutex
	planned     *window
	began       = time.Now()
	beganMs     = hostMs()
)

// The clock that all processes of a host share. Reading it takes a system call: once is enough.
func hostMs() float64 {
	var now syscall.Timespec
	syscall.Syscall(syscall.SYS_CLOCK_GETTIME, clockOfHost, uintptr(unsafe.Pointer(&now)), 0)
	return float64(now.Sec)*1e3 + float64(now.Nsec)/1e6
}

func nowMs() float64 { return beganMs + float64(time.Since(began))/1e6 }

// Frames of what a worker sends, in its order: four bytes of length, big-endian, and the text.
func streamOf(connection, folder string) (*stream, error) {
	worker, _, _ := strings.Cut(connection, "c") // "w0" of "w0c1"
	file, err := os.ReadFile(filepath.Join(folder, worker))
	if err != nil {
		return nil, err
	}
	own := &stream{}
	for len(file) >= 4 {
		end := 4 + int(binary.BigEndian.Uint32(file))
		own.payloads = append(own.payloads, string(file[4:end]))
		file = file[end:]
	}
	streamsLock.Lock()
	defer streamsLock.Unlock()
	own.plan()
	streams[connection] = own
	return own, nil
}

func (own *stream) plan() {
	if planned != nil {
		own.bins = make([]uint64, int(math.Max(1, math.Ceil((planned.ToMs-planned.FromMs)/planned.BinMs-1e-6))))
	}
}

func planWindow(next window) {
	streamsLock.Lock()
	defer streamsLock.Unlock()
	planned = &next
	for _, own := range streams {
		own.lock.Lock()
		own.plan()
		own.lock.Unlock()
	}
}

func (own *stream) lookAtClock() {
	own.seenMs = nowMs()
	if own.bins == nil || own.isOpen || own.seenMs < planned.FromMs {
		return
	}
	own.isOpen = true
	own.atOpen = own.next
	own.sightings = own.sightings[:0]
}

// isOld: it was waited for this message, so that the clock has to be read.
func (own *stream) take(one message, isOld bool) {
	if isOld || own.next%clockEvery == 0 {
		own.lookAtClock()
	}
	if one.ID != int32(firstID+own.next%ids) {
		own.others++
	} else if *one.Payload != own.payloads[own.next%uint64(len(own.payloads))] {
		own.wrong++
	}
	if own.next%timedEvery == 0 && len(own.sightings) < mostSightings {
		own.sightings = append(own.sightings, [2]float64{float64(own.next), nowMs()})
	}
	own.next++
	if own.isOpen && own.seenMs < planned.ToMs {
		bin := int((own.seenMs - planned.FromMs) / planned.BinMs)
		own.bins[min(bin, len(own.bins)-1)]++
	}
}

// What all streams have counted, for the report.
func reportOfStreams(report map[string]any) {
	streamsLock.Lock()
	defer streamsLock.Unlock()
	of := map[string]any{}
	atOpen, bins := uint64(0), []uint64{}
	for name, own := range streams {
		own.lock.Lock()
		own.lookAtClock() // the window opens as well where nothing came
		atOpen += own.atOpen
		for at, count := range own.bins {
			if at == len(bins) {
				bins = append(bins, 0)
			}
			bins[at] += count
		}
		of[name] = map[string]any{
			"taken": own.next, "wrong": own.wrong, "outOfOrder": own.others,
			"sightings": append([][2]float64{}, own.sightings...),
		}
		own.lock.Unlock()
	}
	report["atOpen"], report["bins"], report["streams"] = atOpen, bins, of
}
