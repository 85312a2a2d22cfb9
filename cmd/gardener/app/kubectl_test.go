package app

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestMistakesOfKubectlAreToldOnce(t *testing.T) {
	t.Setenv("KUBECONFIG", "/dev/null")
	for args, want := range map[string]string{
		"get pods --bogus": "error: unknown flag: --bogus (GRD-200)\nhint:  See 'gardener kubectl get --help' for usage.\n",
		"bogus":            "error: unknown command \"bogus\" for \"kubectl\" (GRD-200)\nhint:  Did you mean this?\n       \tlogs\n",
	} {
		t.Run("APP-35 "+args, func(t *testing.T) {
			shown := newDisplay()
			var printed, told bytes.Buffer
			kubectl := buildKubectl(&globalFlags{display: shown}, strings.Fields(args))
			kubectl.SetErr(&printed)
			if code := report(mistakeOfKubectl(kubectl.Execute()), shown, &told); code != codeUsage {
				t.Errorf("exit code %d", code)
			}
			if diff := cmp.Diff(want, printed.String()+told.String()); diff != "" {
				t.Errorf("printed (-want +got):\n%s", diff)
			}
		})
	}
	t.Run("APP-35 other errors stay", func(t *testing.T) {
		if err := errors.New("boom\nboom"); !errors.Is(mistakeOfKubectl(err), err) {
			t.Errorf("it is another one")
		}
	})
}
