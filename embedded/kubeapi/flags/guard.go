package flags

// Guard bounds what a server reaches for its users. These flags belong to the component of this binary, not to kube-apiserver itself.
//
// Requests on behalf of users may reach the names Hosts at any address; "*" stands for any text. If there are any, such requests
// otherwise reach neither the machine nor private networks nor the ranges Refused, except for the endpoints Allowed (address:port) and
// the private networks Private. Connections to kubelets reach only the addresses of the name Nodes.
type Guard struct {
	Hosts, Allowed, Refused, Private []string
	Nodes                            string
	// Simulated are the ranges of Services and pods of the cluster, if its pods are only simulated.
	Simulated []string
}

func (g Guard) add(a *args) {
	a.list(FlagGuardHosts, g.Hosts)
	a.list(FlagGuardAllow, g.Allowed)
	a.text(FlagGuardNodes, g.Nodes)
	a.list(FlagGuardRefuse, g.Refused)
	a.list(FlagGuardPrivate, g.Private)
	a.list(FlagGuardSimulated, g.Simulated)
}
