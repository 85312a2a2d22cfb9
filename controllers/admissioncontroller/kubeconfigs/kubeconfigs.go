// Package kubeconfigs refuses kubeconfigs that could run programs or read files where they are used: in Secrets with the key
// kubeconfig, and under any key in Secrets that a Shoot or a Seed refers to. Who uses a kubeconfig checks it again, since
// Secrets are checked as they are when they are written.
package kubeconfigs

import (
	"bytes"
	"fmt"
	"maps"
	"net/http"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"
	"sigs.k8s.io/yaml"

	"github.com/gardener-up/gardener-up/embedded/apihelper/tenantkubeconfig"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

// check returns an error that names the key of the first value that is a kubeconfig and not allowed. The value of the key
// kubeconfig must be one. Others are checked only if all is set. Values that old has, too, are not checked.
func check(secret *corev1.Secret, old map[string][]byte, all bool) error {
	for _, key := range slices.Sorted(maps.Keys(secret.Data)) {
		value := secret.Data[key]
		before, existed := old[key]
		switch {
		case len(value) == 0 || existed && bytes.Equal(before, value):
			continue
		case key == constants.DataKeyKubeconfig || all && looksLikeKubeconfig(value):
		default:
			continue
		}
		if err := tenantkubeconfig.Check(value); err != nil {
			return fmt.Errorf("the kubeconfig in key %q of secret %q is not allowed: %w", key, secret.Namespace+"/"+secret.Name, err)
		}
	}
	return nil
}

// looksLikeKubeconfig reports whether clients could take a value for a kubeconfig. It parses every value, since YAML has many
// spellings of one word.
func looksLikeKubeconfig(value []byte) bool {
	content := struct {
		Kind            string `json:"kind"`
		Users, Clusters []any
	}{}
	return yaml.Unmarshal(value, &content) == nil && (content.Kind == "Config" || content.Kind == "") && len(content.Users)+len(content.Clusters) > 0
}

// refused is the answer to an object with a kubeconfig that is not allowed.
func refused(err error) admission.Response {
	response := admission.Denied(err.Error())
	response.Result.Code, response.Result.Reason = http.StatusUnprocessableEntity, metav1.StatusReasonInvalid
	return response
}
