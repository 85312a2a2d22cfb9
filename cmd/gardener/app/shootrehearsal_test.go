package app

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
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
	kind := schema.GroupKind{Group: "core.gardener.cloud", Kind: "Shoot"}
	invalid := apierrors.NewInvalid(kind, "sun", nil)
	for name, tc := range map[string]struct {
		answer, unreached error
		code              int
		note              string
		prints            bool
	}{
		"the garden accepts it":      {prints: true},
		"the garden refuses it":      {answer: invalid, code: codeFailure},
		"no landscape runs":          {unreached: notRunning("x", "gardener up", nil), prints: true, note: "note: no garden has checked the manifest: landscape \"x\" is not running\n"},
		"the shoot exists":           {answer: apierrors.NewAlreadyExists(gardencorev1beta1.Resource("shoots"), "sun"), prints: true, note: "note: shoot p/sun exists already: kubectl apply would change it\n"},
		"the namespace is not there": {answer: apierrors.NewNotFound(corev1.Resource("namespaces"), "p"), prints: true, note: "note: no garden has checked the manifest: namespaces \"p\" not found; see the namespaces of projects with: gardener kubectl get projects\n"},
		"the garden starts":          {answer: apierrors.NewServiceUnavailable("starting"), prints: true, note: "note: no garden has checked the manifest: the garden does not answer yet: starting\n"},
		"the garden has no API yet":  {answer: &meta.NoKindMatchError{GroupKind: kind}, prints: true, note: "note: no garden has checked the manifest: the garden does not answer yet: no matches for kind \"Shoot\" in group \"core.gardener.cloud\"\n"},
		"nobody listens":             {answer: refused, prints: true, note: "note: no garden has checked the manifest: the garden does not answer yet: dial: connection refused\n"},
		"there is no kubeconfig":     {unreached: &exitError{code: codeFailure, err: fmt.Errorf("read the kubeconfig: %w", fs.ErrNotExist)}, prints: true, note: "note: no garden has checked the manifest: the garden does not answer yet: read the kubeconfig: file does not exist\n"},
		"the user may not":           {answer: apierrors.NewForbidden(gardencorev1beta1.Resource("shoots"), "sun", errors.New("no")), code: codeFailure},
		"the garden is not usable":   {unreached: &exitError{code: codeFailure, err: errors.New("boom")}, code: codeFailure},
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
			err := (&newShootFlags{output: "yaml"}).checked(t.Context(), cmd, newDisplay(), garden, tc.unreached, shoot)
			if code := report(err, newDisplay(), &bytes.Buffer{}); code != tc.code {
				t.Errorf("exit code %d: %v", code, err)
			}
			if asked != (tc.unreached == nil) || notes.String() != tc.note || (out.Len() > 0) != tc.prints {
				t.Errorf("the garden was asked: %t; it prints %q, and notes %q", asked, &out, &notes)
			}
		})
	}
}
