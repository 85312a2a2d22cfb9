package mergedkubeconfigs

import (
	"fmt"
	"slices"
	"strings"

	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// TakenError tells which entries of a file have the names of others that are to be merged into it.
type TakenError struct {
	File    string
	Entries []string // as in `cluster "a"`
}

func (e *TakenError) Error() string {
	return fmt.Sprintf("%s has entries that this landscape has not added: %s", e.File, strings.Join(e.Entries, ", "))
}

// takenIn returns the entries of a file that others would replace, unless they are noted or equal.
func takenIn(file *clientcmdapi.Config, noted *addition, added *clientcmdapi.Config) []string {
	var taken []string
	for name, cluster := range added.Clusters {
		if old := file.Clusters[name]; old != nil && noted.Clusters[name] == "" && digestOfCluster(old) != digestOfCluster(cluster) {
			taken = append(taken, fmt.Sprintf("cluster %q", name))
		}
	}
	for name, user := range added.AuthInfos {
		if old := file.AuthInfos[name]; old != nil && noted.Users[name] == "" && digestOfUser(old) != digestOfUser(user) {
			taken = append(taken, fmt.Sprintf("user %q", name))
		}
	}
	for name, context := range added.Contexts {
		if old := file.Contexts[name]; old != nil && noted.Clusters[old.Cluster] == "" && (old.Cluster != context.Cluster || old.AuthInfo != context.AuthInfo) {
			taken = append(taken, fmt.Sprintf("context %q", name))
		}
	}
	slices.Sort(taken)
	return taken
}
