package app

import (
	"errors"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// outageLimit is how long a garden that does not answer is waited for. An API server that starts again on a busy machine needs less.
const outageLimit = time.Minute

// outage is the time in which a garden has not answered a command that waits.
type outage struct {
	since time.Time // zero while the garden answers
}

// ends reports whether an error ends the command: it is not about a garden that does not answer, or the garden has not answered for
// too long. A nil error ends the outage.
func (o *outage) ends(err error, now time.Time) bool {
	if err == nil {
		o.since = time.Time{}
		return false
	}
	if o.since.IsZero() {
		o.since = now
	}
	return !absent(err) || now.Sub(o.since) >= outageLimit
}

// absent reports whether an error says that nobody has answered a question, or that the server could not do so yet.
func absent(err error) bool {
	if status := apierrors.APIStatus(nil); errors.As(err, &status) {
		return passes(status.Status())
	}
	return unanswered(err)
}
