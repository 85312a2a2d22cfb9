package metricsserver

import (
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/gardener-up/gardener-up/embedded/kubeletmetrics"
)

// told is what a kubelet says t seconds after one o'clock, when the container web has used cpu seconds since ten to one.
func told(at, cpu, start string) string {
	return strings.NewReplacer("AT", "17600004"+at+"000", "CPU", cpu, "START", start).Replace(`# HELP container_cpu_usage_seconds_total [STABLE] Cumulative cpu time consumed by the container in core-seconds
# TYPE container_cpu_usage_seconds_total counter
container_cpu_usage_seconds_total{container="web",namespace="default",pod="web-1"} CPU AT
# HELP container_memory_working_set_bytes [STABLE] Current working set of the container in bytes
# TYPE container_memory_working_set_bytes gauge
container_memory_working_set_bytes{container="web",namespace="default",pod="web-1"} 1.048576e+07 AT
# TYPE container_start_time_seconds gauge
container_start_time_seconds{container="web",namespace="default",pod="web-1"} START
# TYPE node_cpu_usage_seconds_total counter
node_cpu_usage_seconds_total CPU AT
# TYPE node_memory_working_set_bytes gauge
node_memory_working_set_bytes 2.097152e+07 AT
# TYPE pod_cpu_usage_seconds_total counter
pod_cpu_usage_seconds_total{namespace="default",pod="web-1"} 99 AT
# TYPE resource_scrape_error gauge
resource_scrape_error 0
`)
}

var web = types.NamespacedName{Namespace: "default", Name: "web-1"}

func feed(t *testing.T, texts ...string) *store {
	t.Helper()
	s := newStore()
	for _, text := range texts {
		a, err := kubeletmetrics.Parse(strings.NewReader(text), time.Now())
		if err != nil {
			t.Fatal(err)
		}
		s.put([]string{"node"}, map[string]kubeletmetrics.Answer{"node": a})
	}
	return s
}

func TestUsage(t *testing.T) {
	const long = "1760000000" // the container has run for minutes
	for name, tc := range map[string]struct {
		texts       []string
		cpu, memory string // empty if it is not known
		window      time.Duration
	}{
		"one answer about an old container is not enough":              {texts: []string{told("00", "10", long)}},
		"API-21 two answers give the mean between them":                {texts: []string{told("00", "10", long), told("20", "15", long)}, cpu: "250m", memory: "10Mi", window: 20 * time.Second},
		"the last two answers count":                                   {texts: []string{told("00", "10", long), told("20", "15", long), told("30", "25", long)}, cpu: "1", memory: "10Mi", window: 10 * time.Second},
		"a repeated sample changes nothing":                            {texts: []string{told("00", "10", long), told("20", "15", long), told("20", "15", long)}, cpu: "250m", memory: "10Mi", window: 20 * time.Second},
		"after a restart counting begins anew":                         {texts: []string{told("00", "10", long), told("20", "1", "1760000419")}},
		"a container that has just started is measured from the start": {texts: []string{told("20", "5", "1760000400")}, cpu: "250m", memory: "10Mi", window: 20 * time.Second},
		"one that is too young is not measured":                        {texts: []string{told("20", "5", "1760000415")}},
	} {
		t.Run(name, func(t *testing.T) {
			containers, known := feed(t, tc.texts...).pod(web)
			if known != (tc.cpu != "") {
				t.Fatalf("usage is known: %t: %v", known, containers)
			}
			if !known {
				return
			}
			u := containers["web"]
			if cpu, memory := u.resources.Cpu().String(), u.resources.Memory().String(); cpu != tc.cpu || memory != tc.memory || u.window != tc.window {
				t.Errorf("usage is %s, %s in %s, want %s, %s in %s", cpu, memory, u.window, tc.cpu, tc.memory, tc.window)
			}
		})
	}
}

func TestStore(t *testing.T) {
	s := feed(t, told("00", "10", "1760000000"), told("20", "15", "1760000000"))
	if u, ok := s.node("node"); !ok || u.resources.Cpu().String() != "250m" || u.resources.Memory().String() != "20Mi" {
		t.Errorf("the node uses %v", u.resources)
	}
	s.put([]string{"node"}, nil)
	if _, ok := s.pod(web); !ok {
		t.Error("a kubelet that was silent once is forgotten")
	}
	s.put(nil, nil)
	if _, ok := s.node("node"); ok {
		t.Error("a node that has gone is remembered")
	}
	if _, ok := s.pod(web); ok {
		t.Error("a pod of a node that has gone is remembered")
	}
}
