package shownversion_test

import (
	"os"
	"strings"
	"testing"

	"k8s.io/client-go/rest"
	componentversion "k8s.io/component-base/version"

	"github.com/gardener-up/gardener-up/embedded/internal/shownversion"
)

// TestSet changes globals of the process, so it is the only test here.
func TestSet(t *testing.T) {
	own := os.Args[0]
	t.Cleanup(func() { os.Args[0] = own })
	linked := componentversion.Get().GitVersion
	if err := shownversion.Set("kube-scheduler", ""); err != nil || componentversion.Get().GitVersion != linked {
		t.Errorf("without a version: %v, %v", componentversion.Get(), err)
	}
	if err := shownversion.Set("kube-scheduler", "one"); err == nil {
		t.Error("a version that is none was taken")
	}
	for _, shown := range []string{"v1.34.2", "1.34.2"} {
		if err := shownversion.Set("kube-scheduler", shown); err != nil {
			t.Fatal(err)
		}
		if got := componentversion.Get(); got.GitVersion != "v1.34.2" || got.Major != "1" || got.Minor != "34" {
			t.Errorf("the server shows %v", got)
		}
		if got := rest.DefaultKubernetesUserAgent(); !strings.HasPrefix(got, "kube-scheduler/v1.34.2 (") {
			t.Errorf("its clients are %q", got)
		}
	}
}
