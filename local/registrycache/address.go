package registrycache

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/providers/contract"
)

const (
	// firstAddress is the number of the first cache in the Service range. API servers assign low numbers only on
	// request. 1 and 10 are taken.
	firstAddress = 32
	port         = 5000

	defaultSize = "10Gi"
	longestName = 63
)

// serviceRange is the range of the Shoot's Service addresses.
func serviceRange(cluster *contract.Cluster) (netip.Prefix, error) {
	text := gardencorev1beta1.DefaultServiceNetworkCIDR
	if cluster.Seed != nil {
		if defaults := cluster.Seed.Spec.Networks.ShootDefaults; defaults != nil && defaults.Services != nil {
			text = *defaults.Services
		}
	}
	if n := cluster.Shoot.Spec.Networking; n != nil && n.Services != nil {
		text = *n.Services
	}
	prefix, err := netip.ParsePrefix(text)
	if err != nil {
		return prefix, fmt.Errorf("read range of services: %w", err)
	}
	return prefix.Masked(), nil
}

// assign gives each cache its own address in the range. Existing caches keep their addresses.
func assign(caches []Cache, was Status, services netip.Prefix) (Status, error) {
	var out Status
	taken := map[string]bool{}
	for _, c := range was.Caches {
		taken[c.Endpoint] = true
	}
	address := services.Addr()
	for range firstAddress {
		address = address.Next()
	}
	for _, cache := range caches {
		size, class := volumeOf(cache)
		status := CacheStatus{Upstream: cache.Upstream, RemoteURL: remoteURL(cache), VolumeSize: size.String(), StorageClassName: class}
		if i := slices.IndexFunc(was.Caches, func(c CacheStatus) bool { return c.Upstream == cache.Upstream }); i >= 0 {
			status.Endpoint = was.Caches[i].Endpoint
		}
		for status.Endpoint == "" {
			if !services.Contains(address.Next()) { // the last one of the range is not used either
				return out, fmt.Errorf("range of services %s is too small for %d caches", services, len(caches))
			}
			if endpoint := fmt.Sprintf("http://%s", netip.AddrPortFrom(address, port)); !taken[endpoint] {
				status.Endpoint, taken[endpoint] = endpoint, true
			}
			address = address.Next()
		}
		out.Caches = append(out.Caches, status)
	}
	return out, nil
}

// address of a cache without its port.
func (c CacheStatus) address() string {
	endpoint, _ := netip.ParseAddrPort(strings.TrimPrefix(c.Endpoint, "http://"))
	return endpoint.Addr().String()
}

// remoteURL is the URL of a cache's registry. Docker Hub's URL differs from its name.
func remoteURL(cache Cache) string {
	switch {
	case cache.RemoteURL != nil:
		return *cache.RemoteURL
	case cache.Upstream == "docker.io":
		return "https://registry-1.docker.io"
	}
	return "https://" + cache.Upstream
}

func volumeOf(cache Cache) (resource.Quantity, string) {
	size, class := resource.MustParse(defaultSize), ""
	if v := cache.Volume; v != nil {
		if v.Size != nil {
			size = *v.Size
		}
		if v.StorageClassName != nil {
			class = *v.StorageClassName
		}
	}
	return size, class
}

// objectName is the name of a registry's objects. The names of their pods are longer.
func objectName(upstream string) string {
	out := "registry-" + strings.NewReplacer(".", "-", ":", "-").Replace(upstream)
	sum := sha256.Sum256([]byte(upstream))
	hash := hex.EncodeToString(sum[:])[:5]
	if most := longestName - len("-0123456789-0") - len(hash); len(out) > most {
		return out[:most] + "-" + hash
	}
	if strings.Contains(upstream, "-") { // a-b.c and a.b-c must differ
		return out + "-" + hash
	}
	return out
}
