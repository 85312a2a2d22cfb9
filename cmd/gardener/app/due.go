package app

import (
	"context"
	"fmt"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	registry "github.com/gardener-up/gardener-up/embedded/gardenapi/registry/core/shoot"
)

const (
	// versionNotice is how long before its end the version of a shoot is due.
	versionNotice = 30 * 24 * time.Hour
	// certificateNotice does the same for the certificates of gardenlets, which renew them by themselves much earlier.
	certificateNotice = 24 * time.Hour
)

// due is something that somebody has to do, although everything serves.
type due struct {
	Object string `json:"object"` // such as "shoot garden-local/sun"
	What   string `json:"what"`
}

// dueSeeds lists the seeds whose gardenlets have not renewed their certificates.
func dueSeeds(seeds []gardencorev1beta1.Seed, now time.Time) []due {
	var all []due
	for i := range seeds {
		if ends := seeds[i].Status.ClientCertificateExpirationTimestamp; ends != nil && ends.Sub(now) < certificateNotice {
			all = append(all, due{"seed " + seeds[i].Name, "the certificate of its gardenlet " + endsAt(ends.Time, now)})
		}
	}
	return all
}

func endsAt(end, now time.Time) string {
	if end.Before(now) {
		return "ended at " + end.Local().Format(time.DateTime)
	}
	return "ends at " + end.Local().Format(time.DateTime)
}

// dueShoot lists what is due for a shoot. profile is nil if it cannot be found.
func dueShoot(shoot *gardencorev1beta1.Shoot, profile *gardencorev1beta1.CloudProfile, now time.Time) []string {
	name := shoot.Namespace + "/" + shoot.Name
	var all []string
	for _, r := range rotationsOf(shoot) {
		switch r.phase {
		case gardencorev1beta1.RotationPrepared:
			all = append(all, fmt.Sprintf("the rotation of the %s waits for its end: gardener shoot rotate %s --of %s --complete", r.title, name, r.name))
		case gardencorev1beta1.RotationWaitingForWorkersRollout:
			all = append(all, fmt.Sprintf("the rotation of the %s waits for new nodes: gardener shoot rotate %s --workers POOL", r.title, name))
		}
	}
	all = append(all, dueVersion(shoot.Spec.Kubernetes.Version, profile, now)...)
	for _, c := range shoot.Status.Constraints {
		if c.Status != gardencorev1beta1.ConditionTrue {
			all = append(all, fmt.Sprintf("%s is %s: %s", c.Type, c.Status, c.Message))
		}
	}
	return append(all, registry.Outdated(shoot)...)
}

// dueVersion looks for the end of a version of Kubernetes.
func dueVersion(version string, profile *gardencorev1beta1.CloudProfile, now time.Time) []string {
	if profile == nil {
		return nil
	}
	versions := profile.Spec.Kubernetes.Versions
	at := slices.IndexFunc(versions, func(v gardencorev1beta1.ExpirableVersion) bool { return v.Version == version })
	if at < 0 {
		return []string{fmt.Sprintf("Kubernetes %s is no longer in CloudProfile %q", version, profile.Name)}
	}
	if end := versions[at].ExpirationDate; end != nil && end.Sub(now) < versionNotice {
		return []string{"the support of Kubernetes " + version + " " + endsAt(end.Time, now)}
	}
	return nil
}

// rotation is a rotation of credentials that has begun. name is that of "gardener shoot rotate --of".
type rotation struct {
	name, title string
	phase       gardencorev1beta1.CredentialsRotationPhase
}

func rotationsOf(shoot *gardencorev1beta1.Shoot) []rotation {
	if shoot.Status.Credentials == nil || shoot.Status.Credentials.Rotation == nil {
		return nil
	}
	status, all := shoot.Status.Credentials.Rotation, []rotation(nil)
	if r := status.CertificateAuthorities; r != nil {
		all = append(all, rotation{"ca", "certificate authorities", r.Phase})
	}
	if r := status.ServiceAccountKey; r != nil {
		all = append(all, rotation{"service-account-key", "service account key", r.Phase})
	}
	if r := status.ETCDEncryptionKey; r != nil {
		all = append(all, rotation{"etcd-encryption-key", "etcd encryption key", r.Phase})
	}
	return slices.DeleteFunc(all, func(r rotation) bool { return r.phase == "" || r.phase == gardencorev1beta1.RotationCompleted })
}

// warnings collects what the garden warns of. It implements rest.WarningHandler.
type warnings []string

func (w *warnings) HandleWarningHeader(_ int, _, text string) { *w = append(*w, text) }

// dueOf lists everything that is due. The garden warns of old credentials when it is asked for an update that changes nothing.
func dueOf(ctx context.Context, config *rest.Config, in *gardenOfSeeds, now time.Time) ([]due, error) {
	told := &warnings{}
	config = rest.CopyConfig(config)
	config.WarningHandler = told
	garden, err := client.New(config, client.Options{Scheme: gardenScheme()})
	if err != nil {
		return nil, err
	}
	profiles := &gardencorev1beta1.CloudProfileList{}
	if err := garden.List(ctx, profiles); err != nil {
		return nil, fmt.Errorf("list CloudProfiles: %w", err)
	}
	all := dueSeeds(in.seeds.Items, now)
	for i := range in.shoots.Items {
		shoot := &in.shoots.Items[i]
		if shoot.DeletionTimestamp != nil {
			continue
		}
		*told = nil
		same := client.RawPatch(types.MergePatchType, []byte("{}"))
		if err := garden.Patch(ctx, shoot.DeepCopy(), same, client.DryRunAll); client.IgnoreNotFound(err) != nil {
			return nil, fmt.Errorf("ask what is due for shoot %s/%s: %w", shoot.Namespace, shoot.Name, err)
		}
		for _, what := range append(dueShoot(shoot, profileOf(shoot, profiles.Items), now), *told...) {
			all = append(all, due{"shoot " + shoot.Namespace + "/" + shoot.Name, what})
		}
	}
	return all, nil
}

// profileOf finds the CloudProfile of a shoot; nil for those of a namespace.
func profileOf(shoot *gardencorev1beta1.Shoot, profiles []gardencorev1beta1.CloudProfile) *gardencorev1beta1.CloudProfile {
	name := ""
	if ref := shoot.Spec.CloudProfile; ref != nil && (ref.Kind == "" || ref.Kind == "CloudProfile") {
		name = ref.Name
	} else if ref == nil && shoot.Spec.CloudProfileName != nil {
		name = *shoot.Spec.CloudProfileName
	}
	for i := range profiles {
		if profiles[i].Name == name {
			return &profiles[i]
		}
	}
	return nil
}

func dueRows(all []due) [][]string {
	if len(all) == 0 {
		return nil
	}
	rows := [][]string{nil, {"DUE", "WHAT"}}
	for _, one := range all {
		rows = append(rows, []string{tinted(yellow, one.Object), one.What})
	}
	return rows
}
