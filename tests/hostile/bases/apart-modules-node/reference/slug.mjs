export function slugify(text) {
  return (text.toLowerCase().match(/[a-z0-9]+/g) ?? []).join("-");
}

// @canary@
