package v1beta1

import (
	corev1 "k8s.io/api/core/v1"
)

// SeedSettings switches features of a seed on and off.
type SeedSettings struct {
	// ExcessCapacityReservation keeps room for further control planes.
	ExcessCapacityReservation *SeedSettingExcessCapacityReservation `json:"excessCapacityReservation,omitempty" protobuf:"bytes,1,opt,name=excessCapacityReservation"`

	// Scheduling says whether new shoots may come to the seed.
	Scheduling *SeedSettingScheduling `json:"scheduling,omitempty" protobuf:"bytes,2,opt,name=scheduling"`

	// ShootDNS says whether DNS records of shoots are managed; a switch of older releases.
	ShootDNS *SeedSettingShootDNS `json:"shootDNS,omitempty" protobuf:"bytes,3,opt,name=shootDNS"`

	// LoadBalancerServices configures the load balancers of the seed.
	LoadBalancerServices *SeedSettingLoadBalancerServices `json:"loadBalancerServices,omitempty" protobuf:"bytes,4,opt,name=loadBalancerServices"`

	// VerticalPodAutoscaler configures the vertical pod autoscaler of the seed.
	VerticalPodAutoscaler *SeedSettingVerticalPodAutoscaler `json:"verticalPodAutoscaler,omitempty" protobuf:"bytes,5,opt,name=verticalPodAutoscaler"`

	// OwnerChecks says whether control planes check who owns them; they do not if unset. A switch of older releases.
	OwnerChecks *SeedSettingOwnerChecks `json:"ownerChecks,omitempty" protobuf:"bytes,6,opt,name=ownerChecks"`

	// DependencyWatchdog configures the dependency watchdog.
	DependencyWatchdog *SeedSettingDependencyWatchdog `json:"dependencyWatchdog,omitempty" protobuf:"bytes,7,opt,name=dependencyWatchdog"`

	// TopologyAwareRouting keeps traffic inside a zone.
	TopologyAwareRouting *SeedSettingTopologyAwareRouting `json:"topologyAwareRouting,omitempty" protobuf:"bytes,8,opt,name=topologyAwareRouting"`

	// ZoneSelection says how zones for control planes are chosen.
	ZoneSelection *SeedSettingZoneSelection `json:"zoneSelection,omitempty" protobuf:"bytes,9,opt,name=zoneSelection"`

	// PersistentVolumeClaimAutoscaler grows volume claims when they fill up.
	PersistentVolumeClaimAutoscaler *SeedSettingPersistentVolumeClaimAutoscaler `json:"persistentVolumeClaimAutoscaler,omitempty" protobuf:"bytes,10,opt,name=persistentVolumeClaimAutoscaler"`
}

// SeedSettingExcessCapacityReservation keeps room for further control planes.
type SeedSettingExcessCapacityReservation struct {
	// Enabled says whether room is kept; true if unset.
	Enabled *bool `json:"enabled,omitempty" protobuf:"varint,1,opt,name=enabled"`

	// Configs are the placeholders that keep room.
	// +listType=atomic
	Configs []SeedSettingExcessCapacityReservationConfig `json:"configs,omitempty" protobuf:"bytes,2,rep,name=configs"`
}

// SeedSettingExcessCapacityReservationConfig is one placeholder.
type SeedSettingExcessCapacityReservationConfig struct {
	// Resources are the resources the placeholder asks for.
	Resources corev1.ResourceList `json:"resources" protobuf:"bytes,1,opt,name=resources"`

	// NodeSelector selects the nodes of the placeholder.
	NodeSelector map[string]string `json:"nodeSelector,omitempty" protobuf:"bytes,2,rep,name=nodeSelector"`

	// Tolerations are the tolerations of the placeholder.
	// +listType=atomic
	Tolerations []corev1.Toleration `json:"tolerations,omitempty" protobuf:"bytes,3,rep,name=tolerations"`
}

// SeedSettingScheduling says whether new shoots may come to a seed.
type SeedSettingScheduling struct {
	// Visible lets the scheduler use the seed; true by default.
	Visible bool `json:"visible" protobuf:"varint,1,opt,name=visible"`
}

// SeedSettingShootDNS says whether DNS records of shoots are managed.
type SeedSettingShootDNS struct {
	// Enabled switches the management on; true by default.
	Enabled bool `json:"enabled" protobuf:"varint,1,opt,name=enabled"`
}

// SeedSettingLoadBalancerServices configures the load balancers of a seed.
type SeedSettingLoadBalancerServices struct {
	// Annotations are put on all Services of type LoadBalancer.
	Annotations map[string]string `json:"annotations,omitempty" protobuf:"bytes,1,rep,name=annotations"`

	// ExternalTrafficPolicy is the traffic policy of these Services.
	ExternalTrafficPolicy *corev1.ServiceExternalTrafficPolicy `json:"externalTrafficPolicy,omitempty" protobuf:"bytes,2,opt,name=externalTrafficPolicy"`

	// Zones are settings for single zones.
	// +listType=map
	// +listMapKey=name
	Zones []SeedSettingLoadBalancerServicesZones `json:"zones,omitempty" protobuf:"bytes,3,rep,name=zones"`

	// ProxyProtocol says whether the PROXY protocol is accepted.
	ProxyProtocol *LoadBalancerServicesProxyProtocol `json:"proxyProtocol,omitempty" protobuf:"bytes,4,opt,name=proxyProtocol"`

	// ZonalIngress says whether every zone has an ingress of its own.
	ZonalIngress *SeedSettingLoadBalancerServicesZonalIngress `json:"zonalIngress,omitempty" protobuf:"bytes,5,opt,name=zonalIngress"`

	// Class is the load balancer class of these Services.
	Class *string `json:"class,omitempty" protobuf:"bytes,6,opt,name=class"`
}

// SeedSettingLoadBalancerServicesZones are load balancer settings of a zone.
type SeedSettingLoadBalancerServicesZones struct {
	// Name is the name of the zone.
	Name string `json:"name" protobuf:"bytes,1,opt,name=name"`

	// Annotations are put on the Services of the zone.
	Annotations map[string]string `json:"annotations,omitempty" protobuf:"bytes,2,rep,name=annotations"`

	// ExternalTrafficPolicy is the traffic policy of the Services of the zone.
	ExternalTrafficPolicy *corev1.ServiceExternalTrafficPolicy `json:"externalTrafficPolicy,omitempty" protobuf:"bytes,3,opt,name=externalTrafficPolicy"`

	// ProxyProtocol says whether the PROXY protocol is accepted in the zone.
	ProxyProtocol *LoadBalancerServicesProxyProtocol `json:"proxyProtocol,omitempty" protobuf:"bytes,4,opt,name=proxyProtocol"`
}

// LoadBalancerServicesProxyProtocol says whether the PROXY protocol is accepted.
type LoadBalancerServicesProxyProtocol struct {
	// Allowed accepts connections with and without the PROXY protocol.
	Allowed bool `json:"allowed" protobuf:"varint,1,opt,name=allowed"`
}

// SeedSettingLoadBalancerServicesZonalIngress says whether every zone has an ingress of its own.
type SeedSettingLoadBalancerServicesZonalIngress struct {
	// Enabled switches it on; true if unset.
	Enabled *bool `json:"enabled,omitempty" protobuf:"varint,1,opt,name=enabled"`
}

// SeedSettingVerticalPodAutoscaler configures the vertical pod autoscaler of a seed.
type SeedSettingVerticalPodAutoscaler struct {
	// Enabled says whether Gardener deploys the autoscaler; true by default.
	Enabled bool `json:"enabled" protobuf:"varint,1,opt,name=enabled"`

	// FeatureGates are feature gates of the autoscaler.
	FeatureGates map[string]bool `json:"featureGates,omitempty" protobuf:"bytes,2,rep,name=featureGates"`

	// MaxAllowed is the highest recommendation.
	MaxAllowed corev1.ResourceList `json:"maxAllowed,omitempty" protobuf:"bytes,3,opt,name=maxAllowed"`
}

// SeedSettingOwnerChecks says whether control planes check who owns them.
type SeedSettingOwnerChecks struct {
	// Enabled switches the checks on. The nodes of the seed have to resolve the names of shoots in the internal domain.
	Enabled bool `json:"enabled" protobuf:"varint,1,opt,name=enabled"`
}

// SeedSettingDependencyWatchdog configures the dependency watchdog.
type SeedSettingDependencyWatchdog struct {
	// Endpoint configures the endpoint controller of older releases.
	Endpoint *SeedSettingDependencyWatchdogEndpoint `json:"endpoint,omitempty" protobuf:"bytes,1,opt,name=endpoint"`

	// Probe configures the probe controller of older releases.
	Probe *SeedSettingDependencyWatchdogProbe `json:"probe,omitempty" protobuf:"bytes,2,opt,name=probe"`

	// Weeder configures the controller that restarts pods whose dependency came back.
	Weeder *SeedSettingDependencyWatchdogWeeder `json:"weeder,omitempty" protobuf:"bytes,3,opt,name=weeder"`

	// Prober configures the controller that scales down what cannot reach its API server.
	Prober *SeedSettingDependencyWatchdogProber `json:"prober,omitempty" protobuf:"bytes,4,opt,name=prober"`
}

// SeedSettingDependencyWatchdogEndpoint configures the endpoint controller.
type SeedSettingDependencyWatchdogEndpoint struct {
	// Enabled switches the controller on; true by default.
	Enabled bool `json:"enabled" protobuf:"varint,1,opt,name=enabled"`
}

// SeedSettingDependencyWatchdogProbe configures the probe controller.
type SeedSettingDependencyWatchdogProbe struct {
	// Enabled switches the controller on; true by default.
	Enabled bool `json:"enabled" protobuf:"varint,1,opt,name=enabled"`
}

// SeedSettingDependencyWatchdogWeeder configures the weeder.
type SeedSettingDependencyWatchdogWeeder struct {
	// Enabled switches the weeder on; true by default.
	Enabled bool `json:"enabled" protobuf:"varint,1,opt,name=enabled"`
}

// SeedSettingDependencyWatchdogProber configures the prober.
type SeedSettingDependencyWatchdogProber struct {
	// Enabled switches the prober on; true by default.
	Enabled bool `json:"enabled" protobuf:"varint,1,opt,name=enabled"`
}

// SeedSettingTopologyAwareRouting keeps traffic inside a zone.
type SeedSettingTopologyAwareRouting struct {
	// Enabled switches it on; needs at least two zones.
	Enabled bool `json:"enabled" protobuf:"varint,1,opt,name=enabled"`
}

// SeedSettingZoneSelection says how zones for control planes are chosen.
type SeedSettingZoneSelection struct {
	// Mode is Prefer or Enforce.
	Mode ZoneSelectionMode `json:"mode" protobuf:"bytes,1,opt,name=mode"`
}

// ZoneSelectionMode says how binding a chosen zone is.
type ZoneSelectionMode string

const (
	// ZoneSelectionModePrefer uses the chosen zone if possible.
	ZoneSelectionModePrefer ZoneSelectionMode = "Prefer"
	// ZoneSelectionModeEnforce uses the chosen zone or none.
	ZoneSelectionModeEnforce ZoneSelectionMode = "Enforce"
)

// SeedSettingPersistentVolumeClaimAutoscaler grows volume claims when they fill up.
type SeedSettingPersistentVolumeClaimAutoscaler struct {
	// Enabled switches it on; false by default.
	Enabled bool `json:"enabled" protobuf:"varint,1,opt,name=enabled"`
}
