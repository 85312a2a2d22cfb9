package dependency

import (
	"crypto/x509"
	"encoding/pem"

	certificatesv1 "k8s.io/api/certificates/v1"
	"k8s.io/utils/ptr"

	"github.com/gardener-up/gardener-up/controllers/admissioncontroller/graph"
	"github.com/gardener-up/gardener-up/controllers/admissioncontroller/seedidentity"
	"github.com/gardener-up/gardener-up/embedded/apihelper/bootstraptoken"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	seedmanagementv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/seedmanagement/v1alpha1"
)

// seed adds what the Seed refers to, its namespace in the garden, and its bucket, which has the UID as its name.
func (e *edges) seed(v graph.Vertex, seed *gardencorev1beta1.Seed) {
	spec := &seed.Spec
	e.add(graph.Vertex{Kind: graph.Namespace, Name: constants.SeedNamespaceNamePrefix + v.Name}, v)
	e.add(graph.Vertex{Kind: graph.BackupBucket, Name: string(seed.UID)}, v)
	if spec.SecretRef != nil {
		e.secret(spec.SecretRef.Namespace, spec.SecretRef.Name, v)
	}
	if backup := spec.Backup; backup != nil {
		e.secret(backup.SecretRef.Namespace, backup.SecretRef.Name, v)
		e.credentials(backup.CredentialsRef, v)
	}
	if provider := spec.DNS.Provider; provider != nil {
		e.secret(provider.SecretRef.Namespace, provider.SecretRef.Name, v)
		e.credentials(provider.CredentialsRef, v)
	}
	if internal := spec.DNS.Internal; internal != nil {
		e.credentials(&internal.CredentialsRef, v)
	}
	for i := range spec.DNS.Defaults {
		e.credentials(&spec.DNS.Defaults[i].CredentialsRef, v)
	}
	for _, resource := range spec.Resources {
		e.named(resource.ResourceRef.Kind, constants.GardenNamespace, resource.ResourceRef.Name, v)
	}
}

// bucket adds the credentials of a bucket. Of those that the status names only the generated ones count, since a gardenlet
// writes the status.
func (e *edges) bucket(v graph.Vertex, bucket *gardencorev1beta1.BackupBucket) {
	e.toSeed(v, bucket.Spec.SeedName)
	e.secret(bucket.Spec.SecretRef.Namespace, bucket.Spec.SecretRef.Name, v)
	e.credentials(bucket.Spec.CredentialsRef, v)
	e.secret(constants.GardenNamespace, constants.SecretPrefixGeneratedBackupBucket+v.Name, v)
}

// entry adds the bucket that the entry is in, which may be that of another seed.
func (e *edges) entry(v graph.Vertex, entry *gardencorev1beta1.BackupEntry) {
	e.toSeed(v, entry.Spec.SeedName)
	if status := entry.Status.SeedName; status != nil && ptr.Deref(entry.Spec.SeedName, "") != *status {
		e.toSeed(v, status)
	}
	e.add(graph.Vertex{Kind: graph.BackupBucket, Name: entry.Spec.BucketName}, v)
	e.add(graph.Vertex{Kind: graph.Namespace, Name: v.Namespace}, v) // it outlives the shoot
}

// managedSeed adds the shoot that becomes the seed, and what its gardenlet gets its first certificate with.
func (e *edges) managedSeed(v graph.Vertex, managed *seedmanagementv1alpha1.ManagedSeed) {
	if managed.Spec.Shoot != nil {
		e.add(v, graph.Vertex{Kind: graph.Shoot, Namespace: v.Namespace, Name: managed.Spec.Shoot.Name})
	}
	if managed.Spec.Gardenlet == nil {
		return
	}
	switch ptr.Deref(managed.Spec.Gardenlet.Bootstrap, seedmanagementv1alpha1.BootstrapToken) {
	case seedmanagementv1alpha1.BootstrapToken:
		e.add(graph.Vertex{Kind: graph.BootstrapToken, Name: bootstraptoken.ID(v.Namespace, v.Name)}, v)
	case seedmanagementv1alpha1.BootstrapServiceAccount:
		account := bootstraptoken.Account(v.Name)
		e.add(graph.Vertex{Kind: graph.ServiceAccount, Namespace: v.Namespace, Name: account}, v)
		e.add(graph.Vertex{Kind: graph.ClusterRoleBinding, Name: bootstraptoken.Binding(v.Namespace, account)}, v)
	}
}

// request adds the seed that a certificate is requested for, by the seed itself or by another user.
func (e *edges) request(v graph.Vertex, request *certificatesv1.CertificateSigningRequest) {
	if seed, found := seedidentity.Seed(request.Spec.Username, request.Spec.Groups); found {
		e.toSeed(v, &seed)
		return
	}
	block, _ := pem.Decode(request.Spec.Request)
	if block == nil {
		return
	}
	parsed, err := x509.ParseCertificateRequest(block.Bytes)
	if err != nil {
		return
	}
	if seed, found := seedidentity.Seed(parsed.Subject.CommonName, parsed.Subject.Organization); found {
		e.toSeed(v, &seed)
	}
}
