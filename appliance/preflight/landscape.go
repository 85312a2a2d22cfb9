package preflight

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/gardener-up/gardener-up/appliance/daemon"
	"github.com/gardener-up/gardener-up/appliance/paths"
	"github.com/gardener-up/gardener-up/appliance/pki"
	"github.com/gardener-up/gardener-up/appliance/state"
	"github.com/gardener-up/gardener-up/appliance/store"
	"github.com/gardener-up/gardener-up/local/doctor"
)

// Ends that are near: of certificates that a landscape renews by itself while it runs, and of authorities, which it does not renew.
const (
	renewedSoon   = 7 * 24 * time.Hour
	authoritySoon = 180 * 24 * time.Hour
)

// ExamineLandscape looks at a landscape that exists, whether it runs or not, and changes nothing. frontDoor is the name of the front door's port in
// the store. There are no findings without a landscape.
func ExamineLandscape(p paths.Paths, frontDoor string, now time.Time) []doctor.Finding {
	s, err := store.Read(p.Store())
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return []doctor.Finding{problem("store", err)}
	}
	defer s.Close()
	pid, err := daemon.Holder(p.Lock())
	if err != nil {
		return []doctor.Finding{problem("state directory", err)}
	}
	running := pid != 0
	findings := []doctor.Finding{certificates(p, s, now, running)}
	if running {
		findings = append(findings, freeDisk(p))
	} else {
		findings = append(findings, ports(s, frontDoor))
	}
	return append(findings, drift(p, s, running))
}

// certificates are those of the landscape and of its further seeds.
func certificates(p paths.Paths, s *store.Store, now time.Time, running bool) doctor.Finding {
	const check = "certificates"
	all, err := expiries(p, s)
	if err != nil {
		return doctor.Finding{Check: check, State: doctor.Warning, Message: err.Error(), Cure: "put the file back from a backup"}
	}
	if len(all) == 0 {
		return doctor.Finding{Check: check, State: doctor.OK, Message: "none yet"}
	}
	slices.SortFunc(all, func(a, b pki.Expiry) int { return a.Ends.Compare(b.Ends) })
	var soon []string
	authority := false
	for _, one := range all {
		limit := renewedSoon
		if one.Authority {
			limit = authoritySoon
		}
		if one.Ends.Before(now.Add(limit)) {
			soon = append(soon, fmt.Sprintf("%s ends on %s", one.File, one.Ends.Format(time.DateOnly)))
			authority = authority || one.Authority
		}
	}
	switch {
	case authority:
		return doctor.Finding{Check: check, State: doctor.Warning, Message: strings.Join(soon, ", "), Cure: "authorities are not renewed: make a new landscape, and move the shoots before that day"}
	case len(soon) > 0 && running:
		return doctor.Finding{Check: check, State: doctor.Warning, Message: strings.Join(soon, ", "), Cure: `they should have been renewed: see "gardener logs --part certificates"`}
	case len(soon) > 0:
		return doctor.Finding{Check: check, State: doctor.OK, Message: strings.Join(soon, ", ") + "; the next start renews them"}
	}
	return doctor.Finding{Check: check, State: doctor.OK, Message: fmt.Sprintf("%d; the first ends on %s and is renewed before: %s", len(all), all[0].Ends.Format(time.DateOnly), all[0].File)}
}

func expiries(p paths.Paths, s *store.Store) ([]pki.Expiry, error) {
	seeds, err := s.Seeds()
	if err != nil {
		return nil, err
	}
	dirs := map[string]string{"": p.PKI()}
	for _, seed := range seeds {
		dirs[seed.Name+"/"] = p.Seed(seed.Name).PKI()
	}
	var all []pki.Expiry
	for prefix, dir := range dirs {
		found, err := pki.Expiries(dir)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		for _, one := range found {
			one.File = prefix + one.File
			all = append(all, one)
		}
	}
	return all, nil
}

// freeDisk is about a landscape that runs, which others have not looked at.
func freeDisk(p paths.Paths) doctor.Finding {
	said, err := disk(p)
	if err != nil {
		return doctor.Finding{Check: "disk", State: doctor.Warning, Message: err.Error(), Cure: "make room: a landscape refuses writes before the disk is full"}
	}
	return doctor.Finding{Check: "disk", State: doctor.OK, Message: said}
}

// ports are those that a landscape that does not run had.
func ports(s *store.Store, frontDoor string) doctor.Finding {
	const check = "ports"
	taken, door, err := state.TakenPorts(s, frontDoor)
	switch {
	case err != nil:
		return doctor.Finding{Check: check, State: doctor.Warning, Message: err.Error(), Cure: "the next start chooses ports anew"}
	case len(taken) == 0:
		return doctor.Finding{Check: check, State: doctor.OK, Message: "those of the landscape are free"}
	case door:
		return doctor.Finding{Check: check, State: doctor.Warning, Message: "in use by another program: " + strings.Join(taken, ", "),
			Cure: "end that program, so that kubeconfigs keep their address; or choose another port with --port"}
	}
	return doctor.Finding{Check: check, State: doctor.OK, Message: "in use by another program: " + strings.Join(taken, ", ") + "; the next start chooses others"}
}

// drift compares the state directory with what is noted in it.
func drift(p paths.Paths, s *store.Store, running bool) doctor.Finding {
	const check = "inventory"
	found, err := state.Drifted(p, s, running)
	if err != nil {
		return doctor.Finding{Check: check, State: doctor.Warning, Message: err.Error(), Cure: "look at the rights in " + p.Root()}
	}
	var said, cures []string
	if len(found.Foreign) > 0 {
		said, cures = append(said, "files that are not the landscape's: "+strings.Join(found.Foreign, ", ")), append(cures, "move them to another place: a purge leaves them")
	}
	if len(found.Forgotten) > 0 {
		said = append(said, "directories of seeds that are gone: "+strings.Join(found.Forgotten, ", "))
		cures = append(cures, "remove them if nobody needs their data; a purge does")
	}
	if len(found.Left) > 0 {
		said, cures = append(said, fmt.Sprintf("processes are left: %v", found.Left)), append(cures, `"gardener up" ends them, and so does a purge`)
	}
	if len(said) == 0 {
		return doctor.Finding{Check: check, State: doctor.OK, Message: "the state directory is what was noted"}
	}
	return doctor.Finding{Check: check, State: doctor.Warning, Message: strings.Join(said, "; "), Cure: strings.Join(cures, "; ")}
}
