// Package noexec takes from a process the ability to start programs, or to remove files. Components that are processes of an embedded node read files
// that users of the seed can write, such as kubeconfigs. A kubeconfig can name a program to start. These files must not decide what
// a component may do on the machine.
package noexec
