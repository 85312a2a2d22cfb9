package core_test

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	helper "github.com/gardener-up/gardener-up/embedded/apihelper/core"
	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

func TestForcedKubernetesVersion(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	expired := func(v string) core.ExpirableVersion {
		return core.ExpirableVersion{Version: v, ExpirationDate: ptr.To(metav1.NewTime(now.Add(-time.Hour)))}
	}
	good := func(v string) core.ExpirableVersion { return core.ExpirableVersion{Version: v} }
	preview := func(v string) core.ExpirableVersion {
		return core.ExpirableVersion{Version: v, Classification: ptr.To(core.ClassificationPreview)}
	}
	for name, tc := range map[string]struct {
		current  string
		versions []core.ExpirableVersion
		want     string
	}{
		"VER-4 the newest patch of the minor comes first": {"1.34.1", []core.ExpirableVersion{expired("1.34.1"), good("1.34.3"), good("1.34.2"), good("1.35.1")}, "1.34.3"},
		"VER-4 then the newest patch of the next minor":   {"1.34.3", []core.ExpirableVersion{expired("1.34.3"), good("1.35.1"), good("1.35.9"), good("1.36.1")}, "1.35.9"},
		"VER-4 even if that is expired, too":              {"1.34.3", []core.ExpirableVersion{expired("1.34.3"), expired("1.35.1"), expired("1.35.2"), good("1.36.1")}, "1.35.2"},
		"VER-4 what is not expired is better":             {"1.34.3", []core.ExpirableVersion{expired("1.34.3"), good("1.35.1"), expired("1.35.2")}, "1.35.1"},
		"VER-5 a preview is never chosen":                 {"1.34.3", []core.ExpirableVersion{expired("1.34.3"), preview("1.34.4"), preview("1.35.2")}, ""},
		"nothing is chosen from older versions":           {"1.36.3", []core.ExpirableVersion{expired("1.36.3"), good("1.36.1"), good("1.35.2")}, ""},
		"what is no version has no way":                   {"x", []core.ExpirableVersion{good("1.36.1")}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			if got := helper.ForcedKubernetesVersion(tc.versions, tc.current, now); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}
