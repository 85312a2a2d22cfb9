package registrycache

import (
	"fmt"
	"reflect"

	"k8s.io/apimachinery/pkg/runtime"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// ValidateShoot reports the mistakes in the configuration of a Shoot. What it has in common with the former Shoot, which may be nil, is stored
// already and stays.
func ValidateShoot(shoot, former *gardencorev1beta1.Shoot) error {
	raw, used := ofShoot(shoot)
	if !used {
		return nil
	}
	was := Status{}
	if former != nil {
		old, _ := ofShoot(former)
		if reflect.DeepEqual(raw, old) && reflect.DeepEqual(shoot.Spec.Resources, former.Spec.Resources) {
			return nil
		}
		was = statusOf(old)
	}
	config, err := Decode(raw)
	if err == nil {
		err = Validate(config, shoot.Spec.Resources, was).ToAggregate()
	}
	if err != nil {
		return fmt.Errorf("extension %s: %w", Type, err)
	}
	return nil
}

// ofShoot is the configuration of a Shoot that uses the extension.
func ofShoot(shoot *gardencorev1beta1.Shoot) (raw *runtime.RawExtension, used bool) {
	for _, extension := range shoot.Spec.Extensions {
		if extension.Type == Type && (extension.Disabled == nil || !*extension.Disabled) {
			return extension.ProviderConfig, true
		}
	}
	return nil, false
}

// statusOf are the volumes that a stored configuration has led to.
func statusOf(raw *runtime.RawExtension) Status {
	config, err := Decode(raw)
	if err != nil {
		return Status{} // there are none
	}
	status := Status{}
	for _, cache := range config.Caches {
		size, class := volumeOf(cache)
		status.Caches = append(status.Caches, CacheStatus{Upstream: cache.Upstream, VolumeSize: size.String(), StorageClassName: class})
	}
	return status
}
