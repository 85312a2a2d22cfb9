package network

import (
	"os"
	"strings"
	"testing"

	"github.com/go-logr/logr"
	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"
)

func TestRender(t *testing.T) {
	got, err := render("# a comment\nkind: A\nsubnet: {{ .PodSubnet }}\n---\n# nothing\n---\nkind: B\n", "100.96.0.0/11")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff("kind: A\nsubnet: 100.96.0.0/11\n---\nkind: B\n", string(got.documents)); diff != "" || len(got.daemons) > 0 {
		t.Errorf("documents (-want +got):\n%s\ndaemons %v", diff, got.daemons)
	}
	for _, text := range []string{"{{ .Other }}", "{{", "kind: [", "kind: DaemonSet\nmetadata: x\n", "kind: DaemonSet\nspec: {template: {spec: {tolerations: 1}}}\n"} {
		if _, err := render(text, ""); err == nil || !strings.Contains(err.Error(), "of the network") {
			t.Errorf("%q: error is %v", text, err)
		}
	}
}

func TestCriticalDaemon(t *testing.T) {
	const label, taint = "node.gardener.cloud/critical-component", "node.gardener.cloud/critical-components-not-ready"
	ofNodes, err := os.ReadFile("../../hack/kind/nodeimage/files/default-cni.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"NWX-5 NOD-5 the daemon of the node image of tests":          string(ofNodes),
		"NWX-5 NOD-5 a daemon without labels and tolerations":        "kind: DaemonSet\nmetadata: {name: podnet}\n",
		"NWX-5 NOD-5 a daemon that tolerates another taint":          "kind: DaemonSet\nmetadata: {name: podnet}\nspec: {template: {spec: {tolerations: [{key: a, operator: Exists}]}}}\n",
		"NWX-5 NOD-5 a daemon that tolerates all effects NoSchedule": "kind: DaemonSet\nmetadata: {name: podnet}\nspec: {template: {spec: {tolerations: [{operator: Exists, effect: NoSchedule}]}}}\n",
		"NWX-5 NOD-5 a daemon that tolerates only NoExecute":         "kind: DaemonSet\nmetadata: {name: podnet}\nspec: {template: {spec: {tolerations: [{operator: Exists, effect: NoExecute}]}}}\n",
	} {
		t.Run(name, func(t *testing.T) {
			got, err := render(text, "100.96.0.0/11")
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff([]string{"podnet"}, got.daemons); diff != "" {
				t.Errorf("daemons (-want +got):\n%s", diff)
			}
			documents := strings.Split(string(got.documents), "---\n")
			daemon := appsv1.DaemonSet{}
			if err := yaml.UnmarshalStrict([]byte(documents[len(documents)-1]), &daemon); err != nil {
				t.Fatal(err)
			}
			if daemon.Labels[label] != "true" || daemon.Spec.Template.Labels[label] != "true" {
				t.Errorf("labels are %v, those of pods %v", daemon.Labels, daemon.Spec.Template.Labels)
			}
			covered := 0
			for _, toleration := range daemon.Spec.Template.Spec.Tolerations {
				if toleration.ToleratesTaint(logr.Discard(), &corev1.Taint{Key: taint, Effect: corev1.TaintEffectNoSchedule}, false) {
					covered++
				}
			}
			if covered != 1 {
				t.Errorf("%d tolerations cover the taint: %+v", covered, daemon.Spec.Template.Spec.Tolerations)
			}
			if want := daemon.Spec.Selector; want != nil && daemon.Spec.Template.Labels["app"] != want.MatchLabels["app"] {
				t.Errorf("pods have %v, the selector is %v", daemon.Spec.Template.Labels, want)
			}
		})
	}
}
