"""What a case file says of containers: `image`, and `services`."""
