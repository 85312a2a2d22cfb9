package deployed

import (
	"context"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	druidv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/druid/v1alpha1"
)

// claimTemplates are the templates of the volume claims of etcds as in every Gardener, so that volumes with these names are used again. The claim of
// the first member is <template>-<etcd>-0. An etcd that is not listed has a template with its own name.
var claimTemplates = map[string]string{etcdMain: "main-virtual-garden-etcd"}

// volumeClaims returns the template of the claims of an etcd; nil means its own name. An etcd that exists keeps its template, and so does one whose
// volume is left from an earlier version, which had no other templates. If there are volumes of both, nobody but the user knows whose data count.
func (w *writer) volumeClaims(ctx context.Context, name string) (*string, error) {
	template := claimTemplates[name]
	if template == "" {
		return nil, nil
	}
	present := &druidv1alpha1.Etcd{}
	err := w.get(ctx, name, present)
	if err == nil {
		return present.Spec.VolumeClaimTemplate, nil
	}
	if !apierrors.IsNotFound(err) {
		return nil, err
	}
	usualName, formerName := template+"-"+name+"-0", name+"-"+name+"-0"
	usual, err := w.hasClaim(ctx, usualName)
	if err != nil {
		return nil, err
	}
	former, err := w.hasClaim(ctx, formerName)
	switch {
	case err != nil:
		return nil, err
	case usual && former:
		return nil, fmt.Errorf("etcd %q could use the volume of claim %q or of claim %q: delete the claim whose data are not those of the garden", name, usualName, formerName)
	case former:
		return nil, nil
	}
	return ptr.To(template), nil
}

func (w *writer) hasClaim(ctx context.Context, name string) (bool, error) {
	err := w.get(ctx, name, &corev1.PersistentVolumeClaim{})
	if apierrors.IsNotFound(err) {
		return false, nil
	}
	return err == nil, err
}

// destroyVolumes deletes the claims of an etcd, also those that were there before it and do not have its labels.
func (in Inputs) destroyVolumes(ctx context.Context, etcd string) error {
	claims := &corev1.PersistentVolumeClaimList{}
	if err := in.Client.List(ctx, claims, client.InNamespace(in.Namespace)); err != nil {
		return fmt.Errorf("list volumes of %s: %w", etcd, err)
	}
	for i := range claims.Items {
		claim := &claims.Items[i]
		if claim.Labels["instance"] != etcd && !ofEtcd(claim.Name, etcd) {
			continue
		}
		if err := in.Client.Delete(ctx, claim); client.IgnoreNotFound(err) != nil {
			return fmt.Errorf("delete volume %q of %s: %w", claim.Name, etcd, err)
		}
	}
	return nil
}

// ofEtcd reports whether a claim has the name of a member's: <template>-<etcd>-<number>.
func ofEtcd(claim, etcd string) bool {
	for _, template := range []string{claimTemplates[etcd], etcd} {
		if number, found := strings.CutPrefix(claim, template+"-"+etcd+"-"); found && template != "" && number != "" && strings.Trim(number, "0123456789") == "" {
			return true
		}
	}
	return false
}
