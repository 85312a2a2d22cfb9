package etcd

import (
	"fmt"
	"path"

	corev1 "k8s.io/api/core/v1"

	druidv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/druid/v1alpha1"
	"github.com/gardener-up/gardener-up/embedded/etcd/configfile"
)

const (
	bootstrapVolume = "etcd-config"
	bootstrapDir    = "var/etcd/config"
	bootstrapFile   = "etcd.conf.yaml"
)

// bootstrap is the configuration that members begin with. Its checksum is an argument of the members, so a change restarts them, and
// a file that others write is refused: a member has the buckets of all shoots, and flags of etcd name files.
type bootstrap struct{ content []byte }

func bootstrapOf(etcd *druidv1alpha1.Etcd) (bootstrap, error) {
	content, err := configfile.Encode(commonArgs(etcd))
	if err != nil {
		return bootstrap{}, fmt.Errorf("configuration of the members: %w", err)
	}
	return bootstrap{content}, nil
}

// bootstrapName is the name of the ConfigMap, as clients of etcd-druid know it.
func bootstrapName(etcd *druidv1alpha1.Etcd) string {
	uid := string(etcd.UID)
	return "etcd-bootstrap-" + uid[:min(len(uid), 6)]
}

func (b bootstrap) configMap(etcd *druidv1alpha1.Etcd) *corev1.ConfigMap {
	return &corev1.ConfigMap{ObjectMeta: meta(etcd, bootstrapName(etcd)), Data: map[string]string{bootstrapFile: string(b.content)}}
}

// args are the flags of the component that runs a member.
func (b bootstrap) args() []string {
	return []string{"--etcd-config=" + path.Join(bootstrapDir, bootstrapFile), "--etcd-config-sum=" + configfile.Sum(b.content)}
}

func bootstrapVolumeOf(etcd *druidv1alpha1.Etcd) corev1.Volume {
	return corev1.Volume{Name: bootstrapVolume, VolumeSource: corev1.VolumeSource{ConfigMap: &corev1.ConfigMapVolumeSource{
		LocalObjectReference: corev1.LocalObjectReference{Name: bootstrapName(etcd)},
	}}}
}
