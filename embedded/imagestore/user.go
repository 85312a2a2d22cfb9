package imagestore

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"

	"github.com/erofs/go-erofs"
)

// User is a user of an image by numbers.
type User struct {
	ID, Group uint32
	// Groups are the further groups of the user.
	Groups []uint32
}

// User looks for a user as an image configuration names it: a name or number, perhaps with a colon and the name or number of a
// group; empty means root. Names are looked up in the image's /etc/passwd and /etc/group.
func (i Image) User(name string) (User, error) {
	file, err := os.Open(i.Rootfs)
	if err != nil {
		return User{}, fmt.Errorf("look up user %q: %w", name, err)
	}
	defer file.Close()
	root, err := erofs.Open(file)
	if err != nil {
		return User{}, fmt.Errorf("look up user %q: %w", name, err)
	}
	name, group, _ := strings.Cut(name, ":")
	user, err := userIn(root, name)
	if err != nil || group == "" {
		return user, err
	}
	user.Group, err = groupIn(root, group)
	return user, err
}

// userIn finds a user and its groups. A number without an entry has group 0.
func userIn(root fs.FS, name string) (User, error) {
	if name == "" {
		name = "0"
	}
	id, isNumber := number(name)
	found := User{ID: id}
	known := ""
	err := scan(root, "etc/passwd", 4, func(fields []string) bool {
		entry, valid := number(fields[2])
		if !valid || fields[0] != name && (!isNumber || entry != id) {
			return false
		}
		found.ID, known = entry, fields[0]
		found.Group, _ = number(fields[3])
		return true
	})
	if err != nil {
		return User{}, err
	}
	if known == "" {
		if !isNumber {
			return User{}, fmt.Errorf("the image has no user %q in /etc/passwd", name)
		}
		return found, nil
	}
	return found, scan(root, "etc/group", 4, func(fields []string) bool {
		for member := range strings.SplitSeq(fields[3], ",") {
			if id, valid := number(fields[2]); valid && member == known {
				found.Groups = append(found.Groups, id)
			}
		}
		return false
	})
}

func groupIn(root fs.FS, name string) (uint32, error) {
	if id, isNumber := number(name); isNumber {
		return id, nil
	}
	var found *uint32
	err := scan(root, "etc/group", 3, func(fields []string) bool {
		if id, valid := number(fields[2]); valid && fields[0] == name {
			found = &id
		}
		return found != nil
	})
	if err == nil && found == nil {
		err = fmt.Errorf("the image has no group %q in /etc/group", name)
	}
	if err != nil {
		return 0, err
	}
	return *found, nil
}

// scan calls found with the fields of each line that has as many, until it returns true. A file that does not exist has no lines.
func scan(root fs.FS, name string, least int, found func(fields []string) bool) error {
	file, err := root.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read /%s of the image: %w", name, err)
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		if fields := strings.Split(strings.TrimSpace(lines.Text()), ":"); len(fields) >= least && found(fields) {
			return nil
		}
	}
	return lines.Err()
}

func number(text string) (uint32, bool) {
	n, err := strconv.ParseUint(text, 10, 32)
	return uint32(n), err == nil
}
