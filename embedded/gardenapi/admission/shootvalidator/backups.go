package shootvalidator

import (
	"fmt"
	"strings"

	helper "github.com/gardener-up/gardener-up/embedded/apihelper/core"
	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/backuprestore/location"
)

// backupsStay says why backups cannot be copied from the bucket of one seed into that of another one; empty if they can, or if it is not known. The nodes of the
// other seed copy them. Both seeds must have a backup.
func backupsStay(from, to *core.Seed) string {
	for _, seed := range []*core.Seed{from, to} {
		provider := seed.Spec.Backup.Provider
		if _, remote := location.Remote(provider); !remote && !keptLocally(seed) {
			return fmt.Sprintf("seed %q has a bucket of provider %q, and a control plane moves with its backups, which can be copied only between buckets of %s, %s and their infrastructures",
				seed.Name, provider, location.Local, strings.Join(location.Stores(), ", "))
		}
	}
	if keptLocally(from) && !helper.SharesBackups(from) {
		return fmt.Sprintf("the backups of seed %q are directories that nodes of other seeds do not have (its annotation %s is false), and a control plane moves with its backups",
			from.Name, helper.AnnotationSharesBackups)
	}
	if (keptLocally(from) || keptLocally(to)) && !helper.SharesBackups(to) {
		return fmt.Sprintf("the nodes of seed %q do not have the directories with the backups of the landscape (its annotation %s is false), and a control plane moves with its backups",
			to.Name, helper.AnnotationSharesBackups)
	}
	return ""
}

// keptLocally reports whether the bucket of a seed is a directory.
func keptLocally(seed *core.Seed) bool {
	return strings.EqualFold(seed.Spec.Backup.Provider, location.Local)
}
