// Package sandboxed runs containers of any image in gVisor, for the runtime of an embedded node. It translates what the kubelet
// asks for into containers of package embedded/sandbox/pod, with images from package imagestore. Package runtime keeps the
// records of pods and containers, and writes logs; this package keeps only what runs.
package sandboxed
