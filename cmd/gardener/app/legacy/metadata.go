package legacy

import (
	"fmt"
	"strings"
)

// annotations by their present names.
var annotations = map[string]string{
	"confirmation.garden.sapcloud.io/deletion":         "confirmation.gardener.cloud/deletion",
	"garden.sapcloud.io/createdBy":                     "gardener.cloud/created-by",
	"garden.sapcloud.io/purpose":                       "shoot.gardener.cloud/purpose", // of a Shoot it becomes a field
	"shoot.garden.sapcloud.io/operation":               "gardener.cloud/operation",
	"shoot.garden.sapcloud.io/use-as-seed":             "shoot.gardener.cloud/use-as-seed",
	"shoot.garden.sapcloud.io/ignore":                  "shoot.gardener.cloud/ignore",
	"shoot.garden.sapcloud.io/ignore-alerts":           "shoot.gardener.cloud/ignore-alerts",
	"shoot.garden.sapcloud.io/expirationTimestamp":     "shoot.gardener.cloud/expiration-timestamp",
	"shoot.garden.sapcloud.io/tasks":                   "shoot.gardener.cloud/tasks",
	"project.garden.sapcloud.io/last-activity":         "project.gardener.cloud/last-activity",
	"backupinfrastructure.garden.sapcloud.io/deletion": "backupentry.core.gardener.cloud/force-deletion",
}

// serverSide is written by servers.
var serverSide = []string{"creationTimestamp", "generation", "managedFields", "resourceVersion", "selfLink", "uid"}

// metadata keeps what a user can write. Labels and annotations of others stay.
func metadata(n node) document {
	out := document{}
	for _, key := range serverSide {
		n.take(key)
	}
	for _, key := range []string{"name", "generateName", "namespace", "finalizers", "labels"} {
		n.move(key, out, key)
	}
	n.leaveOut("ownerReferences", "they name objects of the other group")
	kept := document{}
	for key, value := range taken[document](n, "annotations", "a mapping") {
		name, known := annotations[key]
		switch {
		case key == "kubectl.kubernetes.io/last-applied-configuration":
			continue
		case known:
			kept[name] = value
			continue
		case strings.Contains(key, "garden.sapcloud.io/"):
			n.run.notes = append(n.run.notes, fmt.Sprintf("%s has no meaning any more", n.at("annotations").Key(key)))
		}
		kept[key] = value
	}
	set(out, "annotations", kept)
	return out
}

// drop gives up fields by their paths.
func drop(object document, paths []string) {
	for _, path := range paths {
		keys := strings.Split(path, ".")
		at := object
		for _, key := range keys[:len(keys)-1] {
			at, _ = at[key].(document)
		}
		delete(at, keys[len(keys)-1])
	}
}
