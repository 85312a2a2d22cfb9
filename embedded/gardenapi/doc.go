// Package gardenapi is the Gardener API server: the aggregated API server of a garden that stores the kinds of
// core.gardener.cloud and its sister groups in etcd, checks and completes them, and issues kubeconfigs for shoots.
//
//	config.go         the inputs of the server
//	server.go         start and stop as a component of the appliance
//	build.go          the assembly of one run: serving, authentication, storage, admission, groups
//	register.go       the registration with the garden's kube-apiserver
//	scheme            the types and their conversions
//	registry          storage per kind
//	admission         plugins that look at more than one object
//	rbac              the cluster roles of a garden
//
// The package runs no controllers and knows nothing about seeds or nodes. Only the composition root and tests may import
// it. It must not import k8s.io/kubernetes.
package gardenapi
