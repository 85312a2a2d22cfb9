package bootstraptoken

import "strings"

// Role is the ClusterRole in the garden for users that may request the first certificate of a gardenlet.
const Role = "gardener.cloud:system:seed-bootstrapper"

// accountPrefix begins the names of the ServiceAccounts that gardenlets of ManagedSeeds may use instead of a token.
const accountPrefix = "gardenlet-bootstrap-"

// Account is the name of the ServiceAccount for the ManagedSeed of that name. Both are in the same namespace.
func Account(managed string) string { return accountPrefix + managed }

// AccountUser is the user name of the ServiceAccount.
func AccountUser(namespace, managed string) string {
	return "system:serviceaccount:" + namespace + ":" + Account(managed)
}

// Binding is the name of the ClusterRoleBinding that gives a ServiceAccount the Role.
func Binding(namespace, account string) string {
	return strings.Join([]string{Role, namespace, account}, ":")
}
