package integration

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"fmt"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	certificatesv1 "k8s.io/api/certificates/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// objects are those of both seeds by seed and Go type, as they were created.
var objects = map[string]map[string]client.Object{"a": {}, "b": {}}

func meta(namespace, name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Namespace: namespace, Name: name}
}

func secret(namespace, name string, data map[string][]byte) *corev1.Secret {
	return &corev1.Secret{ObjectMeta: meta(namespace, name), Data: data}
}

func configMap() *corev1.ConfigMap { return &corev1.ConfigMap{} }

func validating() *admissionregistrationv1.ValidatingWebhookConfiguration {
	return &admissionregistrationv1.ValidatingWebhookConfiguration{}
}

// makeSeed creates a seed with a shoot, and an object of each kind that belongs to them.
func makeSeed(ctx context.Context, seed string) error {
	project := "garden-" + seed
	profile := &core.CloudProfile{ObjectMeta: meta("", "profile"), Spec: core.CloudProfileSpec{
		Type: "local", Regions: []core.Region{{Name: "local"}},
		Kubernetes: core.KubernetesSettings{Versions: []core.ExpirableVersion{{Version: "1.36.3"}}},
		MachineImages: []core.MachineImage{{Name: "local", Versions: []core.MachineImageVersion{
			{ExpirableVersion: core.ExpirableVersion{Version: "1.0.0"}},
		}}},
		MachineTypes: []core.MachineType{{Name: "local", CPU: resource.MustParse("2"), GPU: resource.MustParse("0"), Memory: resource.MustParse("4Gi")}},
	}}
	backup, theSeed := secret("garden", "backup-"+seed, nil), newSeed(seed)
	theSeed.Spec.Backup = &core.Backup{Provider: "local", SecretRef: corev1.SecretReference{Namespace: "garden", Name: backup.Name}}
	for _, object := range []client.Object{
		&corev1.Namespace{ObjectMeta: meta("", "gardener-system-seed-lease")}, &corev1.Namespace{ObjectMeta: meta("", "seed-"+seed)},
		&corev1.Namespace{ObjectMeta: meta("", project)}, &core.Project{ObjectMeta: meta("", seed), Spec: core.ProjectSpec{Namespace: &project}},
		secret(project, "unrelated", nil), secret("seed-"+seed, "internal-domain", nil), secret(project, "shoot.kubeconfig", nil), secret(project, "cloud", nil),
		&core.SecretBinding{ObjectMeta: meta(project, "binding"), Provider: &core.SecretBindingProvider{Type: "local"}, SecretRef: corev1.SecretReference{Namespace: project, Name: "cloud"}},
		profile, backup, theSeed, newShoot(project, "shoot", seed),
		&corev1.ConfigMap{ObjectMeta: meta(project, "shoot.ca-cluster")}, &core.InternalSecret{ObjectMeta: meta(project, "shoot.ca-client")},
		&core.ShootState{ObjectMeta: meta(project, "shoot")},
		&corev1.ServiceAccount{ObjectMeta: meta("seed-"+seed, "extension")}, &rbacv1.ClusterRoleBinding{
			ObjectMeta: meta("", "binding-"+seed), RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "gardener.cloud:system:seed-bootstrapper"},
		},
		&coordinationv1.Lease{ObjectMeta: meta("gardener-system-seed-lease", seed)}, newRequest(seed),
		&core.ControllerDeployment{ObjectMeta: meta("", "deployment"), Type: "helm", ProviderConfig: runtime.RawExtension{Raw: []byte(`{"chart":""}`)}},
		&core.ControllerRegistration{ObjectMeta: meta("", "registration")},
		&core.ControllerInstallation{ObjectMeta: meta("", "installation-"+seed), Spec: core.ControllerInstallationSpec{
			RegistrationRef: corev1.ObjectReference{Name: "registration"}, SeedRef: &corev1.ObjectReference{Name: seed},
		}},
	} {
		if err := keep(ctx, seed, object); err != nil {
			return err
		}
	}
	uid := string(objects[seed]["Seed"].GetUID())
	// login is as package seedlogin makes it.
	login := secret("garden", seed+".login", nil)
	login.OwnerReferences = []metav1.OwnerReference{{APIVersion: core.SchemeGroupVersion.String(), Kind: "Seed", Name: seed, UID: types.UID(uid)}}
	if err := admin.Create(ctx, login); err != nil {
		return fmt.Errorf("create login of seed %q: %w", seed, err)
	}
	for _, object := range []client.Object{
		&core.BackupBucket{ObjectMeta: meta("", uid), Spec: core.BackupBucketSpec{
			Provider: core.BackupBucketProvider{Type: "local", Region: "local"}, SeedName: &seed, SecretRef: corev1.SecretReference{Namespace: "garden", Name: backup.Name},
		}},
		newEntry(seed, project, uid),
	} {
		if err := keep(ctx, seed, object); err != nil {
			return err
		}
	}
	return makeFurther(ctx, seed, project)
}

// newEntry is the entry of the shoot of a seed.
func newEntry(seed, project, bucket string) *core.BackupEntry {
	entry := &core.BackupEntry{ObjectMeta: meta(project, entryOf(seed)), Spec: core.BackupEntrySpec{BucketName: bucket, SeedName: &seed}}
	shoot := objects[seed]["Shoot"]
	entry.OwnerReferences = []metav1.OwnerReference{{APIVersion: core.SchemeGroupVersion.String(), Kind: "Shoot", Name: shoot.GetName(), UID: shoot.GetUID()}}
	return entry
}

func entryOf(seed string) string { return "shoot--" + seed + "--shoot--first" }

// keep creates an object, unless both seeds share it, and keeps it for later.
func keep(ctx context.Context, seed string, object client.Object) error {
	kind := object.GetObjectKind().GroupVersionKind().Kind
	if gvk, err := admin.GroupVersionKindFor(object); err == nil {
		kind = gvk.Kind
	}
	if err := admin.Create(ctx, object); err != nil && !apierrors.IsAlreadyExists(err) {
		return fmt.Errorf("create %s %q: %w", kind, object.GetName(), err)
	}
	objects[seed][kind] = object // of Secrets the last one, which is the credentials of the shoot or the backup
	return nil
}

func newSeed(name string) *core.Seed {
	return &core.Seed{ObjectMeta: meta("", name), Spec: core.SeedSpec{
		Provider: core.SeedProvider{Type: "local", Region: "local"},
		Networks: core.SeedNetworks{Pods: "10.1.0.0/16", Services: "10.2.0.0/16", Nodes: ptr.To("10.0.0.0/16")},
		Ingress:  &core.Ingress{Domain: name + ".example.org", Controller: core.IngressController{Kind: "nginx"}},
		DNS:      core.SeedDNS{Provider: &core.SeedDNSProvider{Type: "local", SecretRef: corev1.SecretReference{Name: "dns", Namespace: "garden"}}},
	}}
}

func newShoot(namespace, name, seed string) *core.Shoot {
	return &core.Shoot{ObjectMeta: meta(namespace, name), Spec: core.ShootSpec{
		CloudProfile: &core.CloudProfileReference{Kind: "CloudProfile", Name: "profile"}, SecretBindingName: ptr.To("binding"), Region: "local",
		SeedName: &seed, Networking: &core.Networking{Type: ptr.To("calico")}, Kubernetes: core.Kubernetes{Version: "1.36.3"},
		Provider: core.Provider{Type: "local", Workers: []core.Worker{{Name: "local", Minimum: 1, Maximum: 2, Machine: core.Machine{Type: "local"}}}},
	}}
}

func newRequest(seed string) *certificatesv1.CertificateSigningRequest {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		panic(err)
	}
	subject := pkix.Name{CommonName: "gardener.cloud:system:seed:" + seed, Organization: []string{seeds}}
	der, err := x509.CreateCertificateRequest(rand.Reader, &x509.CertificateRequest{Subject: subject}, key)
	if err != nil {
		panic(err)
	}
	return &certificatesv1.CertificateSigningRequest{ObjectMeta: meta("", "seed-csr-"+seed), Spec: certificatesv1.CertificateSigningRequestSpec{
		Request: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE REQUEST", Bytes: der}), SignerName: certificatesv1.KubeAPIServerClientSignerName,
		Usages: []certificatesv1.KeyUsage{certificatesv1.UsageClientAuth, certificatesv1.UsageDigitalSignature},
	}}
}

// body is the object of a seed as somebody would create it again, in any namespace.
func body(seed, kind string, version metav1.GroupVersion, namespace string) []byte {
	object, known := objects[seed][kind]
	if !known {
		return fmt.Appendf(nil, `{"apiVersion":%q,"kind":%q,"metadata":{"name":"thing-%s"}}`, version, kind, seed)
	}
	raw, err := json.Marshal(object)
	if err != nil {
		panic(err)
	}
	content := map[string]any{}
	if err := json.Unmarshal(raw, &content); err != nil {
		panic(err)
	}
	content["apiVersion"], content["kind"] = version.String(), kind
	metadata := content["metadata"].(map[string]any)
	if namespace != "" {
		metadata["namespace"] = namespace
	}
	for _, field := range []string{"resourceVersion", "uid", "creationTimestamp", "managedFields", "generation"} {
		delete(metadata, field)
	}
	if raw, err = json.Marshal(content); err != nil {
		panic(err)
	}
	return raw
}
