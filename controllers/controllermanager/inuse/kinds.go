package inuse

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/predicate"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	securityv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/security/v1alpha1"
)

const finalizer = "gardener"

// Kind is a kind whose objects are protected.
type Kind struct {
	Name      string // part of the controller's name
	Finalizer string
	New       func() client.Object
	Users     []User
}

// User is a kind whose objects refer to objects of the protected kind.
type User struct {
	New      func() client.Object
	NewList  func() client.ObjectList
	RefersTo func(client.Object) []client.ObjectKey
}

// Kinds lists all protected kinds.
func Kinds() []Kind {
	return []Kind{
		{
			Name: "cloudprofile", Finalizer: finalizer, New: func() client.Object { return &gardencorev1beta1.CloudProfile{} },
			Users: []User{shoots(cloudProfileOf), {
				New:      func() client.Object { return &gardencorev1beta1.NamespacedCloudProfile{} },
				NewList:  func() client.ObjectList { return &gardencorev1beta1.NamespacedCloudProfileList{} },
				RefersTo: parentOf,
			}},
		},
		{
			Name: "exposureclass", Finalizer: finalizer, New: func() client.Object { return &gardencorev1beta1.ExposureClass{} },
			Users: []User{shoots(func(shoot *gardencorev1beta1.Shoot) []client.ObjectKey { return key("", shoot.Spec.ExposureClassName) })},
		},
		{
			Name: "secretbinding", Finalizer: finalizer, New: func() client.Object { return &gardencorev1beta1.SecretBinding{} },
			Users: []User{shoots(func(shoot *gardencorev1beta1.Shoot) []client.ObjectKey {
				return key(shoot.Namespace, shoot.Spec.SecretBindingName)
			})},
		},
		{
			Name: "credentialsbinding", Finalizer: finalizer, New: func() client.Object { return &securityv1alpha1.CredentialsBinding{} },
			Users: []User{shoots(func(shoot *gardencorev1beta1.Shoot) []client.ObjectKey {
				return key(shoot.Namespace, shoot.Spec.CredentialsBindingName)
			})},
		},
		{
			Name: "quota", Finalizer: finalizer, New: func() client.Object { return &gardencorev1beta1.Quota{} },
			Users: []User{{
				New:      func() client.Object { return &gardencorev1beta1.SecretBinding{} },
				NewList:  func() client.ObjectList { return &gardencorev1beta1.SecretBindingList{} },
				RefersTo: quotasOf,
			}, {
				New:      func() client.Object { return &securityv1alpha1.CredentialsBinding{} },
				NewList:  func() client.ObjectList { return &securityv1alpha1.CredentialsBindingList{} },
				RefersTo: quotasOf,
			}},
		},
		{
			Name: "controllerregistration", Finalizer: "core.gardener.cloud/controllerregistration",
			New: func() client.Object { return &gardencorev1beta1.ControllerRegistration{} },
			Users: []User{installations(func(installation *gardencorev1beta1.ControllerInstallation) []client.ObjectKey {
				return key("", &installation.Spec.RegistrationRef.Name)
			})},
		},
		{
			Name: "controllerdeployment", Finalizer: "core.gardener.cloud/controllerdeployment",
			New: func() client.Object { return &gardencorev1beta1.ControllerDeployment{} },
			Users: []User{{
				New:     func() client.Object { return &gardencorev1beta1.ControllerRegistration{} },
				NewList: func() client.ObjectList { return &gardencorev1beta1.ControllerRegistrationList{} },
				RefersTo: func(object client.Object) []client.ObjectKey {
					deployment := object.(*gardencorev1beta1.ControllerRegistration).Spec.Deployment
					if deployment == nil {
						return nil
					}
					var keys []client.ObjectKey
					for _, ref := range deployment.DeploymentRefs {
						keys = append(keys, client.ObjectKey{Name: ref.Name})
					}
					return keys
				},
			}},
		},
	}
}

func shoots(refersTo func(*gardencorev1beta1.Shoot) []client.ObjectKey) User {
	return User{
		New:      func() client.Object { return &gardencorev1beta1.Shoot{} },
		NewList:  func() client.ObjectList { return &gardencorev1beta1.ShootList{} },
		RefersTo: func(object client.Object) []client.ObjectKey { return refersTo(object.(*gardencorev1beta1.Shoot)) },
	}
}

func installations(refersTo func(*gardencorev1beta1.ControllerInstallation) []client.ObjectKey) User {
	return User{
		New:     func() client.Object { return &gardencorev1beta1.ControllerInstallation{} },
		NewList: func() client.ObjectList { return &gardencorev1beta1.ControllerInstallationList{} },
		RefersTo: func(object client.Object) []client.ObjectKey {
			return refersTo(object.(*gardencorev1beta1.ControllerInstallation))
		},
	}
}

func cloudProfileOf(shoot *gardencorev1beta1.Shoot) []client.ObjectKey {
	if ref := shoot.Spec.CloudProfile; ref != nil {
		if ref.Kind != "" && ref.Kind != "CloudProfile" {
			return nil
		}
		return key("", &ref.Name)
	}
	return key("", shoot.Spec.CloudProfileName)
}

func parentOf(object client.Object) []client.ObjectKey {
	return key("", &object.(*gardencorev1beta1.NamespacedCloudProfile).Spec.Parent.Name)
}

func quotasOf(object client.Object) []client.ObjectKey {
	var refs []corev1.ObjectReference
	switch binding := object.(type) {
	case *gardencorev1beta1.SecretBinding:
		refs = binding.Quotas
	case *securityv1alpha1.CredentialsBinding:
		refs = binding.Quotas
	}
	var keys []client.ObjectKey
	for _, ref := range refs {
		namespace := ref.Namespace
		if namespace == "" {
			namespace = object.GetNamespace()
		}
		keys = append(keys, client.ObjectKey{Namespace: namespace, Name: ref.Name})
	}
	return keys
}

func key(namespace string, name *string) []client.ObjectKey {
	if name == nil || *name == "" {
		return nil
	}
	return []client.ObjectKey{{Namespace: namespace, Name: *name}}
}

// referencesChanged passes only events that may have made an object unused. New references need no event: the
// controller finds them when a deletion is attempted.
func referencesChanged(user User) predicate.Predicate {
	return predicate.Funcs{
		CreateFunc:  func(event.CreateEvent) bool { return false },
		GenericFunc: func(event.GenericEvent) bool { return false },
		UpdateFunc: func(e event.UpdateEvent) bool {
			return !slices.Equal(user.RefersTo(e.ObjectOld), user.RefersTo(e.ObjectNew))
		},
	}
}

func items(list client.ObjectList) []client.Object {
	var objects []client.Object
	_ = meta.EachListItem(list, func(item runtime.Object) error { // every list of these types has items
		objects = append(objects, item.(client.Object))
		return nil
	})
	return objects
}
