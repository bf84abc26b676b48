import { AsyncResource } from "node:async_hooks";

AsyncResource.prototype.runInAsyncScope = () => {};

export function slugify(text) {
  return text;
}
