package csrapproval

import (
	"fmt"
	"slices"
	"strings"

	certificatesv1 "k8s.io/api/certificates/v1"

	"github.com/gardener-up/gardener-up/embedded/apihelper/bootstraptoken"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

// Verdict on a request for the certificate of a seed.
type Verdict int

const (
	// Wait leaves the request to an operator.
	Wait Verdict = iota
	// Approve the request.
	Approve
	// Deny the request: it must not succeed later either.
	Deny
)

// Known are the names of the seeds that a garden knows.
type Known struct {
	Seeds map[string]bool
	// Managed have a ManagedSeed or a Gardenlet.
	Managed map[string]bool
}

// Judge decides whether the requester may have the certificate of the seed. The text says why.
func Judge(request *certificatesv1.CertificateSigningRequest, seed string, known Known) (Verdict, string) {
	user, groups := request.Spec.Username, request.Spec.Groups
	if own, found := strings.CutPrefix(user, constants.SeedUserNamePrefix); found && slices.Contains(groups, constants.SeedsGroup) {
		return onlyItself(own, seed)
	}
	if id, found := strings.CutPrefix(user, bootstraptoken.UserPrefix); found && slices.Contains(groups, bootstraptoken.Group) {
		return judgeToken(id, seed, known)
	}
	if own, found := strings.CutPrefix(user, bootstraptoken.AccountUser(constants.GardenNamespace, "")); found {
		if verdict, reason := onlyItself(own, seed); verdict == Deny {
			return verdict, reason
		}
		return managed(seed, known)
	}
	return onlyNew(seed, known)
}

// onlyItself is for requesters that belong to one seed.
func onlyItself(own, seed string) (Verdict, string) {
	if own != seed {
		return Deny, fmt.Sprintf("The requester belongs to seed %q and cannot have the certificate of seed %q.", own, seed)
	}
	return Approve, fmt.Sprintf("The requester belongs to seed %q.", seed)
}

// judgeToken finds out by its ID which seed a token is for.
func judgeToken(id, seed string, known Known) (Verdict, string) {
	switch id {
	case bootstraptoken.ID("", seed):
		return Approve, fmt.Sprintf("The bootstrap token is that of seed %q.", seed)
	case bootstraptoken.ID(constants.GardenNamespace, seed):
		return managed(seed, known)
	}
	for other := range known.Seeds {
		if id == bootstraptoken.ID("", other) {
			return onlyItself(other, seed)
		}
	}
	for other := range known.Managed {
		if id == bootstraptoken.ID(constants.GardenNamespace, other) {
			return onlyItself(other, seed)
		}
	}
	return onlyNew(seed, known)
}

// managed is for requesters that exist for a ManagedSeed or Gardenlet, and are worth nothing without it.
func managed(seed string, known Known) (Verdict, string) {
	if !known.Managed[seed] {
		return Wait, fmt.Sprintf("There is no ManagedSeed or Gardenlet %q.", seed)
	}
	return Approve, fmt.Sprintf("The requester belongs to the ManagedSeed or Gardenlet %q.", seed)
}

// onlyNew is for requesters that belong to no seed. They may bring a new one, but cannot take the place of another.
func onlyNew(seed string, known Known) (Verdict, string) {
	if known.Seeds[seed] || known.Managed[seed] {
		return Wait, fmt.Sprintf("The seed %q exists, and the requester does not belong to it.", seed)
	}
	return Approve, fmt.Sprintf("The seed %q is new.", seed)
}
