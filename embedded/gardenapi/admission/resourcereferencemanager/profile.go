package resourcereferencemanager

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	helper "github.com/gardener-up/gardener-up/embedded/apihelper/core"
	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// namespacedProfile refers to its parent.
func (l *lookup) namespacedProfile(ctx context.Context, profile, old *core.NamespacedCloudProfile) (field.ErrorList, error) {
	of := func(p *core.NamespacedCloudProfile) []reference {
		if p == nil {
			return nil
		}
		return []reference{{cloudProfiles, "", p.Spec.Parent.Name, field.NewPath("spec", "parent", "name")}}
	}
	return l.exist(ctx, of(profile), of(old))
}

// image is a version of a machine image.
type image struct{ name, version string }

// checkVersionsUnused reports versions that the profile no longer offers, although shoots have them.
func (p *Plugin) checkVersionsUnused(ctx context.Context, profile, old *core.CloudProfile) (field.ErrorList, error) {
	versions := kubernetesVersions(old).Difference(kubernetesVersions(profile))
	images := machineImages(old).Difference(machineImages(profile))
	if len(versions)+len(images) == 0 {
		return nil, nil
	}
	usedVersions, usedImages := map[string]string{}, map[image]string{} // to a shoot that uses it
	err := p.eachShootOf(ctx, profile.Name, func(shoot *core.Shoot) {
		name := shoot.Namespace + "/" + shoot.Name
		if versions.Has(shoot.Spec.Kubernetes.Version) {
			usedVersions[shoot.Spec.Kubernetes.Version] = name
		}
		for i := range shoot.Spec.Provider.Workers {
			worker := &shoot.Spec.Provider.Workers[i]
			if version := helper.KubernetesVersion(shoot, worker); versions.Has(version) {
				usedVersions[version] = name
			}
			if m := worker.Machine.Image; m != nil && images.Has(image{m.Name, ptr.Deref(m.Version, "")}) {
				usedImages[image{m.Name, ptr.Deref(m.Version, "")}] = name
			}
		}
	})
	if err != nil {
		return nil, err
	}
	var errs field.ErrorList
	for _, version := range sets.List(sets.KeySet(usedVersions)) {
		errs = append(errs, field.Forbidden(field.NewPath("spec", "kubernetes", "versions"), fmt.Sprintf("version %s must not be removed: shoot %s uses it", version, usedVersions[version])))
	}
	byName := func(a, b image) int { return cmp.Or(cmp.Compare(a.name, b.name), cmp.Compare(a.version, b.version)) }
	for _, one := range slices.SortedFunc(maps.Keys(usedImages), byName) {
		errs = append(errs, field.Forbidden(field.NewPath("spec", "machineImages"), fmt.Sprintf("image %s version %s must not be removed: shoot %s uses it", one.name, one.version, usedImages[one])))
	}
	return errs, nil
}

// eachShootOf visits the shoots that have the profile or a child of it.
func (p *Plugin) eachShootOf(ctx context.Context, profile string, visit func(*core.Shoot)) error {
	type child struct{ namespace, name string }
	children := map[child]bool{}
	err := p.Objects.Each(ctx, core.Resource("namespacedcloudprofiles"), "", func(obj runtime.Object) bool {
		if one := obj.(*core.NamespacedCloudProfile); one.Spec.Parent.Name == profile {
			children[child{one.Namespace, one.Name}] = true
		}
		return true
	})
	if err != nil {
		return fmt.Errorf("read profiles of projects: %w", err)
	}
	err = p.Objects.Each(ctx, core.Resource("shoots"), "", func(obj runtime.Object) bool {
		shoot := obj.(*core.Shoot)
		ref := helper.CloudProfileReference(&shoot.Spec)
		if ref == nil {
			return true
		}
		own := ref.Kind == helper.KindCloudProfile && ref.Name == profile
		if own || ref.Kind == helper.KindNamespacedCloudProfile && children[child{shoot.Namespace, ref.Name}] {
			visit(shoot)
		}
		return true
	})
	if err != nil {
		return fmt.Errorf("read shoots: %w", err)
	}
	return nil
}

func kubernetesVersions(profile *core.CloudProfile) sets.Set[string] {
	out := sets.New[string]()
	for _, one := range profile.Spec.Kubernetes.Versions {
		out.Insert(one.Version)
	}
	return out
}

func machineImages(profile *core.CloudProfile) sets.Set[image] {
	out := sets.New[image]()
	for _, one := range profile.Spec.MachineImages {
		for _, version := range one.Versions {
			out.Insert(image{one.Name, version.Version})
		}
	}
	return out
}
