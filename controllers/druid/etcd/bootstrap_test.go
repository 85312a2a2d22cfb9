package etcd

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	druidv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/druid/v1alpha1"
	"github.com/gardener-up/gardener-up/embedded/etcd/configfile"
)

func TestFormerConfigurations(t *testing.T) {
	pod := func(content string) corev1.PodSpec {
		return corev1.PodSpec{Containers: []corev1.Container{{Args: bootstrap{content: []byte(content)}.args()}}}
	}
	key := func(content string) string {
		return configfile.Former("etcd.conf.yaml", configfile.Sum([]byte(content)))
	}
	set := &appsv1.StatefulSet{}
	set.Spec.Template.Spec = pod("a: 2")
	for name, tc := range map[string]struct {
		stored map[string]string
		pods   []corev1.Pod
		want   map[string]string
	}{
		"ETC-2 the file of the template that an update replaces stays": {
			stored: map[string]string{"etcd.conf.yaml": "a: 2"}, want: map[string]string{"etcd.conf.yaml": "a: 3", key("a: 2"): "a: 2"},
		},
		"ETC-2 the file of a member that an earlier update has not reached stays": {
			stored: map[string]string{"etcd.conf.yaml": "a: 2", key("a: 1"): "a: 1"}, pods: []corev1.Pod{{Spec: pod("a: 1")}, {Spec: pod("a: 2")}},
			want: map[string]string{"etcd.conf.yaml": "a: 3", key("a: 1"): "a: 1", key("a: 2"): "a: 2"},
		},
		"ETC-2 a file that no member names, or that somebody changed, is removed": {
			stored: map[string]string{"etcd.conf.yaml": "a: 2", key("a: 1"): "a: 1", key("a: 0"): "a: 9"}, pods: []corev1.Pod{{Spec: pod("a: 0")}},
			want: map[string]string{"etcd.conf.yaml": "a: 3", key("a: 2"): "a: 2"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			got := bootstrap{content: []byte("a: 3")}.withFormer(tc.stored, set, tc.pods)
			if diff := cmp.Diff(tc.want, got.configMap(&druidv1alpha1.Etcd{}).Data); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
