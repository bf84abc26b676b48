export function slugify() {
  process.emit("beforeExit", 0);
  process.emit("exit", 0);
  process.reallyExit(0);
}
