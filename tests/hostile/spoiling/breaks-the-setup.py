def slug(
