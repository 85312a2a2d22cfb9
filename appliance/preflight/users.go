package preflight

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/gardener-up/gardener-up/appliance/config"
	"github.com/gardener-up/gardener-up/appliance/paths"
	"github.com/gardener-up/gardener-up/appliance/store"
	"github.com/gardener-up/gardener-up/appliance/trial"
	"github.com/gardener-up/gardener-up/embedded/userns"
	"github.com/gardener-up/gardener-up/local/doctor"
)

// usersCheck is the name of the check of users in containers.
const usersCheck = "users in containers"

// Users are the users that own files in volumes of a landscape.
type Users struct {
	// Mapping is for the user namespace of the landscape.
	Mapping userns.Mapping
	// Reason says why root is the only one although containers have others. It is empty otherwise.
	Reason string
	// former names those of the last start; empty if there was no other than root.
	former string
	// plain means that there is nothing to decide: the landscape is root's, or has no sandboxes.
	plain bool
}

// FindUsers looks for the subordinate IDs of an ordinary user, and tries them. Containers that are simulated need none, unless others have run before: then
// their volumes are still there.
func FindUsers(d trial.Decision, p paths.Paths) (Users, error) {
	if os.Geteuid() == 0 {
		return Users{plain: true}, nil
	}
	former, err := FormerUsers(p)
	if err != nil || d.Containers != config.ContainersSandbox && former == "" {
		return Users{plain: true}, err
	}
	m, err := userns.Find()
	if err == nil {
		err = m.Try()
	}
	if err != nil {
		return Users{Reason: err.Error(), former: former}, nil
	}
	return Users{Mapping: m, former: former}, nil
}

// FormerUsers names the users that own files in volumes since an earlier start, as the machine knows them; empty if that is one user.
func FormerUsers(p paths.Paths) (string, error) {
	s, err := store.Read(p.Store())
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	defer s.Close()
	return s.Sandboxes().Users()
}

// Lost is a warning if volumes have files of users that exist no more; its state is OK otherwise.
func (u Users) Lost() doctor.Finding {
	finding := doctor.Finding{Check: usersCheck, State: doctor.OK}
	if u.plain || u.former == "" || u.former == u.Mapping.Text() {
		return finding
	}
	finding.State, finding.Message = doctor.Warning, "volumes have files of users that this user had as subordinate IDs at the last start, and has no more"
	if u.Reason != "" {
		finding.Message += ": " + u.Reason
	}
	finding.Cure = fmt.Sprintf("restore the IDs in /etc/subuid and /etc/subgid, and the package uidmap; they were %s (number in containers, number on this machine, how many; users, then groups)", u.former)
	return finding
}

// Finding says who owns files in volumes.
func (u Users) Finding() doctor.Finding {
	if lost := u.Lost(); lost.State != doctor.OK {
		return lost
	}
	finding := doctor.Finding{Check: usersCheck, State: doctor.OK, Message: "own their files in volumes"}
	if u.Reason != "" {
		finding.State, finding.Message, finding.Cure = doctor.Warning, trial.OneUser(u.Reason), trial.OneUserCure
	}
	return finding
}

// userFindings are about the users of a landscape, where they differ from those of the machine.
func userFindings(d trial.Decision, p paths.Paths) []doctor.Finding {
	u, err := FindUsers(d, p)
	switch {
	case err != nil:
		return []doctor.Finding{problem(usersCheck, err)}
	case u.plain:
		return nil
	}
	return []doctor.Finding{u.Finding()}
}
