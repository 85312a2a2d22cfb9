// Package lowdisk lets the members of an etcd tell the API servers in front of it that their disks are short of room. An API server is often on another
// machine than the members, so it cannot ask for their disks itself.
//
// A member that is short of room keeps a key in the etcd, below a prefix that no API server stores anything in, with a lease: whoever has no room
// renews it, and it is gone some time after a member that has ended. While all members have room there is no key, and nothing is written. API servers watch
// the prefix. All members share the keys, so any member of the etcd tells an API server about all of them.
package lowdisk

import "strings"

// Prefix is that of the keys of members.
const Prefix = "/landscape.gardener.cloud/low-disk/"

// notice is the value of a key.
type notice struct {
	// everybody is true if nobody may write any longer, and not only users.
	everybody bool
	text      string
}

const (
	forEverybody = "everybody"
	forUsers     = "users"
)

func (n notice) String() string {
	whom := forUsers
	if n.everybody {
		whom = forEverybody
	}
	return whom + "\n" + n.text
}

func parse(value string) notice {
	whom, text, _ := strings.Cut(value, "\n")
	return notice{everybody: whom == forEverybody, text: text}
}
