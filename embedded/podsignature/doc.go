// Package podsignature marks pods that the landscape itself makes. Nodes whose containers are processes run these pods and no
// others. An administrator of a seed can copy labels, annotations, owners and accounts, and can act as any user, but cannot sign
// without the private key.
//
// A signature covers everything that determines the processes of a pod: namespace, service account, namespaces of the host,
// containers and volumes. It does not cover the node of the pod, its labels or its resources. It leaves out what the API server adds
// to every pod: defaults, and the token of the service account.
//
// The signature is an annotation of the pod's template. It does not change unless the template does.
package podsignature
