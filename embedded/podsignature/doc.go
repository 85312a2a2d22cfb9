// Package podsignature marks pods that a landscape itself makes, so that nodes whose containers are processes run these
// pods and no others. Whoever administers a seed can copy labels, annotations, owners and accounts, and can be any user;
// without the private key nobody can sign.
//
// A signature covers what decides about the processes of a pod: namespace, service account, namespaces of the host,
// containers and volumes. It does not cover where the pod runs, its labels or its resources. It leaves out what the API
// server adds to every pod: defaults, and the token of the service account.
//
// The signature is an annotation of the pod's template. It does not change unless the template does.
package podsignature
