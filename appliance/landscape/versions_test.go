package landscape

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

func TestAddVersions(t *testing.T) {
	for name, tc := range map[string]struct {
		present, wanted, want string // version or version=classification
	}{
		"new versions come first, others stay": {"1.35.0 1.30.1", "1.36.3 1.35.0", "1.36.3 1.35.0 1.30.1"},
		"nothing is missing":                   {"1.36.3 1.35.0", "1.35.0", "1.36.3 1.35.0"},
		"a newer version that somebody supports keeps ours out": {
			"1.36.3=supported 1.35.7=supported", "1.36.3=supported 1.35.0=supported", "1.36.3=supported 1.35.7=supported",
		},
		"an older one is deprecated by ours": {
			"1.36.3=supported 1.35.0=supported", "1.36.4=supported", "1.36.4=supported 1.36.3=deprecated 1.35.0=supported",
		},
		"previews and expired ones are no obstacle": {"1.36.9=preview", "1.36.3=supported", "1.36.3=supported 1.36.9=preview"},
	} {
		t.Run(name, func(t *testing.T) {
			present := profile(t, tc.present)
			if changed := addVersions(present, profile(t, tc.wanted)); changed != (tc.want != tc.present) {
				t.Errorf("changed = %v", changed)
			}
			if diff := cmp.Diff(profile(t, tc.want).Object, present.Object); diff != "" {
				t.Errorf("versions (-want +got):\n%s", diff)
			}
		})
	}
}

func profile(t *testing.T, versions string) *unstructured.Unstructured {
	t.Helper()
	var list []any
	for _, text := range strings.Fields(versions) {
		version, classification, classified := strings.Cut(text, "=")
		entry := map[string]any{"version": version}
		if classified {
			entry["classification"] = classification
		}
		list = append(list, entry)
	}
	u := &unstructured.Unstructured{Object: map[string]any{}}
	if err := unstructured.SetNestedSlice(u.Object, list, "spec", "kubernetes", "versions"); err != nil {
		t.Fatal(err)
	}
	return u
}
