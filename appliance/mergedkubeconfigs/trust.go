package mergedkubeconfigs

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"

	"k8s.io/client-go/tools/clientcmd"

	"github.com/gardener-up/gardener-up/appliance/pki"
)

// Trust replaces the authorities of clusters with this server name in all files, where an entry is as it was added. Other entries and
// files that are gone stay as they are. An error about one file does not keep the others from being changed.
func Trust(recordFile, serverName string, ca []byte) error {
	all, err := read(recordFile)
	if err != nil {
		return err
	}
	var errs []error
	for file, noted := range all {
		errs = append(errs, trust(recordFile, all, file, noted, serverName, ca))
	}
	return errors.Join(errs...)
}

func trust(recordFile string, all record, file string, noted *addition, serverName string, ca []byte) error {
	config, err := clientcmd.LoadFromFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read %s: %w", file, err)
	}
	before := maps.Clone(noted.Clusters)
	for name, cluster := range config.Clusters {
		if cluster.TLSServerName == serverName && noted.Clusters[name] == digestOfCluster(cluster) {
			cluster.CertificateAuthorityData = ca
			noted.Clusters[name] = digestOfCluster(cluster)
		}
	}
	if maps.Equal(before, noted.Clusters) {
		return nil
	}
	text, err := clientcmd.Write(*config)
	if err != nil {
		return fmt.Errorf("encode %s: %w", file, err)
	}
	if err := pki.WriteFile(file, text); err != nil {
		return err
	}
	return write(recordFile, all)
}
