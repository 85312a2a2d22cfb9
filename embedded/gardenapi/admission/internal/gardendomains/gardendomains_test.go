package gardendomains

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestOf(t *testing.T) {
	secret := func(domain, priority string) *corev1.Secret {
		annotations := map[string]string{"dns.gardener.cloud/provider": "local"}
		if domain != "" {
			annotations["dns.gardener.cloud/domain"] = domain
		}
		if priority != "" {
			annotations["dns.gardener.cloud/domain-default-priority"] = priority
		}
		return &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "s-" + domain, Annotations: annotations}}
	}
	got := Of([]*corev1.Secret{secret("b", ""), secret("a", "x"), secret("c", "5"), secret("d", "-1"), secret("", "9")})
	want := []Domain{{Name: "c", Provider: "local", Secret: "s-c"}, {Name: "a", Provider: "local", Secret: "s-a"}, {Name: "b", Provider: "local", Secret: "s-b"}, {Name: "d", Provider: "local", Secret: "s-d"}}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(Domain{})); diff != "" {
		t.Errorf("highest priority first, then by name; no number is 0 (-want +got):\n%s", diff)
	}
}
