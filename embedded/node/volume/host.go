package volume

import "k8s.io/kubernetes/pkg/volume/util/hostutil"

// Host is the machine's file system as the volume plugins see it, without mount propagation and SELinux.
type Host struct{ hostutil.HostUtils }

// NewHost returns the machine's file system.
func NewHost() Host { return Host{hostutil.NewHostUtil()} }

// MakeRShared has nothing to do: nothing is mounted.
func (Host) MakeRShared(string) error { return nil }

// GetSELinuxSupport is false: there are no mounts to label.
func (Host) GetSELinuxSupport(string) (bool, error) { return false, nil }
