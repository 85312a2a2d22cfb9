// Package mergedkubeconfigs adds kubeconfigs of a landscape to files of its user, such as ~/.kube/config, and removes them when the
// landscape is purged. A record in the state directory says what was added. What the user has changed since then stays.
package mergedkubeconfigs

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/gardener-up/gardener-up/appliance/pki"
)

// record is what was added to each file, by its absolute path.
type record map[string]*addition

type addition struct {
	// Clusters and Users have a digest of their content by name. A context belongs to its cluster.
	Clusters map[string]string `json:"clusters"`
	Users    map[string]string `json:"users"`
	// Before was the current context before the first addition that changed it.
	Before string `json:"before,omitempty"`
}

// Merge adds a kubeconfig to a file, which need not exist, and notes that in the record. Entries of the same name are replaced if the
// record has them. Others are somebody else's, for example of a landscape of the same name of another state directory: they are a
// *TakenError, and nothing is changed. If choose is true, the current context is that of the kubeconfig.
func Merge(recordFile, file string, added *clientcmdapi.Config, choose bool) error {
	file, err := follow(file)
	if err != nil {
		return err
	}
	merged, err := clientcmd.LoadFromFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		merged, err = clientcmdapi.NewConfig(), nil
	}
	if err != nil {
		return fmt.Errorf("read %s: %w", file, err)
	}
	all, err := read(recordFile)
	if err != nil {
		return err
	}
	noted := all[file]
	if noted == nil {
		noted = &addition{Clusters: map[string]string{}, Users: map[string]string{}}
		all[file] = noted
	}
	if taken := takenIn(merged, noted, added); len(taken) > 0 {
		return &TakenError{File: file, Entries: taken}
	}
	for name, cluster := range added.Clusters {
		merged.Clusters[name], noted.Clusters[name] = cluster, digestOfCluster(cluster)
	}
	for name, user := range added.AuthInfos {
		merged.AuthInfos[name], noted.Users[name] = user, digestOfUser(user)
	}
	before := merged.CurrentContext
	if context := merged.Contexts[before]; context == nil || noted.Clusters[context.Cluster] == "" { // one of the user's own
		noted.Before = before
	}
	for name, context := range added.Contexts {
		merged.Contexts[name] = context
	}
	if choose {
		merged.CurrentContext = added.CurrentContext
	}
	if err := write(recordFile, all); err != nil { // first, so that nothing is added that nobody would remove
		return err
	}
	text, err := clientcmd.Write(*merged)
	if err != nil {
		return fmt.Errorf("encode %s: %w", file, err)
	}
	return pki.WriteFile(file, text)
}

// follow returns the absolute path of a file. A symbolic link stays one: what it names is changed.
func follow(file string) (string, error) {
	file, err := filepath.Abs(file)
	if err != nil {
		return "", err
	}
	target, err := filepath.EvalSymlinks(file)
	if errors.Is(err, fs.ErrNotExist) {
		return file, nil
	}
	return target, err
}

// Undoing is what a record says. It survives the removal of the record.
type Undoing struct{ all record }

// Read reads a record, which need not exist.
func Read(recordFile string) (Undoing, error) {
	all, err := read(recordFile)
	return Undoing{all}, err
}

// Undo removes from all files what was added and is unchanged, and returns the files that it changed. A file that is gone or cannot be
// read is left alone, and one that contains nothing else is removed.
func (u Undoing) Undo() (changed []string, err error) {
	files := make([]string, 0, len(u.all))
	for file := range u.all {
		files = append(files, file)
	}
	slices.Sort(files)
	for _, file := range files {
		done, failed := u.all[file].undo(file)
		if done {
			changed = append(changed, file)
		}
		err = errors.Join(err, failed)
	}
	return changed, err
}

func (a *addition) undo(file string) (changed bool, err error) {
	config, err := clientcmd.LoadFromFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("read %s: %w", file, err)
	}
	for name, context := range config.Contexts {
		cluster := config.Clusters[context.Cluster]
		if cluster == nil || a.Clusters[context.Cluster] != digestOfCluster(cluster) {
			continue
		}
		delete(config.Contexts, name)
		changed = true
		if config.CurrentContext == name {
			config.CurrentContext = ""
		}
	}
	for name, cluster := range config.Clusters {
		if a.Clusters[name] == digestOfCluster(cluster) {
			delete(config.Clusters, name)
			changed = true
		}
	}
	for name, user := range config.AuthInfos {
		if a.Users[name] == digestOfUser(user) {
			delete(config.AuthInfos, name)
			changed = true
		}
	}
	if !changed {
		return false, nil
	}
	if _, exists := config.Contexts[a.Before]; exists && config.CurrentContext == "" {
		config.CurrentContext = a.Before
	}
	if len(config.Contexts)+len(config.Clusters)+len(config.AuthInfos) == 0 {
		return true, os.Remove(file)
	}
	text, err := clientcmd.Write(*config)
	if err != nil {
		return false, fmt.Errorf("encode %s: %w", file, err)
	}
	return true, pki.WriteFile(file, text)
}

func digestOfCluster(cluster *clientcmdapi.Cluster) string {
	return digest(cluster.Server, cluster.TLSServerName, string(cluster.CertificateAuthorityData))
}

func digestOfUser(user *clientcmdapi.AuthInfo) string {
	parts := []string{string(user.ClientCertificateData), string(user.ClientKeyData), user.Token}
	if user.Exec != nil {
		parts = append(append(parts, user.Exec.Command), user.Exec.Args...)
	}
	return digest(parts...)
}

// digest keeps secrets out of the record.
func digest(parts ...string) string {
	text, _ := json.Marshal(parts) // strings can always be encoded
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

func read(file string) (record, error) {
	all := record{}
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return all, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the record of merged kubeconfigs: %w", err)
	}
	if err := json.Unmarshal(text, &all); err != nil {
		return nil, fmt.Errorf("read the record of merged kubeconfigs, %s: %w", file, err)
	}
	for _, one := range all {
		if one == nil || one.Clusters == nil || one.Users == nil {
			return nil, fmt.Errorf("read the record of merged kubeconfigs, %s: it is damaged", file)
		}
	}
	return all, nil
}

func write(file string, all record) error {
	text, err := json.MarshalIndent(all, "", "  ")
	if err != nil {
		return err
	}
	return pki.WriteFile(file, append(text, '\n'))
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
