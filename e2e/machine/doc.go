// Package machine does what documents advise to do with a machine, on a machine that only the test sees.
//
//	boot.sh          boots systemd on the files of this machine, with its own processes, network and changes
//	system_test.go   such a system
//	service_test.go  a landscape that starts with the machine
//	limit_test.go    limits of the kernel
//	namespaces_test.go  a kernel without user namespaces
package machine
