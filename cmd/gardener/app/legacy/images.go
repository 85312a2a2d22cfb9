package legacy

import (
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// images are versions by name. How the provider calls them is the provider's own.
func (n node) images(to, own document) {
	var offered, mapped []any
	for _, one := range n.parts("machineImages") {
		image := document{"name": one.text("name")}
		var versions []any
		for _, version := range one.parts("versions") {
			entry := document{}
			for _, key := range []string{"version", "expirationDate"} {
				version.move(key, entry, key)
			}
			versions = append(versions, entry)
		}
		if version := one.text("version"); version != "" {
			versions = append(versions, document{"version": version})
			if urn := urn(one, version); urn != "" {
				mapped = append(mapped, document{"name": image["name"], "versions": []any{document{"version": version, "urn": urn}}})
			}
		}
		if len(versions) == 0 {
			one.run.errs = append(one.run.errs, field.Required(one.at("version"), "images have versions now, and this one does not tell its own"))
			clear(one.fields)
		}
		image["versions"] = versions
		offered = append(offered, image)
	}
	to["machineImages"] = offered
	set(own, "machineImages", mapped)
}

// urn is how Azure calls an image.
func urn(image node, version string) string {
	if !image.has("publisher") {
		return ""
	}
	return strings.Join([]string{image.text("publisher"), image.text("offer"), image.text("sku"), version}, ":")
}
