package preflight

import (
	"context"
	"fmt"
	"net"
	"runtime"

	"github.com/gardener-up/gardener-up/appliance/config"
	"github.com/gardener-up/gardener-up/appliance/daemon"
	"github.com/gardener-up/gardener-up/appliance/fault"
	"github.com/gardener-up/gardener-up/appliance/paths"
	"github.com/gardener-up/gardener-up/local/doctor"
)

// needs checks what the provider of the first seed needs from this machine.
type needs struct {
	system    func() (string, error)
	addresses func(*config.Landscape) (string, error)
	engine    func(context.Context, *config.Landscape, paths.Paths) []doctor.Finding
}

func needsOf(provider string) needs {
	if provider == config.ProviderKind {
		return needs{
			system:    func() (string, error) { return runtime.GOOS, nil },
			addresses: func(*config.Landscape) (string, error) { return "those of the container engine", nil },
			engine:    ExamineEngine,
		}
	}
	return needs{
		system: func() (string, error) { return usable(runtime.GOOS, daemon.TryNamespaces) }, addresses: kubeletAddress,
		engine: func(context.Context, *config.Landscape, paths.Paths) []doctor.Finding { return nil },
	}
}

// usable reports a system on which no embedded node runs. namespaces tries what the process of a landscape needs.
func usable(system string, namespaces func() error) (string, error) {
	if system != "linux" {
		return "", fmt.Errorf("embedded nodes need Linux, this is %s: use \"gardener up --provider kind\", or run gardener in a Linux machine", system)
	}
	if err := namespaces(); err != nil {
		return "", fault.New(fault.Other, err)
	}
	return "Linux", nil
}

func kubeletAddress(cfg *config.Landscape) (string, error) {
	address := cfg.Seed.KubeletAddress()
	if err := free(address, "kubelet of the seed", "seed.podCIDR, for example 127.66.0.0/16 (and seed.serviceCIDR 127.98.0.0/16)"); err != nil {
		return "", err
	}
	host, _, err := net.SplitHostPort(address)
	if err == nil {
		err = reachable(host, net.DialTimeout)
	}
	return fmt.Sprintf("%s and %s", cfg.Seed.PodCIDR, cfg.Seed.ServiceCIDR), fault.New(fault.Taken, err)
}
