// Package scheme registers the Go types of all groups that the Gardener API server serves, and their conversions.
//
// Each kind has one Go type, because a group has one version: the served types are also registered as the hub version.
// A conversion then changes apiVersion only and copies nothing. There are two exceptions. core/v1 has a second form of
// ControllerDeployment, and kinds of core/v1alpha1 are equal to those of v1beta1. Clients do not need this package, they
// use the AddToScheme functions of the type packages.
package scheme

import (
	"fmt"
	"reflect"
	"strings"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/runtime/serializer/cbor"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	genericfeatures "k8s.io/apiserver/pkg/features"
	utilfeature "k8s.io/apiserver/pkg/util/feature"

	authenticationv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/authentication/v1alpha1"
	corev1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1"
	corev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	operationsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/operations/v1alpha1"
	securityv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/security/v1alpha1"
	seedmanagementv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/seedmanagement/v1alpha1"
	settingsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/settings/v1alpha1"
	"github.com/gardener-up/gardener-up/embedded/apivalidation/rawextension"
)

// Types are the scheme and the codecs of a server.
type Types struct {
	*runtime.Scheme
	// Codecs negotiate JSON, YAML, protocol buffers and, where the process allows it, CBOR.
	Codecs serializer.CodecFactory
}

// Storage returns the codec for objects in etcd. It writes one media type and reads all of them. An unknown media type is
// an error.
func (t *Types) Storage(mediaType string) (runtime.Codec, error) {
	info, known := runtime.SerializerInfoForMediaType(t.Codecs.SupportedMediaTypes(), mediaType)
	if !known {
		return nil, fmt.Errorf("objects cannot be stored as %q", mediaType)
	}
	return t.Codecs.CodecForVersions(info.Serializer, t.Codecs.UniversalDeserializer(), StorageVersions(), runtime.InternalGroupVersioner), nil
}

// hubs are the versions that are stored. Their Go types are also registered as the hub version of their group.
func hubs() []schema.GroupVersion {
	return []schema.GroupVersion{
		corev1beta1.SchemeGroupVersion,
		seedmanagementv1alpha1.SchemeGroupVersion,
		settingsv1alpha1.SchemeGroupVersion,
		operationsv1alpha1.SchemeGroupVersion,
		securityv1alpha1.SchemeGroupVersion,
		authenticationv1alpha1.SchemeGroupVersion,
	}
}

// StorageVersions chooses the version in which objects are stored.
func StorageVersions() runtime.GroupVersioner { return schema.GroupVersions(hubs()) }

// coreV1alpha1 is the former version of some kinds of v1beta1. The kinds are equal in both.
var coreV1alpha1 = schema.GroupVersion{Group: corev1beta1.GroupName, Version: "v1alpha1"}

// Registered lists the versions with stored kinds. The group authentication has only bodies of subresources of shoots.
func Registered() []schema.GroupVersion {
	return []schema.GroupVersion{
		corev1.SchemeGroupVersion,
		corev1beta1.SchemeGroupVersion,
		coreV1alpha1,
		seedmanagementv1alpha1.SchemeGroupVersion,
		settingsv1alpha1.SchemeGroupVersion,
		operationsv1alpha1.SchemeGroupVersion,
		securityv1alpha1.SchemeGroupVersion,
	}
}

// Served returns a scheme with the served versions, without the hub version.
func Served() *runtime.Scheme {
	scheme := runtime.NewScheme()
	utilruntime.Must(addServed(scheme))
	return scheme
}

// New returns the scheme of one server. It must not be shared, because selectable fields are added to it later.
func New() *Types {
	scheme := Served()
	for _, version := range hubs() {
		addHub(scheme, version)
	}
	scheme.AddKnownTypeWithName(schema.GroupVersionKind{Group: autoscalingv1.GroupName, Version: runtime.APIVersionInternal, Kind: "Scale"}, &autoscalingv1.Scale{})
	utilruntime.Must(addControllerDeploymentConversions(scheme))
	utilruntime.Must(scheme.SetVersionPriority(corev1.SchemeGroupVersion, corev1beta1.SchemeGroupVersion, coreV1alpha1))
	normalizeRawExtensions(scheme)
	metav1.AddToGroupVersion(scheme, schema.GroupVersion{Version: "v1"})
	scheme.AddUnversionedTypes(schema.GroupVersion{Version: "v1"},
		&metav1.Status{}, &metav1.APIVersions{}, &metav1.APIGroupList{}, &metav1.APIGroup{}, &metav1.APIResourceList{})
	codecs := serializer.NewCodecFactory(scheme, serializers()...)
	return &Types{Scheme: scheme, Codecs: codecs}
}

func addServed(scheme *runtime.Scheme) error {
	builder := runtime.NewSchemeBuilder(
		corev1.AddToScheme, corev1.RegisterDefaults,
		corev1beta1.AddToScheme, corev1beta1.RegisterDefaults, addCoreV1alpha1,
		addScale,
		seedmanagementv1alpha1.AddToScheme, seedmanagementv1alpha1.RegisterDefaults,
		settingsv1alpha1.AddToScheme, settingsv1alpha1.RegisterDefaults,
		operationsv1alpha1.AddToScheme, operationsv1alpha1.RegisterDefaults,
		securityv1alpha1.AddToScheme, securityv1alpha1.RegisterDefaults,
		authenticationv1alpha1.AddToScheme, authenticationv1alpha1.RegisterDefaults,
	)
	return builder.AddToScheme(scheme)
}

func addCoreV1alpha1(scheme *runtime.Scheme) error {
	scheme.AddKnownTypeWithName(coreV1alpha1.WithKind("ExposureClass"), &corev1beta1.ExposureClass{})
	scheme.AddKnownTypeWithName(coreV1alpha1.WithKind("ExposureClassList"), &corev1beta1.ExposureClassList{})
	scheme.AddKnownTypeWithName(coreV1alpha1.WithKind("Plant"), &corev1beta1.Plant{})
	scheme.AddKnownTypeWithName(coreV1alpha1.WithKind("PlantList"), &corev1beta1.PlantList{})
	scheme.AddKnownTypeWithName(coreV1alpha1.WithKind("ShootState"), &corev1beta1.ShootState{})
	scheme.AddKnownTypeWithName(coreV1alpha1.WithKind("ShootStateList"), &corev1beta1.ShootStateList{})
	metav1.AddToGroupVersion(scheme, coreV1alpha1)
	return nil
}

// addScale registers Scale, the body of scale subresources.
func addScale(scheme *runtime.Scheme) error {
	scheme.AddKnownTypes(autoscalingv1.SchemeGroupVersion, &autoscalingv1.Scale{})
	return nil
}

// ParameterCodec decodes query parameters.
func (t *Types) ParameterCodec() runtime.ParameterCodec { return runtime.NewParameterCodec(t.Scheme) }

// addHub registers the kinds of a version under the hub version, except types of apimachinery such as options and events.
func addHub(scheme *runtime.Scheme, version schema.GroupVersion) {
	hub := schema.GroupVersion{Group: version.Group, Version: runtime.APIVersionInternal}
	for kind, goType := range scheme.KnownTypes(version) {
		if strings.HasPrefix(goType.PkgPath(), "k8s.io/") {
			continue
		}
		scheme.AddKnownTypeWithName(hub.WithKind(kind), reflect.New(goType).Interface().(runtime.Object))
	}
}

// normalizeRawExtensions makes defaulting, which follows whenever an object is decoded from a request or from the storage,
// also normalize RawExtensions. Otherwise an object in the storage differs from a copy that a client read as JSON,
// although nobody changed it.
func normalizeRawExtensions(scheme *runtime.Scheme) {
	defaults := Served()
	for _, goType := range scheme.AllKnownTypes() {
		if strings.HasPrefix(goType.PkgPath(), "k8s.io/") || !rawextension.Holds(goType) {
			continue
		}
		scheme.AddTypeDefaultingFunc(reflect.New(goType).Interface().(runtime.Object), func(object any) {
			defaults.Default(object.(runtime.Object))
			rawextension.Normalize(object)
		})
	}
}

func serializers() []serializer.CodecFactoryOptionsMutator {
	if utilfeature.DefaultFeatureGate.Enabled(genericfeatures.CBORServingAndStorage) {
		return []serializer.CodecFactoryOptionsMutator{serializer.WithSerializer(cbor.NewSerializerInfo)}
	}
	return nil
}
