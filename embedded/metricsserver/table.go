package metricsserver

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/metrics/pkg/apis/metrics"
)

// ConvertToTable shows nodes as `kubectl get nodes.metrics.k8s.io` prints them.
func (nodes) ConvertToTable(_ context.Context, object, options runtime.Object) (*metav1.Table, error) {
	var rows []row
	switch o := object.(type) {
	case *metrics.NodeMetrics:
		rows = append(rows, nodeRow(o))
	case *metrics.NodeMetricsList:
		for i := range o.Items {
			rows = append(rows, nodeRow(&o.Items[i]))
		}
	}
	return table(rows, options), nil
}

// ConvertToTable shows pods with the sums of their containers.
func (pods) ConvertToTable(_ context.Context, object, options runtime.Object) (*metav1.Table, error) {
	var rows []row
	switch o := object.(type) {
	case *metrics.PodMetrics:
		rows = append(rows, podRow(o))
	case *metrics.PodMetricsList:
		for i := range o.Items {
			rows = append(rows, podRow(&o.Items[i]))
		}
	}
	return table(rows, options), nil
}

type row struct {
	object runtime.Object
	name   string
	usage  corev1.ResourceList
	window time.Duration
}

func nodeRow(n *metrics.NodeMetrics) row { return row{n, n.Name, n.Usage, n.Window.Duration} }

func podRow(p *metrics.PodMetrics) row {
	sum := corev1.ResourceList{}
	for _, container := range p.Containers {
		for name, amount := range container.Usage {
			total := sum[name]
			total.Add(amount)
			sum[name] = total
		}
	}
	return row{p, p.Name, sum, p.Window.Duration}
}

func table(rows []row, options runtime.Object) *metav1.Table {
	out := &metav1.Table{}
	if o, ok := options.(*metav1.TableOptions); !ok || !o.NoHeaders {
		out.ColumnDefinitions = []metav1.TableColumnDefinition{
			{Name: "Name", Type: "string", Format: "name"}, {Name: "CPU", Type: "string"}, {Name: "Memory", Type: "string"}, {Name: "Window", Type: "string"},
		}
	}
	for _, r := range rows {
		out.Rows = append(out.Rows, metav1.TableRow{
			Cells: []any{
				r.name, fmt.Sprintf("%dm", r.usage.Cpu().MilliValue()), fmt.Sprintf("%dMi", r.usage.Memory().Value()>>20), r.window.Round(time.Millisecond).String(),
			},
			Object: runtime.RawExtension{Object: r.object},
		})
	}
	return out
}
