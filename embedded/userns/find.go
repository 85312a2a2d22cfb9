package userns

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"os/user"
	"strconv"

	"github.com/gardener-up/gardener-up/embedded/sandbox/ids"
)

// Where systems keep subordinate IDs.
const (
	usersFile  = "/etc/subuid"
	groupsFile = "/etc/subgid"
)

// Mapping says which users and groups exist in a namespace. The zero value has the user of this process alone.
type Mapping struct {
	Users, Groups []ids.Range
	// newuidmap and newgidmap are the paths of the programs that make it.
	newuidmap, newgidmap string
}

// Several reports whether other users than root exist.
func (m Mapping) Several() bool { return len(m.Users) > 1 }

// Find returns the mapping with all subordinate IDs of the user of this process. The error says what the machine lacks.
func Find() (m Mapping, err error) {
	id := os.Geteuid()
	name := ""
	if u, err := user.LookupId(strconv.Itoa(id)); err == nil { // others may be in a directory service, and in the files by their number
		name = u.Username
	}
	if m.Users, err = find(usersFile, name, id, id); err != nil {
		return Mapping{}, err
	}
	if m.Groups, err = find(groupsFile, name, id, os.Getegid()); err != nil {
		return Mapping{}, err
	}
	if m.newuidmap, err = program("newuidmap"); err != nil {
		return Mapping{}, err
	}
	if m.newgidmap, err = program("newgidmap"); err != nil {
		return Mapping{}, err
	}
	return m, nil
}

func find(file, name string, user, own int) ([]ids.Range, error) {
	content, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	all, err := ranges(own, subordinate(string(content), name, user))
	if err != nil {
		return nil, fmt.Errorf("%s %w", file, err)
	}
	return all, nil
}

func program(name string) (string, error) {
	path, err := exec.LookPath(name)
	if err != nil {
		return "", fmt.Errorf("the program %s of the package uidmap is not installed", name)
	}
	return path, nil
}

// Text names the users and groups, as the machine knows them; empty if there is one user. It is the same for as long as the system gives the same IDs.
func (m Mapping) Text() string {
	if !m.Several() {
		return ""
	}
	return ids.Text(m.Users, m.Groups)
}
