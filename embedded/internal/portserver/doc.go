// Package portserver serves a port of this machine by relaying: each TCP connection, and the packets of each UDP client, go to a
// connection that the owner of the port makes. It is for the servers below embedded/ that replace kube-proxy.
package portserver
