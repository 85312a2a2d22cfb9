package peruser

import (
	"context"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	"k8s.io/apiserver/pkg/server/httplog"
	"k8s.io/apiserver/pkg/util/flowcontrol"
	"k8s.io/apiserver/pkg/util/flowcontrol/fairqueuing"
	"k8s.io/apiserver/pkg/util/flowcontrol/request"
)

// Fair is a server's priority and fairness with the limits of requests that have seats, at one priority level. A request above the
// limits is answered with 429 as soon as its turn comes, so it does not keep a seat from others. A server in a process of its own
// logs why, from verbosity 3 on. Requests that wait do not count, and watches count until their first events are sent.
func (l Limits) Fair(next flowcontrol.Interface, level string) flowcontrol.Interface {
	return &fair{Interface: next, limits: l, level: level, taken: newCounter()}
}

type fair struct {
	flowcontrol.Interface
	limits Limits
	level  string
	taken  *counter
}

func (f *fair) Handle(ctx context.Context, digest flowcontrol.RequestDigest,
	note func(*flowcontrolv1.FlowSchema, *flowcontrolv1.PriorityLevelConfiguration, string), estimate func() request.WorkEstimate,
	queued fairqueuing.QueueNoteFn, execute func(),
) {
	limited, width := false, 1
	f.Interface.Handle(ctx, digest, func(schema *flowcontrolv1.FlowSchema, level *flowcontrolv1.PriorityLevelConfiguration, flow string) {
		limited = level.Name == f.level
		note(schema, level, flow)
	}, func() request.WorkEstimate {
		work := estimate()
		width = int(work.InitialSeats)
		return work
	}, queued, func() {
		if limited {
			places := f.limits.ending(owner(digest.User.GetName()), width)
			if full := f.taken.enter(places); full != nil {
				httplog.AddKeyValue(ctx, "refused", full.reason())
				return // without a call of execute, the server answers 429
			}
			defer f.taken.leave(places)
		}
		execute()
	})
}
