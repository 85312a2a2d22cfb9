// Package kubeletmetrics asks kubelets how much memory and processor time their nodes and containers use.
package kubeletmetrics

import (
	"fmt"
	"io"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"k8s.io/apimachinery/pkg/types"
)

// Names in the response of a kubelet at /metrics/resource.
const (
	nodeCPU          = "node_cpu_usage_seconds_total"
	nodeMemory       = "node_memory_working_set_bytes"
	containerCPU     = "container_cpu_usage_seconds_total"
	containerMemory  = "container_memory_working_set_bytes"
	containerStarted = "container_start_time_seconds"
)

// Sample is the cumulative usage of a node or container at a point in time.
type Sample struct {
	At      time.Time
	Started time.Time     // zero if it is not known
	CPU     time.Duration // processor time since the start
	Memory  uint64        // working set at that time, in bytes
}

// Answer is the parsed response of one kubelet.
type Answer struct {
	Node Sample
	Pods map[types.NamespacedName]map[string]Sample // by container
}

// Parse reads the response of a kubelet; now is used for samples without a time.
func Parse(r io.Reader, now time.Time) (Answer, error) {
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(r)
	if err != nil {
		return Answer{}, fmt.Errorf("read metrics: %w", err)
	}
	out := Answer{Pods: map[types.NamespacedName]map[string]Sample{}}
	for name, set := range map[string]func(*Sample, float64){
		nodeCPU: setCPU, nodeMemory: setMemory, containerCPU: setCPU, containerMemory: setMemory, containerStarted: setStarted,
	} {
		for _, metric := range families[name].GetMetric() {
			at := now
			if ms := metric.GetTimestampMs(); ms != 0 {
				at = time.UnixMilli(ms)
			}
			if name == nodeCPU || name == nodeMemory {
				set(&out.Node, value(metric))
				out.Node.At = at
				continue
			}
			out.container(metric, func(s *Sample) {
				set(s, value(metric))
				if name != containerStarted && at.After(s.At) {
					s.At = at
				}
			})
		}
	}
	return out, nil
}

func (a Answer) container(metric *dto.Metric, change func(*Sample)) {
	var pod types.NamespacedName
	var name string
	for _, label := range metric.GetLabel() {
		switch label.GetName() {
		case "namespace":
			pod.Namespace = label.GetValue()
		case "pod":
			pod.Name = label.GetValue()
		case "container":
			name = label.GetValue()
		}
	}
	if a.Pods[pod] == nil {
		a.Pods[pod] = map[string]Sample{}
	}
	s := a.Pods[pod][name]
	change(&s)
	a.Pods[pod][name] = s
}

// value of a metric, whether the kubelet declares it as a counter or a gauge.
func value(metric *dto.Metric) float64 {
	switch {
	case metric.Counter != nil:
		return metric.Counter.GetValue()
	case metric.Gauge != nil:
		return metric.Gauge.GetValue()
	}
	return metric.Untyped.GetValue()
}

func setCPU(s *Sample, v float64)     { s.CPU = seconds(v) }
func setMemory(s *Sample, v float64)  { s.Memory = uint64(max(v, 0)) }
func setStarted(s *Sample, v float64) { s.Started = time.Unix(0, 0).Add(seconds(v)) }

func seconds(v float64) time.Duration { return time.Duration(v * float64(time.Second)) }
