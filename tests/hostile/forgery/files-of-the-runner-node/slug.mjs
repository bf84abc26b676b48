export const slugify = (text) => text;
