package machine

import (
	"errors"
	"fmt"
)

// Code is the class of a driver's error. It appears in the Machine's status.lastOperation.errorCode.
type Code string

// Codes of errors.
const (
	// NotFound means that the machine does not exist.
	NotFound Code = "NotFound"
	// InvalidArgument means that the class or the Machine is wrong. Retries do not help until they change.
	InvalidArgument Code = "InvalidArgument"
	// ResourceExhausted means that there is currently no room for the machine. The next attempt follows after a longer
	// pause.
	ResourceExhausted Code = "ResourceExhausted"
	// Unauthenticated means that the provider does not accept the credentials.
	Unauthenticated Code = "Unauthenticated"
	// PermissionDenied means that the credentials do not allow it.
	PermissionDenied Code = "PermissionDenied"
	// Unavailable means that the provider does not answer at the moment.
	Unavailable Code = "Unavailable"
	// Internal is the code of all other failures, and of errors without a code.
	Internal Code = "Internal"
)

// Error is an error with a code.
type Error struct {
	// Code is the class of the error.
	Code Code
	// Err is the error itself.
	Err error
}

// Error implements error.
func (e *Error) Error() string { return e.Err.Error() }

// Unwrap returns the error without its code.
func (e *Error) Unwrap() error { return e.Err }

// Errorf is fmt.Errorf with a code.
func Errorf(code Code, format string, args ...any) error {
	return &Error{Code: code, Err: fmt.Errorf(format, args...)}
}

// CodeOf returns the first code found while unwrapping an error, or Internal. It is empty for nil.
func CodeOf(err error) Code {
	if err == nil {
		return ""
	}
	var coded *Error
	if errors.As(err, &coded) {
		return coded.Code
	}
	return Internal
}

// IsNotFound reports whether the error means that the machine does not exist.
func IsNotFound(err error) bool { return CodeOf(err) == NotFound }
