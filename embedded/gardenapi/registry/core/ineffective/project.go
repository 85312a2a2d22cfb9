package ineffective

import (
	"sync"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// Project is about Projects. All their fields have an effect.
var Project = Table[*core.Project]{
	Default: sync.OnceValue(func() *core.Project {
		project := &core.Project{}
		core.SetObjectDefaults_Project(project)
		return project
	}),
}
