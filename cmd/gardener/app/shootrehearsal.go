package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"github.com/spf13/cobra"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"sigs.k8s.io/controller-runtime/pkg/client"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// rehearsalPatience is how long the garden may take to check a manifest. The manifest is the same without it.
const rehearsalPatience = 10 * time.Second

// manifest is the Shoot as a file for kubectl: without what only the garden writes.
func manifest(shoot *gardencorev1beta1.Shoot) any {
	return struct {
		APIVersion string                      `json:"apiVersion"`
		Kind       string                      `json:"kind"`
		Metadata   map[string]string           `json:"metadata"`
		Spec       gardencorev1beta1.ShootSpec `json:"spec"`
	}{gardencorev1beta1.SchemeGroupVersion.String(), "Shoot", map[string]string{"namespace": shoot.Namespace, "name": shoot.Name}, shoot.Spec}
}

// rehearse prints the manifest after the garden has checked it, or with a note why it has not.
func (f *newShootFlags) rehearse(cmd *cobra.Command, global *globalFlags, shoot *gardencorev1beta1.Shoot) error {
	l, err := global.load(nil)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(cmd.Context(), rehearsalPatience)
	defer cancel()
	garden, err := l.garden(ctx)
	return f.checked(ctx, cmd, global.display, garden, err, shoot)
}

// checked asks the garden, and prints the manifest unless the garden refuses it. unreached is why there is no garden.
func (f *newShootFlags) checked(ctx context.Context, cmd *cobra.Command, shown *display, garden client.Client, unreached error, shoot *gardencorev1beta1.Shoot) error {
	err := unreached
	if err == nil {
		err = garden.Create(ctx, shoot.DeepCopy(), client.DryRunAll)
	}
	if cmd.Context().Err() != nil { // an interruption
		return cmd.Context().Err()
	}
	switch note := unchecked(err, shoot); {
	case err != nil && note == "" && unreached != nil:
		return unreached
	case err != nil && note == "":
		return notCreated(cmd.Context(), garden, shoot, err)
	case note != "":
		shown.remark(cmd.ErrOrStderr(), "note", note)
	}
	return printAs(cmd.OutOrStdout(), f.output, manifest(shoot), nil)
}

// unchecked says why the garden could not check a manifest as that of a new shoot. It is empty if the garden has refused the manifest itself.
func unchecked(err error, shoot *gardencorev1beta1.Shoot) string {
	coded, _ := errors.AsType[*exitError](err)
	switch {
	case coded != nil && coded.code == codeNotRunning:
		return "no garden has checked the manifest: " + strings.SplitN(err.Error(), ". ", 2)[0]
	case apierrors.IsAlreadyExists(err):
		return fmt.Sprintf("shoot %s/%s exists already: kubectl apply would change it", shoot.Namespace, shoot.Name)
	case apierrors.IsNotFound(err):
		return fmt.Sprintf("no garden has checked the manifest: %s; see the namespaces of projects with: gardener kubectl get projects", oneLine(err.Error()))
	case unready(err):
		return "no garden has checked the manifest: the garden does not answer yet: " + oneLine(err.Error())
	}
	return ""
}

// unready reports whether an error is that of a garden that starts, or of one that is too busy.
func unready(err error) bool {
	return unanswered(err) || errors.Is(err, fs.ErrNotExist) || meta.IsNoMatchError(err) || // no kubeconfig, or no API of Gardener yet
		apierrors.IsServiceUnavailable(err) || apierrors.IsTimeout(err) || apierrors.IsServerTimeout(err) || apierrors.IsTooManyRequests(err)
}
