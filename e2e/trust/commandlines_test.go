package trust

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
)

// commandLines looks in the command lines, which every user can read, for the content of all Secrets.
func commandLines(f *fixture) {
	secrets := secretsOf(f)
	if len(secrets) < 50 {
		f.t.Errorf("only %d secrets are found", len(secrets))
	}
	for _, line := range f.Processes() {
		for secret, where := range secrets {
			if strings.Contains(line, secret) {
				f.t.Errorf("%s is on the command line %s", where, strings.Fields(line)[:3])
			}
		}
	}
}

// secretsOf are confidential words of the Secrets of all clusters, and where they are.
func secretsOf(f *fixture) map[string]string {
	secrets := map[string]string{}
	for cluster, kubeconfig := range map[string]string{"garden": f.Garden(), "seed": f.Seed(), "shoot": f.shoot} {
		var list struct {
			Items []struct {
				Metadata struct{ Namespace, Name string }
				Data     map[string]string
			}
		}
		if err := json.Unmarshal([]byte(f.Kubectl(kubeconfig, "get", "secrets", "-A", "-o", "json")), &list); err != nil {
			f.t.Fatal(err)
		}
		for _, item := range list.Items {
			for key, value := range item.Data {
				for _, word := range confidential(key, value) {
					secrets[word] = fmt.Sprintf("%s of Secret %s/%s of the %s", key, item.Metadata.Namespace, item.Metadata.Name, cluster)
				}
			}
		}
	}
	return secrets
}

var (
	confidentialKeys = regexp.MustCompile(`(?i)token|password|secret|\.key$|^auth$|id_rsa$|csv$|kubeconfig|encryption|yaml$`)
	named            = regexp.MustCompile(`(?:token|password|secret|client-key-data)"?: *"?([^\s"]{12,})`)
	lineOfKey        = regexp.MustCompile(`(?m)^[A-Za-z0-9+/=]{40,}$`)
)

// confidential are the words of a Secret's value that no other user must know: those with a telling name, lines of keys, or the
// first column.
func confidential(key, value string) []string {
	decoded, err := base64.StdEncoding.DecodeString(value)
	if err != nil || !confidentialKeys.MatchString(key) {
		return nil
	}
	var words []string
	for _, match := range named.FindAllSubmatch(decoded, -1) {
		words = append(words, string(match[1]))
	}
	for _, line := range lineOfKey.FindAll(decoded, -1) {
		words = append(words, string(line))
	}
	first, _, _ := strings.Cut(strings.TrimSpace(string(decoded)), ",")
	if len(first) >= 12 && !strings.ContainsAny(first, " \n{:") {
		words = append(words, first)
	}
	return words
}
