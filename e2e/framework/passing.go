package framework

import (
	"regexp"
	"time"

	"github.com/gardener-up/gardener-up/e2e/framework/reading"
)

// restart is how long an API server with one replica may take to come back on a busy machine.
const restart = 2 * time.Minute

var (
	// undone is what kubectl says if nobody has carried out the request: the front door has no server for it, or a webhook has no pod.
	undone = regexp.MustCompile(`tls: internal error|was refused - did you specify|connection refused|TLS handshake timeout|dial tcp \S+: i/o timeout|error dialing backend|proxy error from|failed calling webhook`)
	// busy is what it says if the request may have been carried out, so that only questions can be repeated.
	busy = regexp.MustCompile(`unable to handle the request|etcdserver:|[Tt]imeout|deadline exceeded|EOF|connection reset|InternalError`)
)

// passes reports whether a command failed because a server was busy or restarted, and may be repeated.
func passes(r Result, args []string) bool {
	return r.Code != 0 && (undone.MatchString(r.Stderr) || reading.Reads(args) && busy.MatchString(r.Stderr))
}

// again runs a command until its failure is none that passes, or has not passed while a server restarts. It returns the last result.
func again(run func() Result, passes func(Result) bool) Result {
	r := run()
	for end := time.Now().Add(restart); passes(r) && time.Now().Before(end); r = run() {
		time.Sleep(time.Second)
	}
	return r
}
