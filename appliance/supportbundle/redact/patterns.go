package redact

import (
	"regexp"
	"strings"
)

// Mark stands for a secret that was taken out.
const Mark = "[redacted]"

// pattern is something that looks like a secret.
type pattern struct {
	// hint is in each text that the pattern matches, in lower case. It is much faster to look for.
	hint string
	find *regexp.Regexp
	put  string
}

// patterns are tried in order.
var patterns = []pattern{
	{"private key-----", regexp.MustCompile(`(?s)-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)`), Mark},
	{"ls0tls1crudjti", regexp.MustCompile(`LS0tLS1CRUdJTi[A-Za-z0-9+/]+={0,2}`), Mark}, // PEM in base64
	{"eyj", regexp.MustCompile(`eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*)?`), Mark},
	{"bearer ", regexp.MustCompile(`(?i)\b(bearer)\s+[A-Za-z0-9._~+/=-]{6,}`), "$1 " + Mark},
	{"basic ", regexp.MustCompile(`(?i)\b(authorization:?\s*"?basic)\s+[A-Za-z0-9+/=]{6,}`), "$1 " + Mark},
	{"://", regexp.MustCompile(`(://)[^\s/@"']+@`), "$1" + Mark + "@"},
	{".", regexp.MustCompile(`\b[a-z0-9]{6}\.[a-z]*[0-9][a-z0-9]{8,15}\b`), ""}, // checked by isBootstrapToken
	{"age-secret-key-", regexp.MustCompile(`AGE-SECRET-KEY-[A-Z0-9-]+`), Mark},
}

// bootstrapToken is a token by which nodes and gardenlets join.
var bootstrapToken = regexp.MustCompile(`^[a-z0-9]{6}\.[a-z0-9]{16}$`)

// assignment is a name that says that its value is secret, and the value.
var assignment = regexp.MustCompile(`(?i)([\w.-]*(?:passw(?:or)?d|passphrase|token|secret|client-key-data|private_?-?key|access_?-?key|api_?-?key|credential)[\w.-]*)(\\*["']?\s*[:=]\s*\\*["']?)([^\s"'\\,;&}\])]{4,})`)

// hints of assignment, in lower case.
var hints = []string{"passw", "passphrase", "token", "secret", "key", "credential"}

// harmless are endings of names whose value only names something.
var harmless = regexp.MustCompile(`(?i)(name|names|ref|refs|namespace|kind|type|id|file|path|dir|mode|count|size|length|age|seconds|duration|expiration(timestamp)?|reason|version|generation|issuer|url|uri|audience|audiences|review|request|controller|manager|signer|cleaner|lister|webhook|rotation|time|timestamp|state|status|phase|policy|provider|config)$`)

// looks takes out of a line what looks like a secret.
func looks(line string) string {
	lower := strings.ToLower(line)
	for _, p := range patterns {
		if !strings.Contains(lower, p.hint) {
			continue
		}
		if p.put == "" {
			line = p.find.ReplaceAllStringFunc(line, func(found string) string {
				if bootstrapToken.MatchString(found) {
					return Mark
				}
				return found
			})
			continue
		}
		line = p.find.ReplaceAllString(line, p.put)
	}
	for _, hint := range hints {
		if strings.Contains(lower, hint) {
			return assignments(line)
		}
	}
	return line
}

func assignments(line string) string {
	return assignment.ReplaceAllStringFunc(line, func(found string) string {
		parts := assignment.FindStringSubmatch(found)
		if harmless.MatchString(parts[1]) || parts[3] == Mark || strings.HasPrefix(parts[3], "[") || isPlain(parts[3]) {
			return found
		}
		return parts[1] + parts[2] + Mark
	})
}

// isPlain are values that say nothing: numbers, yes and no.
func isPlain(value string) bool {
	switch strings.ToLower(value) {
	case "true", "false", "null", "none", "nil":
		return true
	}
	return strings.Trim(value, "0123456789") == ""
}
