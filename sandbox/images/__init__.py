"""The images that sandboxes start from: recipes, base layer, build."""
