package network

import (
	"strings"
	"testing"
)

func TestRender(t *testing.T) {
	got, err := render("subnet: {{ .PodSubnet }}\n", "100.96.0.0/11")
	if err != nil || string(got) != "subnet: 100.96.0.0/11\n" {
		t.Errorf("rendered %q, %v", got, err)
	}
	for _, manifest := range []string{"{{ .Other }}", "{{"} {
		if _, err := render(manifest, ""); err == nil || !strings.Contains(err.Error(), "manifest of the network") {
			t.Errorf("%q: error is %v", manifest, err)
		}
	}
}
