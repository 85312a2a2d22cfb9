// Package operation collects the inputs of one run over a Shoot: the objects in the garden that the Shoot refers to,
// and values derived from them, such as names, domains and networks. It changes nothing.
package operation

import (
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"

	helper "github.com/gardener-up/gardener-up/embedded/apihelper/core"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

// Operation contains the inputs of one run. It is not changed after Load.
type Operation struct {
	// Shoot as it was when the run began.
	Shoot        *gardencorev1beta1.Shoot
	Project      string
	Seed         *gardencorev1beta1.Seed
	CloudProfile *gardencorev1beta1.CloudProfile
	// ExposureClass of the shoot; nil for the default exposure.
	ExposureClass *gardencorev1beta1.ExposureClass
	// Credentials of the infrastructure, nil if the shoot has none.
	Credentials *corev1.Secret
	// KeepCredentials means that the credentials of a Shoot that is being deleted are refused: extensions keep those that they
	// have.
	KeepCredentials bool
	Domains
	// Extensions are the objects of kind Extension that the shoot needs.
	Extensions []Extension
	// GardenIdentity is the identity of the garden cluster.
	GardenIdentity string
}

// TechnicalID is the name of the namespace of the shoot in the seed.
func (o *Operation) TechnicalID() string { return TechnicalID(o.Project, o.Shoot) }

// TechnicalID keeps the recorded ID, since older shoots may use another scheme.
func TechnicalID(project string, shoot *gardencorev1beta1.Shoot) string {
	if shoot.Status.TechnicalID != "" {
		return shoot.Status.TechnicalID
	}
	return constants.TechnicalIDPrefix + project + "--" + shoot.Name
}

// ClusterIdentity of the shoot.
func (o *Operation) ClusterIdentity() string {
	if identity := ptr.Deref(o.Shoot.Status.ClusterIdentity, ""); identity != "" {
		return identity
	}
	return strings.Join([]string{o.TechnicalID(), UID(o.Shoot), o.GardenIdentity}, "-")
}

// ChecksOwner reports whether a record in the internal domain says which seed is responsible for the shoot, and its etcd checks that. A
// Seed whose setting is not set does not check: its nodes may not resolve names of shoots.
func (o *Operation) ChecksOwner() bool {
	return o.Internal != nil && helper.ChecksOwners(o.Seed)
}

// BackupEntryName is the name of the BackupEntry of the shoot.
func (o *Operation) BackupEntryName() string { return o.TechnicalID() + "--" + UID(o.Shoot) }
