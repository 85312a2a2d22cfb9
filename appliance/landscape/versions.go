package landscape

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/version"
)

// supported and deprecated are classifications of versions; only one version of a minor may be supported.
const supported, deprecated = "supported", "deprecated"

// addVersions puts the versions of wanted that present lacks in front of present, and reports whether there were any. It
// adds no version of a minor for which present supports a newer version, because somebody has chosen that one. An older
// supported version of the minor becomes deprecated.
func addVersions(present, wanted *unstructured.Unstructured) bool {
	path := []string{"spec", "kubernetes", "versions"}
	have, _, _ := unstructured.NestedSlice(present.Object, path...)
	want, _, _ := unstructured.NestedSlice(wanted.Object, path...)
	var added []any
	for _, entry := range want {
		if fields, ok := entry.(map[string]any); ok && makeRoom(have, fields["version"]) {
			added = append(added, entry)
		}
	}
	if len(added) == 0 {
		return false
	}
	return unstructured.SetNestedSlice(present.Object, append(added, have...), path...) == nil
}

// makeRoom reports whether a version is to be added to the present ones. It deprecates the version that the new one
// replaces.
func makeRoom(have []any, wanted any) bool {
	own := parse(wanted)
	if own == nil {
		return false
	}
	var replaced map[string]any
	for _, entry := range have {
		fields, ok := entry.(map[string]any)
		if !ok {
			continue
		}
		other := parse(fields["version"])
		if other == nil || other.Major() != own.Major() || other.Minor() != own.Minor() {
			continue
		}
		if other.EqualTo(own) {
			return false
		}
		if fields["classification"] == supported {
			if own.LessThan(other) {
				return false
			}
			replaced = fields
		}
	}
	if replaced != nil {
		replaced["classification"] = deprecated
	}
	return true
}

func parse(text any) *version.Version {
	s, _ := text.(string)
	parsed, err := version.ParseGeneric(s)
	if err != nil {
		return nil
	}
	return parsed
}
