// Package userns starts this program in a user namespace in which an ordinary user is root and other users exist, too. The other users are the
// subordinate IDs that the system has given to the user in /etc/subuid and /etc/subgid. Only set-user-ID programs may put them into a namespace:
// newuidmap and newgidmap, which check them once more. Both get numbers of this package and nothing else.
package userns
