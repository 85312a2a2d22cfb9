// Package podnet is the daemon's side of the network of one pod. The pod has a network namespace of its own, which has no way out but
// this package.
//
// Out of the pod: nftables in the namespace redirect each TCP connection and UDP packet to sockets of this package, which asks
// a function of the owner (Decide) where the original destination leads, and relays. What the function does not allow does not
// leave the pod. There is no list of exceptions.
//
// Into the pod: the package watches on which ports the pod listens, listens at the same ports of the pod's address on
// the machine, and relays. Programs of this process connect by Dial, which needs no port of the machine.
//
// The alternative was a tun device with the TCP/IP implementation of gVisor. Redirection was chosen for three reasons. It works
// where a user may not open /dev/net/tun. Data is copied between two sockets by the kernel, without a second implementation of TCP. And the
// sockets that package inside makes in the namespace are used from here, so the agent of the pod is not on the way of any data.
//
// The kernel would accept a redirected connection before its destination has answered. Therefore it holds the first packet of each
// TCP connection until this package is connected to the destination, and refuses the connection if that fails. A kernel that
// cannot hold packets (nfnetlink_queue) accepts at once, and a refused connection is reset just after it has begun.
//
// The network carries IPv4. This package imports no package of Kubernetes.
package podnet
