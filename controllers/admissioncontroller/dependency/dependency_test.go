package dependency_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"testing"

	"github.com/google/go-cmp/cmp"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	certificatesv1 "k8s.io/api/certificates/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/admissioncontroller/dependency"
	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	operations "github.com/gardener-up/gardener-up/embedded/apis/operations/v1alpha1"
	security "github.com/gardener-up/gardener-up/embedded/apis/security/v1alpha1"
	seedmanagement "github.com/gardener-up/gardener-up/embedded/apis/seedmanagement/v1alpha1"
)

func meta(namespace, name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Namespace: namespace, Name: name, UID: "uid"}
}

func reference(kind, name string) autoscalingv1.CrossVersionObjectReference {
	return autoscalingv1.CrossVersionObjectReference{Kind: kind, Name: name, APIVersion: "v1"}
}

func managed(bootstrap *seedmanagement.Bootstrap) *seedmanagement.ManagedSeed {
	return &seedmanagement.ManagedSeed{ObjectMeta: meta("garden", "m"), Spec: seedmanagement.ManagedSeedSpec{
		Shoot: &seedmanagement.Shoot{Name: "s"}, Gardenlet: &seedmanagement.GardenletConfig{Bootstrap: bootstrap},
	}}
}

// created is a shoot with a technical ID.
func created(wanted, held string) *core.Shoot {
	s := &core.Shoot{ObjectMeta: meta("p", "s"), Spec: core.ShootSpec{SeedName: &wanted}, Status: core.ShootStatus{TechnicalID: "shoot--p--s", SeedName: &held}}
	if held == "" {
		s.Status.SeedName = nil
	}
	return s
}

func TestEdges(t *testing.T) {
	for name, tc := range map[string]struct {
		object client.Object
		want   []string
	}{
		"GAC-8 a shoot with everything": {
			object: &core.Shoot{ObjectMeta: meta("p", "s"), Spec: core.ShootSpec{
				SeedName: ptr.To("a"), CloudProfileName: ptr.To("profile"), CloudProfile: &core.CloudProfileReference{Kind: "NamespacedCloudProfile", Name: "own"},
				ExposureClassName: ptr.To("class"), SecretBindingName: ptr.To("sb"), CredentialsBindingName: ptr.To("cb"),
				Resources: []core.NamedResourceReference{
					{ResourceRef: reference("Secret", "r1")}, {ResourceRef: reference("ConfigMap", "r2")},
					{ResourceRef: reference("WorkloadIdentity", "r3")}, {ResourceRef: reference("Pod", "unknown")},
				},
				DNS: &core.DNS{Providers: []core.DNSProvider{{SecretName: ptr.To("dns")}, {CredentialsRef: ptr.To(reference("Secret", "dns2"))}}},
				Kubernetes: core.Kubernetes{KubeAPIServer: &core.KubeAPIServerConfig{
					AuditConfig:              &core.AuditConfig{AuditPolicy: &core.AuditPolicy{ConfigMapRef: &corev1.ObjectReference{Name: "audit"}}},
					ServiceAccountConfig:     &core.ServiceAccountConfig{SigningKeySecret: &corev1.LocalObjectReference{Name: "key"}},
					AdmissionPlugins:         []core.AdmissionPlugin{{Name: "X", KubeconfigSecretName: ptr.To("plugin")}},
					StructuredAuthentication: &core.StructuredAuthentication{ConfigMapName: "authn"},
					StructuredAuthorization: &core.StructuredAuthorization{
						ConfigMapName: "authz", Kubeconfigs: []core.AuthorizerKubeconfigReference{{SecretName: "authzkube"}},
					},
				}},
			}},
			want: []string{
				"Shoot:p/s > Seed:a", "Namespace:p > Shoot:p/s", "CloudProfile:profile > Shoot:p/s", "NamespacedCloudProfile:p/own > Shoot:p/s",
				"ExposureClass:class > Shoot:p/s", "SecretBinding:p/sb > Shoot:p/s", "CredentialsBinding:p/cb > Shoot:p/s",
				"Secret:p/r1 > Shoot:p/s", "ConfigMap:p/r2 > Shoot:p/s", "WorkloadIdentity:p/r3 > Shoot:p/s", "Secret:p/dns > Shoot:p/s",
				"Secret:p/dns2 > Shoot:p/s", "ConfigMap:p/audit > Shoot:p/s", "Secret:p/key > Shoot:p/s", "Secret:p/plugin > Shoot:p/s",
				"ConfigMap:p/authn > Shoot:p/s", "ConfigMap:p/authz > Shoot:p/s", "Secret:p/authzkube > Shoot:p/s",
			},
		},
		"GAC-8 a shoot that moves has both seeds": {
			object: &core.Shoot{ObjectMeta: meta("p", "s"), Spec: core.ShootSpec{SeedName: ptr.To("b")}, Status: core.ShootStatus{SeedName: ptr.To("a")}},
			want:   []string{"Shoot:p/s > Seed:b", "Shoot:p/s > Seed:a", "Namespace:p > Shoot:p/s"},
		},
		"GAC-8 MIG-15 a shoot has its backup entry": {
			object: created("a", "a"), want: []string{"Shoot:p/s > Seed:a", "BackupEntry:p/shoot--p--s--uid > Shoot:p/s", "Namespace:p > Shoot:p/s"},
		},
		"GAC-8 MIG-15 a shoot that moves has not given its backup entry to the next seed": {
			object: created("b", "a"), want: []string{"Shoot:p/s > Seed:b", "Shoot:p/s > Seed:a", "Namespace:p > Shoot:p/s"},
		},
		"GAC-8 MIG-15 a shoot that no seed has any longer has its backup entry": {
			object: created("b", ""), want: []string{"Shoot:p/s > Seed:b", "BackupEntry:p/shoot--p--s--uid > Shoot:p/s", "Namespace:p > Shoot:p/s"},
		},
		"GAC-8 a seed with everything": {
			object: &core.Seed{ObjectMeta: meta("", "a"), Spec: core.SeedSpec{
				SecretRef: &corev1.SecretReference{Namespace: "garden", Name: "kubeconfig"},
				Backup:    &core.Backup{CredentialsRef: &corev1.ObjectReference{Kind: "Secret", Namespace: "garden", Name: "backup"}},
				DNS: core.SeedDNS{
					Provider: &core.SeedDNSProvider{SecretRef: corev1.SecretReference{Namespace: "garden", Name: "dns"}},
					Internal: &core.SeedDNSProviderConfig{CredentialsRef: corev1.ObjectReference{Kind: "WorkloadIdentity", Namespace: "garden", Name: "internal"}},
					Defaults: []core.SeedDNSProviderConfig{{CredentialsRef: corev1.ObjectReference{Kind: "Secret", Namespace: "garden", Name: "default"}}},
				},
				Resources: []core.NamedResourceReference{{ResourceRef: reference("ConfigMap", "more")}},
			}},
			want: []string{
				"Namespace:seed-a > Seed:a", "BackupBucket:uid > Seed:a", "Secret:garden/kubeconfig > Seed:a", "Secret:garden/backup > Seed:a",
				"Secret:garden/dns > Seed:a", "WorkloadIdentity:garden/internal > Seed:a", "Secret:garden/default > Seed:a", "ConfigMap:garden/more > Seed:a",
			},
		},
		"GAC-8 a bucket does not open what its status names": {
			object: &core.BackupBucket{
				ObjectMeta: meta("", "b"), Spec: core.BackupBucketSpec{SeedName: ptr.To("a"), SecretRef: corev1.SecretReference{Namespace: "garden", Name: "backup"}},
				Status: core.BackupBucketStatus{GeneratedSecretRef: &corev1.SecretReference{Namespace: "p", Name: "stolen"}},
			},
			want: []string{"BackupBucket:b > Seed:a", "Secret:garden/backup > BackupBucket:b", "Secret:garden/generated-bucket-b > BackupBucket:b"},
		},
		"GAC-8 a backup entry": {
			object: &core.BackupEntry{ObjectMeta: meta("p", "e"), Spec: core.BackupEntrySpec{SeedName: ptr.To("a"), BucketName: "b"}},
			want:   []string{"BackupEntry:p/e > Seed:a", "BackupBucket:b > BackupEntry:p/e", "Namespace:p > BackupEntry:p/e"},
		},
		"GAC-8 a controller installation": {
			object: &core.ControllerInstallation{ObjectMeta: meta("", "i"), Spec: core.ControllerInstallationSpec{SeedRef: &corev1.ObjectReference{Name: "a"}}},
			want:   []string{"ControllerInstallation:i > Seed:a"},
		},
		"GAC-8 GLT-22 a controller installation needs its deployment": {
			object: &core.ControllerInstallation{ObjectMeta: meta("", "i"), Spec: core.ControllerInstallationSpec{
				SeedRef: &corev1.ObjectReference{Name: "a"}, DeploymentRef: &corev1.ObjectReference{Name: "d"},
			}},
			want: []string{"ControllerInstallation:i > Seed:a", "ControllerDeployment:d > ControllerInstallation:i"},
		},
		"GAC-8 GLT-22 a controller deployment whose chart is in a registry": {
			object: &core.ControllerDeployment{ObjectMeta: meta("", "d"), Type: "helm", ProviderConfig: runtime.RawExtension{
				Raw: []byte(`{"ociRepository":{"ref":"x","pullSecretRef":{"name":"pull"},"caBundleSecretRef":{"name":"ca"}}}`),
			}},
			want: []string{"Secret:garden/pull > ControllerDeployment:d", "Secret:garden/ca > ControllerDeployment:d"},
		},
		"GAC-8 the configuration of another type of deployment counts for nothing": {
			object: &core.ControllerDeployment{ObjectMeta: meta("", "d"), Type: "custom", ProviderConfig: runtime.RawExtension{
				Raw: []byte(`{"ociRepository":{"ref":"x","pullSecretRef":{"name":"pull"}}}`),
			}},
		},
		"GAC-8 a secret binding": {
			object: &core.SecretBinding{ObjectMeta: meta("p", "b"), SecretRef: corev1.SecretReference{Namespace: "q", Name: "s"}},
			want:   []string{"Secret:q/s > SecretBinding:p/b"},
		},
		"GAC-8 a credentials binding": {
			object: &security.CredentialsBinding{ObjectMeta: meta("p", "b"), CredentialsRef: corev1.ObjectReference{Kind: "Secret", Namespace: "q", Name: "s"}},
			want:   []string{"Secret:q/s > CredentialsBinding:p/b"},
		},
		"GAC-8 a bastion": {
			object: &operations.Bastion{ObjectMeta: meta("p", "b"), Spec: operations.BastionSpec{SeedName: ptr.To("a")}},
			want:   []string{"Bastion:p/b > Seed:a"},
		},
		"GAC-8 a managed seed": {
			object: &seedmanagement.ManagedSeed{ObjectMeta: meta("garden", "m"), Spec: seedmanagement.ManagedSeedSpec{Shoot: &seedmanagement.Shoot{Name: "s"}}},
			want:   []string{"ManagedSeed:garden/m > Shoot:garden/s"},
		},
		"GAC-10 a seed on a shoot whose gardenlet begins with a token": {
			object: managed(nil), want: []string{"ManagedSeed:garden/m > Shoot:garden/s", "BootstrapToken:650157 > ManagedSeed:garden/m"},
		},
		"GAC-10 a seed on a shoot whose gardenlet begins with a service account": {
			object: managed(ptr.To(seedmanagement.BootstrapServiceAccount)), want: []string{
				"ManagedSeed:garden/m > Shoot:garden/s", "ServiceAccount:garden/gardenlet-bootstrap-m > ManagedSeed:garden/m",
				"ClusterRoleBinding:gardener.cloud:system:seed-bootstrapper:garden:gardenlet-bootstrap-m > ManagedSeed:garden/m",
			},
		},
		"GAC-10 a seed on a shoot whose gardenlet begins by itself": {
			object: managed(ptr.To(seedmanagement.BootstrapNone)), want: []string{"ManagedSeed:garden/m > Shoot:garden/s"},
		},
		"GAC-8 a gardenlet": {object: &seedmanagement.Gardenlet{ObjectMeta: meta("garden", "a")}, want: []string{"Gardenlet:garden/a > Seed:a"}},
		"GAC-8 a project": {
			object: &core.Project{ObjectMeta: meta("", "p"), Spec: core.ProjectSpec{Namespace: ptr.To("garden-p")}},
			want:   []string{"Project:p > Namespace:garden-p"},
		},
		"GAC-8 a request of a gardenlet counts for it, whatever it asks for": {
			object: &certificatesv1.CertificateSigningRequest{ObjectMeta: meta("", "r"), Spec: certificatesv1.CertificateSigningRequestSpec{
				Username: "gardener.cloud:system:seed:a", Groups: []string{"gardener.cloud:system:seeds"}, Request: request(t, "gardener.cloud:system:seed:b"),
			}},
			want: []string{"CertificateSigningRequest:r > Seed:a"},
		},
		"GAC-8 a request for a gardenlet counts for it": {
			object: &certificatesv1.CertificateSigningRequest{ObjectMeta: meta("", "r"), Spec: certificatesv1.CertificateSigningRequestSpec{
				Username: "system:bootstrap:abcdef", Request: request(t, "gardener.cloud:system:seed:b"),
			}},
			want: []string{"CertificateSigningRequest:r > Seed:b"},
		},
		"other requests count for nobody": {object: &certificatesv1.CertificateSigningRequest{
			ObjectMeta: meta("", "r"), Spec: certificatesv1.CertificateSigningRequestSpec{Username: "system:node:x", Request: []byte("{")},
		}},
	} {
		t.Run(name, func(t *testing.T) {
			v, edges := dependency.Of(tc.object)
			if v.Kind == "" {
				t.Fatal("the kind is unknown")
			}
			var got []string
			for _, edge := range edges {
				got = append(got, edge.From.String()+" > "+edge.To.String())
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("edges (-want +got):\n%s", diff)
			}
		})
	}
	t.Run("each kind is known", func(t *testing.T) {
		for _, object := range dependency.Kinds() {
			if v, _ := dependency.Of(object); v.Kind == "" {
				t.Errorf("%T has no vertex", object)
			}
		}
	})
}

func request(t *testing.T, name string) []byte {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	subject := pkix.Name{CommonName: name, Organization: []string{"gardener.cloud:system:seeds"}}
	der, err := x509.CreateCertificateRequest(rand.Reader, &x509.CertificateRequest{Subject: subject}, key)
	if err != nil {
		t.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE REQUEST", Bytes: der})
}
