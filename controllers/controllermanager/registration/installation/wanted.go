package installation

import (
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// Kinds of extensions.
const (
	kindBackupBucket          = "BackupBucket"
	kindBackupEntry           = "BackupEntry"
	kindContainerRuntime      = "ContainerRuntime"
	kindControlPlane          = "ControlPlane"
	kindDNSRecord             = "DNSRecord"
	kindExtension             = "Extension"
	kindInfrastructure        = "Infrastructure"
	kindNetwork               = "Network"
	kindOperatingSystemConfig = "OperatingSystemConfig"
	kindWorker                = "Worker"
)

// unmanaged is the DNS provider type that means no provider.
const unmanaged = "unmanaged"

// wanted collects the kinds and types that the seed uses, and counts its shoots.
func (l Landscape) wanted() (set map[KindType]bool, shoots int) {
	set = map[KindType]bool{}
	if l.Seed.DeletionTimestamp == nil {
		l.addSeed(set)
	}
	for i := range l.Shoots {
		shoot := &l.Shoots[i]
		if isOn(shoot.Spec.SeedName, l.Seed) || isOn(shoot.Status.SeedName, l.Seed) {
			shoots++
			addShoot(set, shoot)
		}
	}
	if shoots > 0 {
		for _, dnsType := range l.DNSTypes {
			addDNS(set, dnsType)
		}
	}
	l.addBackups(set)
	return set, shoots
}

func (l Landscape) addSeed(set map[KindType]bool) {
	spec := l.Seed.Spec
	for _, kind := range []string{kindControlPlane, kindInfrastructure, kindWorker} {
		add(set, kind, spec.Provider.Type)
	}
	if spec.Backup != nil {
		add(set, kindBackupBucket, spec.Backup.Provider)
		add(set, kindBackupEntry, spec.Backup.Provider)
	}
	if spec.DNS.Provider != nil {
		addDNS(set, spec.DNS.Provider.Type)
	}
	if spec.DNS.Internal != nil {
		addDNS(set, spec.DNS.Internal.Type)
	}
	for _, domain := range spec.DNS.Defaults {
		addDNS(set, domain.Type)
	}
	for _, extension := range spec.Extensions {
		add(set, kindExtension, extension.Type)
	}
}

func (l Landscape) addBackups(set map[KindType]bool) {
	types := map[string]string{} // by bucket
	for i := range l.Buckets {
		bucket := &l.Buckets[i]
		types[bucket.Name] = bucket.Spec.Provider.Type
		if isOn(bucket.Spec.SeedName, l.Seed) {
			add(set, kindBackupBucket, bucket.Spec.Provider.Type)
		}
	}
	for i := range l.Entries {
		entry := &l.Entries[i]
		if isOn(entry.Spec.SeedName, l.Seed) || isOn(entry.Status.SeedName, l.Seed) {
			add(set, kindBackupEntry, types[entry.Spec.BucketName])
		}
	}
}

func addShoot(set map[KindType]bool, shoot *gardencorev1beta1.Shoot) {
	spec := shoot.Spec
	for _, kind := range []string{kindControlPlane, kindInfrastructure, kindWorker} {
		add(set, kind, spec.Provider.Type)
	}
	if spec.Networking != nil && spec.Networking.Type != nil {
		add(set, kindNetwork, *spec.Networking.Type)
	}
	for _, worker := range spec.Provider.Workers {
		if worker.Machine.Image != nil {
			add(set, kindOperatingSystemConfig, worker.Machine.Image.Name)
		}
		if worker.CRI != nil {
			for _, runtime := range worker.CRI.ContainerRuntimes {
				add(set, kindContainerRuntime, runtime.Type)
			}
		}
	}
	for _, extension := range spec.Extensions {
		if extension.Disabled == nil || !*extension.Disabled {
			add(set, kindExtension, extension.Type)
		}
	}
	if spec.DNS != nil {
		for _, provider := range spec.DNS.Providers {
			if provider.Type != nil {
				addDNS(set, *provider.Type)
			}
		}
	}
}

func addDNS(set map[KindType]bool, providerType string) {
	if providerType != unmanaged {
		add(set, kindDNSRecord, providerType)
	}
}

func add(set map[KindType]bool, kind, extensionType string) {
	if extensionType != "" {
		set[KindType{kind, extensionType}] = true
	}
}

func isOn(name *string, seed *gardencorev1beta1.Seed) bool {
	return name != nil && *name == seed.Name
}
