package etcd

import (
	"path"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"

	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	druidv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/druid/v1alpha1"
)

// secretVolume is a secret and the directory of its files.
type secretVolume struct{ name, secret, dir string }

func secretVolumes(etcd *druidv1alpha1.Etcd) []secretVolume {
	var out []secretVolume
	add := func(prefix, dir string, tls *druidv1alpha1.TLSConfig) {
		if tls != nil {
			out = append(out,
				secretVolume{prefix + "-ca", tls.TLSCASecretRef.Name, path.Join(dir, "ca")},
				secretVolume{prefix + "-server", tls.ServerTLSSecretRef.Name, path.Join(dir, "server")},
			)
		}
	}
	add("client-tls", clientTLSDir, etcd.Spec.Etcd.ClientUrlTLS)
	add("peer-tls", peerTLSDir, etcd.Spec.Etcd.PeerUrlTLS)
	add("backup-tls", backupTLSDir, etcd.Spec.Backup.TLS)
	if tls := etcd.Spec.Etcd.ClientUrlTLS; tls != nil && tls.ClientTLSSecretRef.Name != "" {
		out = append(out, secretVolume{"client-tls-client", tls.ClientTLSSecretRef.Name, path.Join(clientTLSDir, "client")})
	}
	return out
}

// backupVolume is the name of the volume with the buckets. storeVolume is that of the Secret of the store, and sourceVolume that of the keys of the store that
// snapshots are copied from while a control plane moves.
const (
	backupVolume = "local-backups"
	storeVolume  = "store-credentials"
	sourceVolume = "source-store-keys"
)

// sourceKeys are the keys of copied snapshots, which exist only until the etcd has a full snapshot of its own. The pod stays as it is when the Secret goes.
func sourceKeys(secret string) corev1.Volume {
	return corev1.Volume{Name: sourceVolume, VolumeSource: corev1.VolumeSource{Secret: &corev1.SecretVolumeSource{
		SecretName: secret + constants.BackupSourceKeysSuffix, Optional: ptr.To(true), Items: []corev1.KeyToPath{{Key: constants.DataKeyBackupEncryption, Path: constants.DataKeyBackupEncryption}},
	}}}
}

func volumes(etcd *druidv1alpha1.Etcd, backup backups) []corev1.Volume {
	out := []corev1.Volume{bootstrapVolumeOf(etcd)}
	for _, v := range secretVolumes(etcd) {
		out = append(out, corev1.Volume{
			Name:         v.name,
			VolumeSource: corev1.VolumeSource{Secret: &corev1.SecretVolumeSource{SecretName: v.secret}},
		})
	}
	if backup.secret != "" {
		out = append(out, corev1.Volume{
			Name: storeVolume, VolumeSource: corev1.VolumeSource{Secret: &corev1.SecretVolumeSource{SecretName: backup.secret}},
		}, sourceKeys(backup.secret))
	}
	if backup.dir != "" {
		kind := corev1.HostPathDirectoryOrCreate
		out = append(out, corev1.Volume{
			Name: backupVolume, VolumeSource: corev1.VolumeSource{HostPath: &corev1.HostPathVolumeSource{Path: backup.dir, Type: &kind}},
		})
	}
	return out
}

func mounts(etcd *druidv1alpha1.Etcd, backup backups) []corev1.VolumeMount {
	out := []corev1.VolumeMount{
		{Name: volumeClaimName(etcd), MountPath: "/" + dataDir}, {Name: bootstrapVolume, MountPath: "/" + bootstrapDir, ReadOnly: true},
	}
	for _, v := range secretVolumes(etcd) {
		out = append(out, corev1.VolumeMount{Name: v.name, MountPath: "/" + v.dir, ReadOnly: true})
	}
	if backup.secret != "" {
		out = append(out,
			corev1.VolumeMount{Name: storeVolume, MountPath: "/" + storeDir, ReadOnly: true},
			corev1.VolumeMount{Name: sourceVolume, MountPath: "/" + sourceDir, ReadOnly: true},
		)
	}
	if backup.dir != "" {
		out = append(out, corev1.VolumeMount{Name: backupVolume, MountPath: "/" + backupDir})
	}
	return out
}
