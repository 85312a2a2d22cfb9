package etcd

import (
	"context"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/utils/clock"

	"github.com/gardener-up/gardener-up/embedded/diskspace"
	"github.com/gardener-up/gardener-up/embedded/etcd/ownflags"
	"github.com/gardener-up/gardener-up/embedded/internal/lowdisk"
)

// tellInterval is the time between two looks at the disk. Writers may fill 100 MiB in some seconds.
const tellInterval = time.Second

// tellDisk tells the API servers of the etcd of this process, whose flags are given, when the disk of its data is short of room. It has no connection while there
// is room, but for a moment at the start. It never returns.
func tellDisk(flags []string, log logr.Logger) {
	own := ownflags.Flags(flags)
	disk := diskspace.Named(own.DataDir(), "the disk of "+own.Name())
	failing := false
	for teller := (&lowdisk.Teller{Member: own.Name(), Low: disk.Low, Clock: clock.RealClock{}}); ; time.Sleep(tellInterval) {
		if teller.Idle() {
			continue
		}
		client, err := connect(flags)
		for ; err == nil && !teller.Idle(); time.Sleep(tellInterval) {
			ctx, cancel := context.WithTimeout(context.Background(), orderTimeout)
			err = teller.Tell(ctx, client.client)
			cancel()
			failing = failing && err != nil
		}
		if client.client != nil {
			_ = client.client.Close() // its certificate may be an old one
		}
		if err != nil && !failing { // one line for each time
			log.Info("API servers cannot be told about the disk; will try again", "reason", err.Error())
			failing = true
		}
	}
}
