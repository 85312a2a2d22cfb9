package proof

import (
	"context"
	"errors"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/kubernetes/fake"
	"sigs.k8s.io/controller-runtime/pkg/client"
	clientfake "sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/gardener-up/gardener-up/appliance/bootstrap/cluster"
)

// kubelets are nodes that have the image or not.
func kubelets(has map[string]bool) client.Client {
	return clientfake.NewClientBuilder().WithInterceptorFuncs(interceptor.Funcs{
		Create: func(ctx context.Context, c client.WithWatch, object client.Object, options ...client.CreateOption) error {
			pod, is := object.(*corev1.Pod)
			if !is || pod.Spec.Containers[0].ImagePullPolicy != corev1.PullNever {
				return errors.New("a pod that pulls")
			}
			node := pod.Spec.Affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution.NodeSelectorTerms[0].MatchFields[0].Values[0]
			pod.Status.Phase = corev1.PodSucceeded
			if !has[node] {
				pod.Status = corev1.PodStatus{Phase: corev1.PodPending, ContainerStatuses: []corev1.ContainerStatus{{
					State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "ErrImageNeverPull", Message: "not present with pull policy of Never"}},
				}}}
			}
			return c.Create(ctx, pod, options...)
		},
	}).Build()
}

func TestEachNode(t *testing.T) {
	has := map[string]bool{"a": true, "c": true, strings.Repeat("long.", 50): true}
	c := kubelets(has)
	in := Inputs{Cluster: &cluster.Cluster{Client: c, Kubernetes: fake.NewClientset()}, Image: "gardener.local/gardener:v1"}
	for name, tc := range map[string]struct {
		nodes []string
		want  string
	}{
		"nodes without the image are named, and no others": {[]string{"a", "b", "c", "d"}, "the image is not there: nodes without gardener.local/gardener:v1: b, d"},
		"the version is compared on each node":             {[]string{strings.Repeat("long.", 50)}, "not that of this program"}, // what the client of the test prints
	} {
		t.Run("APP-25 "+name, func(t *testing.T) {
			in := in
			in.Nodes = tc.nodes
			err := Run(t.Context(), in)
			if err == nil || !strings.Contains(err.Error(), tc.want) || strings.Contains(tc.want, "nodes without") != errors.Is(err, ErrAbsent) {
				t.Errorf("error %v, want one with %q", err, tc.want)
			}
			pods := &corev1.PodList{}
			if err := c.List(t.Context(), pods); err != nil || len(pods.Items) > 0 {
				t.Errorf("left: %d pods, %v", len(pods.Items), err)
			}
		})
	}
}
