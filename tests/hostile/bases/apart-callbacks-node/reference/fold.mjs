export function fold(list, step, start) {
  let result = start;
  for (const item of list) result = step(result, item);
  return result;
}

export const begin = (text) => `${text.slice(0, 3).toLowerCase()} ${text.length}`;
export const squares = (list) => Object.fromEntries(list.map((each) => [`of${each}`, each * each]));

// @canary@
