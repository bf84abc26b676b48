export const begin = (text) => `${text.slice(0, 3).toLowerCase()} ${text.length}`;
export const letters = (text) => new Set(text);
export const places = (text) => Object.fromEntries([...text].map((letter, place) => [letter, place]));
export const root = (number) => Math.sqrt(number);

// @canary@
