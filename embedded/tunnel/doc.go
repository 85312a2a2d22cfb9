// Package tunnel lets the API server of a shoot reach what only exists inside the shoot: its nodes, pods and services.
// The shoot needs no port that is reachable from outside (PRT-2). The agent (vpn-shoot-client) runs in the shoot
// and sends an HTTP CONNECT request to the front door of the seed, which connects it to the server (vpn-seed-server) beside the
// API server. Both ends authenticate by certificates of the shoot's VPN authority. Over this one connection the server opens a
// stream for every connection of the API server. The API server sends HTTP CONNECT requests to the server, as its
// EgressSelectorConfiguration says.
//
//	kube-apiserver ─CONNECT─► Server ═══ streams ═══ front door :8132 ◄─CONNECT── Agent ─► node, pod or service
//
// The package knows nothing of Kubernetes objects.
package tunnel
