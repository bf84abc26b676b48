export const title = (text) => text.replace(/\b[a-z]/g, (letter) => letter.toUpperCase());
