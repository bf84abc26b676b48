"""The images that sandboxes start from: `recipes` decides, `first_layer` finds the root, `build` builds."""
