package app

import (
	"bytes"
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

func TestOutputsThatAreRefused(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	merged := filepath.Join(t.TempDir(), "config")
	for args, want := range map[string]string{
		"shoot create sun -o yaml":                          "error: -o is only for --dry-run (GRD-200)\n",
		"shoot create sun --dry-run -o xml":                 "error: unknown output \"xml\" (GRD-200)\n",
		"kubeconfig garden -o xml":                          "error: unknown output \"xml\" (GRD-200)\n",
		"kubeconfig garden -o xml --merge " + merged:        "error: unknown output \"xml\" (GRD-200)\n",
		"kubeconfig shoot p/sun -o table --merge " + merged: "error: unknown output \"table\" (GRD-200)\n",
	} {
		t.Run("APP-35 "+args, func(t *testing.T) {
			var out bytes.Buffer
			shown := newDisplay()
			root := newRoot(shown)
			root.SetArgs(strings.Fields(args))
			if code := report(root.Execute(), shown, &out); code != codeUsage || !strings.HasPrefix(out.String(), want) {
				t.Errorf("exit code %d: %s", code, &out)
			}
		})
	}
}

func TestNewShootsAreRehearsed(t *testing.T) {
	refused := apierrors.NewInvalid(schema.GroupKind{Group: "core.gardener.cloud", Kind: "Shoot"}, "sun", nil)
	for name, tc := range map[string]struct {
		answer, unreached error
		code              int
		note              string
		prints            bool
	}{
		"the garden accepts it":    {prints: true},
		"the garden refuses it":    {answer: refused, code: codeFailure},
		"no landscape runs":        {unreached: notRunning("x", "gardener up", nil), prints: true, note: "note: no garden has checked the manifest: landscape x is not running\n"},
		"the garden is not usable": {unreached: &exitError{code: codeFailure, err: errors.New("boom")}, code: codeFailure},
	} {
		t.Run("APP-35 "+name, func(t *testing.T) {
			asked := false
			garden := fake.NewClientBuilder().WithScheme(gardenScheme()).WithInterceptorFuncs(interceptor.Funcs{
				Create: func(_ context.Context, _ client.WithWatch, _ client.Object, options ...client.CreateOption) error {
					set := &client.CreateOptions{}
					for _, option := range options {
						option.ApplyToCreate(set)
					}
					asked = slices.Equal(set.DryRun, []string{"All"})
					return tc.answer
				},
			}).Build()
			var out, notes bytes.Buffer
			cmd := &cobra.Command{}
			cmd.SetContext(t.Context())
			cmd.SetOut(&out)
			cmd.SetErr(&notes)
			shoot := &gardencorev1beta1.Shoot{}
			shoot.Namespace, shoot.Name = "p", "sun"
			err := (&newShootFlags{output: "yaml"}).rehearse(cmd, newDisplay(), garden, tc.unreached, shoot)
			if code := report(err, newDisplay(), &bytes.Buffer{}); code != tc.code {
				t.Errorf("exit code %d: %v", code, err)
			}
			if asked != (tc.unreached == nil) || notes.String() != tc.note || (out.Len() > 0) != tc.prints {
				t.Errorf("the garden was asked: %t; it prints %q, and notes %q", asked, &out, &notes)
			}
		})
	}
}
