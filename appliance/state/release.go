package state

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/gardener-up/gardener-up/appliance/fault"
	"github.com/gardener-up/gardener-up/appliance/paths"
	"github.com/gardener-up/gardener-up/appliance/store"
	"github.com/gardener-up/gardener-up/embedded/kubeversion"
)

// migrations bring a state directory from one format to the next: the first one from format 1, which is that of all
// directories without a note of their release. A migration may be killed at any point and is then repeated as a whole.
// It is told which listeners the process of the directory has.
var migrations = []func(paths.Paths, Listeners) error{removeStandingCertificates, splitEtcd, keepLedger}

// release is that of this binary.
func release(version string) store.Release {
	return store.Release{Version: version, Format: len(migrations) + 1, Kubernetes: kubeversion.Minor}
}

// adopt makes the state directory that of this binary. It refuses what a newer binary has written, and copies what cannot be
// made again before it changes the format, or before a newer Kubernetes stores objects.
func adopt(s *store.Store, p paths.Paths, listeners Listeners, used bool, own store.Release) error {
	last, known, err := s.Release()
	if err != nil {
		return err
	}
	if !known {
		last = store.Release{Format: 1}
		if !used {
			last = own
		}
	}
	if err := notNewer(last, own); err != nil {
		return err
	}
	if older := last.Format < own.Format || minor(last.Kubernetes) < minor(own.Kubernetes); older && used {
		if err := keepCopy(p, last); err != nil {
			return fmt.Errorf("copy the state before the upgrade from %s: %w", described(last), err)
		}
	}
	for format := last.Format; format < own.Format; format++ {
		if err := migrations[format-1](p, listeners); err != nil {
			return fmt.Errorf("bring the state from format %d to %d: %w", format, format+1, err)
		}
		last.Format = format + 1
		if err := s.SetRelease(last); err != nil {
			return err
		}
	}
	if known && last == own {
		return nil
	}
	return s.SetRelease(own)
}

// Supports refuses a release whose state this binary cannot read.
func Supports(r store.Release) error { return notNewer(r, release("")) }

// notNewer refuses a directory that a newer binary has used.
func notNewer(last, own store.Release) error {
	if last.Format <= own.Format && minor(last.Kubernetes) <= minor(own.Kubernetes) {
		return nil
	}
	return fault.New(fault.Newer, told{fmt.Errorf("it was last used by %s, and this is %s. An older binary may not understand what a newer one has stored",
		described(last), described(own)), ErrNewer})
}

func described(r store.Release) string {
	return fmt.Sprintf("gardener %s with Kubernetes %s (state format %d)", cmp.Or(r.Version, "of an unknown version"), cmp.Or(r.Kubernetes, "of an unknown version"), r.Format)
}

// minor is the second number of a version of Kubernetes, 0 if it is unknown.
func minor(version string) int {
	_, text, _ := strings.Cut(version, ".")
	number, err := strconv.Atoi(text)
	if err != nil {
		return 0
	}
	return number
}

// removeStandingCertificates removes certificates that are valid for a year: those of administrators, who get certificates of
// hours instead, and those of gardenlets, which request their own.
func removeStandingCertificates(p paths.Paths, _ Listeners) error {
	var errs []error
	for _, file := range append(paths.Match(p.PKI(), "*/admin.*"), paths.Match(p.PKI(), "garden/gardenlet*")...) {
		errs = append(errs, os.Remove(file))
	}
	return errors.Join(errs...)
}

// keepLedger has nothing to do: the ledger is written by each start. But a binary that does not know the ledger would change the
// store without it.
func keepLedger(paths.Paths, Listeners) error { return nil }
