package metricsserver

import (
	"context"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/internalversion"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/registry/rest"
	listers "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/metrics/pkg/apis/metrics"
)

// nodes serves the resource nodes.
type nodes struct {
	store *store
	nodes listers.NodeLister
}

var _ readable = nodes{}

// readable is the interface that both resources implement.
type readable interface {
	rest.Storage
	rest.KindProvider
	rest.Scoper
	rest.Getter
	rest.Lister
	rest.SingularNameProvider
}

func (nodes) New() runtime.Object     { return &metrics.NodeMetrics{} }
func (nodes) NewList() runtime.Object { return &metrics.NodeMetricsList{} }
func (nodes) Kind() string            { return "NodeMetrics" }
func (nodes) GetSingularName() string { return "" }
func (nodes) NamespaceScoped() bool   { return false }
func (nodes) Destroy()                {}

func (n nodes) Get(_ context.Context, name string, _ *metav1.GetOptions) (runtime.Object, error) {
	if node, err := n.nodes.Get(name); err == nil {
		if out, ok := n.of(node); ok {
			return &out, nil
		}
	}
	return nil, apierrors.NewNotFound(metrics.Resource("nodes"), name)
}

func (n nodes) List(_ context.Context, options *internalversion.ListOptions) (runtime.Object, error) {
	byLabel, byField := selectors(options)
	all, err := n.nodes.List(byLabel)
	if err != nil {
		return nil, apierrors.NewInternalError(err)
	}
	out := &metrics.NodeMetricsList{}
	for _, node := range all {
		if !byField.Matches(fields.Set{"metadata.name": node.Name}) {
			continue
		}
		if item, ok := n.of(node); ok {
			out.Items = append(out.Items, item)
		}
	}
	slices.SortFunc(out.Items, func(a, b metrics.NodeMetrics) int { return strings.Compare(a.Name, b.Name) })
	return out, nil
}

func (n nodes) of(node *corev1.Node) (metrics.NodeMetrics, bool) {
	u, ok := n.store.node(node.Name)
	return metrics.NodeMetrics{
		ObjectMeta: metav1.ObjectMeta{Name: node.Name, Labels: node.Labels, CreationTimestamp: metav1.NewTime(time.Now())},
		Timestamp:  metav1.NewTime(u.at), Window: metav1.Duration{Duration: u.window}, Usage: u.resources,
	}, ok
}

// pods serves the resource pods. lister knows only the metadata of pods.
type pods struct {
	store  *store
	lister cache.GenericLister
}

var _ readable = pods{}

func (pods) New() runtime.Object     { return &metrics.PodMetrics{} }
func (pods) NewList() runtime.Object { return &metrics.PodMetricsList{} }
func (pods) Kind() string            { return "PodMetrics" }
func (pods) GetSingularName() string { return "" }
func (pods) NamespaceScoped() bool   { return true }
func (pods) Destroy()                {}

func (p pods) Get(ctx context.Context, name string, _ *metav1.GetOptions) (runtime.Object, error) {
	if object, err := p.lister.ByNamespace(request.NamespaceValue(ctx)).Get(name); err == nil {
		if out, ok := p.of(object); ok {
			return &out, nil
		}
	}
	return nil, apierrors.NewNotFound(metrics.Resource("pods"), name)
}

func (p pods) List(ctx context.Context, options *internalversion.ListOptions) (runtime.Object, error) {
	byLabel, byField := selectors(options)
	all, err := p.lister.ByNamespace(request.NamespaceValue(ctx)).List(byLabel)
	if err != nil {
		return nil, apierrors.NewInternalError(err)
	}
	out := &metrics.PodMetricsList{}
	for _, object := range all {
		item, ok := p.of(object)
		if ok && byField.Matches(fields.Set{"metadata.name": item.Name, "metadata.namespace": item.Namespace}) {
			out.Items = append(out.Items, item)
		}
	}
	slices.SortFunc(out.Items, func(a, b metrics.PodMetrics) int {
		return strings.Compare(a.Namespace+"/"+a.Name, b.Namespace+"/"+b.Name)
	})
	return out, nil
}

func (p pods) of(object runtime.Object) (metrics.PodMetrics, bool) {
	pod, isMeta := object.(*metav1.PartialObjectMetadata)
	if !isMeta {
		return metrics.PodMetrics{}, false
	}
	containers, ok := p.store.pod(types.NamespacedName{Namespace: pod.Namespace, Name: pod.Name})
	out := metrics.PodMetrics{ObjectMeta: metav1.ObjectMeta{
		Name: pod.Name, Namespace: pod.Namespace, Labels: pod.Labels, CreationTimestamp: metav1.NewTime(time.Now()),
	}}
	for name, u := range containers {
		if out.Timestamp.IsZero() || u.at.Before(out.Timestamp.Time) { // the oldest sample counts for the pod
			out.Timestamp, out.Window = metav1.NewTime(u.at), metav1.Duration{Duration: u.window}
		}
		out.Containers = append(out.Containers, metrics.ContainerMetrics{Name: name, Usage: u.resources})
	}
	slices.SortFunc(out.Containers, func(a, b metrics.ContainerMetrics) int { return strings.Compare(a.Name, b.Name) })
	return out, ok
}

func selectors(options *internalversion.ListOptions) (labels.Selector, fields.Selector) {
	byLabel, byField := labels.Everything(), fields.Everything()
	if options != nil && options.LabelSelector != nil {
		byLabel = options.LabelSelector
	}
	if options != nil && options.FieldSelector != nil {
		byField = options.FieldSelector
	}
	return byLabel, byField
}
