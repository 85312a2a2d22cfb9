package references_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/gardener-up/gardener-up/controllers/resourcemanager/references"
)

func TestKey(t *testing.T) {
	t.Run("GRM-24 the hash is the beginning of the name's SHA-256", func(t *testing.T) {
		if got := references.Key(references.KindConfigMap, "test-5678"); got != "reference.resources.gardener.cloud/configmap-4ed34879" {
			t.Errorf("key = %q", got)
		}
	})
	t.Run("GRM-22 what was written can be read", func(t *testing.T) {
		kind, name, ok := references.Parse(references.Key(references.KindSecret, "a"), "a")
		if kind != references.KindSecret || name != "a" || !ok {
			t.Errorf("parsed %q %q %v", kind, name, ok)
		}
	})
	t.Run("other annotations are none", func(t *testing.T) {
		for _, key := range []string{"a", "reference.resources.gardener.cloud/other-12345678"} {
			if _, _, ok := references.Parse(key, "a"); ok {
				t.Errorf("%q is taken for a reference", key)
			}
		}
	})
}

func TestInjectAnnotations(t *testing.T) {
	name := func(n string) corev1.LocalObjectReference { return corev1.LocalObjectReference{Name: n} }
	job := &batchv1.CronJob{}
	job.Spec.JobTemplate.Spec.Template.Spec = corev1.PodSpec{
		ImagePullSecrets: []corev1.LocalObjectReference{name("pull")},
		InitContainers:   []corev1.Container{{EnvFrom: []corev1.EnvFromSource{{SecretRef: &corev1.SecretEnvSource{LocalObjectReference: name("from")}}}}},
		Containers: []corev1.Container{{Env: []corev1.EnvVar{{ValueFrom: &corev1.EnvVarSource{
			ConfigMapKeyRef: &corev1.ConfigMapKeySelector{LocalObjectReference: name("env")},
		}}}}},
		Volumes: []corev1.Volume{
			{VolumeSource: corev1.VolumeSource{Secret: &corev1.SecretVolumeSource{SecretName: "volume"}}},
			{VolumeSource: corev1.VolumeSource{Projected: &corev1.ProjectedVolumeSource{Sources: []corev1.VolumeProjection{
				{ConfigMap: &corev1.ConfigMapProjection{LocalObjectReference: name("projected")}},
			}}}},
		},
	}
	references.InjectAnnotations(job)
	want := map[string]string{}
	for kind, names := range map[string][]string{references.KindSecret: {"pull", "from", "volume"}, references.KindConfigMap: {"env", "projected"}} {
		for _, n := range names {
			want[references.Key(kind, n)] = n
		}
	}
	for where, got := range map[string]map[string]string{
		"object": job.Annotations, "job template": job.Spec.JobTemplate.Annotations, "pod template": job.Spec.JobTemplate.Spec.Template.Annotations,
	} {
		t.Run("GRM-24 references are on the "+where, func(t *testing.T) {
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("annotations (-want +got):\n%s", diff)
			}
		})
	}
}
