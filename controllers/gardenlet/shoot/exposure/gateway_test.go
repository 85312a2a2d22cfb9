package exposure_test

import (
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/exposure"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

func reached(access exposure.Access) exposure.Shoot {
	shoot := &gardencorev1beta1.Shoot{ObjectMeta: metav1.ObjectMeta{Name: "sun", Namespace: "garden-sky"}}
	shoot.Spec.Provider.Workers = []gardencorev1beta1.Worker{{Name: "ray", Minimum: 1, Maximum: 2}}
	return exposure.Shoot{Access: access, Shoot: shoot, Seed: "earth"}
}

func TestGateway(t *testing.T) {
	for name, tc := range map[string]struct {
		handler   string // of the shoot's exposure class; empty for none
		addresses []string
		label     string
		err       string
	}{
		"PRT-4 a shoot without exposure class has the usual front door": {"", []string{"127.0.0.1"}, "usual", ""},
		"PRT-4 a shoot with one has that of its handler":                {"internet", []string{"127.0.0.2"}, "internet", ""},
		"PRT-4 a handler that the seed does not have is named":          {"intranet", nil, "", `seed "earth" has no gateway for handler "intranet" of exposure class "public"`},
	} {
		t.Run(name, func(t *testing.T) {
			s := reached(exposure.Access{FrontDoorAddress: "127.0.0.1", FrontDoorLabels: map[string]string{"door": "usual"}})
			s.Gateways = map[string]exposure.Gateway{"internet": {Labels: map[string]string{"door": "internet"}, Addresses: []string{"127.0.0.2"}}}
			if tc.handler != "" {
				s.ExposureClass = &gardencorev1beta1.ExposureClass{ObjectMeta: metav1.ObjectMeta{Name: "public"}, Handler: tc.handler}
			}
			got, err := s.Gateway()
			if tc.err != "" {
				if err == nil || !strings.Contains(err.Error(), tc.err) {
					t.Errorf("error is %v, want one with %q", err, tc.err)
				}
				return
			}
			if err != nil || !slices.Equal(got.Addresses, tc.addresses) || got.Labels["door"] != tc.label {
				t.Errorf("gateway is %+v, %v", got, err)
			}
		})
	}
}
