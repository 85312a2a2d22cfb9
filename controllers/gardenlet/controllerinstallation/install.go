package controllerinstallation

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/managedresource"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/controllerinstallation/chart"
	"github.com/gardener-up/gardener-up/controllers/internal/patch"
	"github.com/gardener-up/gardener-up/controllers/resourcemanager/manifest"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	resourcesv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/resources/v1alpha1"
)

const (
	fieldOwner = client.FieldOwner("gardenlet")
	// namespacePrefix comes before the name of an installation in the name of the namespace of its chart.
	namespacePrefix = "extension-"
	// releaseAnnotation of the Secret with the rendered objects is the checksum of what they were rendered from, and of the
	// result. Charts may generate random values, so an unchanged release must not be rendered twice.
	releaseAnnotation = "checksum/release"
	// answersAnnotation of the same Secret is what the chart asked about the kinds of the seed. Other kinds may come and go.
	answersAnnotation = "answers/release"
	labelEnforce      = "pod-security.kubernetes.io/enforce"
	dataKey           = "data.yaml" + resourcesv1alpha1.BrotliCompressionSuffix
	classSeed         = "seed"
)

// release is one chart to install in the seed.
type release struct {
	installation *gardencorev1beta1.ControllerInstallation
	registration *gardencorev1beta1.ControllerRegistration
	archive      []byte
	access       *gardenAccess // nil if the chart gets none
	seed         string        // its name
	chart.Release
}

// install renders the release and passes the objects to the resource manager of the seed.
func (r *Reconciler) install(ctx context.Context, want release) error {
	inputs, err := want.inputs()
	if err != nil {
		return err
	}
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: constants.GardenNamespace, Name: managedresource.SecretPrefix + want.installation.Name}}
	if err := r.Seed.Get(ctx, client.ObjectKeyFromObject(secret), secret); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("read secret %q of the seed: %w", secret.Name, err)
	}
	if !want.rendered(secret, inputs) {
		objects, answers, err := chart.Render(want.archive, want.Release)
		if err != nil {
			return unrendered{err}
		}
		renewJobs(objects, want.Namespace)
		if want.access != nil {
			injectGarden(objects, *want.access, want.seed)
		}
		if secret, err = want.secret(objects, inputs, answers); err != nil {
			return err
		}
		if err := r.applier().ApplyAll(ctx, secret); err != nil {
			return err
		}
	}
	objects := []client.Object{want.namespace()}
	if want.access != nil {
		objects = append(objects, want.access.kubeconfig, want.access.jobKubeconfig, want.access.token)
	}
	return r.applier().ApplyAll(ctx, append(objects, want.managedResource(secret.Name))...)
}

// rendered reports whether the Secret has what the chart would make of the inputs and of the kinds of the seed.
func (w release) rendered(secret *corev1.Secret, inputs string) bool {
	if secret.Annotations[releaseAnnotation] != inputs+"-"+manifest.Checksum(secret.Data) {
		return false
	}
	answers := chart.Answers{}
	return json.Unmarshal([]byte(secret.Annotations[answersAnnotation]), &answers) == nil && w.Cluster.Confirms(answers)
}

// unrendered is the error of a chart that cannot be rendered.
type unrendered struct{ error }

func (u unrendered) Unwrap() error { return u.error }

// final reports whether the error stays until something changes, which wakes the controller.
func (u unrendered) final() bool {
	var unanswered chart.UnansweredError
	return !errors.As(u.error, &unanswered)
}

func (r *Reconciler) applier() patch.Applier { return patch.Applier{Client: r.Seed, Owner: fieldOwner} }

func (w release) namespace() *corev1.Namespace {
	enforce := w.registration.Annotations[constants.AnnotationPodSecurityEnforce]
	if own := w.installation.Annotations[constants.AnnotationPodSecurityEnforce]; own != "" {
		enforce = own
	}
	if enforce == "" {
		enforce = "privileged"
	}
	return &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: w.Namespace, Labels: map[string]string{
		constants.GardenRole:                             constants.GardenRoleExtension,
		constants.LabelControllerRegistrationName:        w.registration.Name,
		resourcesv1alpha1.HighAvailabilityConfigConsider: "true",
		labelEnforce: enforce,
	}}}
}

// inputs is the checksum of what decides what is rendered, apart from the kinds of the seed.
func (w release) inputs() (string, error) {
	raw, err := json.Marshal([]any{w.archive, w.Name, w.Namespace, w.Values, w.Cluster.Version, w.access != nil})
	if err != nil {
		return "", fmt.Errorf("encode values: %w", err)
	}
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:]), nil
}

// secret keeps the objects compressed: those of a large chart would not fit otherwise.
func (w release) secret(objects []*unstructured.Unstructured, inputs string, answers chart.Answers) (*corev1.Secret, error) {
	var documents bytes.Buffer
	for _, object := range objects {
		document, err := yaml.Marshal(object.Object)
		if err != nil {
			return nil, fmt.Errorf("encode %s %q: %w", object.GetKind(), object.GetName(), err)
		}
		documents.WriteString("---\n")
		documents.Write(document)
	}
	compressed, err := manifest.Compress(documents.Bytes())
	if err != nil {
		return nil, err
	}
	asked, err := json.Marshal(answers)
	if err != nil {
		return nil, fmt.Errorf("encode what the chart asked: %w", err)
	}
	data := map[string][]byte{dataKey: compressed}
	return &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: constants.GardenNamespace, Name: managedresource.SecretPrefix + w.installation.Name, Labels: w.labels(),
			Annotations: map[string]string{releaseAnnotation: inputs + "-" + manifest.Checksum(data), answersAnnotation: string(asked)},
		},
		Type: corev1.SecretTypeOpaque, Data: data,
	}, nil
}

func (w release) labels() map[string]string {
	return map[string]string{constants.LabelControllerInstallationName: w.installation.Name}
}

func (w release) managedResource(secret string) *resourcesv1alpha1.ManagedResource {
	return &resourcesv1alpha1.ManagedResource{
		ObjectMeta: metav1.ObjectMeta{Namespace: constants.GardenNamespace, Name: w.installation.Name, Labels: w.labels()},
		Spec: resourcesv1alpha1.ManagedResourceSpec{
			Class: ptr.To(classSeed), SecretRefs: []corev1.LocalObjectReference{{Name: secret}}, KeepObjects: ptr.To(false),
		},
	}
}
