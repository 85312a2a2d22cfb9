package app

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"os"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/gardener-up/gardener-up/appliance/daemon"
)

// lastResort is the hint of failures that have no other.
const lastResort = `if the message does not help, look at "gardener status", "gardener events" and "gardener logs", in this order`

// cured gives a failure a hint: the next command, or what to change. It keeps a hint that the error has, and prefers that of its kind.
func cured(err error, hint string) error {
	if _, has := errors.AsType[*exitError](err); err == nil || has {
		return err
	}
	return &exitError{code: codeFailure, err: err, hint: cmp.Or(cureOf(err), hint)}
}

// cureOf is the hint of kinds of errors whose cure is the same wherever they happen; empty for all others.
func cureOf(err error) string {
	answer, answered := errors.AsType[*apierrors.StatusError](err)
	switch {
	case apierrors.IsNotFound(err): // only the command knows what is missing, and why
		return ""
	case answered && passes(answer.ErrStatus):
		return `try again; "gardener status" shows whether all parts of the landscape serve`
	case answered:
		return "the API server refuses it: change what the message names, then try again"
	case unanswered(err):
		return `the landscape may be starting, stopping or busy: see "gardener status", then try again`
	case errors.Is(err, daemon.ErrNamespaces):
		return daemon.NamespacesCure
	case ofFile(err):
		return "look at the name and the rights of the file, and at the room on its disk"
	}
	return ""
}

// passes reports whether the same request may succeed a little later.
func passes(answer metav1.Status) bool {
	switch answer.Code {
	case http.StatusInsufficientStorage: // until somebody deletes something
		return false
	case http.StatusTooManyRequests, http.StatusGone:
		return true
	}
	return answer.Reason == metav1.StatusReasonConflict || answer.Code >= http.StatusInternalServerError
}

// unanswered reports whether a server could not be reached, or did not answer in time.
func unanswered(err error) bool {
	_, request := errors.AsType[*url.Error](err)
	_, connection := errors.AsType[*net.OpError](err)
	return request || connection || errors.Is(err, context.DeadlineExceeded)
}

func ofFile(err error) bool {
	_, path := errors.AsType[*fs.PathError](err)
	_, link := errors.AsType[*os.LinkError](err)
	return path || link
}
