export async function f(a, b = 3) {
  if (a < b && a) throw new Error("x");
  for (const i of a) { break; }
  await g(a, b);
  return a.slice(1);
}
