package monitoring

import (
	"strings"

	dto "github.com/prometheus/client_model/go"
	"k8s.io/utils/ptr"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/federation"
)

// Names of metrics about objects of the garden.
const (
	nameSeedCondition  = "garden_seed_condition"
	nameShootCondition = "garden_shoot_condition"
	nameShootProgress  = "garden_shoot_operation_progress_percent"
)

// valueOf is the number of a condition's status.
func valueOf(status gardencorev1beta1.ConditionStatus) float64 {
	switch status {
	case gardencorev1beta1.ConditionTrue:
		return 1
	case gardencorev1beta1.ConditionFalse:
		return 0
	case gardencorev1beta1.ConditionProgressing:
		return 2
	}
	return -1
}

// conditionsOf are the conditions of an object. Its labels are names and values in turn.
func conditionsOf(name, help string, object []string, conditions []gardencorev1beta1.Condition) federation.Families {
	family := gauges(name, help+": 1 is True, 0 False, 2 Progressing, -1 Unknown.")
	for _, condition := range conditions {
		family.Metric = append(family.Metric, gauge(valueOf(condition.Status), append(object[:len(object):len(object)], "condition", string(condition.Type))...))
	}
	return federation.Families{name: family}
}

// shootState are the conditions of a Shoot and the progress of its last operation.
func shootState(shoot *gardencorev1beta1.Shoot) federation.Families {
	object := []string{"namespace", shoot.Namespace, "name", shoot.Name}
	out := conditionsOf(nameShootCondition, "Condition of a Shoot", object, shoot.Status.Conditions)
	if last := shoot.Status.LastOperation; last != nil {
		family := gauges(nameShootProgress, "Progress of the last operation of a Shoot, in percent.")
		family.Metric = []*dto.Metric{gauge(float64(last.Progress), append(object, "operation", string(last.Type), "state", strings.ToLower(string(last.State)))...)}
		out[nameShootProgress] = family
	}
	return out
}

func gauges(name, help string) *dto.MetricFamily {
	return &dto.MetricFamily{Name: &name, Help: &help, Type: dto.MetricType_GAUGE.Enum()}
}

func gauge(value float64, labels ...string) *dto.Metric {
	out := &dto.Metric{Gauge: &dto.Gauge{Value: &value}}
	for i := 0; i+1 < len(labels); i += 2 {
		out.Label = append(out.Label, &dto.LabelPair{Name: ptr.To(labels[i]), Value: ptr.To(labels[i+1])})
	}
	return out
}
