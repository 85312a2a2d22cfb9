// Package kubeconfigs refuses kubeconfigs that could run programs or read files where they are used: in Secrets with the key
// kubeconfig, and under any key in Secrets that a Shoot or a Seed refers to. A Secret is checked only when it is written. So each
// user of a kubeconfig has to check it again.
package kubeconfigs

import (
	"bytes"
	"fmt"
	"net/http"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	"github.com/gardener-up/gardener-up/embedded/apihelper/tenantkubeconfig"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

// check returns an error if the Secret holds a kubeconfig that is not allowed. Keys other than kubeconfig are checked only if
// all is set. Values that old has, too, are not checked.
func check(secret *corev1.Secret, old map[string][]byte, all bool) error {
	changed := map[string][]byte{}
	for key, value := range secret.Data {
		before, existed := old[key]
		if (all || key == constants.DataKeyKubeconfig) && !(existed && bytes.Equal(before, value)) {
			changed[key] = value
		}
	}
	if err := tenantkubeconfig.CheckData(changed); err != nil {
		return fmt.Errorf("secret %q: %w", secret.Namespace+"/"+secret.Name, err)
	}
	return nil
}

// refused is the answer to an object with a kubeconfig that is not allowed.
func refused(err error) admission.Response {
	response := admission.Denied(err.Error())
	response.Result.Code, response.Result.Reason = http.StatusUnprocessableEntity, metav1.StatusReasonInvalid
	return response
}
