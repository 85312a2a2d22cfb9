// Package gardenapi is the Gardener API server: the aggregated API server of a garden that stores the kinds of
// core.gardener.cloud and its sister groups in etcd, checks and completes them, and issues kubeconfigs for shoots.
//
//	config.go         what it needs to know
//	server.go         its life as a component of the appliance
//	build.go          the assembly of one run: serving, authentication, storage, admission, groups
//	register.go       how the garden's kube-apiserver learns of it
//	scheme            the types and their conversions
//	registry          storage per kind
//	admission         plugins that look beyond the one object
//	rbac              the cluster roles of a garden
//
// It runs no controllers and knows nothing about seeds or nodes. It may be imported by the composition root and by
// tests; it must not import k8s.io/kubernetes.
package gardenapi
