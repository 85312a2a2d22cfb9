package worker

import "k8s.io/apimachinery/pkg/util/intstr"

// share is the share of total for the zone with this index. The first zones get one more if total is not a multiple
// of zones.
func share(total int32, zones, index int) int32 {
	part := total / int32(zones)
	if int32(index) < total%int32(zones) {
		part++
	}
	return part
}

// shareOf is share for numbers. Percentages already refer to the zone's own machines.
func shareOf(value intstr.IntOrString, zones, index int) intstr.IntOrString {
	if value.Type == intstr.String {
		return value
	}
	return intstr.FromInt32(share(value.IntVal, zones, index))
}

// bounded makes sure that an update can make progress in every zone: surge and unavailable must not both be zero.
func bounded(surge, unavailable intstr.IntOrString) (intstr.IntOrString, intstr.IntOrString) {
	if surge == intstr.FromInt32(0) && unavailable == intstr.FromInt32(0) {
		return intstr.FromInt32(1), unavailable
	}
	return surge, unavailable
}

// atLeastOne makes sure that an update in place, which has no machine to spare, can make progress in every zone.
func atLeastOne(unavailable intstr.IntOrString) intstr.IntOrString {
	if unavailable == intstr.FromInt32(0) {
		return intstr.FromInt32(1)
	}
	return unavailable
}
