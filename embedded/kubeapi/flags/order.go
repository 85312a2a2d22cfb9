package flags

import "slices"

// section adds the flags of one topic.
type section func(Flags, *args)

// There are two orders, for historical reasons: processes and pods had different orders before they shared this package. The order
// in pods must stay. The order in processes may be replaced by the order in pods.
var (
	inProcesses = []section{
		Flags.listen, Flags.etcd, Flags.serving, Flags.transport, Flags.clients, Flags.frontProxy, Flags.kubelets,
		Flags.issuers, Flags.verificationKeys, Flags.signingKey, Flags.tokens, Flags.services, Flags.hostname,
		Flags.authentication, Flags.authorization, Flags.admission, Flags.switches, Flags.emulation, Flags.tolerations,
		Flags.audit, Flags.limits, Flags.aggregation, Flags.watchCache, Flags.verbosity, Flags.connections, Flags.privileged,
		Flags.profiling, Flags.guard,
	}
	inPods = []section{
		Flags.listen, Flags.services, Flags.hostname, Flags.serving, Flags.transport, Flags.kubelets,
		Flags.clients, Flags.authentication, Flags.frontProxy, Flags.issuers, Flags.signingKey, Flags.verificationKeys, Flags.tokens,
		Flags.etcd, Flags.audit, Flags.authorization, Flags.privileged, Flags.admission, Flags.emulation, Flags.switches, Flags.tolerations,
		Flags.limits, Flags.aggregation, Flags.watchCache, Flags.verbosity, Flags.connections,
		Flags.profiling, Flags.guard,
	}
)

// Args returns the flags in a fixed order, for a server in this process.
func (f Flags) Args() []string { return f.render(inProcesses) }

// PodArgs returns the flags in a fixed order, for the pods of a Deployment. Another order would restart the control
// planes of all shoots.
func (f Flags) PodArgs() []string { return f.render(inPods) }

func (f Flags) render(order []section) []string {
	var a args
	for _, add := range order {
		add(f, &a)
	}
	return slices.Concat(a, f.Extra)
}
