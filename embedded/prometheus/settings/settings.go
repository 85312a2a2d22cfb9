// Package settings has the flags of Prometheus. The command that starts the program and the program itself share them, so it imports
// nothing but the standard library.
package settings

import (
	"errors"
	"flag"
	"fmt"
	"time"
)

// Settings of a Prometheus.
type Settings struct {
	ConfigFile  string
	DataDir     string
	BindAddress string
	CertFile    string
	KeyFile     string
	UsersDir    string
	Retention   time.Duration
	MaxSize     int64
}

// Add adds the flags to a set.
func (s *Settings) Add(set *flag.FlagSet) {
	set.StringVar(&s.ConfigFile, "config-file", "", "configuration, in the format of Prometheus; targets are static, nodes, or addresses of names")
	set.StringVar(&s.DataDir, "data-dir", "", "directory for time series")
	set.StringVar(&s.BindAddress, "bind-address", "127.0.0.1:9090", "address to serve at")
	set.StringVar(&s.CertFile, "tls-cert-file", "", "certificate to serve with")
	set.StringVar(&s.KeyFile, "tls-private-key-file", "", "key of the certificate")
	set.StringVar(&s.UsersDir, "users-dir", "", "directory with the files username and password of who may ask; read with each request")
	set.DurationVar(&s.Retention, "retention", 24*time.Hour, "how long time series are kept")
	set.Int64Var(&s.MaxSize, "max-size", 512<<20, "bytes that old time series may take on the disk")
}

// Validate names the flags that are missing.
func (s *Settings) Validate() error {
	var all []error
	for name, value := range map[string]string{
		"config-file": s.ConfigFile, "data-dir": s.DataDir, "tls-cert-file": s.CertFile, "tls-private-key-file": s.KeyFile, "users-dir": s.UsersDir,
	} {
		if value == "" {
			all = append(all, fmt.Errorf("--%s is required", name))
		}
	}
	if s.Retention < 2*time.Hour {
		all = append(all, fmt.Errorf("--retention is %s: the shortest is 2h", s.Retention))
	}
	return errors.Join(all...)
}
