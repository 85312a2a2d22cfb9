package metricsserver

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

// answer is the parsed response of one kubelet.
type answer struct {
	node sample
	pods map[types.NamespacedName]map[string]sample // by container
}

// parse reads the response of a kubelet; now is used for samples without a time.
func parse(r io.Reader, now time.Time) (answer, error) {
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(r)
	if err != nil {
		return answer{}, fmt.Errorf("read metrics: %w", err)
	}
	out := answer{pods: map[types.NamespacedName]map[string]sample{}}
	for name, set := range map[string]func(*sample, float64){
		nodeCPU: setCPU, nodeMemory: setMemory, containerCPU: setCPU, containerMemory: setMemory, containerStarted: setStarted,
	} {
		for _, metric := range families[name].GetMetric() {
			at := now
			if ms := metric.GetTimestampMs(); ms != 0 {
				at = time.UnixMilli(ms)
			}
			if name == nodeCPU || name == nodeMemory {
				set(&out.node, value(metric))
				out.node.at = at
				continue
			}
			out.container(metric, func(s *sample) {
				set(s, value(metric))
				if name != containerStarted && at.After(s.at) {
					s.at = at
				}
			})
		}
	}
	return out, nil
}

func (a answer) container(metric *dto.Metric, change func(*sample)) {
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
	if a.pods[pod] == nil {
		a.pods[pod] = map[string]sample{}
	}
	s := a.pods[pod][name]
	change(&s)
	a.pods[pod][name] = s
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

func setCPU(s *sample, v float64)     { s.cpu = seconds(v) }
func setMemory(s *sample, v float64)  { s.memory = uint64(max(v, 0)) }
func setStarted(s *sample, v float64) { s.started = time.Unix(0, 0).Add(seconds(v)) }

func seconds(v float64) time.Duration { return time.Duration(v * float64(time.Second)) }
