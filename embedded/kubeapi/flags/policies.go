package flags

func (f Flags) authorization(a *args) {
	if f.AuthorizationConfig != "" {
		a.text("authorization-config", f.AuthorizationConfig)
		return
	}
	modes := f.AuthorizationMode
	if len(modes) == 0 {
		modes = []string{"Node", "RBAC"}
	}
	a.list("authorization-mode", modes)
}

func (f Flags) admission(a *args) {
	a.list("enable-admission-plugins", f.EnableAdmission)
	a.list("disable-admission-plugins", f.DisableAdmission)
	a.text("admission-control-config-file", f.AdmissionConfig)
}

func (f Flags) switches(a *args) {
	a.list("feature-gates", Pairs(f.FeatureGates))
	a.list("runtime-config", Pairs(f.RuntimeConfig))
}

func (f Flags) emulation(a *args) {
	a.text("emulated-version", f.EmulatedVersion)
	a.text("kubernetes-version", f.ShownVersion)
}

func (f Flags) tolerations(a *args) {
	optional(a, "default-not-ready-toleration-seconds", f.NotReadyToleration)
	optional(a, "default-unreachable-toleration-seconds", f.UnreachableToleration)
}

func (f Flags) limits(a *args) {
	optional(a, "max-requests-inflight", f.MaxRequests)
	optional(a, "max-mutating-requests-inflight", f.MaxMutatingRequests)
}

func (f Flags) watchCache(a *args) {
	optional(a, "default-watch-cache-size", f.DefaultWatchCacheSize)
	a.list("watch-cache-sizes", f.WatchCacheSizes)
	optional(a, "event-ttl", f.EventTTL)
}

func (f Flags) verbosity(a *args) {
	optional(a, "v", f.Verbosity)
	a.text("vmodule", f.VerbosityOfFiles)
}

func (f Flags) privileged(a *args) { a.text("allow-privileged", "true") }

func (f Flags) profiling(a *args) { a.text("profiling", "false") }
