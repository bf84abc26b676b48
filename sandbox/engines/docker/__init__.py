"""The Docker Engine API, which Podman speaks too."""
