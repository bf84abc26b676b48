export const letters = (text) => new Set(text);

// @canary@
