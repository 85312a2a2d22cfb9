package shootvalidator

import (
	"fmt"
	"net/netip"

	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	helper "github.com/gardener-up/gardener-up/embedded/apihelper/core"
	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// reserved are networks of the tunnel between seeds and shoots, old and new.
var reserved = []named{
	{"the network of the tunnel", ptr.To("192.168.123.0/24")},
	{"a network of the tunnel", ptr.To("240.0.0.0/8")},
	{"a network of the tunnel", ptr.To("241.0.0.0/8")},
	{"a network of the tunnel", ptr.To("242.0.0.0/8")},
	{"a network of the tunnel", ptr.To("243.0.0.0/8")},
	{"a network of the tunnel", ptr.To("244.0.0.0/8")},
}

// named is a range that may be missing.
type named struct {
	name string
	cidr *string
}

// setNetworks takes the ranges that the seed proposes, or else those that every Gardener has. A shoot without workers
// has no pods.
func setNetworks(shoot *core.Shoot, seed *core.Seed) {
	if shoot.Spec.Networking == nil {
		shoot.Spec.Networking = &core.Networking{}
	}
	proposed := ptr.Deref(seed.Spec.Networks.ShootDefaults, core.ShootNetworks{})
	n := shoot.Spec.Networking
	if n.Services == nil {
		n.Services = ptr.To(ptr.Deref(proposed.Services, core.DefaultServiceNetworkCIDR))
	}
	if n.Pods == nil && !helper.IsWorkerless(shoot) {
		n.Pods = ptr.To(ptr.Deref(proposed.Pods, core.DefaultPodNetworkCIDR))
	}
}

// checkNetworks reports overlaps of the shoot's networks with each other, with those of its seed and with reserved ones.
// Networks that old has were checked before. What is no network is for validation to report.
func checkNetworks(shoot, old *core.Shoot, seed *core.Seed) field.ErrorList {
	own := networksOf(shoot)
	if old != nil {
		before, same := networksOf(old), true
		for i := range own {
			same = same && ptr.Equal(own[i].cidr, before[i].cidr)
		}
		if same {
			return nil
		}
	}
	others := reserved
	if seed != nil {
		n := seed.Spec.Networks
		others = append([]named{
			{"the node network of seed " + seed.Name, n.Nodes},
			{"the pod network of seed " + seed.Name, &n.Pods},
			{"the service network of seed " + seed.Name, &n.Services},
		}, reserved...)
	}
	var errs field.ErrorList
	for i, one := range own {
		path := field.NewPath("spec", "networking", one.name)
		for _, other := range others {
			if overlap(one.cidr, other.cidr) {
				errs = append(errs, field.Invalid(path, *one.cidr, fmt.Sprintf("must not overlap %s, %s", other.name, *other.cidr)))
			}
		}
		for _, other := range own[:i] {
			if overlap(one.cidr, other.cidr) {
				errs = append(errs, field.Invalid(path, *one.cidr, fmt.Sprintf("must not overlap spec.networking.%s, %s", other.name, *other.cidr)))
			}
		}
	}
	return errs
}

func networksOf(shoot *core.Shoot) []named {
	n := ptr.Deref(shoot.Spec.Networking, core.Networking{})
	return []named{{"nodes", n.Nodes}, {"pods", n.Pods}, {"services", n.Services}}
}

func overlap(a, b *string) bool {
	if a == nil || b == nil {
		return false
	}
	one, err := netip.ParsePrefix(*a)
	if err != nil {
		return false
	}
	other, err := netip.ParsePrefix(*b)
	return err == nil && one.Overlaps(other)
}
