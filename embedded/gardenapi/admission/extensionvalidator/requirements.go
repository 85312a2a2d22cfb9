package extensionvalidator

import (
	"k8s.io/utils/ptr"

	helper "github.com/gardener-up/gardener-up/embedded/apihelper/core"
	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	extensions "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
)

// requirement is a kind and type of extension objects that something needs to be acted upon.
type requirement struct {
	kind, typ string
	field     string // that asks for it
	// workerless demands that the extension can do without nodes.
	workerless bool
	// cluster is the type of cluster that the extension must work for; empty for kinds that are for shoots anyway.
	cluster core.ClusterType
}

func ofSeed(spec *core.SeedSpec) []requirement {
	out := []requirement{{kind: extensions.ControlPlaneResource, typ: spec.Provider.Type, field: "spec.provider.type"}}
	if spec.Backup != nil {
		out = append(out,
			requirement{kind: extensions.BackupBucketResource, typ: spec.Backup.Provider, field: "spec.backup.provider"},
			requirement{kind: extensions.BackupEntryResource, typ: spec.Backup.Provider, field: "spec.backup.provider"})
	}
	if spec.DNS.Provider != nil {
		out = append(out, requirement{kind: extensions.DNSRecordResource, typ: spec.DNS.Provider.Type, field: "spec.dns.provider.type"})
	}
	if spec.DNS.Internal != nil {
		out = append(out, requirement{kind: extensions.DNSRecordResource, typ: spec.DNS.Internal.Type, field: "spec.dns.internal.type"})
	}
	for _, domain := range spec.DNS.Defaults {
		out = append(out, requirement{kind: extensions.DNSRecordResource, typ: domain.Type, field: "spec.dns.defaults"})
	}
	for _, extension := range spec.Extensions {
		if !ptr.Deref(extension.Disabled, false) {
			out = append(out, requirement{kind: extensions.ExtensionResource, typ: extension.Type, field: "spec.extensions", cluster: core.ClusterTypeSeed})
		}
	}
	return out
}

func ofShoot(shoot *core.Shoot) []requirement {
	spec, workerless := &shoot.Spec, helper.IsWorkerless(shoot)
	var out []requirement
	if !workerless {
		for _, kind := range []string{extensions.ControlPlaneResource, extensions.InfrastructureResource, extensions.WorkerResource} {
			out = append(out, requirement{kind: kind, typ: spec.Provider.Type, field: "spec.provider.type"})
		}
		if spec.Networking != nil && spec.Networking.Type != nil {
			out = append(out, requirement{kind: extensions.NetworkResource, typ: *spec.Networking.Type, field: "spec.networking.type"})
		}
	}
	if spec.DNS != nil {
		for _, provider := range spec.DNS.Providers {
			if typ := ptr.Deref(provider.Type, core.DNSUnmanaged); typ != core.DNSUnmanaged {
				out = append(out, requirement{kind: extensions.DNSRecordResource, typ: typ, field: "spec.dns.providers"})
			}
		}
	}
	for _, extension := range spec.Extensions {
		if !ptr.Deref(extension.Disabled, false) {
			out = append(out, requirement{kind: extensions.ExtensionResource, typ: extension.Type, field: "spec.extensions", workerless: workerless, cluster: core.ClusterTypeShoot})
		}
	}
	for _, worker := range spec.Provider.Workers {
		if worker.Machine.Image != nil {
			out = append(out, requirement{kind: extensions.OperatingSystemConfigResource, typ: worker.Machine.Image.Name, field: "spec.provider.workers.machine.image.name"})
		}
		for _, runtime := range ptr.Deref(worker.CRI, core.CRI{}).ContainerRuntimes {
			out = append(out, requirement{kind: extensions.ContainerRuntimeResource, typ: runtime.Type, field: "spec.provider.workers.cri.containerRuntimes"})
		}
	}
	return out
}
