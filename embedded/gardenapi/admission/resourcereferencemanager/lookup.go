package resourcereferencemanager

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/authentication/user"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	security "github.com/gardener-up/gardener-up/embedded/apis/security/v1alpha1"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/admission/initializer"
)

// reference is from a field of an object to another object.
type reference struct {
	resource        schema.GroupVersionResource
	namespace, name string
	path            *field.Path
}

// target identifies what a reference refers to. References are compared by it.
type target struct {
	resource        schema.GroupVersionResource
	namespace, name string
}

var (
	secrets             = schema.GroupVersionResource{Version: "v1", Resource: "secrets"}
	configMaps          = schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}
	quotas              = core.SchemeGroupVersion.WithResource("quotas")
	internalSecrets     = core.SchemeGroupVersion.WithResource("internalsecrets")
	deployments         = core.SchemeGroupVersion.WithResource("controllerdeployments")
	cloudProfiles       = core.SchemeGroupVersion.WithResource("cloudprofiles")
	secretBindings      = core.SchemeGroupVersion.WithResource("secretbindings")
	credentialsBindings = security.SchemeGroupVersion.WithResource("credentialsbindings")
	workloadIdentities  = security.SchemeGroupVersion.WithResource("workloadidentities")
)

// referable are the kinds that objects refer to by kind and apiVersion.
var referable = map[string]schema.GroupVersionResource{
	"v1/Secret":    secrets,
	"v1/ConfigMap": configMaps,
	core.SchemeGroupVersion.String() + "/InternalSecret":       internalSecrets,
	security.SchemeGroupVersion.String() + "/WorkloadIdentity": workloadIdentities,
}

// lookup checks references of one request.
type lookup struct {
	*Plugin
	requester user.Info
}

// readable reports references that the requester may not read, whether they exist or not, and those that do not exist.
// References that the object had before are not asked for again.
func (l *lookup) readable(ctx context.Context, references, old []reference) (field.ErrorList, error) {
	return l.look(ctx, references, old, true)
}

// exist reports references that do not exist.
func (l *lookup) exist(ctx context.Context, references, old []reference) (field.ErrorList, error) {
	return l.look(ctx, references, old, false)
}

func (l *lookup) look(ctx context.Context, references, old []reference, asRequester bool) (field.ErrorList, error) {
	known := map[target]bool{}
	for _, r := range old {
		known[target{r.resource, r.namespace, r.name}] = true
	}
	var errs field.ErrorList
	for _, r := range references {
		if key := (target{r.resource, r.namespace, r.name}); known[key] || r.name == "" {
			continue // validation reports empty names
		} else {
			known[key] = true
		}
		one, err := l.one(ctx, r, asRequester)
		if err != nil {
			return nil, err
		}
		if one != nil {
			errs = append(errs, one)
		}
	}
	return errs, nil
}

func (l *lookup) one(ctx context.Context, r reference, asRequester bool) (*field.Error, error) {
	if asRequester {
		allowed, err := l.May(ctx, l.requester, initializer.Question{
			Verb: "get", Group: r.resource.Group, Version: r.resource.Version, Resource: r.resource.Resource, Namespace: r.namespace, Name: r.name,
		})
		if err != nil {
			return nil, err
		}
		if !allowed {
			return field.Forbidden(r.path, fmt.Sprintf("user %q may not read %s %s", l.requester.GetName(), r.resource.Resource, r.full())), nil
		}
	}
	err := l.get(ctx, r)
	if apierrors.IsNotFound(err) {
		return field.NotFound(r.path, r.full()), nil
	}
	if err != nil {
		return nil, fmt.Errorf("read %s %s: %w", r.resource.Resource, r.full(), err)
	}
	return nil, nil
}

func (l *lookup) get(ctx context.Context, r reference) (err error) {
	switch r.resource {
	case secrets:
		_, err = l.garden.CoreV1().Secrets(r.namespace).Get(ctx, r.name, metav1.GetOptions{})
	case configMaps:
		_, err = l.garden.CoreV1().ConfigMaps(r.namespace).Get(ctx, r.name, metav1.GetOptions{})
	default:
		_, err = l.Objects.Get(ctx, r.resource.GroupResource(), r.namespace, r.name)
	}
	return err
}

func (r reference) full() string {
	if r.namespace == "" {
		return r.name
	}
	return r.namespace + "/" + r.name
}
