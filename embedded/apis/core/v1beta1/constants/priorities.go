package constants

// PriorityClassValues are the values of the priority classes that Gardener creates.
var PriorityClassValues = map[string]int32{
	PriorityClassNameGardenSystemCritical:  999999550,
	PriorityClassNameGardenSystem500:       999999500,
	PriorityClassNameGardenSystem400:       999999400,
	PriorityClassNameGardenSystem300:       999999300,
	PriorityClassNameGardenSystem200:       999999200,
	PriorityClassNameGardenSystem100:       999999100,
	PriorityClassNameSeedSystemCritical:    999998950,
	PriorityClassNameSeedSystem900:         999998900,
	PriorityClassNameSeedSystem800:         999998800,
	PriorityClassNameSeedSystem700:         999998700,
	PriorityClassNameSeedSystem600:         999998600,
	PriorityClassNameShootControlPlane500:  999998500,
	PriorityClassNameShootControlPlane400:  999998400,
	PriorityClassNameShootControlPlane300:  999998300,
	PriorityClassNameShootControlPlane200:  999998200,
	PriorityClassNameShootControlPlane100:  999998100,
	PriorityClassNameReserveExcessCapacity: -5,
	PriorityClassNameShootSystem900:        999999900,
	PriorityClassNameShootSystem800:        999999800,
	PriorityClassNameShootSystem700:        999999700,
	PriorityClassNameShootSystem600:        999999600,
}
