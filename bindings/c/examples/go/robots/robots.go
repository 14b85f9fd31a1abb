// Package robots parses and checks robots.txt (RFC 9309) with the C library of Verger.
//
// pkg-config must find verger: see docs/c.md in its repository.
package robots

/*
#cgo pkg-config: verger
#include <stdlib.h>
#include "verger.h"
*/
import "C"

import (
	"errors"
	"runtime"
	"unsafe"
)

// Robots is a parsed robots.txt. Several goroutines may use it at the same time.
type Robots struct {
	handle *C.verger_robots
}

// Verdict is the answer for one URL.
type Verdict struct {
	// Allowed is whether the crawler may fetch the URL.
	Allowed bool
	// Reason is a name such as "rule" or "no_group".
	Reason string
	// Pattern is that of the deciding rule as in the file; empty if no rule decided.
	Pattern string
	// Line is that of the deciding rule, from 1; 0 if no rule decided.
	Line int
}

// Parse parses the bytes of a response in a dialect, such as "rfc9309" or "google".
func Parse(file []byte, dialect string) (*Robots, error) {
	name := C.CString(dialect)
	defer C.free(unsafe.Pointer(name))
	robots := new(Robots)
	data, length := text(file)
	if err := failure(C.verger_robots_parse(data, length, name, &robots.handle)); err != nil {
		return nil, err
	}
	runtime.SetFinalizer(robots, (*Robots).Close)
	return robots, nil
}

// Close frees the file at once. Without it, the garbage collector does.
func (robots *Robots) Close() {
	C.verger_robots_free(robots.handle)
	robots.handle = nil
	runtime.SetFinalizer(robots, nil)
}

// Check decides whether an agent, a product token or a User-Agent header, may fetch a URL. After an
// error the verdict is disallowed.
func (robots *Robots) Check(agent, url string) (Verdict, error) {
	// The text of the verdict is borrowed from the file.
	defer runtime.KeepAlive(robots)
	agentData, agentLength := text([]byte(agent))
	urlData, urlLength := text([]byte(url))
	var found C.verger_verdict
	status := C.verger_robots_check(robots.handle, agentData, agentLength, urlData, urlLength, &found)
	return Verdict{
		Allowed: bool(found.allowed),
		Reason:  C.GoString(found.reason),
		Pattern: C.GoStringN(found.pattern.data, C.int(found.pattern.len)),
		Line:    int(found.line),
	}, failure(status)
}

// IsAllowed is Check without the reason; false on any failure.
func (robots *Robots) IsAllowed(agent, url string) bool {
	defer runtime.KeepAlive(robots)
	agentData, agentLength := text([]byte(agent))
	urlData, urlLength := text([]byte(url))
	return bool(C.verger_robots_is_allowed(robots.handle, agentData, agentLength, urlData, urlLength))
}

// text returns a pointer to bytes for one call.
func text(bytes []byte) (*C.char, C.size_t) {
	if len(bytes) == 0 {
		return nil, 0
	}
	return (*C.char)(unsafe.Pointer(&bytes[0])), C.size_t(len(bytes))
}

func failure(status C.verger_status) error {
	if status == C.VERGER_STATUS_OK {
		return nil
	}
	return errors.New(C.GoString(C.verger_status_message(C.int32_t(status))))
}
