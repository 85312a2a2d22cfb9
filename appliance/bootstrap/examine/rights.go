package examine

import (
	authorizationv1 "k8s.io/api/authorization/v1"
)

// rights asks whether the user of the kubeconfig may do everything. The operator gets all rights, and nobody can give what they do not
// have.
func (e *examination) rights() bool {
	const check = "rights"
	for what, spec := range map[string]authorizationv1.SelfSubjectAccessReviewSpec{
		"all resources": {ResourceAttributes: &authorizationv1.ResourceAttributes{Verb: "*", Group: "*", Resource: "*"}},
		"all paths":     {NonResourceAttributes: &authorizationv1.NonResourceAttributes{Verb: "*", Path: "*"}},
	} {
		review := &authorizationv1.SelfSubjectAccessReview{Spec: spec}
		if err := e.in.Cluster.Client.Create(e.ctx, review); err != nil {
			return e.problem(check, "take the kubeconfig of an administrator of the cluster", "the rights cannot be asked for: %v", err)
		}
		if !review.Status.Allowed {
			return e.problem(check, "take the kubeconfig of an administrator of the cluster, who is bound to the ClusterRole cluster-admin",
				"the user of the kubeconfig may not do everything with %s: %s", what, review.Status.Reason)
		}
	}
	return e.ok(check, "the user of the kubeconfig is an administrator of the cluster")
}
