package flags

import "slices"

// section adds the flags of one topic.
type section func(*args)

// inProcesses is the order of a server in this process. There are two orders, for historical reasons: processes and pods had different orders
// before they shared this package. The order in pods must stay. The order in processes may be replaced by the order in pods.
func (f Flags) inProcesses() []section {
	return []section{
		f.listen, f.Etcd.add, f.serving, f.transport, f.clients, f.FrontProxy.add, f.Kubelets.add,
		f.Tokens.issuers, f.Tokens.verificationKeys, f.Tokens.signingKey, f.Tokens.validity, f.services, f.hostname,
		f.authentication, f.authorization, f.admission, f.switches, f.emulation, f.tolerations,
		f.Audit.add, f.limits, f.aggregation, f.watchCache, f.verbosity, f.connections, f.privileged,
		f.profiling, f.Guard.add,
	}
}

// inPods is the order of the pods of a Deployment.
func (f Flags) inPods() []section {
	return []section{
		f.listen, f.services, f.hostname, f.serving, f.transport, f.Kubelets.add,
		f.clients, f.authentication, f.FrontProxy.add, f.Tokens.issuers, f.Tokens.signingKey, f.Tokens.verificationKeys, f.Tokens.validity,
		f.Etcd.add, f.Audit.add, f.authorization, f.privileged, f.admission, f.emulation, f.switches, f.tolerations,
		f.limits, f.aggregation, f.watchCache, f.verbosity, f.connections,
		f.profiling, f.Guard.add,
	}
}

// Args returns the flags in a fixed order, for a server in this process.
func (f Flags) Args() []string { return f.render(f.inProcesses()) }

// PodArgs returns the flags in a fixed order, for the pods of a Deployment. Another order would restart the control
// planes of all shoots.
func (f Flags) PodArgs() []string { return f.render(f.inPods()) }

func (f Flags) render(order []section) []string {
	var a args
	for _, add := range order {
		add(&a)
	}
	return slices.Concat(a, f.Extra)
}
