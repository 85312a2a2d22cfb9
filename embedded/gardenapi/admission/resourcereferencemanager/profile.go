package resourcereferencemanager

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	helper "github.com/gardener-up/gardener-up/embedded/apihelper/core"
	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/admission/initializer"
)

// namespacedProfile refers to its parent, and shoots use what it offers.
func (l *lookup) namespacedProfile(ctx context.Context, profile, old *core.NamespacedCloudProfile) (field.ErrorList, error) {
	if old != nil {
		if errs, err := l.checkImagesUnused(ctx, profile, old); err != nil || len(errs) > 0 {
			return errs, err
		}
	}
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

func (i image) String() string { return "image " + i.name + " version " + i.version }

// offers are the parts of a profile that must stay while they are in use. Values are users.
type offers struct {
	versions map[string]string
	images   map[image]string
	regions  map[string]string
}

func offersOf(spec *core.CloudProfileSpec) offers {
	all := offers{map[string]string{}, map[image]string{}, map[string]string{}}
	for _, one := range spec.Kubernetes.Versions {
		all.versions[one.Version] = ""
	}
	for _, one := range machineImages(spec.MachineImages) {
		all.images[one] = ""
	}
	for _, one := range spec.Regions {
		all.regions[one.Name] = ""
	}
	return all
}

// checkUnused reports versions, images and regions that the profile no longer offers, although shoots have them or
// profiles of projects change their ends.
func (p *Plugin) checkUnused(ctx context.Context, profile, old *core.CloudProfile) (field.ErrorList, error) {
	gone := offersOf(&old.Spec)
	gone.without(offersOf(&profile.Spec))
	if len(gone.versions)+len(gone.images)+len(gone.regions) == 0 {
		return nil, nil
	}
	children, err := p.childrenOf(ctx, profile.Name)
	if err != nil {
		return nil, err
	}
	now := time.Now()
	for key, child := range children {
		gone.prolonged(child, "profile "+key.String(), now)
	}
	if err := p.eachShootOf(ctx, profile.Name, children, gone.used); err != nil {
		return nil, err
	}
	return gone.errors(), nil
}

// checkImagesUnused reports images that the profile of a project no longer offers, although shoots have them. What its
// parent offers, too, may go.
func (p *Plugin) checkImagesUnused(ctx context.Context, profile, old *core.NamespacedCloudProfile) (field.ErrorList, error) {
	gone := offersOf(&core.CloudProfileSpec{MachineImages: old.Spec.MachineImages})
	gone.without(offersOf(&core.CloudProfileSpec{MachineImages: profile.Spec.MachineImages}))
	if len(gone.images) == 0 {
		return nil, nil
	}
	parent, err := initializer.Get[core.CloudProfile](ctx, p.Objects, cloudProfiles.GroupResource(), "", profile.Spec.Parent.Name)
	if err != nil && !apierrors.IsNotFound(err) {
		return nil, fmt.Errorf("read the profile's parent: %w", err)
	}
	if err == nil {
		gone.without(offersOf(&parent.Spec))
	}
	one := map[types.NamespacedName]*core.NamespacedCloudProfile{{Namespace: profile.Namespace, Name: profile.Name}: profile}
	if err := p.eachShootOf(ctx, "", one, gone.used); err != nil {
		return nil, err
	}
	return gone.errors(), nil
}

func (o offers) without(other offers) {
	maps.DeleteFunc(o.versions, func(key, _ string) bool { _, ok := other.versions[key]; return ok })
	maps.DeleteFunc(o.images, func(key image, _ string) bool { _, ok := other.images[key]; return ok })
	maps.DeleteFunc(o.regions, func(key, _ string) bool { _, ok := other.regions[key]; return ok })
}

// used notes what a shoot has.
func (o offers) used(shoot *core.Shoot) {
	user := "shoot " + shoot.Namespace + "/" + shoot.Name
	note(o.regions, shoot.Spec.Region, user)
	note(o.versions, shoot.Spec.Kubernetes.Version, user)
	for i := range shoot.Spec.Provider.Workers {
		worker := &shoot.Spec.Provider.Workers[i]
		note(o.versions, helper.KubernetesVersion(shoot, worker), user)
		if m := worker.Machine.Image; m != nil {
			note(o.images, image{m.Name, ptr.Deref(m.Version, "")}, user)
		}
	}
}

// prolonged notes what the profile of a project gives another end that is yet to come.
func (o offers) prolonged(profile *core.NamespacedCloudProfile, user string, now time.Time) {
	lives := func(v core.ExpirableVersion) bool {
		return v.ExpirationDate == nil || now.Before(v.ExpirationDate.Time)
	}
	if profile.Spec.Kubernetes != nil {
		for _, one := range profile.Spec.Kubernetes.Versions {
			if lives(one) {
				note(o.versions, one.Version, user)
			}
		}
	}
	for _, one := range profile.Spec.MachineImages {
		for _, version := range one.Versions {
			if lives(version.ExpirableVersion) {
				note(o.images, image{one.Name, version.Version}, user)
			}
		}
	}
}

// note remembers the first user in the order of names, so that messages do not change from try to try.
func note[K comparable](all map[K]string, key K, user string) {
	if first, ok := all[key]; ok && (first == "" || user < first) {
		all[key] = user
	}
}

func (o offers) errors() field.ErrorList {
	spec := field.NewPath("spec")
	errs := inUse(spec.Child("kubernetes", "versions"), o.versions, func(v string) string { return "version " + v })
	errs = append(errs, inUse(spec.Child("machineImages"), o.images, image.String)...)
	return append(errs, inUse(spec.Child("regions"), o.regions, func(r string) string { return "region " + r })...)
}

func inUse[K comparable](path *field.Path, all map[K]string, what func(K) string) field.ErrorList {
	var errs field.ErrorList
	for key, user := range all {
		if user != "" {
			errs = append(errs, field.Forbidden(path, fmt.Sprintf("%s must not be removed: %s uses it", what(key), user)))
		}
	}
	slices.SortFunc(errs, func(a, b *field.Error) int { return cmp.Compare(a.Detail, b.Detail) })
	return errs
}

func (p *Plugin) childrenOf(ctx context.Context, profile string) (map[types.NamespacedName]*core.NamespacedCloudProfile, error) {
	children := map[types.NamespacedName]*core.NamespacedCloudProfile{}
	err := p.Objects.Each(ctx, core.Resource("namespacedcloudprofiles"), "", func(obj runtime.Object) bool {
		if one := obj.(*core.NamespacedCloudProfile); one.Spec.Parent.Name == profile {
			children[types.NamespacedName{Namespace: one.Namespace, Name: one.Name}] = one
		}
		return true
	})
	if err != nil {
		return nil, fmt.Errorf("read profiles of projects: %w", err)
	}
	return children, nil
}

// eachShootOf visits the shoots that have the profile or one of its children.
func (p *Plugin) eachShootOf(ctx context.Context, profile string, children map[types.NamespacedName]*core.NamespacedCloudProfile, visit func(*core.Shoot)) error {
	err := p.Objects.Each(ctx, core.Resource("shoots"), "", func(obj runtime.Object) bool {
		shoot := obj.(*core.Shoot)
		ref := helper.CloudProfileReference(&shoot.Spec)
		if ref == nil {
			return true
		}
		own := ref.Kind == helper.KindCloudProfile && ref.Name == profile
		if _, ok := children[types.NamespacedName{Namespace: shoot.Namespace, Name: ref.Name}]; own || ok && ref.Kind == helper.KindNamespacedCloudProfile {
			visit(shoot)
		}
		return true
	})
	if err != nil {
		return fmt.Errorf("read shoots: %w", err)
	}
	return nil
}

func machineImages(images []core.MachineImage) []image {
	var all []image
	for _, one := range images {
		for _, version := range one.Versions {
			all = append(all, image{one.Name, version.Version})
		}
	}
	return all
}
