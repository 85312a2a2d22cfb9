package etcd

import (
	"context"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	druidv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/druid/v1alpha1"
	"github.com/gardener-up/gardener-up/embedded/etcd/configfile"
)

const (
	bootstrapVolume = "etcd-config"
	bootstrapDir    = "var/etcd/config"
	bootstrapFile   = "etcd.conf.yaml"

	// sumFlag precedes the checksum of the file.
	sumFlag = "--etcd-config-sum="
)

// bootstrap is the configuration that members begin with. Its checksum is an argument of the members, so a change restarts them, and
// a file that others write is refused: a member has the buckets of all shoots, and flags of etcd name files.
type bootstrap struct {
	content []byte
	// former are the files that members still begin with until they are updated, by their keys in the ConfigMap. Without them, a
	// member whose machine restarts during an update could not begin again.
	former map[string]string
}

func bootstrapOf(etcd *druidv1alpha1.Etcd) (bootstrap, error) {
	content, err := configfile.Encode(commonArgs(etcd))
	if err != nil {
		return bootstrap{}, fmt.Errorf("configuration of the members: %w", err)
	}
	return bootstrap{content: content}, nil
}

// bootstrapName is the name of the ConfigMap, as clients of etcd-druid know it.
func bootstrapName(etcd *druidv1alpha1.Etcd) string {
	uid := string(etcd.UID)
	return "etcd-bootstrap-" + uid[:min(len(uid), 6)]
}

func (b bootstrap) configMap(etcd *druidv1alpha1.Etcd) *corev1.ConfigMap {
	data := map[string]string{bootstrapFile: string(b.content)}
	maps.Copy(data, b.former)
	return &corev1.ConfigMap{ObjectMeta: meta(etcd, bootstrapName(etcd)), Data: data}
}

// withFormer returns the configuration with the former files that pods, or the StatefulSet as it is, name by their checksum. Files that
// do not have it are left out: somebody changed them.
func (b bootstrap) withFormer(stored map[string]string, set *appsv1.StatefulSet, pods []corev1.Pod) bootstrap {
	needed := sumsIn(set.Spec.Template.Spec)
	for i := range pods {
		needed = append(needed, sumsIn(pods[i].Spec)...)
	}
	b.former = map[string]string{}
	for _, content := range stored {
		if sum := configfile.Sum([]byte(content)); sum != configfile.Sum(b.content) && slices.Contains(needed, sum) {
			b.former[configfile.Former(bootstrapFile, sum)] = content
		}
	}
	return b
}

// sumsIn are the checksums that the arguments of a pod name.
func sumsIn(pod corev1.PodSpec) (sums []string) {
	for _, container := range pod.Containers {
		for _, arg := range container.Args {
			if sum, is := strings.CutPrefix(arg, sumFlag); is {
				sums = append(sums, sum)
			}
		}
	}
	return sums
}

// keepFormer adds the files that members need until they are updated to the configuration. The StatefulSet may be nil.
func (r *Reconciler) keepFormer(ctx context.Context, etcd *druidv1alpha1.Etcd, begin bootstrap, set *appsv1.StatefulSet) (bootstrap, error) {
	if set == nil {
		return begin, nil
	}
	config := &corev1.ConfigMap{}
	key := client.ObjectKey{Namespace: etcd.Namespace, Name: bootstrapName(etcd)}
	if err := r.Reader.Get(ctx, key, config); client.IgnoreNotFound(err) != nil {
		return begin, fmt.Errorf("read ConfigMap %q: %w", key, err)
	}
	if len(config.Data) == 0 || maps.Equal(config.Data, begin.configMap(etcd).Data) {
		return begin, nil
	}
	pods := &corev1.PodList{}
	if err := r.Reader.List(ctx, pods, client.InNamespace(etcd.Namespace), client.MatchingLabels(set.Spec.Selector.MatchLabels)); err != nil {
		return begin, fmt.Errorf("list members: %w", err)
	}
	return begin.withFormer(config.Data, set, pods.Items), nil
}

// args are the flags of the component that runs a member.
func (b bootstrap) args() []string {
	return []string{"--etcd-config=" + path.Join(bootstrapDir, bootstrapFile), sumFlag + configfile.Sum(b.content)}
}

func bootstrapVolumeOf(etcd *druidv1alpha1.Etcd) corev1.Volume {
	return corev1.Volume{Name: bootstrapVolume, VolumeSource: corev1.VolumeSource{ConfigMap: &corev1.ConfigMapVolumeSource{
		LocalObjectReference: corev1.LocalObjectReference{Name: bootstrapName(etcd)},
	}}}
}
