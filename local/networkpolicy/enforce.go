package networkpolicy

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
)

// pause lets changes gather, and follows a failure.
const pause = 100 * time.Millisecond

// Enforce keeps the rules of a node up to date until ctx ends; the rules stay in place after that. It returns an error only if it
// cannot begin. Later errors go to stderr, and the update is tried again.
func Enforce(ctx context.Context, client kubernetes.Interface, node string) error {
	factory := informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithTransform(slim))
	pods, namespaces, policies := factory.Core().V1().Pods(), factory.Core().V1().Namespaces(), factory.Networking().V1().NetworkPolicies()
	changed := make(chan struct{}, 1)
	for _, informer := range []cache.SharedIndexInformer{pods.Informer(), namespaces.Informer(), policies.Informer()} {
		if _, err := informer.AddEventHandler(notify(changed)); err != nil {
			return fmt.Errorf("watch what decides about policies: %w", err)
		}
	}
	factory.Start(ctx.Done())
	factory.WaitForCacheSync(ctx.Done())
	servers, err := resolvers()
	if err != nil {
		return err
	}
	loaded := ""
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-changed:
		}
		w := World{Node: node, Resolvers: servers}
		w.Pods, _ = pods.Lister().List(labels.Everything())
		w.Namespaces, _ = namespaces.Lister().List(labels.Everything())
		w.Policies, _ = policies.Lister().List(labels.Everything())
		if rules := Rules(w); rules != loaded {
			if err := load(ctx, rules); err == nil {
				loaded = rules
			} else if ctx.Err() == nil {
				fmt.Fprintln(os.Stderr, "podnet:", err)
				again(changed)
			}
		}
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
	}
}

// notify asks for another round at every event.
func notify(changed chan<- struct{}) cache.ResourceEventHandler {
	return cache.ResourceEventHandlerFuncs{
		AddFunc:    func(any) { again(changed) },
		UpdateFunc: func(_, _ any) { again(changed) },
		DeleteFunc: func(any) { again(changed) },
	}
}

func again(changed chan<- struct{}) {
	select {
	case changed <- struct{}{}:
	default: // a round is already requested
	}
}

// slim leaves of objects what rules are made of.
func slim(object any) (any, error) {
	if accessor, err := meta.Accessor(object); err == nil {
		accessor.SetManagedFields(nil)
		accessor.SetAnnotations(nil)
	}
	if pod, ok := object.(*corev1.Pod); ok {
		spec := corev1.PodSpec{NodeName: pod.Spec.NodeName, HostNetwork: pod.Spec.HostNetwork}
		for _, containers := range [][]corev1.Container{pod.Spec.InitContainers, pod.Spec.Containers} {
			for _, container := range containers {
				spec.Containers = append(spec.Containers, corev1.Container{Name: container.Name, Ports: container.Ports})
			}
		}
		pod.Spec, pod.Status = spec, corev1.PodStatus{Phase: pod.Status.Phase, PodIP: pod.Status.PodIP}
	}
	return object, nil
}

// resolvers are the name servers of the node, whose network this process is in.
func resolvers() ([]string, error) {
	data, err := os.ReadFile("/etc/resolv.conf")
	if err != nil {
		return nil, fmt.Errorf("read name servers: %w", err)
	}
	var out []string
	for line := range strings.Lines(string(data)) {
		if fields := strings.Fields(line); len(fields) == 2 && fields[0] == "nameserver" && isIPv4(fields[1]) && !slices.Contains(out, fields[1]) {
			out = append(out, fields[1])
		}
	}
	return out, nil
}

// load replaces the rules in the kernel.
func load(ctx context.Context, rules string) error {
	cmd := exec.CommandContext(ctx, "nft", "-f", "-")
	cmd.Stdin = strings.NewReader(rules)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("load rules: %w: %s", err, bytes.TrimSpace(out))
	}
	return nil
}
