package images

import "strings"

// missingPrefix begins the ID of an image that could not be pulled. No other ID begins like this, since those are digests or
// references, and "simulated" is no registry.
const missingPrefix = "simulated:"

// missing makes an ID that carries the reason, so that the reason survives restarts of the node, and users see it in the
// status of the pod. References contain no "#".
func missing(image string, reason error) string { return missingPrefix + image + "#" + reason.Error() }

// Missing returns the reason why an image with this ID could not be pulled. It returns false for other IDs.
func Missing(id string) (reason string, isMissing bool) {
	rest, isMissing := strings.CutPrefix(id, missingPrefix)
	_, reason, found := strings.Cut(rest, "#")
	return reason, isMissing && found
}
