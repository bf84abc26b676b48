"""The fields of a case file about containers: `image` and `services`."""
