package federation

import (
	"bufio"
	"strings"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
)

// Names are the families that somebody wants; none means all. A name that ends with * stands for all with this beginning.
type Names []string

// Has reports whether a family is wanted.
func (n Names) Has(family string) bool {
	if len(n) == 0 {
		return true
	}
	for _, name := range n {
		if beginning, open := strings.CutSuffix(name, "*"); family == name || open && strings.HasPrefix(family, beginning) {
			return true
		}
	}
	return false
}

func writeFamily(out *bufio.Writer, family *dto.MetricFamily) {
	if len(family.Metric) > 0 {
		_, _ = expfmt.MetricFamilyToText(out, family) // Flush returns the error
	}
}
