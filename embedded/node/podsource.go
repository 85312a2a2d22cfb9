package node

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	kubernetes_kubelet "k8s.io/kubernetes/pkg/kubelet"
	"k8s.io/kubernetes/pkg/kubelet/config"
	"k8s.io/kubernetes/pkg/kubelet/types"

	"github.com/gardener-up/gardener-up/embedded/node/pods"
)

// youngFor is how long a kubelet lets time pass before first probes that are usual: at intervals of 10 s.
const youngFor = 10 * time.Second

// podSource watches the node's pods and passes them, adapted, to the kubelet. It replaces the kubelet's own source,
// which also sleeps for a second before its first list.
type podSource struct {
	node   string
	client kubernetes.Interface
	send   func([]*corev1.Pod)
}

// newPodSource adds the source to the kubelet's dependencies.
func newPodSource(ctx context.Context, c Config, client kubernetes.Interface, dependencies *kubernetes_kubelet.Dependencies, index *pods.Index) *podSource {
	dependencies.PodConfig = config.NewPodConfig(dependencies.Recorder, dependencies.PodStartupLatencyTracker)
	updates := dependencies.PodConfig.Channel(ctx, types.ApiserverSource)
	update := zeroOf(updates) // the type has no name outside its package
	start, judge := time.Now(), newJudges(c, dependencies.Recorder)
	return &podSource{node: c.Name, client: client, send: func(all []*corev1.Pod) {
		index.Set(all)
		adapted := make([]*corev1.Pod, len(all))
		young := time.Since(start) < youngFor
		for i, judgement := range judge.all(all) {
			adapted[i] = pods.Adapt(all[i], judgement, c.hostPaths(), young)
		}
		update.Pods = adapted
		select {
		case updates <- update:
		case <-ctx.Done():
		}
	}}
}

func zeroOf[T any](chan<- T) (zero T) { return zero }

// run starts to watch once the kubelet knows its Node, if the Node exists already, because pods are admitted by the
// labels of the Node.
func (s *podSource) run(ctx context.Context, k *kubernetes_kubelet.Kubelet) {
	s.awaitNode(ctx, k)
	pods := cache.NewListWatchFromClient(s.client.CoreV1().RESTClient(), "pods", metav1.NamespaceAll, fields.OneTermEqualSelector("spec.nodeName", s.node))
	store := cache.NewUndeltaStore(func(objects []any) {
		all := make([]*corev1.Pod, 0, len(objects))
		for _, object := range objects {
			all = append(all, object.(*corev1.Pod))
		}
		s.send(all)
	}, cache.MetaNamespaceKeyFunc)
	go cache.NewReflector(pods, &corev1.Pod{}, store, 0).Run(ctx.Done())
}

func (s *podSource) awaitNode(ctx context.Context, k *kubernetes_kubelet.Kubelet) {
	if _, err := s.client.CoreV1().Nodes().Get(ctx, s.node, metav1.GetOptions{}); err != nil {
		return // new, or the watch below has to be patient too
	}
	for deadline := time.Now().Add(5 * time.Second); time.Now().Before(deadline); {
		if _, err := k.GetNode(ctx); err == nil {
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(20 * time.Millisecond):
		}
	}
}
