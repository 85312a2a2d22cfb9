package own

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"
)

// Further embedded seeds get a /20 each beside the ranges of the first seed. A node of a shoot numbers its pods by the last
// two bytes of its own address (embedded/node): the third byte of each range differs, so that nodes of shoots on different
// seeds do not share numbers, unless the first seed alone has thousands of pods.
const (
	firstBits    = 16
	furtherBits  = 20
	furtherSeeds = 15 // sixteenths of the third byte without the first one, which the first seed uses
)

// errNoRanges says that no range is free.
var errNoRanges = errors.New("no ranges of loopback addresses are free: name the ranges of pods and Services")

// chooseRanges finds ranges for the pods and Services of one more seed beside those of the first seed, outside of what is
// taken. used are the addresses at which processes of this machine accept connections. A landscape that nobody told of,
// such as another user's, has whole /16s and listens at some of their addresses: ranges in a /16 without any listener
// come first, then those without a listener of their own.
func chooseRanges(pods, services netip.Prefix, taken []netip.Prefix, used []netip.Addr) (netip.Prefix, netip.Prefix, error) {
	taken = append([]netip.Prefix{pods, services}, taken...)
	foreign := slices.DeleteFunc(slices.Clone(used), func(address netip.Addr) bool { return containsAny(taken, address) })
	for _, bits := range []int{firstBits, furtherBits} {
		for number := 1; number <= furtherSeeds; number++ {
			morePods, moreServices := beside(pods, number), beside(services, number)
			if overlapsAny(morePods, taken) || overlapsAny(moreServices, taken) || morePods.Overlaps(moreServices) {
				continue
			}
			around := []netip.Prefix{around(morePods, bits), around(moreServices, bits)}
			if !slices.ContainsFunc(foreign, func(address netip.Addr) bool { return containsAny(around, address) }) {
				return morePods, moreServices, nil
			}
		}
	}
	return netip.Prefix{}, netip.Prefix{}, errNoRanges
}

// around is the range with so many bits that contains another one.
func around(prefix netip.Prefix, bits int) netip.Prefix {
	return netip.PrefixFrom(prefix.Addr(), bits).Masked()
}

func containsAny(prefixes []netip.Prefix, address netip.Addr) bool {
	return slices.ContainsFunc(prefixes, func(prefix netip.Prefix) bool { return prefix.Contains(address) })
}

// beside is the range of a further seed in 127.0.0.0/9, without its first and last /16.
func beside(first netip.Prefix, number int) netip.Prefix {
	const usable = 126
	second := (int(first.Addr().As4()[1])-1+number)%usable + 1
	return netip.PrefixFrom(netip.AddrFrom4([4]byte{127, byte(second), byte(number << 4), 0}), furtherBits)
}

func overlapsAny(prefix netip.Prefix, taken []netip.Prefix) bool {
	for _, other := range taken {
		if prefix.Overlaps(other) {
			return true
		}
	}
	return false
}

// parseRanges parses ranges that were validated before.
func parseRanges(cidrs ...string) ([]netip.Prefix, error) {
	var all []netip.Prefix
	for _, cidr := range cidrs {
		prefix, err := netip.ParsePrefix(cidr)
		if err != nil {
			return nil, fmt.Errorf("read range: %w", err)
		}
		all = append(all, prefix)
	}
	return all, nil
}
