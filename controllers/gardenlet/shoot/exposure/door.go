package exposure

import (
	"fmt"
	"net/netip"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// Door is the address at which users of the machine reach the API server without names; invalid if the shoot has none. A shoot
// with an exposure class is reached by its gateway only.
func (s Shoot) Door() (netip.AddrPort, error) {
	if s.Doors == nil || s.ExposureClass != nil {
		return netip.AddrPort{}, nil
	}
	address, err := s.Doors.Address(s.Shoot.UID)
	if err != nil {
		return address, fmt.Errorf("find the address of the API server on this machine: %w", err)
	}
	return address, nil
}

// OpenDoor makes the door lead to the API server.
func (s Shoot) OpenDoor(server netip.AddrPort) error {
	if s.Doors == nil || s.ExposureClass != nil {
		return nil
	}
	return s.Doors.Open(s.Shoot.UID, server)
}

// CloseDoor closes the door of a shoot that is deleted. A shoot that moves to another seed keeps its door.
func (s Shoot) CloseDoor() error {
	if s.Doors == nil || s.Shoot.DeletionTimestamp == nil {
		return nil
	}
	return s.Doors.Close(s.Shoot.UID)
}

// Advertised are the URLs of the API server for users. The first one works on this machine without names, if the shoot has a door.
func (s Shoot) Advertised() ([]gardencorev1beta1.ShootAdvertisedAddress, error) {
	door, err := s.Door()
	if err != nil {
		return nil, err
	}
	return s.AdvertisedAddresses(door, s.FrontDoorPort), nil
}
