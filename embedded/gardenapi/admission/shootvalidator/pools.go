package shootvalidator

import core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"

// poolCheck is one pool of a shoot against the profile of the check. old is the pool of the same name that there was before; it may be nil.
type poolCheck struct {
	check       *check
	worker, old *core.Worker
}

func (c *check) pool(worker *core.Worker) poolCheck {
	return poolCheck{c, worker, c.oldWorker(worker.Name)}
}

func (c *check) oldWorker(pool string) *core.Worker {
	if c.old == nil {
		return nil
	}
	for i := range c.old.Spec.Provider.Workers {
		if worker := &c.old.Spec.Provider.Workers[i]; worker.Name == pool {
			return worker
		}
	}
	return nil
}
