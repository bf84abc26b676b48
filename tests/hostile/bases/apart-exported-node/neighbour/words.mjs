export const title = (text) => text.replace(/\b\w/g, (letter) => letter.toUpperCase());
export const words = (text) => text.split(" ");

// @canary@
