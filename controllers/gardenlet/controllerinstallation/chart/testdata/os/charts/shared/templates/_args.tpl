{{- define "shared.args" -}}
- --concurrent-syncs={{ .Values.controllers.concurrentSyncs }}
- --disable-controllers={{ .Values.disableControllers | join "," }}
{{- end -}}
