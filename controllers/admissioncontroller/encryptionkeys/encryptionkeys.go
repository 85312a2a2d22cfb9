// Package encryptionkeys refuses keys for snapshots in Secrets that operators give to several seeds. A gardenlet looks at the Secret of its seed once more, but
// by then the other gardenlets may have read the key.
package encryptionkeys

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	helper "github.com/gardener-up/gardener-up/embedded/apihelper/core"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

// Handler checks Secrets of the namespace garden that are written.
type Handler struct{}

// Handle implements admission.Handler.
func (Handler) Handle(_ context.Context, request admission.Request) admission.Response {
	secret := &corev1.Secret{}
	if err := json.Unmarshal(request.Object.Raw, secret); err != nil {
		return admission.Errored(http.StatusBadRequest, fmt.Errorf("decode secret: %w", err))
	}
	if secret.Namespace = request.Namespace; secret.Namespace != constants.GardenNamespace {
		return admission.Allowed("")
	}
	if err := helper.EncryptionKeyOfOneSeed(secret, ""); err != nil {
		return admission.Denied(err.Error())
	}
	return admission.Allowed("")
}
