// Package tunnel lets the API server of a shoot reach what only exists inside the shoot: its nodes, pods and services.
// Nothing in the shoot has to be reachable from outside for that (PRT-2). The agent (vpn-shoot-client) runs in the shoot
// and dials the front door of the seed, which leads it by an HTTP CONNECT request to the server (vpn-seed-server) beside the
// API server. Over this one connection, which both ends check by certificates of the shoot's VPN authority, the server opens a
// stream for every connection of the API server; the API server itself talks HTTP CONNECT to the server, as its
// EgressSelectorConfiguration tells it.
//
//	kube-apiserver ─CONNECT─► Server ═══ streams ═══ front door :8132 ◄─CONNECT── Agent ─► node, pod or service
//
// The package knows nothing of Kubernetes objects.
package tunnel
