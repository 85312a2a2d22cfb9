package node

import (
	"fmt"
	"net/netip"
	"strings"

	"github.com/gardener-up/gardener-up/embedded/guardeddial"
)

// outsideVariable is the variable with what pods in sandboxes reach outside, for kubelets that are processes of an embedded node. Without
// it the outside is closed.
const outsideVariable = "GARDENER_OUTSIDE"

// publicWord stands for all public addresses in the variable.
const publicWord = "public"

// Outside is what pods in sandboxes reach outside of the machine and of the landscape. The zero value is nothing.
type Outside struct {
	// Public opens public addresses.
	Public bool
	// Private are private networks that are open, too, if public addresses are.
	Private []netip.Prefix
}

// String is the value of the variable.
func (o Outside) String() string {
	if !o.Public {
		return ""
	}
	words := []string{publicWord}
	for _, network := range o.Private {
		words = append(words, network.String())
	}
	return strings.Join(words, ",")
}

// parseOutside is the inverse of String.
func parseOutside(text string) (Outside, error) {
	if text == "" {
		return Outside{}, nil
	}
	var o Outside
	for _, word := range strings.Split(text, ",") {
		if word == publicWord {
			o.Public = true
			continue
		}
		network, err := netip.ParsePrefix(word)
		if err != nil {
			return Outside{}, fmt.Errorf("read $%s: %w", outsideVariable, err)
		}
		o.Private = append(o.Private, network)
	}
	return o, nil
}

// rules say which addresses may be dialled; nil means none.
func (o Outside) rules() *guardeddial.Rules {
	if !o.Public {
		return nil
	}
	return &guardeddial.Rules{Private: o.Private}
}
