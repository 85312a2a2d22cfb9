package operator

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	operatorv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/operator/v1alpha1"
)

func TestValidateEncryption(t *testing.T) {
	of := func(kind gardencorev1beta1.EncryptionProviderType, resources ...string) *gardencorev1beta1.EncryptionConfig {
		out := &gardencorev1beta1.EncryptionConfig{Resources: resources}
		if kind != "" {
			out.Provider.Type = ptr.To(kind)
		}
		return out
	}
	for name, tc := range map[string]struct {
		now, old *gardencorev1beta1.EncryptionConfig
		want     string // empty: it is allowed
	}{
		"OPR-10 more resources are encrypted":           {now: of("", "configmaps", "events"), old: of("", "configmaps")},
		"OPR-10 the usual cipher can be named":          {now: of("aescbc"), old: nil},
		"OPR-10 another cipher could not read the rest": {now: of("secretbox"), old: nil, want: "provider.type"},
		"OPR-10 a resource that is left out is unread":  {now: nil, old: of("", "configmaps"), want: "cannot lose configmaps"},
		"OPR-10 nothing is said and nothing was said":   {},
	} {
		t.Run(name, func(t *testing.T) {
			now, old := &operatorv1alpha1.VirtualCluster{}, &operatorv1alpha1.VirtualCluster{}
			now.Gardener.APIServer = &operatorv1alpha1.GardenerAPIServerConfig{EncryptionConfig: tc.now}
			old.Kubernetes.KubeAPIServer = &operatorv1alpha1.KubeAPIServerConfig{}
			old.Gardener.APIServer = &operatorv1alpha1.GardenerAPIServerConfig{EncryptionConfig: tc.old}
			errs := validateEncryption(now, old, field.NewPath("spec"))
			if found := errs.ToAggregate(); (tc.want == "") != (found == nil) || found != nil && !strings.Contains(found.Error(), tc.want) {
				t.Errorf("mistakes %v, want %q", errs, tc.want)
			}
		})
	}
}
