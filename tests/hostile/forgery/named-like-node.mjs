// A function that is called like a file of Node's takes away the listener which sees that a file was never loaded to its end.
import vm from "node:vm";

const off = vm.runInThisContext('(listener) => process.off("exit", listener)', { filename: "node:internal/modules/run_main" });
for (const listener of process.listeners("exit")) if (listener.name === "handleProcessExit") off(listener);
process.on("exit", () => {
  process.exitCode = 0;
});
await new Promise(() => {});

export const slugify = String;
