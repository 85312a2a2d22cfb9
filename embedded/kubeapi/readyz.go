package kubeapi

import "strings"

// failedChecks returns the failed lines of a verbose /readyz response.
func failedChecks(body []byte) string {
	var failed []string
	for line := range strings.Lines(string(body)) {
		if name, ok := strings.CutPrefix(strings.TrimSpace(line), "[-]"); ok {
			name, _, _ = strings.Cut(name, " ")
			failed = append(failed, name)
		}
	}
	if len(failed) == 0 {
		return strings.TrimSpace(string(body))
	}
	return "waiting for " + strings.Join(failed, ", ")
}
