package kubecontroller

import (
	"fmt"
	"strings"
	"sync"

	"github.com/spf13/pflag"
	"k8s.io/kubernetes/cmd/kube-controller-manager/app"
	kubecontrollerconfig "k8s.io/kubernetes/cmd/kube-controller-manager/app/config"
	"k8s.io/kubernetes/cmd/kube-controller-manager/app/options"
	kubectrlmgrconfig "k8s.io/kubernetes/pkg/controller/apis/config"
)

// flags are the equivalent flags of kube-controller-manager.
func (c Config) flags() []string {
	flags := []string{
		"--controllers=" + strings.Join(c.Controllers, ","),
		"--secure-port=0", "--leader-elect=false",
		"--use-service-account-credentials=false", // one client for all, which is an administrator already
		"--cluster-signing-cert-file=" + c.SigningCert, "--cluster-signing-key-file=" + c.SigningKey,
		"--root-ca-file=" + c.RootCA, "--service-account-private-key-file=" + c.ServiceAccountKey,
	}
	return append(flags, c.Args...)
}

// componentConfig reads the flags in the same way as kube-controller-manager.
func (c Config) componentConfig() (kubectrlmgrconfig.KubeControllerManagerConfiguration, error) {
	var config kubecontrollerconfig.Config
	optionsMu.Lock()
	defer optionsMu.Unlock()
	opts, err := options.NewKubeControllerManagerOptions()
	if err != nil {
		return config.ComponentConfig, fmt.Errorf("make options: %w", err)
	}
	known, disabled, aliases := app.KnownControllers(), app.ControllersDisabledByDefault(), app.ControllerAliases()
	set := pflag.NewFlagSet("kube-controller-manager", pflag.ContinueOnError)
	named := opts.Flags(known, disabled, aliases)
	for _, flags := range named.FlagSets {
		set.AddFlagSet(flags)
	}
	if err := set.Parse(c.flags()); err != nil {
		return config.ComponentConfig, fmt.Errorf("read flags: %w", err)
	}
	if err := opts.Validate(known, disabled, aliases); err != nil {
		return config.ComponentConfig, fmt.Errorf("validate flags: %w", err)
	}
	if err := opts.ApplyTo(&config, known, disabled, aliases); err != nil {
		return config.ComponentConfig, fmt.Errorf("apply flags: %w", err)
	}
	return config.ComponentConfig, nil
}

// optionsMu guards the default registry of versions, which making options fills at its first call.
var optionsMu sync.Mutex
