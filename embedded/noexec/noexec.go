// Package noexec takes from a process the ability to start programs. Components that are processes of an embedded node read
// files that users of the seed can write, such as kubeconfigs, and a kubeconfig can name a program to start. What such a
// component may do on the machine must not depend on those files.
package noexec
