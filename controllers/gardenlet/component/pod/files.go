package pod

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	resourcesv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/resources/v1alpha1"
)

// ConfigMap builds an immutable config map whose name depends on its content, so that pods are replaced when it
// changes. The garbage collector of the resource manager removes it when no pod refers to it any more.
func ConfigMap(name, namespace string, data map[string]string) *corev1.ConfigMap {
	return &corev1.ConfigMap{ObjectMeta: unique(name, namespace, data), Data: data, Immutable: ptr.To(true)}
}

// Secret is ConfigMap for confidential content.
func Secret(name, namespace string, data map[string][]byte) *corev1.Secret {
	return &corev1.Secret{ObjectMeta: unique(name, namespace, data), Data: data, Immutable: ptr.To(true), Type: corev1.SecretTypeOpaque}
}

func unique(name, namespace string, data any) metav1.ObjectMeta {
	raw, _ := json.Marshal(data) // maps of strings can always be encoded
	return metav1.ObjectMeta{
		Name: name + "-" + Hash(raw), Namespace: namespace,
		Labels: map[string]string{resourcesv1alpha1.LabelKeyGarbageCollectable: resourcesv1alpha1.LabelValueGarbageCollectable},
	}
}

// Hash returns eight hexadecimal digits of the checksum of the content.
func Hash(raw []byte) string {
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:])[:8]
}

// References returns the annotations that tell the garbage collector what a workload uses.
func References(mounts []Mount) map[string]string {
	const prefix = "reference.resources.gardener.cloud/"
	out := map[string]string{}
	for _, mount := range mounts {
		for _, name := range mount.Secrets {
			out[prefix+"secret-"+Hash([]byte(name))] = name
		}
		for _, name := range mount.ConfigMaps {
			out[prefix+"configmap-"+Hash([]byte(name))] = name
		}
	}
	return out
}
